#pragma once

// The formats an elicitation form may ask for: email, uri, date, date-time. Elsewhere "format" is a
// remark for readers, as the specification has it.

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::schema {

enum class Format : std::uint8_t { email, uri, date, date_time };

std::optional<Format> format_named(std::string_view name);  // nullopt: not one we check
bool has_format(Format format, std::string_view text);

// "an e-mail address such as ann@example.org"
std::string_view expected_text(Format format);

}  // namespace holdfast::schema
