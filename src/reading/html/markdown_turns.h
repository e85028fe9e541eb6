#pragma once

// Turns as Markdown: prompts and answers, and with `detailed` what tools were asked and said, and the thinking.

#include "reading/turn.h"

#include <string>

namespace holdfast::reading {

struct MarkdownOptions {
  bool detailed = false;
};

// Appends the turn; nothing when there is nothing of it to show. False: that, or a heading alone (a compaction whose summary is a
// turn of its own). What is said in it is made safe (safe_markdown.h).
bool append_turn(std::string& out, const Turn& turn, const MarkdownOptions& options);

// A title, and what is known of the session as a list.
void append_heading(std::string& out, const Heading& heading);

// The text as a code block; the fence is longer than any run of backticks in it.
void append_code(std::string& out, std::string_view text, std::string_view language = {});

}  // namespace holdfast::reading
