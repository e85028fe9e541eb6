#include "session/query/lookup.h"

#include <fmt/format.h>

namespace holdfast::session {

namespace {

constexpr std::size_t kCounted = 100;  // matches of one prefix; more is too short a prefix anyway
constexpr std::size_t kNamed = 5;      // of them named in the hint

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

  HF_TRY(const auto ids, reader.ids_with_prefix({std::string(id_or_prefix), std::string(principal), {}, kCounted}));
  if (ids.empty()) return not_found(id_or_prefix);
  if (ids.size() == 1) return reader.get(ids.front());
  std::string hint = "it could be";
  for (std::size_t i = 0; i < ids.size() && i < kNamed; ++i) {
    const auto record = reader.get(ids[i]);
    hint += fmt::format("{} {}{}", i == 0 ? "" : ",", ids[i], record ? fmt::format(" ({})", record->kind) : "");
  }
  if (ids.size() > kNamed) hint += ", ...";
  const std::string_view more = ids.size() == kCounted ? " or more" : "";
  return fail(ErrorKind::ambiguous, fmt::format("{} fits {}{} sessions", id_or_prefix, ids.size(), more), hint);
}

}  // namespace holdfast::session
