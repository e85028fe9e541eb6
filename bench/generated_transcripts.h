#pragma once

// For benchmarks: a Claude Code home of any size, the same bytes every time.
//
// Records have the shapes of docs/transcripts.md: prompts, thinking with a signature, answers, tool calls with their results
// (which the client writes twice: for the model and as toolUseResult), attachments, titles, images, chained by uuid. Their text
// is prose of words about as frequent as in real text with phrases that come back, code of made-up names, logs, paths, hex ids,
// error codes, 4 % Chinese. Files that a session reads again are the same again. About half of the bytes is text to search.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::bench {

struct HomePlan {
  std::uint64_t bytes = 100'000'000;  // of all files together, nearly
  std::uint64_t seed = 1;
  std::uint64_t file_bytes = 2'600'000;  // of a transcript on average; the largest are about ten times that
  double forks = 0;                      // share of the bytes in sessions that begin as an earlier one and go on differently
  double clones = 0;                     // share of the bytes in sessions that are an earlier one under another id
};

struct GeneratedHome {
  std::vector<std::string> files;  // absolute, in the order of writing; transcripts of sessions and subagents, saved results
  std::uint64_t bytes = 0;
};

// Fills `folder` (made when missing) with projects/<project>/<session>.jsonl and their satellites.
Result<GeneratedHome> write_home(const std::string& folder, const HomePlan& plan);

}  // namespace holdfast::bench
