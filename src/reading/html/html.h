#pragma once

// Writes HTML that escapes by default.
//
// Text and attribute values are escaped on the way in; markup can only come from literals in this program
// (Markup takes string literals alone). So a title of a session, which anybody may have written, cannot
// become a tag. Bounded memory for long documents: take() hands out what is written so far, elements stay open.
//
//   Html page;
//   page.open("p", {{"class", "title"}}).text(record.title).close();

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::reading {

// Markup written in this program's source; the constructor is consteval, so nothing read at run time fits.
class Markup {
 public:
  template <std::size_t N>
  consteval Markup(const char (&literal)[N]) : text_(literal, N - 1) {}  // NOLINT: implicit on purpose
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Html {
 public:
  struct Attribute {
    Markup name;
    std::string_view value;  // kLeftOut: the element does not get this attribute
  };
  // Not the same as an empty value, which makes `checked` true.
  static constexpr std::string_view kLeftOut{};
  using Attributes = std::initializer_list<Attribute>;

  // Begins an element; close() ends the one begun last. finish() ends all that are still open.
  Html& open(Markup tag, Attributes attributes = {});
  Html& close();
  // An element that has no content (meta, link, input, br).
  Html& lone(Markup tag, Attributes attributes = {});
  // An element that holds only this text.
  Html& element(Markup tag, std::string_view text, Attributes attributes = {});
  Html& text(std::string_view text);
  Html& raw(Markup markup);
  // What another writer has written; its open elements are closed first.
  Html& add(Html part);

  // What was written since the last take(); nothing is closed.
  std::string take() { return std::exchange(out_, {}); }
  std::size_t size() const { return out_.size(); }  // of what take() would hand out
  std::size_t depth() const { return open_.size(); }
  std::string finish() &&;

 private:
  void begin(Markup tag, Attributes attributes);

  std::string out_;
  std::vector<std::string_view> open_;
};

// & < > " ' as references, control characters (but tab and line ends) and broken UTF-8 as U+FFFD.
std::string escape_html(std::string_view text);

}  // namespace holdfast::reading
