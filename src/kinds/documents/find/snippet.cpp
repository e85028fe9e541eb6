#include "base/text/text.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/find/query.h"
#include "search/words/words.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

// A longer line is looked at in pieces of this size, so that one line of a megabyte costs what a megabyte costs.
constexpr std::size_t kSearchedPieceBytes = 4096;
constexpr std::size_t kMaxTitleCharacters = 200;
constexpr std::string_view kFrontMatter = "---\n";

class WordsSeen final : public search::WordSink {
 public:
  explicit WordsSeen(const std::vector<std::string>& words) : words_(words), seen_(words.size()) {}
  void word(std::string_view folded) override {
    const auto found = std::ranges::find(words_, folded);
    if (found != words_.end()) seen_[static_cast<std::size_t>(found - words_.begin())] = true;
  }
  std::size_t distinct() const { return static_cast<std::size_t>(std::ranges::count(seen_, true)); }

 private:
  const std::vector<std::string>& words_;
  std::vector<bool> seen_;
};

std::size_t words_in(std::string_view text, const Query& query) {
  WordsSeen seen(query.words);
  search::scan_words(text, seen);
  return seen.distinct() + (!query.phrases.empty() && has_phrases(text, query.phrases) ? query.words.size() : 0);
}

bool is_blank_line(std::string_view line) {
  return trim(line).empty();
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// Of a long line: from a little before the first of the words on.
std::string_view window(std::string_view piece, const Query& query) {
  if (utf8_length(piece) <= kSnippetCharacters) return piece;
  std::size_t begin = 0, best = 0;
  for (std::size_t at = 0; at != std::string_view::npos && at < piece.size(); at = piece.find(' ', at + 1)) {
    const std::size_t words = words_in(utf8_prefix(piece.substr(at), kSnippetCharacters), query);
    if (words > best) {
      best = words;
      begin = at;
    }
  }
  std::string_view shown = piece.substr(begin);
  std::size_t bytes = std::min(shown.size(), kSnippetCharacters), characters = utf8_length(shown.substr(0, bytes));
  while (bytes < shown.size() && (characters < kSnippetCharacters || (static_cast<unsigned char>(shown[bytes]) & 0xC0) == 0x80))
    characters += (static_cast<unsigned char>(shown[bytes++]) & 0xC0) != 0x80;
  shown = shown.substr(0, bytes);
  const std::size_t blank = shown.rfind(' ');
  if (bytes < piece.size() - begin && blank != std::string_view::npos && blank > bytes / 2) shown = shown.substr(0, blank);
  return shown;
}

std::string_view unquoted(std::string_view value) {
  value = trim(value);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

Snippet snippet_of(std::string_view text, const Query& query) {
  Snippet snippet;
  std::size_t best = std::string_view::npos, most = 0, number = 0, best_piece = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_at(text, at);
    ++number;
    for (std::size_t piece = 0; piece < std::max<std::size_t>(line.size(), 1); piece += kSearchedPieceBytes) {
      const std::size_t words = words_in(line.substr(piece, kSearchedPieceBytes), query);
      if (best != std::string_view::npos && words <= most) continue;
      if (words == 0 && is_blank_line(line)) continue;
      best = at;
      best_piece = piece;
      most = words;
      snippet.line = number;
    }
    at += line.size() + 1;
  }
  if (best == std::string_view::npos) return snippet;
  const std::string_view line = line_at(text, best);
  if (utf8_length(line) > kSnippetCharacters) {
    // Pieces may cut a character: begin and end with whole ones.
    std::string_view piece = line.substr(best_piece);
    while (!piece.empty() && (static_cast<unsigned char>(piece.front()) & 0xC0) == 0x80) piece.remove_prefix(1);
    snippet.text = trim(window(utf8_prefix(piece, kSearchedPieceBytes), query));
    return snippet;
  }
  // A short line is shown with what follows it in its paragraph.
  std::size_t end = best + line.size();
  while (end < text.size()) {
    const std::string_view next = line_at(text, end + 1);
    if (is_blank_line(next) || utf8_length(text.substr(best, end + 1 + next.size() - best)) > kSnippetCharacters) break;
    end += 1 + next.size();
  }
  snippet.text = trim(text.substr(best, end - best));
  return snippet;
}

Title title_of(std::string_view text, std::string_view path) {
  Title title;
  const auto found = [&](std::string_view value, bool in_text) {
    title.text = shorten(value, kMaxTitleCharacters);
    title.in_text = in_text;
    return title;
  };
  std::size_t at = 0;
  if (text.starts_with(kFrontMatter) || text.starts_with("---\r\n")) {
    for (at = text.find('\n') + 1; at < text.size();) {
      const std::string_view line = line_at(text, at);
      at += line.size() + 1;
      if (trim(line) == "---") break;
      if (line.starts_with("title:") && !unquoted(line.substr(6)).empty()) return found(unquoted(line.substr(6)), true);
    }
  }
  for (bool fenced = false; at < text.size();) {
    const std::string_view line = line_at(text, at);
    at += line.size() + 1;
    if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
    if (!fenced && line.starts_with("# ") && !trim(line.substr(2)).empty()) return found(trim(line.substr(2)), true);
  }
  const std::string_view name = name_of_path(path);
  const std::size_t dot = name.rfind('.');
  return found(dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot), false);
}

}  // namespace holdfast::documents
