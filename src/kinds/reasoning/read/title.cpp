#include "kinds/reasoning/read/title.h"

#include "base/text/text.h"

#include <cctype>

namespace holdfast::reasoning {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The first paragraph with something in it, without the marks that only dress it up.
std::string plain_paragraph(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.starts_with("```") || line.starts_with("---")) continue;
    if (line.empty()) {
      if (!out.empty()) break;
      continue;
    }
    const bool heading = line.starts_with('#');
    while (!line.empty() && (line.front() == '#' || line.front() == '>' || is_space(line.front()))) line.remove_prefix(1);
    if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) line = trim(line.substr(2));
    if (!out.empty()) out += ' ';
    for (std::size_t at = 0; at < line.size(); ++at) {
      const char c = line[at];
      if (c == '*' || c == '`') continue;
      if (c == '[') {  // [text](target) is its text
        const std::size_t close = line.find("](", at);
        const std::size_t end_of_link = close == std::string_view::npos ? close : line.find(')', close);
        if (end_of_link != std::string_view::npos) {
          out += line.substr(at + 1, close - at - 1);
          at = end_of_link;
          continue;
        }
      }
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    if (heading && !out.empty()) break;
  }
  return out;
}

// Upper case, a digit, or anything that is not ASCII: scripts without case begin sentences, too.
bool begins_sentence(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isupper(byte) || std::isdigit(byte) || byte >= 0x80 || c == '"' || c == '(';
}

std::string_view first_sentence(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("。")) return text.substr(0, at);
    if (text[at] != '.' && text[at] != '!' && text[at] != '?') continue;
    std::size_t next = at + 1;
    if (next == text.size()) return text.substr(0, text[at] == '.' ? at : next);
    if (!is_space(text[next])) continue;
    while (next < text.size() && is_space(text[next])) ++next;
    if (next == text.size() || begins_sentence(text[next])) return text.substr(0, text[at] == '.' ? at : at + 1);
  }
  return text;
}

}  // namespace

std::string title_of(std::string_view first_thought) {
  const std::string paragraph = plain_paragraph(to_valid_utf8(first_thought));
  return shorten(trim(first_sentence(paragraph)), kTitleLength);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = byte <= 0x20 || byte == 0x7F;
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return std::string(trim(out));
}

}  // namespace holdfast::reasoning
