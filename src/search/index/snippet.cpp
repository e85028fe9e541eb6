#include "search/index/snippet.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::search {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kSnippetBytes = 240;
constexpr std::size_t kLookBehind = 24;  // bytes within which a cut is moved to the end of a word

bool is_blank_or_control(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

// White space and control characters become single blanks.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : to_valid_utf8(text)) {
    if (!is_blank_or_control(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Snippet make_snippet(const PassageMatch& match, const QueryPlan& plan) {
  std::string line = on_one_line(match.excerpt);
  bool cut_behind = match.cut_behind;
  if (line.size() > kSnippetBytes) {
    line.resize(utf8_prefix(line, kSnippetBytes).size());
    cut_behind = true;
  }
  if (const std::size_t blank = line.rfind(' '); cut_behind && blank != std::string::npos && line.size() - blank < kLookBehind)
    line.resize(blank);
  if (const std::size_t blank = line.find(' '); match.cut_before && blank < kLookBehind) line.erase(0, blank + 1);

  Snippet snippet;
  if (match.cut_before) snippet.text = kCut;
  const std::size_t shift = snippet.text.size();
  FoldedText folded;
  folded.assign(line);
  for (const ClausePlan& clause : plan.clauses) {
    std::size_t from = 0;
    while (!clause.excluded) {
      const auto place = find_clause(clause, folded.view(), from);
      if (!place) break;
      snippet.highlights.emplace_back(shift + folded.original_offset(line, place->begin),
                                      shift + folded.original_offset(line, place->end));
      from = place->end;
    }
  }
  snippet.text += line;
  if (cut_behind) snippet.text += kCut;
  std::ranges::sort(snippet.highlights);
  std::vector<std::pair<std::size_t, std::size_t>> joined;
  for (const auto& [begin, end] : snippet.highlights) {
    if (!joined.empty() && begin <= joined.back().second)
      joined.back().second = std::max(joined.back().second, end);
    else if (begin < end)
      joined.emplace_back(begin, end);
  }
  snippet.highlights = std::move(joined);
  return snippet;
}

}  // namespace holdfast::search
