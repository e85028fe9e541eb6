#include "jsonl/spelling.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace holdfast::jsonl {
namespace {

constexpr std::array<std::int8_t, 256> make_hex_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
    values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
  }
  return values;
}
constexpr auto kHexValues = make_hex_values();

int hex_value(char c) {
  return kHexValues[static_cast<unsigned char>(c)];
}

bool is_high(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// The unit of a "\uXXXX" at the front; nothing when another thing stands there.
std::optional<std::uint32_t> unicode_escape(std::string_view raw) {
  if (raw.size() < 6 || raw[0] != '\\' || raw[1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_value(raw[i]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

// How long the escape at the front is, 0 when it is none.
std::size_t escape_size(std::string_view raw) {
  if (raw.size() >= 2 && short_json_escape(raw[1])) return 2;
  return unicode_escape(raw) ? 6 : 0;
}

// Sixteen bytes side by side, in the compilers' own vectors. One search per backslash took most of the time of a
// scan, since code and prose in a JSON string have one every thirty bytes (measured: 2 GB/s, and 5 for simdjson's whole pass).
using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes load(const char* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

template <class Mask>
bool any(Mask mask) {
  std::uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// The careful way for from..to: a backslash may be the second half of an escaped one, or begin a "\\u".
bool doubtful_escapes_are_valid(std::string_view json, std::size_t from, std::size_t to) {
  for (std::size_t at = from; at < to; ++at) {
    if (json[at] != '\\' || escape_size(json.substr(at)) > 0) continue;
    std::size_t before = at;
    while (before > 0 && json[before - 1] == '\\') --before;
    if ((at - before) % 2 == 0) return false;
  }
  return true;
}

// One escape of a spelling: how long it is, and the bytes it means.
struct Escape {
  std::size_t raw_size = 0;
  std::size_t text_size = 0;
  char bytes[4];
};

Escape encode(std::size_t raw_size, std::uint32_t code) {
  const auto part = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {raw_size, 1, {part(code)}};
  if (code < 0x800) return {raw_size, 2, {part(0xC0 | code >> 6), part(0x80 | (code & 0x3F))}};
  if (code < 0x10000)
    return {raw_size, 3, {part(0xE0 | code >> 12), part(0x80 | (code >> 6 & 0x3F)), part(0x80 | (code & 0x3F))}};
  return {
      raw_size,
      4,
      {part(0xF0 | code >> 18), part(0x80 | (code >> 12 & 0x3F)), part(0x80 | (code >> 6 & 0x3F)), part(0x80 | (code & 0x3F))}};
}

// The escape at the front of `raw`, whose first byte is a backslash. What is no escape means its own bytes: callers
// promise valid ones, and a broken promise must not read outside the text.
Escape escape_at(std::string_view raw) {
  if (raw.size() < 2) return {1, 1, {'\\'}};
  if (const char meant = short_json_escape(raw[1])) return {2, 1, {meant}};
  const auto unit = unicode_escape(raw);
  if (!unit) return {1, 1, {'\\'}};
  if (is_high(*unit)) {
    const auto second = unicode_escape(raw.substr(6));
    if (second && is_low(*second)) return encode(12, 0x10000 + ((*unit - 0xD800) << 10) + (*second - 0xDC00));
  }
  return encode(6, *unit);
}

// Takes a spelling of `text` off the front of `raw`, if one is there.
bool skip_spelling(std::string_view& raw, std::string_view text) {
  while (!text.empty()) {
    if (raw.size() < text.size()) return false;  // a spelling is never shorter
    const std::size_t run = std::min(raw.substr(0, text.size()).find('\\'), text.size());
    if (!text.starts_with(raw.substr(0, run))) return false;
    text.remove_prefix(run);
    raw.remove_prefix(run);
    if (text.empty()) break;
    const Escape escape = escape_at(raw);
    if (!text.starts_with(std::string_view(escape.bytes, escape.text_size))) return false;
    text.remove_prefix(escape.text_size);
    raw.remove_prefix(escape.raw_size);
  }
  return true;
}

// A lone surrogate in our text is ED A0..BF xx; real UTF-8 never has that second byte behind ED.
bool is_surrogate(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  return text.size() >= 3 && byte(0) == 0xED && byte(1) >= 0xA0 && byte(1) <= 0xBF && (byte(2) & 0xC0) == 0x80;
}

// The code point of the UTF-8 sequence at the front; nothing when it is not one (a lone surrogate counts as one).
struct CodePoint {
  std::uint32_t code = 0;
  std::size_t size = 0;
};
std::optional<CodePoint> code_point_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return std::nullopt;
  std::uint32_t code = first & (0xFF >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const std::uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10FFFF) return std::nullopt;
  return CodePoint{code, size};
}

void append_unit(std::string& out, std::uint32_t unit, bool upper_hex) {
  const char* digits = upper_hex ? "0123456789ABCDEF" : "0123456789abcdef";
  out += {'\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
}

void append_ascii(std::string& out, char c, SpellingStyle style) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '/':
      out += style.escaped_slash ? "\\/" : "/";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20)
    append_unit(out, static_cast<unsigned char>(c), style.upper_hex);
  else
    out += c;
}

}  // namespace

bool escapes_are_valid(std::string_view json) {
  std::size_t at = 0;
  for (; at + sizeof(Bytes) < json.size(); at += sizeof(Bytes)) {
    const Bytes here = load(json.data() + at), next = load(json.data() + at + 1);
    const auto plain = (next == '"') | (next == '\\') | (next == '/') | (next == 'n') | (next == 't') | (next == 'r') |
                       (next == 'b') | (next == 'f');
    if (any((here == '\\') & ~plain) && !doubtful_escapes_are_valid(json, at, at + sizeof(Bytes))) return false;
  }
  return doubtful_escapes_are_valid(json, at, json.size());
}

bool may_have_escape(std::string_view raw, char kind) {
  const auto wanted = static_cast<unsigned char>(kind);
  std::size_t at = 0;
  for (; at + sizeof(Bytes) < raw.size(); at += sizeof(Bytes)) {
    const Bytes here = load(raw.data() + at), next = load(raw.data() + at + 1);
    if (any((here == '\\') & (next == wanted))) return true;
  }
  for (; at + 1 < raw.size(); ++at)
    if (raw[at] == '\\' && raw[at + 1] == kind) return true;
  return false;
}

bool spelling_starts_with(std::string_view raw, std::string_view text) {
  return skip_spelling(raw, text);
}

bool spells(std::string_view raw, std::string_view text) {
  // Most questions are about names, and most answers are no: an escape makes a spelling longer, at most sixfold.
  if (raw.size() < text.size() || raw.size() / 6 > text.size()) return false;
  if (!text.empty() && raw[0] != text[0] && raw[0] != '\\') return false;
  return skip_spelling(raw, text) && raw.empty();
}

void append_text(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    const std::size_t run = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, run);
    raw.remove_prefix(run);
    if (raw.empty()) break;
    const Escape escape = escape_at(raw);
    out.append(escape.bytes, escape.text_size);
    raw.remove_prefix(escape.raw_size);
  }
}

std::string text_of(std::string_view raw) {
  std::string text;
  append_text(text, raw);
  return text;
}

SpellingStyle style_of(std::string_view raw) {
  SpellingStyle style;
  bool escaped = false, decided_hex = false;
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\', at)) {
    const std::string_view rest = raw.substr(at);
    if (rest.starts_with("\\/")) style.escaped_slash = true;
    if (const auto unit = unicode_escape(rest)) {
      if (*unit >= 0x80) escaped = true;
      for (const char digit : rest.substr(2, 4)) {
        if (decided_hex || hex_value(digit) < 10) continue;
        style.upper_hex = digit < 'a';
        decided_hex = true;
      }
    }
    at += escape_at(rest).raw_size;
  }
  if (escaped) {
    style.ascii_only = true;
    for (const char c : raw)
      if (static_cast<unsigned char>(c) >= 0x80) style.ascii_only = false;
  }
  return style;
}

void append_spelling(std::string& out, std::string_view text, SpellingStyle style) {
  const auto is_plain = [&](char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && !(c == '/' && style.escaped_slash);
  };
  bool behind_high = false;  // a low half may not be escaped behind an escaped high one: together they would be a pair
  while (!text.empty()) {
    if (const auto run = std::ranges::find_if_not(text, is_plain) - text.begin(); run > 0) {
      out += text.substr(0, static_cast<std::size_t>(run));
      text.remove_prefix(static_cast<std::size_t>(run));
      behind_high = false;
      continue;
    }
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      append_ascii(out, text[0], style);
      text.remove_prefix(1);
      behind_high = false;
      continue;
    }
    const auto point = code_point_at(text);
    const std::size_t size = point ? point->size : 1;
    const bool surrogate = is_surrogate(text);
    const bool escape = point && (surrogate ? !(behind_high && is_low(point->code)) : style.ascii_only);
    behind_high = escape && is_high(point->code);
    if (escape) {
      if (point->code >= 0x10000) {
        append_unit(out, 0xD800 + ((point->code - 0x10000) >> 10), style.upper_hex);
        append_unit(out, 0xDC00 + ((point->code - 0x10000) & 0x3FF), style.upper_hex);
      } else {
        append_unit(out, point->code, style.upper_hex);
      }
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

std::optional<std::size_t> SpellingCursor::raw_offset(std::size_t text_offset) {
  while (text_at_ < text_offset && raw_at_ < raw_.size()) {
    const std::string_view rest = raw_.substr(raw_at_);
    const std::string_view near = rest.substr(0, text_offset - text_at_);
    const std::size_t run = std::min(near.find('\\'), near.size());
    raw_at_ += run;
    text_at_ += run;
    if (run > 0) continue;
    const Escape escape = escape_at(rest);
    raw_at_ += escape.raw_size;
    text_at_ += escape.text_size;
  }
  if (text_at_ != text_offset) return std::nullopt;
  return raw_at_;
}

}  // namespace holdfast::jsonl
