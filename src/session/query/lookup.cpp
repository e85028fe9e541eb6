#include "session/query/lookup.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::session {

namespace {

constexpr std::size_t kShownBytes = 80;  // of what is no id
constexpr std::size_t kCounted = 100;    // matches of one prefix; more is too short a prefix anyway
constexpr std::size_t kNamed = 10;       // of them named

std::unexpected<Error> not_found(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id), "list the sessions to see their ids");
}

}  // namespace

Result<void> check_start_of_id(std::string_view text) {
  const auto is_of_ids = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  if (text.size() >= kMinPrefixBytes && std::ranges::all_of(text, is_of_ids)) return {};
  return fail(ErrorKind::invalid,
              fmt::format("\"{}\" is not a session id or the start of one", shorten(to_valid_utf8(text), kShownBytes)),
              fmt::format("an id has letters, digits, - and _; its first {} are needed at least", kMinPrefixBytes));
}

Result<std::optional<SessionRecord>> session_of_id(Reader& reader, std::string_view principal, std::string_view id) {
  auto exact = reader.get(id);
  if (exact) return exact->principal == principal ? std::optional(std::move(*exact)) : std::nullopt;
  if (exact.error().kind != ErrorKind::not_found) return fail(std::move(exact).error());
  if (exact.error().code != "gone") return std::nullopt;
  HF_TRY(const auto tombstone, reader.tombstone(id));
  if (tombstone && tombstone->principal == principal) return fail(std::move(exact).error());
  return std::nullopt;
}

Result<SessionRecord> find_session(Reader& reader, std::string_view principal, std::string_view id_or_prefix) {
  HF_TRY(auto exact, session_of_id(reader, principal, id_or_prefix));
  if (exact) return std::move(*exact);
  HF_CHECK(check_start_of_id(id_or_prefix));
  HF_TRY(const auto ids, reader.ids_with_prefix({std::string(id_or_prefix), std::string(principal), {}, kCounted}));
  if (ids.empty()) return not_found(id_or_prefix);
  if (ids.size() == 1) return reader.get(ids.front());
  std::string lines;
  for (std::size_t i = 0; i < ids.size() && i < kNamed; ++i) {
    const auto record = reader.get(ids[i]);
    lines += fmt::format("\n  {}{}", ids[i], record ? fmt::format("  {} in the store", record->kind) : "");
  }
  if (ids.size() > kNamed) lines += fmt::format("\n  and {} more", ids.size() - kNamed);
  const std::string_view more = ids.size() == kCounted ? " or more" : "";
  return fail(ErrorKind::ambiguous, fmt::format("{} fits {}{} sessions:{}", id_or_prefix, ids.size(), more, lines),
              "give more of the id");
}

}  // namespace holdfast::session
