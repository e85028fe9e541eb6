#include "jsonl/walk.h"

namespace holdfast::jsonl {
namespace {

bool skip_digits(std::string_view& token) {
  const std::size_t before = token.size();
  while (!token.empty() && token[0] >= '0' && token[0] <= '9') token.remove_prefix(1);
  return token.size() < before;
}

bool is_number(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  if (token.starts_with('0'))
    token.remove_prefix(1);
  else if (!skip_digits(token))
    return false;
  if (token.starts_with('.')) {
    token.remove_prefix(1);
    if (!skip_digits(token)) return false;
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    token.remove_prefix(1);
    if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
    if (!skip_digits(token)) return false;
  }
  return token.empty();
}

}  // namespace

bool is_scalar(std::string_view token) {
  switch (token.empty() ? '\0' : token[0]) {
    case 't':
      return token == "true";
    case 'f':
      return token == "false";
    case 'n':
      return token == "null";
    default:
      return is_number(token);
  }
}

}  // namespace holdfast::jsonl
