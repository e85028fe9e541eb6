#include "session/query/cursor.h"

#include "base/crypto/hash.h"
#include "session/length_prefix.h"

namespace holdfast::session {

namespace {

constexpr char kCursorVersion = '1';
constexpr std::size_t kMacBytes = 16;  // 128 bits: nobody guesses one

void put_strings(std::string& out, const std::vector<std::string>& items) {
  put_integer(out, static_cast<std::int64_t>(items.size()));
  for (const std::string& item : items) put_string(out, item);
}

template <class T>
void put_optional(std::string& out, const std::optional<T>& value) {
  out.push_back(value ? '+' : '-');
  if (!value) return;
  if constexpr (std::is_same_v<T, std::string>) {
    put_string(out, *value);
  } else {
    put_integer(out, static_cast<std::int64_t>(*value));
  }
}

// An age has moved on by the next page, and is the same condition all the same.
void put_time(std::string& out, const std::optional<Millis>& time, const std::string& age) {
  if (age.empty()) return put_optional(out, time);
  out.push_back('~');
  put_string(out, age);
}

// Everything that decides which sessions are listed and in which order. Limit, offset, count and
// the cursor itself do not: a caller may change the page size on the way.
std::string conditions(const Query& query) {
  std::string out = "holdfast cursor 1\n";
  put_strings(out, query.kinds);
  put_strings(out, query.roots);
  out.push_back(query.rootless ? '+' : '-');
  put_strings(out, query.statuses);
  put_integer(out, static_cast<std::int64_t>(query.visibilities.size()));
  for (Visibility each : query.visibilities) put_integer(out, static_cast<std::int64_t>(each));
  put_optional(out, query.pinned);
  put_strings(out, query.tags);
  put_optional(out, query.project);
  put_optional(out, query.task);
  put_optional(out, query.aspect);
  put_strings(out, query.aspects);
  put_string(out, query.text);
  put_time(out, query.updated_since, query.since_age);
  put_time(out, query.updated_before, query.before_age);
  put_optional(out, query.due_before);
  put_optional(out, query.principal);
  put_integer(out, static_cast<std::int64_t>(query.sort));
  put_strings(out, query.prefer_status);
  return out;
}

std::string mac_of(std::string_view secret, const Query& query, std::string_view payload) {
  std::string input = conditions(query);
  put_string(input, payload);
  return std::string(bytes_of(hmac_sha256(secret, input)).substr(0, kMacBytes));
}

}  // namespace

std::string make_cursor(std::string_view secret, const Query& query, const Position& position) {
  std::string payload(1, kCursorVersion);
  for (std::int64_t key : position.keys) put_integer(payload, key);
  payload += position.id;
  return to_base64url(mac_of(secret, query, payload) + payload);
}

Result<Position> read_cursor(std::string_view secret, const Query& query) {
  const auto refuse = [] {
    return fail(ErrorKind::invalid, "the cursor does not belong to this list",
                "repeat the call with the filters that made the cursor, or without one to start again", "INVALID_CURSOR");
  };
  Position position;
  const std::size_t fixed = kMacBytes + 1 + 8 * position.keys.size();
  auto bytes = from_base64url(query.cursor);
  if (!bytes || bytes->size() <= fixed) return refuse();
  const std::string_view payload = std::string_view(*bytes).substr(kMacBytes);
  if (!equal_in_constant_time(mac_of(secret, query, payload), std::string_view(*bytes).substr(0, kMacBytes))) return refuse();
  for (std::size_t i = 0; i < position.keys.size(); ++i) position.keys[i] = get_integer(payload.substr(1 + 8 * i));
  position.id = payload.substr(1 + 8 * position.keys.size());
  return position;
}

}  // namespace holdfast::session
