#pragma once

// Turns as HTML: for the page that reads a session, and for the file it is exported to.
//
// One <article class="turn"> each, with the anchor of the turn and one for the line of every further part; thinking, tool calls
// and what the client wrote by itself fold away (<details>), failed calls stand open. No script is needed to read it.

#include "reading/html/html.h"
#include "reading/turn.h"

#include <functional>
#include <string>

namespace holdfast::reading {

// Where the surroundings keep what a turn only refers to. An empty function, or an empty answer: it is named without a link.
struct TurnLinks {
  std::function<std::string(const Image& image)> image;           // for src
  std::function<std::string(std::uint64_t line)> whole_record;    // what was cut
  std::function<std::string(std::string_view saved)> saved_file;  // the whole output of a tool
  std::function<std::string(const Subagent& subagent)> subagent;
  std::function<std::string(const Fork& fork)> fork;
  std::string anchor = "msg-";  // what stands before the number of a line in its anchor

  std::string anchor_of(std::uint64_t line) const { return anchor + std::to_string(line); }
};

void write_turn(Html& html, const Turn& turn, const TurnLinks& links);

// "1.2 MiB"
std::string bytes_text(std::uint64_t bytes);

// How turns look: one sheet for the exported file and for the page. Colours are variables that a page may set; without it they
// follow the reader's system, light or dark.
Markup turn_style();    // of what html_turns.h writes
Markup export_style();  // of the file around it

}  // namespace holdfast::reading
