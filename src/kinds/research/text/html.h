#pragma once

// HTML reduced to what a person would read of it, with the way back to the lines of the source.
//
// A tolerant scanner, not a parser: it never fails, takes linear time whatever the input, and knows just enough to leave out
// comments, scripts and styles, to put block elements on lines of their own (paragraphs apart by an empty line) and to decode
// entities. Text in UTF-8; bytes that are not are taken for Windows-1252, unless the page says that it is UTF-8.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct HtmlText {
  std::string text;                  // valid UTF-8
  std::string title;                 // of <title>; one line
  std::vector<std::uint32_t> lines;  // for each line of text: where it begins in the source, from 1
};

HtmlText reduce_html(std::string_view html);

// Windows-1252, of which ISO 8859-1 is a part, to UTF-8.
std::string utf8_of_latin1(std::string_view bytes);

}  // namespace holdfast::research
