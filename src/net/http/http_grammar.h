#pragma once

// The characters of RFC 9110 and 9112, as tables: one look-up a byte.

#include <array>
#include <string_view>

namespace holdfast::net {

using CharSet = std::array<bool, 256>;

constexpr CharSet make_token_chars() {
  CharSet set{};
  for (unsigned char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    set[c] = true;
  return set;
}

constexpr CharSet make_value_chars() {
  CharSet set{};
  for (std::size_t c = 0x20; c < 0x100; ++c) set[c] = c != 0x7f;
  set['\t'] = true;
  return set;
}

constexpr CharSet make_target_chars() {
  CharSet set{};
  for (std::size_t c = 0x21; c < 0x7f; ++c) set[c] = c != '#';  // a fragment never travels
  return set;
}

inline constexpr CharSet kTokenChars = make_token_chars();    // methods and header names
inline constexpr CharSet kValueChars = make_value_chars();    // header values: no controls but the tab
inline constexpr CharSet kTargetChars = make_target_chars();  // request targets

constexpr std::size_t length_within(const CharSet& set, std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && set[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

constexpr bool all_within(const CharSet& set, std::string_view text) {
  return length_within(set, text) == text.size();
}

// Blanks at both ends (space and tab, what the grammar calls OWS).
constexpr std::string_view strip_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace holdfast::net
