#include "kinds/research/text/quoted_text.h"

#include "base/text/text.h"
#include "kinds/research/text/code_spans.h"

namespace holdfast::research {

namespace {

bool begins_markup(char c) {
  return is_ascii_letter(c) || c == '/' || c == '!' || c == '?';
}

}  // namespace

std::string as_quoted(std::string_view text, Brackets brackets) {
  const CodeSpans spans(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    bool escape = false;
    if (const std::size_t code = spans.length_or_ticks_at(i)) {
      out += text.substr(i, code);
      i += code - 1;
      continue;
    }
    if (text[i] == '[') {
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
