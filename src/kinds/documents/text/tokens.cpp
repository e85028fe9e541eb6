#include "kinds/documents/text/tokens.h"

#include "kinds/documents/text/delimiters.h"
#include "search/words/characters.h"

#include <utf8proc.h>

#include <algorithm>

namespace holdfast::documents {

namespace {

struct CodePoint {
  utf8proc_int32_t value = 0;
  std::size_t bytes = 1;
};

// A broken byte is a character of its own.
CodePoint code_point_at(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  const std::size_t bytes = search::decode_character(text, at, value);
  if (bytes > 0) return {static_cast<utf8proc_int32_t>(value), bytes};
  const auto byte = static_cast<unsigned char>(text[at]);
  return {byte < 0x80 ? byte : 0xFFFD, 1};
}

bool is_blank_character(utf8proc_int32_t c) {
  return c == ' ' || c == '\t';
}

// Goes on with the word before it. Of scripts written without blanks a character is a word of its own.
bool is_word(utf8proc_int32_t c) {
  if (c < 0x80) return c == '_' || search::kAsciiKinds[static_cast<std::size_t>(c)] == search::CharacterKind::letter;
  return search::kind_beyond_ascii(static_cast<std::uint32_t>(c)) == search::CharacterKind::letter;
}

// The end of the visible character that begins here: letters with their marks, joined emoji, CR LF.
std::size_t cluster_end(std::string_view text, std::size_t at) {
  CodePoint before = code_point_at(text, at);
  std::size_t end = at + before.bytes;
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    const CodePoint next = code_point_at(text, end);
    if (before.value < 0x80 && next.value < 0x80 && before.value != '\r') break;
    if (utf8proc_grapheme_break_stateful(before.value, next.value, &state)) break;
    end += next.bytes;
    before = next;
  }
  return end;
}

std::size_t token_end(std::string_view text, std::size_t at) {
  if (opener_at(text, at) == Block::comment) {
    const std::size_t closer = text.find(closer_of(Block::comment), at + kDelimiterBytes);
    if (closer != std::string_view::npos) return closer + kDelimiterBytes;
  }
  const utf8proc_int32_t first = code_point_at(text, at).value;
  std::size_t end = cluster_end(text, at);
  if (is_blank_character(first)) {
    while (end < text.size() && is_blank_character(static_cast<unsigned char>(text[end])) && cluster_end(text, end) == end + 1)
      ++end;
  } else if (is_word(first)) {
    while (end < text.size() && is_word(code_point_at(text, end).value)) end = cluster_end(text, end);
  }
  return end;
}

// Myers' greedy comparison. Past kMaxDistance differences the middle counts as replaced: nobody reads a finer answer, and the
// work stays bounded.
constexpr std::ptrdiff_t kMaxDistance = 1000;

class Comparison {
 public:
  Comparison(const std::vector<std::string>& a, const std::vector<std::string>& b) : a_(a), b_(b) {}

  std::vector<Difference> run() {
    const std::size_t shorter = std::min(a_.size(), b_.size());
    while (head_ < shorter && a_[head_] == b_[head_]) ++head_;
    while (tail_ < shorter - head_ && a_[a_.size() - 1 - tail_] == b_[b_.size() - 1 - tail_]) ++tail_;
    n_ = static_cast<std::ptrdiff_t>(a_.size() - head_ - tail_);
    m_ = static_cast<std::ptrdiff_t>(b_.size() - head_ - tail_);
    if (n_ == 0 && m_ == 0) return {};
    gave_up_ = n_ > 0 && m_ > 0 && !explore();
    if (n_ == 0 || m_ == 0 || gave_up_) {
      add(0, n_, 0, m_);
    } else {
      trace_back();
      std::ranges::reverse(found_);
    }
    return std::move(found_);
  }
  bool gave_up() const { return gave_up_; }

 private:
  bool same(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return a_[head_ + static_cast<std::size_t>(x)] == b_[head_ + static_cast<std::size_t>(y)];
  }
  static std::ptrdiff_t& at(std::vector<std::ptrdiff_t>& row, std::ptrdiff_t k) {
    return row[static_cast<std::size_t>(k + static_cast<std::ptrdiff_t>(row.size() / 2))];
  }

  // Remembers, for every number of differences, how far each diagonal got.
  bool explore() {
    const std::ptrdiff_t limit = std::min(n_ + m_, kMaxDistance);
    std::vector<std::ptrdiff_t> row(static_cast<std::size_t>(2 * limit + 3), 0);
    for (std::ptrdiff_t d = 0; d <= limit; ++d) {
      rows_.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2) - d - 1,
                         row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2) + d + 2);
      for (std::ptrdiff_t k = -d; k <= d; k += 2) {
        const bool down = k == -d || (k != d && at(row, k - 1) < at(row, k + 1));
        std::ptrdiff_t x = down ? at(row, k + 1) : at(row, k - 1) + 1;
        while (x < n_ && x - k < m_ && x - k >= 0 && same(x, x - k)) ++x;
        at(row, k) = x;
        if (x >= n_ && x - k >= m_) return true;
      }
    }
    return false;
  }

  void trace_back() {
    std::ptrdiff_t x = n_, y = m_;
    for (auto d = static_cast<std::ptrdiff_t>(rows_.size()) - 1; d >= 0 && (x > 0 || y > 0); --d) {
      std::vector<std::ptrdiff_t>& row = rows_[static_cast<std::size_t>(d)];
      const std::ptrdiff_t k = x - y;
      const bool down = k == -d || (k != d && at(row, k - 1) < at(row, k + 1));
      const std::ptrdiff_t from_k = down ? k + 1 : k - 1;
      const std::ptrdiff_t from_x = d == 0 ? 0 : at(row, from_k);
      const std::ptrdiff_t from_y = d == 0 ? 0 : from_x - from_k;
      if (d > 0) add(from_x, down ? from_x : from_x + 1, from_y, down ? from_y + 1 : from_y);
      x = from_x;
      y = from_y;
    }
  }

  // Backwards: a step that continues the one found last belongs to the same difference.
  void add(std::ptrdiff_t a_begin, std::ptrdiff_t a_end, std::ptrdiff_t b_begin, std::ptrdiff_t b_end) {
    const auto place = [&](std::ptrdiff_t index) { return head_ + static_cast<std::size_t>(index); };
    const Difference made{place(a_begin), place(a_end), place(b_begin), place(b_end)};
    if (!found_.empty() && found_.back().a_begin == made.a_end && found_.back().b_begin == made.b_end) {
      found_.back().a_begin = made.a_begin;
      found_.back().b_begin = made.b_begin;
      return;
    }
    found_.push_back(made);
  }

  const std::vector<std::string>& a_;
  const std::vector<std::string>& b_;
  std::size_t head_ = 0, tail_ = 0;
  std::ptrdiff_t n_ = 0, m_ = 0;
  bool gave_up_ = false;
  std::vector<std::vector<std::ptrdiff_t>> rows_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = token_end(text, at);
    tokens.push_back({at, end, text.substr(at, end - at)});
    at = end;
  }
  return tokens;
}

std::size_t character_begin(std::string_view text, std::size_t position) {
  if (position >= text.size()) return text.size();
  // A border that no rule of joining crosses: behind a line break. From there characters are walked.
  std::size_t at = position == 0 ? 0 : text.rfind('\n', position - 1);
  at = at == std::string_view::npos ? 0 : (position == 0 ? 0 : at + 1);
  while (at < position) {
    const std::size_t end = cluster_end(text, at);
    if (end > position) return at;
    at = end;
  }
  return position;
}

std::size_t character_end(std::string_view text, std::size_t position) {
  const std::size_t begin = character_begin(text, position);
  return begin == position ? position : cluster_end(text, begin);
}

namespace {

bool is_line_break(const std::string& key) {
  return key == "\n" || key == "\r\n";
}

// The tokens of each line, its break included.
std::vector<std::vector<std::string>> token_lines(const std::vector<std::string>& tokens) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& token : tokens) {
    lines.back().push_back(token);
    if (is_line_break(token)) lines.emplace_back();
  }
  return lines;
}

}  // namespace

std::vector<Difference> differences(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  Comparison whole(a, b);
  std::vector<Difference> found = whole.run();
  if (!whole.gave_up() || std::ranges::count_if(a, is_line_break) != std::ranges::count_if(b, is_line_break)) return found;
  // Many small changes in lines that stayed in their places: each line is compared with its own.
  const auto lines_a = token_lines(a), lines_b = token_lines(b);
  found.clear();
  std::size_t at_a = 0, at_b = 0;
  for (std::size_t i = 0; i < lines_a.size(); ++i) {
    for (const Difference& each : Comparison(lines_a[i], lines_b[i]).run()) {
      const Difference moved{each.a_begin + at_a, each.a_end + at_a, each.b_begin + at_b, each.b_end + at_b};
      if (!found.empty() && found.back().a_end == moved.a_begin && found.back().b_end == moved.b_begin) {
        found.back().a_end = moved.a_end;
        found.back().b_end = moved.b_end;
      } else {
        found.push_back(moved);
      }
    }
    at_a += lines_a[i].size();
    at_b += lines_b[i].size();
  }
  return found;
}

}  // namespace holdfast::documents
