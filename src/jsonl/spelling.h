#pragma once

// How a text is spelled inside a JSON string, and back.
//
// `raw` is always the inside of a string literal, without its quotes, with valid escapes (Scanner and Splicer hand out
// no other). `text` is what it means, in UTF-8, with two liberties that keep every difference visible: bytes
// that are not UTF-8 stay as they are, and a surrogate escape without its partner becomes the three bytes that UTF-8
// would give it (ED A0 80 to ED BF BF), not U+FFFD. So in valid UTF-8 two spellings have one text exactly when they mean one.
// (base/text/text.h replaces lone surrogates instead: right for search and display, wrong for comparing.)

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::jsonl {

// A backslash must begin one of the nine escapes wherever it stands in `json`.
bool escapes_are_valid(std::string_view json);

// False: there is no escape of this kind ('u', '/', ...). True: there may be one, or an escaped backslash and that letter.
bool may_have_escape(std::string_view raw, char kind);

// Is `raw` a spelling of `text`? "\u002fhome" and "\/home" are spellings of "/home". Allocates nothing.
bool spells(std::string_view raw, std::string_view text);
bool spelling_starts_with(std::string_view raw, std::string_view text);

std::string text_of(std::string_view raw);
void append_text(std::string& out, std::string_view raw);

// How somebody wrote his strings: what is put in their place follows it.
struct SpellingStyle {
  bool escaped_slash = false;  // "\/"
  bool ascii_only = false;     // "\u00e9", never the raw bytes
  bool upper_hex = false;      // "\u00E9"
};
SpellingStyle style_of(std::string_view raw);

// Appends the spelling of `text` in that style. Whatever the style: text_of() gives `text` back.
void append_spelling(std::string& out, std::string_view text, SpellingStyle style);

// Finds the place in `raw` of a place in its text; asked in ascending order, it walks once.
class SpellingCursor {
 public:
  explicit SpellingCursor(std::string_view raw) : raw_(raw) {}
  // The offset in raw where the text's byte `text_offset` begins, the end of the text included. nullopt: behind the end, inside
  // the bytes of one escape, or before an offset asked for earlier.
  std::optional<std::size_t> raw_offset(std::size_t text_offset);
  std::size_t raw_at() const { return raw_at_; }  // where it stands

 private:
  std::string_view raw_;
  std::size_t raw_at_ = 0, text_at_ = 0;
};

}  // namespace holdfast::jsonl
