#include "research/sentences.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Words that end with a full stop and do not end a sentence.
constexpr std::array<std::string_view, 14> kAbbreviations = {"e.g", "i.e", "etc", "vs",  "cf", "mr",     "mrs",
                                                             "ms",  "dr",  "st",  "fig", "no", "approx", "resp"};

bool ends_with_abbreviation(std::string_view text) {
  const std::size_t blank = text.find_last_of(" ([\"");
  const std::string word = to_ascii_lower(blank == std::string_view::npos ? text : text.substr(blank + 1));
  const bool initial = word.size() == 1 && word[0] >= 'a' && word[0] <= 'z' && word != "i";
  return initial || std::ranges::find(kAbbreviations, word) != kAbbreviations.end();
}

// The folded paragraph, cut where a sentence ends and white space follows.
void cut(std::string_view paragraph, std::string_view heading, std::vector<Sentence>& out) {
  constexpr std::string_view kClosing = "\"')]*_`";
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    const std::string_view sentence = trim(paragraph.substr(begin, end - begin));
    if (!sentence.empty()) out.push_back({std::string(sentence), std::string(heading)});
    begin = end;
  };
  for (std::size_t i = 0; i < paragraph.size(); ++i) {
    const char c = paragraph[i];
    if (c != '.' && c != '!' && c != '?') continue;
    std::size_t end = i + 1;
    while (end < paragraph.size() && (kClosing.find(paragraph[end]) != std::string_view::npos || paragraph[end] == '.' ||
                                      paragraph[end] == '!' || paragraph[end] == '?'))
      ++end;
    if (end < paragraph.size() && paragraph[end] != ' ') continue;
    const std::string_view next = end + 1 < paragraph.size() ? paragraph.substr(end + 1) : std::string_view();
    const bool goes_on_small = !next.empty() && next[0] >= 'a' && next[0] <= 'z';
    if (c == '.' && (goes_on_small || ends_with_abbreviation(paragraph.substr(begin, i - begin)))) continue;
    take(end);
    i = end - 1;
  }
  take(paragraph.size());
}

std::size_t item_mark(std::string_view line) {
  if (line.size() > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && is_blank(line[1])) return 2;
  std::size_t digits = 0;
  while (digits < line.size() && is_ascii_digit(line[digits])) ++digits;
  const bool numbered =
      digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') && is_blank(line[digits + 1]);
  return numbered ? digits + 2 : 0;
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("-=*_ ") == std::string_view::npos;
}

}  // namespace

std::string fold_blanks(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (const char c : text) {
    if (!is_blank(c))
      folded += c;
    else if (!folded.empty() && folded.back() != ' ')
      folded += ' ';
  }
  if (folded.ends_with(' ')) folded.pop_back();
  return folded;
}

bool stands_in(std::string_view quotation, std::string_view text) {
  const std::string wanted = fold_blanks(quotation);
  return !wanted.empty() && fold_blanks(text).find(wanted) != std::string::npos;
}

std::vector<Sentence> sentences_of(std::string_view text) {
  std::vector<Sentence> sentences;
  std::string paragraph, heading;
  bool in_code = false;
  const auto end_paragraph = [&] {
    cut(fold_blanks(paragraph), heading, sentences);
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.starts_with("```") || line.starts_with("~~~")) {
      end_paragraph();
      in_code = !in_code;
      continue;
    }
    if (in_code) continue;
    if (line.empty() || is_rule(line)) {
      end_paragraph();
      continue;
    }
    if (line[0] == '#') {
      end_paragraph();
      heading = fold_blanks(line.substr(std::min(line.find_first_not_of('#'), line.size())));
      continue;
    }
    if (line[0] == '>' || line[0] == '|') {
      end_paragraph();
      const std::string_view inside = line[0] == '>' ? trim(line.substr(1)) : line;
      cut(fold_blanks(inside), heading, sentences);
      continue;
    }
    if (const std::size_t mark = item_mark(line)) {
      end_paragraph();
      line.remove_prefix(mark);
    }
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
  }
  end_paragraph();
  return sentences;
}

}  // namespace holdfast::research
