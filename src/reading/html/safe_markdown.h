#pragma once

// A stranger's Markdown as part of a document of ours, for whatever shows it, also a viewer that runs HTML.
//
// Text stays the text it was: no tag comes alive, no link leads anywhere but to the web, no image is fetched, no heading stands
// above those of the document, and a code block that was never closed ends with the text. Code is only what every reader of
// Markdown takes for code: fences at the beginning of a line, and spans within one.

#include <string>
#include <string_view>

namespace holdfast::reading {

// Blocks. Lines end with \n afterwards, and the text ends with one.
std::string safe_markdown(std::string_view text);

// A piece of one line (a title, a name) as text, every character of Markdown in it included.
std::string escaped_markdown(std::string_view line);

}  // namespace holdfast::reading
