#include "kinds/documents/text/numbered_lines.h"

#include "search/query/ranked_query.h"
#include "search/words/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::documents {

namespace {

// A larger document is not compared line by line just to help with an error.
constexpr std::size_t kMaxCompared = 50'000;
constexpr std::size_t kAround = 2;

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string numbered(const std::vector<std::string_view>& lines, LineRange range) {
  std::string out;
  for (std::size_t number = std::max<std::size_t>(range.first, 1); number <= std::min(range.last, lines.size()); ++number) {
    if (!out.empty()) out += '\n';
    fmt::format_to(std::back_inserter(out), "{:>6}\t{}", number, lines[number - 1]);
  }
  return out;
}

std::vector<std::string> numbered_parts(std::string_view text, const std::vector<LineRange>& ranges) {
  std::vector<std::string> parts;
  std::size_t number = 1, at = 0;
  for (const LineRange& range : ranges) {
    std::string part;
    for (; number <= range.last && at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (number >= range.first) {
        std::string_view line = text.substr(at, end - at);
        if (end < text.size() && line.ends_with('\r')) line.remove_suffix(1);
        fmt::format_to(std::back_inserter(part), "{}{:>6}\t{}", part.empty() ? "" : "\n", number, line);
      }
      at = end + 1;
    }
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

std::string_view unseen_line_ends(std::string_view text) {
  std::size_t all = 0, crlf = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    ++all;
    if (at > 0 && text[at - 1] == '\r') ++crlf;
  }
  if (crlf == 0) return "";
  return crlf == all ? "crlf" : "mixed";
}

std::string nearby_lines(const std::vector<std::string_view>& lines, std::string_view wanted) {
  std::string_view longest;
  for (const std::string_view line : lines_of(wanted))
    if (line.size() > longest.size()) longest = line;
  const std::set<std::string> once = [&] {
    const std::vector<std::string> all = search::words_of(longest);
    return std::set<std::string>(all.begin(), all.end());
  }();
  const std::vector<std::string> words(once.begin(), once.end());
  if (words.empty()) return {};
  std::size_t best = 0, best_line = 0;
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxCompared); ++i) {
    const auto counts = search::count_words(lines[i], words).counts;
    const std::size_t same = counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0U));
    if (same <= best) continue;
    best = same;
    best_line = i + 1;
  }
  if (best * 2 < words.size() || best == 0) return {};
  return numbered(lines, {best_line > kAround ? best_line - kAround : 1, best_line + kAround});
}

}  // namespace holdfast::documents
