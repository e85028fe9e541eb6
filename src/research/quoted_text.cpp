#include "research/quoted_text.h"

#include "base/text.h"

namespace holdfast::research {

namespace {

bool begins_markup(char c) {
  return is_ascii_letter(c) || c == '/' || c == '!' || c == '?';
}

}  // namespace

std::string as_quoted(std::string_view text, Brackets brackets) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    bool escape = false;
    if (text[i] == '`') {
      const std::size_t end = text.find('`', i + 1);
      // Numbers in brackets are looked for everywhere, in code, too.
      if (end != text.npos && text.substr(i, end - i).find('[') == text.npos) {
        out += text.substr(i, end - i + 1);
        i = end;
        continue;
      }
    } else if (text[i] == '[') {
      escape = brackets == Brackets::all || is_ascii_digit(next) || (i > 0 && text[i - 1] == '!');
    } else if (text[i] == '<') {
      escape = begins_markup(next);
    }
    if (escape) out += '\\';
    out += text[i];
  }
  return out;
}

}  // namespace holdfast::research
