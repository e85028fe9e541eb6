#pragma once

// What can be searched in one line of a transcript.
//
// A line is looked at alone: what it yields does not depend on the lines before it, so that any part of a file can be read again
// and gives the same passages. What the model saw is taken once: the client repeats most of it (toolUseResult, progress, last
// prompts), and that is left out. Records of a type we do not know give all their strings, as role `system`. Images and other
// encoded bytes give nothing.
//
// One thread; keep one for many lines.

#include "jsonl/scan.h"
#include "session/passages.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// The place of a line in its file.
struct LinePlace {
  std::uint64_t begin = 0, end = 0, number = 0;
};

class LinePassages {
 public:
  using Take = std::function<bool(const session::Passage&)>;
  virtual ~LinePassages() = default;
  // False: `take` wants no more. A line that is not understood gives nothing.
  virtual bool line(std::string_view text, const LinePlace& place, const Take& take) = 0;
};

std::unique_ptr<LinePassages> claude_passages();  // Claude Code: main transcripts, subagents
std::unique_ptr<LinePassages> codex_passages();   // rollouts of Codex
std::unique_ptr<LinePassages> json_passages();    // any JSON: every string of it, as the result of a tool
std::unique_ptr<LinePassages> text_passages();    // plain text: the line, as the result of a tool

}  // namespace holdfast::transcripts
