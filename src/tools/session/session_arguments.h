#pragma once

// Reads arguments that several operations of `session` share.

#include "session/life/erase.h"
#include "session/query/query.h"
#include "session/query/search.h"
#include "tools/session/session_operations.h"

#include <string>
#include <vector>

namespace holdfast::tools {

// A text or a list of texts.
std::vector<std::string> texts_of(const JsonObject& arguments, std::string_view key);

// Entries, thoughts or messages of one session in one answer: a model reads all of it.
inline constexpr std::int64_t kMaxItems = 1000;
// `limit`; outside of 1..highest it is refused: who asked for more must not take what there is for all.
Result<std::size_t> limit_of(const JsonObject& arguments, std::int64_t fallback, std::int64_t highest);

// `type`: a kind, its plural, or "all"; absent means every kind kept in the store except transcripts (design 8.3).
Result<std::vector<std::string>> kinds_of(const JsonObject& arguments);
Result<std::vector<session::Visibility>> visibilities_of(const JsonObject& arguments);
// A time (base/run/when.h); invalid names the argument.
Result<std::optional<Millis>> time_of(const JsonObject& arguments, std::string_view key, Millis now);

// What `redact` shall take away: message_ids, source_ids, pattern, regex; and their schemas.
session::Redaction redaction_of(const JsonObject& arguments);
JsonObject redaction_arguments();

// Limits a query to the project the call is about: sessions of its roots and those without one (design 8.3). False: the client
// was asked for its roots; the operation answers input_required and is run again.
template <class Query>
Result<bool> limit_to_root(SessionCall& call, Query& query) {
  if (find_bool(call.arguments(), "allRoots").value_or(false)) return true;
  HF_TRY(ResolvedRoots resolved, call.root.resolve(call.call));
  if (resolved.input_required) return false;
  if (resolved.roots.empty()) return true;
  query.roots = std::move(resolved.roots);
  query.rootless = true;
  return true;
}

}  // namespace holdfast::tools
