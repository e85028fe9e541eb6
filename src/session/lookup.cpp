#include "session/lookup.h"

#include <fmt/format.h>

namespace holdfast::session {

namespace {

constexpr std::size_t kCandidates = 100;  // ids looked at for one prefix; more is too short a prefix anyway
constexpr std::size_t kNamed = 5;         // matches named in the hint

std::unexpected<Error> not_found(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id), "list the sessions to see their ids");
}

}  // namespace

Result<SessionRecord> find_session(Reader& reader, std::string_view principal, std::string_view id_or_prefix) {
  auto exact = reader.get(id_or_prefix);
  if (exact) {
    if (exact->principal != principal) return not_found(id_or_prefix);
    return exact;
  }
  if (exact.error().kind != ErrorKind::not_found) return exact;
  if (exact.error().code == "gone") {
    HF_TRY(auto tombstone, reader.tombstone(id_or_prefix));
    if (tombstone && tombstone->principal == principal) return exact;
    return not_found(id_or_prefix);
  }
  if (id_or_prefix.size() < kMinPrefixBytes) return not_found(id_or_prefix);

  HF_TRY(auto ids, reader.ids_with_prefix(id_or_prefix, kCandidates));
  std::vector<SessionRecord> matches;
  for (const std::string& id : ids) {
    auto record = reader.get(id);
    if (record && record->principal == principal) matches.push_back(std::move(*record));
  }
  if (matches.empty()) return not_found(id_or_prefix);
  if (matches.size() == 1) return std::move(matches.front());
  std::string hint = "it could be";
  for (std::size_t i = 0; i < matches.size() && i < kNamed; ++i)
    hint += fmt::format("{} {} ({})", i == 0 ? "" : ",", matches[i].id, matches[i].kind);
  if (matches.size() > kNamed) hint += ", ...";
  return fail(ErrorKind::ambiguous, fmt::format("{} fits {} sessions", id_or_prefix, matches.size()), hint);
}

}  // namespace holdfast::session
