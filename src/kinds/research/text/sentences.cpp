#include "kinds/research/text/sentences.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::size_t words_in_line(std::string_view text) {
  return text.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(text, ' ')) + 1;
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

// "*Note Invoking: Options.", "Buffer spaces: Execution Cycle. (line 6)", "Options::": leads elsewhere.
bool is_pointer(std::string_view text, bool is_item) {
  if (text.starts_with("*Note ") || text.starts_with("See ") || text.starts_with("(See ") || text.starts_with("(*note "))
    return true;
  if (!is_item) return false;
  if (text.find("::") != text.npos) return true;
  const std::size_t colon = text.rfind(": ");
  if (colon == text.npos) return false;
  std::string_view leads = text.substr(colon + 2);
  if (const std::size_t place = leads.find(" (line "); place != leads.npos) leads = leads.substr(0, place);
  return leads.size() > 1 && leads.ends_with('.') && leads[0] >= 'A' && leads[0] <= 'Z' && words_in_line(leads) <= 6;
}

// The folded paragraph, cut where a sentence ends and white space follows. is_item: of a list.
void cut(std::string_view paragraph, std::string_view heading, std::string_view entry, std::vector<Sentence>& out,
         bool is_item = false) {
  constexpr std::string_view kClosing = "\"')]*_`";
  const std::size_t number = out.empty() ? 0 : out.back().paragraph + 1;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    const std::string_view sentence = trim(paragraph.substr(begin, end - begin));
    if (!sentence.empty())
      out.push_back(
          {std::string(sentence), std::string(heading), std::string(entry), number, is_pointer(sentence, is_item && begin == 0)});
    begin = end;
  };
  std::size_t end = 0;  // behind the characters around the last sentence's end; looked for once in a row of them
  for (std::size_t i = 0; i < paragraph.size(); ++i) {
    const char c = paragraph[i];
    if (c != '.' && c != '!' && c != '?') continue;
    end = std::max(end, i + 1);
    while (end < paragraph.size() && (kClosing.find(paragraph[end]) != std::string_view::npos || paragraph[end] == '.' ||
                                      paragraph[end] == '!' || paragraph[end] == '?'))
      ++end;
    if (end < paragraph.size() && paragraph[end] != ' ') continue;
    const std::string_view next = end + 1 < paragraph.size() ? paragraph.substr(end + 1) : std::string_view();
    const bool goes_on_small = !next.empty() && next[0] >= 'a' && next[0] <= 'z';
    if (c == '.' && (goes_on_small || ends_with_abbreviation(paragraph.substr(begin, i - begin)))) continue;
    // "**Never lost.** What was answered ...": what is printed bold in front names what follows.
    const std::string_view so_far = trim(paragraph.substr(begin, end - begin));
    if (so_far.starts_with("**") && so_far.ends_with("**") && so_far.find("**", 2) == so_far.size() - 2 && !next.empty())
      continue;
    take(end);
    i = end - 1;
  }
  take(paragraph.size());
}

constexpr std::array<std::string_view, 5> kBullets = {"•", "○", "·", "‣", "▪"};
constexpr std::array<std::string_view, 2> kDividing = {"\u2010", "\u00AD"};  // a word, at the end of a line

// How many bytes of it divide a word that goes on in the next line.
std::size_t dividing_end(std::string_view text) {
  for (const std::string_view character : kDividing)
    if (text.ends_with(character)) return character.size();
  return 0;
}

std::size_t item_mark(std::string_view line) {
  if (line.starts_with("o  ")) return 3;  // nroff's bullet
  for (const std::string_view bullet : kBullets)
    if (line.starts_with(bullet)) return bullet.size();
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

// What an entry of a manual begins with: "--backup, -b", "‘-n’", "AddressFamily".
bool is_term(std::string_view line) {
  constexpr std::size_t kMostTermWords = 6;
  return !line.empty() && line.find_last_of(".!?;,") != line.size() - 1 && words_in_line(line) <= kMostTermWords;
}

// Of a line, the options in front of everything else: "-T#, --threads=#: Compress using" has two.
std::string_view options_in_front(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t blank = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, blank - at);
    if (word.size() < 2 || (word[0] != '-' && !word.starts_with("‘-") && !word.starts_with("`-"))) break;
    end = blank;
    at = blank + 1;
  }
  return line.substr(0, end);
}

// "--keep, -k      keep the files": a row of a list of options.
bool is_option_row(std::string_view line) {
  const std::string_view options = options_in_front(line);
  return !options.empty() && line.substr(options.size()).starts_with("  ");
}

bool is_label(std::string_view line) {
  constexpr std::size_t kMostLabelWords = 6;
  return !line.empty() && !ends_sentence(line) && words_in_line(line) <= kMostLabelWords;
}

}  // namespace

std::string fold_blanks(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_blank(c)) {
      folded += c;
    } else if (const std::size_t hyphen = c == '\n' ? dividing_end(folded) : 0; hyphen != 0) {
      folded.resize(folded.size() - hyphen);
      while (i + 1 < text.size() && is_blank(text[i + 1])) ++i;
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
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
      const std::string_view line = text.substr(0, newline);
      take_line(trim(line), std::min(line.find_first_not_of(" \t"), line.size()));
      text.remove_prefix(std::min(newline + 1, text.size()));
    }
    end_paragraph();
    end_table();
    return std::move(sentences_);
  }

 private:
  void take_line(std::string_view line, std::size_t indent) {
    if (!line.starts_with('|')) end_table();
    if (line.starts_with("```") || line.starts_with("~~~")) {
      end_paragraph();
      in_code_ = !in_code_;
      return;
    }
    if (in_code_) return take_code(line);
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
      return cut(fold_blanks(trim(line.substr(1))), context(), entry_, sentences_);
    }
    // In front of the items of a list: "2.3. Options" is none.
    if (lines_ == 0 && is_plain_heading(line)) {
      begin_paragraph(indent);
      add_line(line);
      return;
    }
    if (const std::size_t mark = item_mark(line)) {
      end_paragraph();
      line = trim(line.substr(mark));
      in_item_ = true;
    } else if (is_option_row(line)) {
      end_paragraph();
      in_item_ = true;
    }
    if (lines_ == 0)
      begin_paragraph(indent);
    else if (!in_item_ && all_terms_ && indent > indent_ + 1)
      end_term();
    all_terms_ = all_terms_ && indent == indent_ && is_term(line);
    if (const std::string_view options = options_in_front(line); lines_ == 0 && !options.empty()) set_entry(options, indent);
    add_line(line);
  }

  // "token revoke ann    # servers refuse it within two seconds": a line that says what it does. Other code is nothing to quote.
  void take_code(std::string_view line) {
    constexpr std::size_t kLeastWordsOfRemark = 3;
    if (const std::size_t remark = line.find(" # ");
        remark != line.npos && words_in_line(trim(line.substr(remark + 3))) >= kLeastWordsOfRemark) {
      cut(fold_blanks(line), context(), entry_, sentences_);
      sentences_.back().command = true;
    }
  }

  void begin_paragraph(std::size_t indent) {
    if (indent <= entry_indent_) entry_.clear();
    indent_ = indent;
    all_terms_ = true;
  }

  void add_line(std::string_view line) {
    const std::size_t hyphen = dividing_end(paragraph_);
    if (hyphen != 0)
      paragraph_.resize(paragraph_.size() - hyphen);
    else if (!paragraph_.empty())
      paragraph_ += ' ';
    paragraph_ += line;
    ++lines_;
  }

  // What follows stands deeper than the lines so far: they name it.
  void end_term() {
    const std::string term = fold_blanks(paragraph_);
    if (indent_ == 0 && lines_ == 1 && is_plain_heading(term) && term.find('_') == term.npos) {
      paragraph_.clear();
      lines_ = 0;
      return set_heading(term);
    }
    set_entry(term, indent_);
    all_terms_ = false;
  }

  void set_entry(std::string_view name, std::size_t indent) {
    entry_ = name;
    entry_indent_ = indent;
  }

  // Below a line it makes that a heading; elsewhere it ends what stands above it.
  void take_rule(std::string_view line) {
    const bool underlines = line.find_first_not_of('=') == line.npos || line.find_first_not_of('*') == line.npos ||
                            (line.size() > 2 && line.find_first_not_of('-') == line.npos);
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
    if (!row_.empty()) cut(fold_blanks(row_), context(), entry_, sentences_);
    row_ = is_table_rule(line) ? std::string_view() : line;
  }

  void end_table() {
    if (!row_.empty()) cut(fold_blanks(row_), context(), entry_, sentences_);
    row_ = {};
    table_head_.clear();
  }

  void end_paragraph() {
    const std::string text = fold_blanks(paragraph_);
    const bool item = in_item_, alone = lines_ == 1 && !item;
    paragraph_.clear();
    lines_ = 0;
    in_item_ = false;
    if (text.empty()) return;
    if (alone && is_plain_heading(text)) return set_heading(text);
    cut(text, context(), entry_, sentences_, item);
    if (alone && is_label(text)) label_ = text;
  }

  void set_heading(std::string heading) {
    heading_ = std::move(heading);
    label_.clear();
    entry_.clear();
  }

  std::string context() const {
    std::string all = heading_;
    for (const std::string& more : {label_, table_head_})
      if (!more.empty()) all += (all.empty() ? "" : " ") + more;
    return all;
  }

  std::vector<Sentence> sentences_;
  std::string paragraph_, heading_, label_, table_head_;
  std::string entry_;      // the name of what is explained, until a line that stands no deeper than it
  std::string_view row_;   // not cut yet
  std::size_t lines_ = 0;  // of the paragraph
  std::size_t indent_ = 0, entry_indent_ = 0;
  bool in_code_ = false, in_item_ = false;
  bool all_terms_ = false;  // every line of the paragraph could be the term of an entry
};

}  // namespace

std::vector<Sentence> sentences_of(std::string_view text) {
  return SentenceReader().read(text);
}

}  // namespace holdfast::research
