#pragma once

// Reads arguments that several operations of `session` share.

#include "session/query.h"
#include "session/search.h"
#include "tools/session_operations.h"

#include <string>
#include <vector>

namespace holdfast::tools {

// A text or a list of texts.
std::vector<std::string> texts_of(const JsonObject& arguments, std::string_view key);

// `type`: a kind, its plural, or "all"; absent means every kind kept in the store except transcripts (design 8.3).
Result<std::vector<std::string>> kinds_of(const JsonObject& arguments);
Result<std::vector<session::Visibility>> visibilities_of(const JsonObject& arguments);
// An instant in either spelling; invalid names the argument.
Result<std::optional<Millis>> time_of(const JsonObject& arguments, std::string_view key);

// Limits a query to the project the call is about: sessions of its root and those without one (design 8.3).
template <class Query>
Result<void> limit_to_root(SessionCall& call, Query& query) {
  if (find_bool(call.arguments(), "allRoots").value_or(false)) return {};
  HF_TRY(auto root, call.root.resolve(call.call));
  if (!root) return {};
  query.roots = {*root};
  query.rootless = true;
  return {};
}

}  // namespace holdfast::tools
