#pragma once

// Turns as Markdown: prompts and answers, and with `detailed` what tools were asked and said, and the thinking.

#include "reading/turn.h"

#include <string>
#include <string_view>

namespace holdfast::reading {

// A stranger's Markdown as part of a document of ours, for whatever shows it, also a viewer that runs HTML.
//
// Text stays the text it was: no tag comes alive, no link leads anywhere but to the web, no image is fetched, no heading stands
// above those of the document, and a code block that was never closed ends with the text. Code is only what every reader of
// Markdown takes for code: fences at the beginning of a line, and spans within one.

// Blocks. Lines end with \n afterwards, and the text ends with one.
std::string safe_markdown(std::string_view text);

// A piece of one line (a title, a name) as text, every character of Markdown in it included.
std::string escaped_markdown(std::string_view line);

struct MarkdownOptions {
  bool detailed = false;
};

// Appends the turn; nothing when there is nothing of it to show. False: that, or a heading alone (a compaction whose summary is a
// turn of its own). What is said in it is made safe (safe_markdown).
bool append_turn(std::string& out, const Turn& turn, const MarkdownOptions& options);

// A title, and what is known of the session as a list.
void append_heading(std::string& out, const Heading& heading);

// The text as a code block; the fence is longer than any run of backticks in it.
void append_code(std::string& out, std::string_view text, std::string_view language = {});

}  // namespace holdfast::reading
