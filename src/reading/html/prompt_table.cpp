#include "reading/html/prompt_table.h"

#include "base/text/text.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

constexpr std::size_t kWords = 160;
constexpr std::size_t kMostCommits = 50;  // of one prompt
constexpr std::size_t kShortestHash = 7, kLongestHash = 40;

bool is_hash(std::string_view text) {
  return text.size() >= kShortestHash && text.size() <= kLongestHash && std::ranges::all_of(text, is_lower_hex);
}

}  // namespace

std::vector<GitCommit> commits_in(std::string_view output) {
  std::vector<GitCommit> found;
  while (!output.empty() && found.size() < kMostCommits) {
    const std::size_t end = output.find('\n');
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
    const std::size_t close = line.find("] ");
    if (!line.starts_with('[') || close == std::string_view::npos) continue;
    const std::string_view inside = line.substr(1, close - 1);
    const std::size_t blank = inside.rfind(' ');
    if (blank == std::string_view::npos || !is_hash(inside.substr(blank + 1))) continue;
    std::string_view branch = inside.substr(0, blank);
    branch = branch.substr(0, branch.find(" ("));
    found.push_back(
        {std::string(inside.substr(blank + 1)), visible_line(branch, kWords), visible_line(line.substr(close + 2), kWords)});
  }
  return found;
}

void PromptTable::add(const Turn& turn) {
  ++turns_;
  if (turn.prompt) {
    ++prompts_;
    if (lines_.size() < kMostPrompts) {
      PromptLine& line = lines_.emplace_back();
      line.line = turn.line;
      line.time = turn.time;
      for (const Part& part : turn.parts)
        if (line.words.empty() && !part.text.text.empty()) line.words = visible_line(part.text.text, kWords);
    }
  }
  if (lines_.empty() || prompts_ > kMostPrompts) return;
  PromptLine& line = lines_.back();
  line.errors += turn.error ? 1 : 0;
  for (const Part& part : turn.parts) {
    if (part.kind == Part::Kind::tool_call) ++line.tools[visible_line(part.name, kWords)];
    if (!part.result) continue;
    line.errors += part.result->error ? 1 : 0;
    const auto command = find_string(part.arguments, "command");
    if (!command || !command->contains("git") || line.commits.size() >= kMostCommits) continue;
    for (GitCommit& commit : commits_in(part.result->output.text)) line.commits.push_back(std::move(commit));
  }
}

std::string tools_text(const PromptLine& line) {
  std::string text;
  for (const auto& [name, count] : line.tools)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, count > 1 ? fmt::format(" {}", count) : "");
  return text;
}

}  // namespace holdfast::reading
