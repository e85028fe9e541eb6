#include "kinds/research/text/sentences.h"

#include "base/text/text.h"

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

// Below the head of a table: "|---|:--|".
bool is_table_rule(std::string_view line) {
  return line.find_first_not_of("|:- \t") == std::string_view::npos && line.find('-') != std::string_view::npos;
}

bool ends_sentence(std::string_view text) {
  return text.find_last_of(".!?:;,") == text.size() - 1;
}

std::size_t words_in_line(std::string_view text) {
  return text.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
}

// A line of its own that names what follows it.
bool is_plain_heading(std::string_view line) {
  constexpr std::size_t kMostHeadingWords = 10;
  if (ends_sentence(line) || words_in_line(line) > kMostHeadingWords) return false;
  const bool has_capital = std::ranges::any_of(line, [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool has_small = std::ranges::any_of(line, [](char c) { return c >= 'a' && c <= 'z'; });
  if (has_capital && !has_small) return true;
  // "2.3. Options"
  const std::size_t number = line.find_first_not_of("0123456789.");
  const std::size_t dot = line.find('.');
  return number != std::string_view::npos && dot > 0 && dot + 1 < number && is_ascii_digit(line[dot + 1]) && has_capital &&
         (line[number] == ' ' || static_cast<unsigned char>(line[number]) >= 0x80);
}
bool is_label(std::string_view line) {
  constexpr std::size_t kMostLabelWords = 6;
  return !line.empty() && !ends_sentence(line) && words_in_line(line) <= kMostLabelWords;
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

namespace {

class SentenceReader {
 public:
  std::vector<Sentence> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t newline = std::min(text.find('\n'), text.size());
      take_line(trim(text.substr(0, newline)));
      text.remove_prefix(std::min(newline + 1, text.size()));
    }
    end_paragraph();
    end_table();
    return std::move(sentences_);
  }

 private:
  void take_line(std::string_view line) {
    if (!line.starts_with('|')) end_table();
    if (line.starts_with("```") || line.starts_with("~~~")) {
      end_paragraph();
      in_code_ = !in_code_;
      return;
    }
    if (in_code_) return;
    if (line.empty()) return end_paragraph();
    if (is_rule(line)) return take_rule(line);
    if (line[0] == '#') {
      end_paragraph();
      set_heading(fold_blanks(line.substr(std::min(line.find_first_not_of('#'), line.size()))));
      return;
    }
    if (line[0] == '|') return take_row(line);
    if (line[0] == '>') {
      end_paragraph();
      return cut(fold_blanks(trim(line.substr(1))), context(), sentences_);
    }
    // In front of the items of a list: "2.3. Options" is none.
    if (lines_ == 0 && is_plain_heading(line)) {
      paragraph_ = line;
      lines_ = 1;
      return;
    }
    if (const std::size_t mark = item_mark(line)) {
      end_paragraph();
      line.remove_prefix(mark);
      in_item_ = true;
    }
    if (!paragraph_.empty()) paragraph_ += ' ';
    paragraph_ += line;
    ++lines_;
  }

  // Below a line it makes that a heading; elsewhere it ends what stands above it.
  void take_rule(std::string_view line) {
    const bool underlines =
        line.find_first_not_of('=') == line.npos || (line.size() > 2 && line.find_first_not_of('-') == line.npos);
    if (underlines && lines_ == 1 && !in_item_ && !ends_sentence(paragraph_)) {
      set_heading(fold_blanks(paragraph_));
      paragraph_.clear();
    }
    end_paragraph();
  }

  // A row waits for the next line, which tells whether it was the head.
  void take_row(std::string_view line) {
    end_paragraph();
    if (!row_.empty() && is_table_rule(line)) {
      table_head_ = fold_blanks(row_);
      row_ = {};
      return;
    }
    if (!row_.empty()) cut(fold_blanks(row_), context(), sentences_);
    row_ = is_table_rule(line) ? std::string_view() : line;
  }

  void end_table() {
    if (!row_.empty()) cut(fold_blanks(row_), context(), sentences_);
    row_ = {};
    table_head_.clear();
  }

  void end_paragraph() {
    const std::string text = fold_blanks(paragraph_);
    const bool alone = lines_ == 1 && !in_item_;
    paragraph_.clear();
    lines_ = 0;
    in_item_ = false;
    if (text.empty()) return;
    if (alone && is_plain_heading(text)) return set_heading(text);
    cut(text, context(), sentences_);
    if (alone && is_label(text)) label_ = text;
  }

  void set_heading(std::string heading) {
    heading_ = std::move(heading);
    label_.clear();
  }

  std::string context() const {
    std::string all = heading_;
    for (const std::string& more : {label_, table_head_})
      if (!more.empty()) all += (all.empty() ? "" : " ") + more;
    return all;
  }

  std::vector<Sentence> sentences_;
  std::string paragraph_, heading_, label_, table_head_;
  std::string_view row_;   // not cut yet
  std::size_t lines_ = 0;  // of the paragraph
  bool in_code_ = false, in_item_ = false;
};

}  // namespace

std::vector<Sentence> sentences_of(std::string_view text) {
  return SentenceReader().read(text);
}

}  // namespace holdfast::research
