#include "kinds/research/text/html.h"

#include "base/text/text.h"
#include "kinds/research/sources/fetch.h"
#include "kinds/research/text/html_entities.h"

#include <algorithm>
#include <array>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxPageTitleBytes = 300;  // for a list; some pages put an essay there
constexpr std::size_t kCharsetWithin = 1024;     // of the start of a page, as browsers look
constexpr std::size_t kMaxTagNameBytes = 16;     // longer than any we know

constexpr auto kDropped = std::to_array<std::string_view>({"iframe", "noscript", "object", "script", "style", "svg", "template"});
constexpr auto kParagraphs = std::to_array<std::string_view>({"article", "blockquote", "dl", "figure", "h1", "h2", "h3", "h4",
                                                              "h5", "h6", "hr", "ol", "p", "pre", "section", "table", "ul"});
constexpr auto kLines = std::to_array<std::string_view>(
    {"address", "aside", "body",   "br", "caption", "dd",  "details", "div",     "dt",    "fieldset", "figcaption", "footer",
     "form",    "head",  "header", "li", "main",    "nav", "option",  "summary", "tbody", "thead",    "tr"});

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_html_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

class Reducer {
 public:
  explicit Reducer(std::string_view html) : html_(html) {}

  HtmlText reduce() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<')
        take_tag();
      else if (c == '&')
        take_entity();
      else
        take(c);
    }
    made_.title = std::string(utf8_prefix(made_.title, kMaxPageTitleBytes));
    return std::move(made_);
  }

 private:
  void take(char c) {
    ++at_;
    if (c == '\n') ++line_;
    if (!is_html_blank(c) || in_pre_) {
      if (c == '\n')
        ++breaks_;
      else if (c != '\r')
        put(std::string_view(&c, 1));
    } else {
      space_ = true;
    }
  }

  // What was put off until something follows it: empty lines at the ends and doubled blanks never come to be.
  void put(std::string_view text) {
    std::string& out = made_.text;
    if (out.empty()) {
      made_.lines.push_back(line_);
    } else if (breaks_ > 0) {
      for (int i = 0; i < breaks_; ++i) {
        out += '\n';
        made_.lines.push_back(line_);
      }
    } else if (space_) {
      out += ' ';
    }
    breaks_ = 0;
    space_ = false;
    out += text;
  }

  void take_entity() {
    std::string decoded;
    const std::size_t length = append_entity(html_.substr(at_), decoded);
    if (length == 0) return take('&');
    at_ += length;
    if (decoded == " " && !in_pre_)
      space_ = true;
    else if (decoded != "\n" && decoded != "\r")
      put(decoded);
  }

  void skip_to(std::size_t end) {
    end = std::min(end, html_.size());
    line_ += static_cast<std::uint32_t>(
        std::count(html_.begin() + static_cast<std::ptrdiff_t>(at_), html_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void skip_past(std::string_view mark) {
    const std::size_t found = html_.find(mark, at_);
    skip_to(found == html_.npos ? found : found + mark.size());
  }

  // The end of the tag that begins at at_: behind the '>' that is not in quotes. A quote that is never closed is none; that is
  // remembered, or a page of opening quotes would take the square of its size.
  std::size_t end_of_tag() {
    for (std::size_t i = at_ + 1; i < html_.size(); ++i) {
      const char c = html_[i];
      if (c == '>') return i + 1;
      if (c != '"' && c != '\'') continue;
      bool& never_closed = never_closed_[c == '"'];
      const std::size_t close = never_closed ? html_.npos : html_.find(c, i + 1);
      never_closed = close == html_.npos;
      if (!never_closed) i = close;
    }
    return html_.size();
  }

  void take_tag() {
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) return skip_past("-->");
    if (rest.starts_with("<!") || rest.starts_with("<?")) return skip_past(">");
    const bool closing = rest.starts_with("</");
    std::size_t name_end = closing ? 2 : 1;
    if (name_end >= rest.size() || !is_ascii_letter(rest[name_end])) return take('<');
    std::string name;
    for (; name_end < rest.size() && name.size() <= kMaxTagNameBytes; ++name_end) {
      const char c = rest[name_end];
      if (!is_ascii_letter(c) && (c < '0' || c > '9')) break;
      name += static_cast<char>(is_ascii_letter(c) ? c | 0x20 : c);
    }
    const std::size_t end = end_of_tag();
    const bool empty = html_[end - 1] == '>' && html_[end - 2] == '/';
    skip_to(end);
    if (name == "title" && !closing) return take_title();
    if (has(kDropped, name) && !closing && !empty) return skip_element(name);
    if (name == "pre") in_pre_ = !closing;
    if (has(kParagraphs, name))
      breaks_ = std::max(breaks_, 2);
    else if (has(kLines, name))
      breaks_ = std::max(breaks_, 1);
    else if (name == "td" || name == "th")
      space_ = true;
  }

  // Where the closing tag of that name begins.
  std::size_t find_close(std::string_view name) const {
    for (std::size_t at = at_; (at = html_.find("</", at)) != html_.npos; at += 2)
      if (equal_ignoring_ascii_case(html_.substr(at + 2, name.size()), name)) return at;
    return html_.size();
  }

  void skip_element(std::string_view name) {
    skip_to(find_close(name));
    skip_past(">");
  }

  void take_title() {
    const std::size_t end = find_close("title");
    if (made_.title.empty()) {
      Reducer inside(utf8_prefix(html_.substr(at_, end - at_), 4 * kMaxPageTitleBytes));
      made_.title = inside.reduce_text();
    }
    skip_to(end);
    skip_past(">");
  }

  // Entities and blanks, but no tags: what stands in <title>.
  std::string reduce_text() {
    while (at_ < html_.size()) {
      if (html_[at_] == '&')
        take_entity();
      else
        take(html_[at_]);
    }
    return std::move(made_.text);
  }

  std::string_view html_;
  HtmlText made_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  int breaks_ = 0;  // line ends owed
  bool space_ = false, in_pre_ = false;
  std::array<bool, 2> never_closed_{};
};

bool says_utf8(std::string_view html) {
  const std::string start = to_ascii_lower(html.substr(0, kCharsetWithin));
  const std::size_t charset = start.find("charset");
  return charset != start.npos && start.find("utf-8", charset) < charset + 16;
}

std::string to_utf8(std::string_view html) {
  if (is_valid_utf8(html)) return std::string(html);
  return says_utf8(html) ? to_valid_utf8(html) : utf8_of_latin1(html);
}

}  // namespace

std::string utf8_of_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) append_utf8(text, code_point_of_latin1(static_cast<unsigned char>(c)));
  return text;
}

HtmlText reduce_html(std::string_view html) {
  if (html.starts_with("\xEF\xBB\xBF")) html.remove_prefix(3);
  const std::string text = to_utf8(html);
  return Reducer(text).reduce();
}

std::string text_of_html(std::string_view html, std::string* title) {
  HtmlText reduced = reduce_html(html);
  if (title) *title = std::move(reduced.title);
  return std::move(reduced.text);
}

}  // namespace holdfast::research
