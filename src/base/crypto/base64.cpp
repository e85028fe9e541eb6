#include "base/crypto/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Values = std::array<std::int8_t, 256>;  // -1: not in the alphabet

constexpr Values values_of(std::string_view alphabet) {
  Values values;
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr Values kStandardValues = values_of(kStandard);
constexpr Values kUrlValues = values_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j <= count; ++j) *out++ = alphabet[group >> (18 - 6 * j) & 63];
  }
  if (!padded) text.resize(static_cast<std::size_t>(out - text.data()));
  return text;
}

// text without padding. One text for every value: left-over bits have to be zero.
Result<std::string> decode(std::string_view text, const Values& values) {
  if (text.size() % 4 == 1) return fail(ErrorKind::invalid, "not valid base64: wrong length");
  std::string bytes(text.size() * 3 / 4, '\0');
  char* out = bytes.data();
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::int8_t value = values[static_cast<unsigned char>(text[i])];
    if (value < 0) return fail(ErrorKind::invalid, fmt::format("not valid base64: foreign character at byte {}", i));
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      *out++ = static_cast<char>(bits >> held);
      bits &= (1U << held) - 1;
    }
  }
  if (bits != 0) return fail(ErrorKind::invalid, "not valid base64: the last character has stray bits");
  return bytes;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  return encode(bytes, kStandard, true);
}

std::string to_base64url(std::string_view bytes) {
  return encode(bytes, kUrl, false);
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return fail(ErrorKind::invalid, "not valid base64: wrong length");
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, kStandardValues);
}

Result<std::string> from_base64url(std::string_view text) {
  return decode(text, kUrlValues);
}

}  // namespace holdfast
