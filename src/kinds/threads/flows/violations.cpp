#include "kinds/threads/flows/violations.h"

#include "base/text/text.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::threads {

namespace {
constexpr std::size_t kMaxClientIdBytes = session::kMaxIdempotencyKeyBytes;  // a UUID and a prefix have room many times over
}  // namespace

void Violations::required(std::string_view name, std::string_view value) {
  if (trim(value).empty()) missing_.push_back(fmt::format("{} is missing or empty", name));
}

void Violations::text(std::string_view name, std::string_view value, std::size_t max_characters) {
  if (!is_valid_utf8(value)) {
    add(fmt::format("{} is not UTF-8", name));
  } else if (const std::size_t length = utf8_length(value); length > max_characters) {
    add(fmt::format("{} has {} characters, at most {} are allowed", name, length, max_characters));
  }
}

void Violations::between(std::string_view name, std::int64_t value, std::int64_t lowest, std::int64_t highest) {
  if (value < lowest || value > highest) add(fmt::format("{} must be from {} to {}, not {}", name, lowest, highest, value));
}

void Violations::one_of(std::string_view name, std::string_view value, std::span<const std::string_view> allowed) {
  if (std::ranges::find(allowed, value) == allowed.end())
    add(fmt::format("{} must be one of {}, not \"{}\"", name, fmt::join(allowed, ", "), shorten(value, 80)));
}

void Violations::provider(const model::Models& models, std::string_view name) {
  const std::vector<std::string> known = models.providers({});
  if (name.empty() || known.empty() || std::ranges::find(known, name) != known.end()) return;
  add(fmt::format("no provider is called \"{}\"; there are {}", shorten(name, 80), fmt::join(known, ", ")));
}

void Violations::client_id(std::string_view value) {
  if (value.size() > kMaxClientIdBytes || !is_valid_utf8(value) || has_control_character(value))
    add(fmt::format("client_msg_id must be UTF-8 of at most {} bytes, without control characters", kMaxClientIdBytes));
}

Result<void> Violations::result() const {
  if (missing_.empty() && found_.empty()) return {};
  std::vector<std::string> all = missing_;
  all.insert(all.end(), found_.begin(), found_.end());
  return fail(ErrorKind::invalid, fmt::format("{}", fmt::join(all, "; ")), {},
              missing_.empty() ? "VALIDATION_ERROR" : "MISSING_REQUIRED");
}

}  // namespace holdfast::threads
