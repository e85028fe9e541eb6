#include "reading/html/html.h"

#include "base/text/text.h"

#include <array>
#include <utility>

namespace holdfast::reading {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += c;
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += "\xEF\xBF\xBD";
        else
          out += c;
    }
  }
}

// Characters that turn the direction of what follows would make a text look like another one: they are spelled, as visible_text.h
// does. In valid UTF-8.
void append_shown(std::string& out, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTurning = {{{"\u061C", "⟨U+061C⟩"},
                                                                                       {"\u200E", "⟨U+200E⟩"},
                                                                                       {"\u200F", "⟨U+200F⟩"},
                                                                                       {"\u202A", "⟨U+202A⟩"},
                                                                                       {"\u202B", "⟨U+202B⟩"},
                                                                                       {"\u202C", "⟨U+202C⟩"},
                                                                                       {"\u202D", "⟨U+202D⟩"},
                                                                                       {"\u202E", "⟨U+202E⟩"},
                                                                                       {"\u2066", "⟨U+2066⟩"},
                                                                                       {"\u2067", "⟨U+2067⟩"},
                                                                                       {"\u2068", "⟨U+2068⟩"},
                                                                                       {"\u2069", "⟨U+2069⟩"}}};
  std::size_t plain = 0;
  for (std::size_t at = text.find_first_of("\xE2\xD8"); at != std::string_view::npos; at = text.find_first_of("\xE2\xD8", at + 1))
    for (const auto& [character, spelled] : kTurning)
      if (text.substr(at).starts_with(character)) {
        out.append(text, plain, at - plain).append(spelled);
        plain = at + character.size();
      }
  out.append(text, plain);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (is_valid_utf8(text))
    append_escaped(out, text);
  else
    append_escaped(out, to_valid_utf8(text));
  return out;
}

void Html::begin(Markup tag, Attributes attributes) {
  out_ += '<';
  out_ += tag.text();
  for (const auto& [name, value] : attributes) {
    if (!value.data()) continue;
    out_ += ' ';
    out_ += name.text();
    out_ += "=\"";
    out_ += escape_html(value);
    out_ += '"';
  }
  out_ += '>';
}

Html& Html::open(Markup tag, Attributes attributes) {
  begin(tag, attributes);
  open_.push_back(tag.text());
  return *this;
}

Html& Html::close() {
  if (open_.empty()) return *this;
  out_ += "</";
  out_ += open_.back();
  out_ += '>';
  open_.pop_back();
  return *this;
}

Html& Html::lone(Markup tag, Attributes attributes) {
  begin(tag, attributes);
  return *this;
}

Html& Html::element(Markup tag, std::string_view text, Attributes attributes) {
  return open(tag, attributes).text(text).close();
}

Html& Html::text(std::string_view text) {
  append_shown(out_, escape_html(text));
  return *this;
}

Html& Html::raw(Markup markup) {
  out_ += markup.text();
  return *this;
}

Html& Html::add(Html part) {
  out_ += std::move(part).finish();
  return *this;
}

std::string Html::finish() && {
  while (!open_.empty()) close();
  return std::move(out_);
}

}  // namespace holdfast::reading
