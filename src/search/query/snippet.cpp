#include "search/query/snippet.h"

#include "base/text/text.h"
#include "search/words/fold.h"

#include <algorithm>

namespace holdfast::search {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kExcerptBytes = 240;  // of an excerpt
constexpr std::size_t kLookBehind = 24;     // bytes within which a cut is moved to the end of a word
// A longer line is looked at in pieces of this size, so that one line of a megabyte costs what a megabyte costs.
constexpr std::size_t kSearchedPieceBytes = 4096;
constexpr std::size_t kLongestCharacter = 8;  // bytes for each that is shown: blanks go, too

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

bool is_inside_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// So many, or all.
std::string_view first_characters(std::string_view text, std::size_t most) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes)
    if (!is_inside_character(text[bytes]) && most-- == 0) break;
  return text.substr(0, bytes);
}

std::size_t words_in(std::string_view text, const RankedQuery& query) {
  const WordCounts counted = count_words(text, query.words);
  const auto distinct = counted.counts.size() - static_cast<std::size_t>(std::ranges::count(counted.counts, 0U));
  return distinct + (!query.phrases.empty() && has_phrases(text, query.phrases) ? query.words.size() : 0);
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

struct BestLine {
  std::size_t number = 1, begin = 0;
  std::size_t piece = 0;  // of a long one: where in it the best piece begins
};

// The first of those that have most; where none has any, the first that is not blank.
BestLine best_line(std::string_view text, const RankedQuery& query) {
  BestLine best;
  bool known = false;
  std::size_t most = 0, number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_at(text, at);
    ++number;
    for (std::size_t piece = 0; piece < std::max<std::size_t>(line.size(), 1); piece += kSearchedPieceBytes) {
      const std::size_t words = words_in(line.substr(piece, kSearchedPieceBytes), query);
      if (known ? words <= most : words == 0 && trim(line).empty()) continue;
      best = {number, at, piece};
      most = words;
      known = true;
    }
    at += line.size() + 1;
  }
  if (!known) best.begin = text.size();
  // Pieces may cut a character.
  while (best.piece > 0 && best.begin + best.piece < text.size() && is_inside_character(text[best.begin + best.piece]))
    ++best.piece;
  return best;
}

// Of a long line: from a little before the first of the words on.
std::string_view window(std::string_view piece, const RankedQuery& query, std::size_t most) {
  if (utf8_length(piece) <= most) return piece;
  std::size_t begin = 0, best = 0;
  for (std::size_t at = 0; at != std::string_view::npos && at < piece.size(); at = piece.find(' ', at + 1)) {
    const std::size_t words = words_in(utf8_prefix(piece.substr(at), most), query);
    if (words > best) {
      best = words;
      begin = at;
    }
  }
  const std::string_view shown = first_characters(piece.substr(begin), most);
  const std::size_t blank = shown.rfind(' ');
  const bool cut = begin + shown.size() < piece.size();
  return cut && blank != std::string_view::npos && blank > shown.size() / 2 ? shown.substr(0, blank) : shown;
}

// A short line with what follows it in its paragraph, a part of a long one.
std::string_view verbatim(std::string_view text, const BestLine& best, const RankedQuery& query, std::size_t most) {
  const std::string_view line = line_at(text, best.begin);
  if (utf8_length(line) > most) return window(utf8_prefix(line.substr(best.piece), kSearchedPieceBytes), query, most);
  std::size_t end = best.begin + line.size();
  while (end < text.size()) {
    const std::string_view next = line_at(text, end + 1);
    if (trim(next).empty() || utf8_length(text.substr(best.begin, end + 1 + next.size() - best.begin)) > most) break;
    end += 1 + next.size();
  }
  return text.substr(best.begin, end - best.begin);
}

}  // namespace

Snippet snippet_of_excerpt(std::string_view excerpt, bool cut_before, bool cut_behind,
                           const std::function<Stretches(std::string_view folded)>& places) {
  std::string line = on_one_line(excerpt);
  if (line.size() > kExcerptBytes) {
    line.resize(utf8_prefix(line, kExcerptBytes).size());
    cut_behind = true;
  }
  if (const std::size_t blank = line.rfind(' '); cut_behind && blank != std::string::npos && line.size() - blank < kLookBehind)
    line.resize(blank);
  if (const std::size_t blank = line.find(' '); cut_before && blank < kLookBehind) line.erase(0, blank + 1);

  Snippet snippet;
  if (cut_before) snippet.text = kCut;
  const std::size_t shift = snippet.text.size();
  FoldedText folded;
  folded.assign(line);
  for (const auto& [begin, end] : places(folded.view()))
    snippet.highlights.emplace_back(shift + folded.original_offset(line, begin), shift + folded.original_offset(line, end));
  snippet.text += line;
  if (cut_behind) snippet.text += kCut;
  std::ranges::sort(snippet.highlights);
  Stretches joined;
  for (const auto& [begin, end] : snippet.highlights) {
    if (!joined.empty() && begin <= joined.back().second)
      joined.back().second = std::max(joined.back().second, end);
    else if (begin < end)
      joined.emplace_back(begin, end);
  }
  snippet.highlights = std::move(joined);
  return snippet;
}

Snippet snippet_of(std::string_view text, const RankedQuery& query, SnippetForm form, std::size_t characters) {
  Snippet snippet;
  const BestLine best = best_line(text, query);
  if (best.begin == text.size()) return snippet;
  snippet.line = best.number;
  if (form == SnippetForm::verbatim)
    snippet.text = trim(verbatim(text, best, query, characters));
  else
    snippet.text =
        shorten(on_one_line(utf8_prefix(text.substr(best.begin + best.piece), kLongestCharacter * characters)), characters);
  return snippet;
}

}  // namespace holdfast::search
