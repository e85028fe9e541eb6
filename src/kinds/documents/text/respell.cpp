#include "kinds/documents/text/respell.h"

#include "kinds/documents/text/tokens.h"

namespace holdfast::documents {

std::string_view line_break_at(std::string_view text, std::size_t position) {
  std::size_t newline = position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  if (newline == std::string_view::npos) newline = text.find('\n', position);
  if (newline == std::string_view::npos || newline == 0 || text[newline - 1] != '\r') return "\n";
  return "\r\n";
}

std::string respelled(std::string_view text, std::size_t begin, std::size_t end, std::string_view new_text, Likeness likeness) {
  const std::vector<Token> before = tokens_of(text.substr(begin, end - begin)), after = tokens_of(new_text);
  const Likeness at_least = std::max(likeness, Likeness::line_breaks);
  const auto keys = [&](const std::vector<Token>& tokens) {
    std::vector<std::string> all;
    for (const Token& token : tokens) all.push_back(like_key(token.text, at_least));
    return all;
  };
  const std::string_view line_break = line_break_at(text, begin);
  std::string out;
  std::size_t kept = 0;
  const auto keep_up_to = [&](std::size_t index) {
    for (; kept < index; ++kept) out += before[kept].text;
  };
  for (const Difference& difference : differences(keys(before), keys(after))) {
    keep_up_to(difference.a_begin);
    kept = difference.a_end;
    for (std::size_t i = difference.b_begin; i < difference.b_end; ++i) out += after[i].text == "\n" ? line_break : after[i].text;
  }
  keep_up_to(before.size());
  return out;
}

}  // namespace holdfast::documents
