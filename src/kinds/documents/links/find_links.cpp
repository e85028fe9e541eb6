// Links of one text. Brackets are matched from left to right; what is escaped, in code or in a comment opens nothing.

#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/documents/links/links.h"
#include "kinds/documents/text/code_tracker.h"
#include "kinds/documents/text/delimiters.h"

#include <algorithm>
#include <array>
#include <optional>

namespace holdfast::documents {

namespace {

// No path is longer; and looking for an end that far away only once keeps the time linear.
constexpr std::size_t kMaxTargetBytes = 4096, kMaxTitleBytes = 1024;
constexpr int kMaxParentheses = 32;           // in a path; as CommonMark allows at least
constexpr std::size_t kMaxOpenBrackets = 32;  // [![image](a.png)](b.md) needs two

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// "mailto:", "https:": the address of something that is no document here.
bool has_scheme(std::string_view target) {
  if (target.empty() || !((target[0] | 0x20) >= 'a' && (target[0] | 0x20) <= 'z')) return false;
  const std::size_t end = target.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
  return end != std::string_view::npos && target[end] == ':';
}

// \( means (, %20 means a blank; a % that begins no escape is itself.
std::string decode(std::string_view written) {
  std::string plain;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == '\\' && i + 1 < written.size() && is_punctuation(written[i + 1])) ++i;
    plain += written[i];
  }
  auto decoded = percent_decode(plain);
  return decoded && is_valid_utf8(*decoded) ? *std::move(decoded) : plain;
}

class LinkFinder {
 public:
  explicit LinkFinder(std::string_view text) : text_(text), code_(text) {}

  std::vector<Link> run() {
    bool line_start = true;
    while (position_ < text_.size()) {
      if (line_start) {
        line_start = false;
        if (text_[position_] == '\n' || text_[position_] == '\r') open_.clear();
        position_ = code_.begin_line(position_);
        if (position_ >= text_.size()) break;
      }
      const char c = text_[position_];
      line_start = c == '\n';
      if (c == '`')
        position_ = code_.pass_backticks(position_);
      else if (!kMatters[static_cast<unsigned char>(c)] || code_.in_code(position_))
        ++position_;
      else
        look(c);
    }
    return std::move(links_);
  }

 private:
  static constexpr std::array<bool, 256> kMatters = [] {
    std::array<bool, 256> matters{};
    for (const unsigned char c : {'\\', '{', '[', ']'}) matters[c] = true;
    return matters;
  }();

  void look(char c) {
    if (c == '\\') {
      const bool escapes = position_ + 1 < text_.size() && is_punctuation(text_[position_ + 1]);
      position_ += escapes ? 2 : 1;
    } else if (c == '{') {
      pass_comment();
    } else if (c == '[') {
      if (text_.substr(position_, 2) == "[[" && take_wiki()) return;
      if (open_.size() >= kMaxOpenBrackets) open_.clear();
      open_.push_back(position_++);
    } else {
      const std::optional<std::size_t> opened = open_.empty() ? std::nullopt : std::optional(open_.back());
      if (opened) open_.pop_back();
      ++position_;
      if (opened && position_ < text_.size() && text_[position_] == '(') take_markdown(*opened);
    }
  }

  // A note about the text is not the text.
  void pass_comment() {
    std::size_t end = std::string_view::npos;
    if (opener_at(text_, position_) == Block::comment && !no_more_closers_) {
      end = text_.find(closer_of(Block::comment), position_ + kDelimiterBytes);
      no_more_closers_ = end == std::string_view::npos;
    }
    position_ = end == std::string_view::npos ? position_ + 1 : end + kDelimiterBytes;
  }

  void add(Link::Form form, std::size_t begin, std::size_t end, std::size_t target_begin, std::size_t target_end,
           std::string target) {
    Link link;
    link.form = form;
    link.begin = begin;
    link.end = end;
    link.target_begin = target_begin;
    link.target_end = target_end;
    link.target = std::move(target);
    links_.push_back(std::move(link));
  }

  // [[name#heading|alias]], on one line. Passed as a whole also when it names no document.
  bool take_wiki() {
    const std::size_t begin = position_ + 2;
    const std::size_t end = text_.substr(0, begin + kMaxTargetBytes).find_first_of("[]\n", begin);
    if (end == std::string_view::npos || text_.substr(end, 2) != "]]") return false;
    std::size_t target_end = std::min(text_.substr(0, end).find_first_of("#|", begin), end);
    if (target_end < end && text_[target_end] == '|' && target_end > begin && text_[target_end - 1] == '\\')
      --target_end;  // in tables the bar is escaped
    const std::string_view inside = trim(text_.substr(begin, target_end - begin));
    const bool embed = position_ > 0 && text_[position_ - 1] == '!';
    const std::size_t link_begin = position_ - (embed ? 1 : 0);
    position_ = end + 2;
    if (inside.empty() || inside.find("://") != std::string_view::npos) return true;
    const auto at = static_cast<std::size_t>(inside.data() - text_.data());
    add(embed ? Link::Form::embed : Link::Form::wiki, link_begin, position_, at, at + inside.size(), std::string(inside));
    return true;
  }

  // The (path "title") behind [text].
  void take_markdown(std::size_t opened) {
    std::size_t at = position_ + 1;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    const bool angled = at < text_.size() && text_[at] == '<';
    if (angled) ++at;
    const std::size_t begin = at;
    const std::size_t end = angled ? end_of_angled(begin) : end_of_bare(begin);
    if (end == std::string_view::npos) return;
    const std::size_t closed = end_of_title(end + (angled ? 1 : 0));
    if (closed == std::string_view::npos) return;
    position_ = closed;
    const std::string_view written = text_.substr(begin, std::min(text_.substr(0, end).find('#', begin), end) - begin);
    // A trailing '/' is a folder; "//" begins an address without its scheme.
    if (written.empty() || written.back() == '/' || written.starts_with("//") || has_scheme(written)) return;
    add(Link::Form::markdown, opened, closed, begin, begin + written.size(), decode(written));
  }

  std::size_t end_of_angled(std::size_t at) const {
    const std::size_t last = std::min(text_.size(), at + kMaxTargetBytes);
    for (; at < last && text_[at] != '\n' && text_[at] != '<'; ++at) {
      if (text_[at] == '>') return at;
      if (text_[at] == '\\') ++at;
    }
    return std::string_view::npos;
  }

  std::size_t end_of_bare(std::size_t at) const {
    const std::size_t last = std::min(text_.size(), at + kMaxTargetBytes);
    for (int depth = 0; at < last; ++at) {
      if (is_blank(text_[at])) return depth == 0 ? at : std::string_view::npos;
      if (text_[at] == '(' && ++depth > kMaxParentheses) return std::string_view::npos;
      if (text_[at] == ')' && depth-- == 0) return at;
      if (text_[at] == '\\' && at + 1 < last && is_punctuation(text_[at + 1])) ++at;
    }
    return std::string_view::npos;
  }

  // Behind the bracket that closes the link, with or without a title before it.
  std::size_t end_of_title(std::size_t at) const {
    const std::size_t last = std::min(text_.size(), at + kMaxTitleBytes);
    const std::size_t from = at;
    while (at < last && is_blank(text_[at])) ++at;
    if (at < last && text_[at] == ')') return at + 1;
    if (at == from || at >= last || (text_[at] != '"' && text_[at] != '\'')) return std::string_view::npos;
    const char quote = text_[at++];
    while (at < last && text_[at] != quote) at += text_[at] == '\\' ? 2 : 1;
    for (++at; at < last && is_blank(text_[at]);) ++at;
    return at < last && text_[at] == ')' ? at + 1 : std::string_view::npos;
  }

  std::string_view text_;
  CodeTracker code_;
  std::size_t position_ = 0;
  std::vector<std::size_t> open_;  // brackets of this paragraph that nothing closed yet
  bool no_more_closers_ = false;
  std::vector<Link> links_;
};

}  // namespace

std::vector<Link> find_links(std::string_view text) {
  return LinkFinder(text).run();
}

}  // namespace holdfast::documents
