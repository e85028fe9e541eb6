#include "kinds/research/text/html.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::research {

namespace {

constexpr std::size_t kMaxEntityBytes = 12;  // "&thetasym;" and "&#x0010ffff;" are as long as sensible ones get
constexpr std::uint32_t kReplacement = 0xFFFD;

struct Entity {
  std::string_view name;
  std::uint32_t code_point;
};

// Those that prose uses; HTML knows two thousand. Sorted by name.
constexpr auto kEntities = std::to_array<Entity>({
    {"AElig", 0xC6},   {"Aacute", 0xC1},  {"Agrave", 0xC0},  {"Aring", 0xC5},  {"Auml", 0xC4},    {"Ccedil", 0xC7},
    {"Eacute", 0xC9},  {"Egrave", 0xC8},  {"Ntilde", 0xD1},  {"Oacute", 0xD3}, {"Oslash", 0xD8},  {"Ouml", 0xD6},
    {"Uacute", 0xDA},  {"Uuml", 0xDC},    {"aacute", 0xE1},  {"acirc", 0xE2},  {"acute", 0xB4},   {"aelig", 0xE6},
    {"agrave", 0xE0},  {"alpha", 0x3B1},  {"amp", '&'},      {"apos", '\''},   {"aring", 0xE5},   {"atilde", 0xE3},
    {"auml", 0xE4},    {"bdquo", 0x201E}, {"beta", 0x3B2},   {"bull", 0x2022}, {"ccedil", 0xE7},  {"cent", 0xA2},
    {"copy", 0xA9},    {"darr", 0x2193},  {"deg", 0xB0},     {"delta", 0x3B4}, {"divide", 0xF7},  {"eacute", 0xE9},
    {"ecirc", 0xEA},   {"egrave", 0xE8},  {"emsp", 0x2003},  {"ensp", 0x2002}, {"euml", 0xEB},    {"euro", 0x20AC},
    {"frac12", 0xBD},  {"gamma", 0x3B3},  {"ge", 0x2265},    {"gt", '>'},      {"harr", 0x2194},  {"hellip", 0x2026},
    {"iacute", 0xED},  {"icirc", 0xEE},   {"iexcl", 0xA1},   {"igrave", 0xEC}, {"infin", 0x221E}, {"iquest", 0xBF},
    {"iuml", 0xEF},    {"lambda", 0x3BB}, {"laquo", 0xAB},   {"larr", 0x2190}, {"ldquo", 0x201C}, {"le", 0x2264},
    {"lsquo", 0x2018}, {"lt", '<'},       {"mdash", 0x2014}, {"micro", 0xB5},  {"middot", 0xB7},  {"minus", 0x2212},
    {"mu", 0x3BC},     {"nbsp", ' '},     {"ndash", 0x2013}, {"ne", 0x2260},   {"ntilde", 0xF1},  {"oacute", 0xF3},
    {"ocirc", 0xF4},   {"oelig", 0x153},  {"ograve", 0xF2},  {"omega", 0x3C9}, {"oslash", 0xF8},  {"otilde", 0xF5},
    {"ouml", 0xF6},    {"para", 0xB6},    {"pi", 0x3C0},     {"plusmn", 0xB1}, {"pound", 0xA3},   {"quot", '"'},
    {"raquo", 0xBB},   {"rarr", 0x2192},  {"rdquo", 0x201D}, {"reg", 0xAE},    {"rsquo", 0x2019}, {"sect", 0xA7},
    {"shy", 0xAD},     {"sigma", 0x3C3},  {"sup2", 0xB2},    {"sup3", 0xB3},   {"szlig", 0xDF},   {"thinsp", 0x2009},
    {"times", 0xD7},   {"trade", 0x2122}, {"uacute", 0xFA},  {"uarr", 0x2191}, {"ucirc", 0xFB},   {"ugrave", 0xF9},
    {"uuml", 0xFC},    {"yen", 0xA5},     {"zwnj", 0x200C},
});
static_assert(std::ranges::is_sorted(kEntities, {}, &Entity::name));

// Windows-1252 from 0x80 on; the five holes are the controls they are in ISO 8859-1.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {
    0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178};

std::uint32_t sane(std::uint32_t code_point) {
  if (code_point >= 0x80 && code_point < 0xA0) return kWindows1252[code_point - 0x80];
  if (code_point == 0 || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return kReplacement;
  return code_point;
}

// What pages mean by the numbers 128 to 159 (WHATWG): Windows-1252.
std::uint32_t code_point_of_latin1(unsigned char byte) {
  return byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80U] : byte;
}

// The entity at the front of text, which begins with '&': appended to out, decoded. Returns how many bytes it takes; 0 when it is
// none that we know, so that the '&' stands for itself.
std::size_t append_entity(std::string_view text, std::string& out) {
  const std::size_t end = text.substr(0, kMaxEntityBytes).find(';');
  if (end == text.npos || end < 2) return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name[0] != '#') {
    const auto found = std::ranges::lower_bound(kEntities, name, {}, &Entity::name);
    if (found == kEntities.end() || found->name != name) return 0;
    append_utf8(out, found->code_point);
    return end + 1;
  }
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [stop, problem] = std::from_chars(name.data(), name.data() + name.size(), number, hex ? 16 : 10);
  if (name.empty() || stop != name.data() + name.size()) return 0;
  append_utf8(out, problem == std::errc() ? sane(number) : kReplacement);
  return end + 1;
}

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

}  // namespace holdfast::research
