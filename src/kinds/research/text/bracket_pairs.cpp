#include "kinds/research/text/bracket_pairs.h"

namespace holdfast::research {

BracketPairs::BracketPairs(std::string_view line) : closing_(line.size(), npos) {
  std::vector<std::size_t> square, round, angle;  // open ones
  const auto close = [&](std::vector<std::size_t>& open, std::size_t at) {
    if (open.empty()) return;
    closing_[open.back()] = at;
    open.pop_back();
  };
  bool escaped = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '[' && !escaped) square.push_back(at);
    if (c == ']' && !escaped) close(square, at);
    if (c == '(') round.push_back(at);
    if (c == ')') close(round, at);
    if (c == '<') angle.push_back(at);
    while (c == '>' && !angle.empty()) close(angle, at);
    escaped = c == '\\' && !escaped;
  }
}

}  // namespace holdfast::research
