#pragma once

namespace holdfast {

// What the character behind a backslash in a JSON string stands for; 0 for `u` and for what may not stand there.
constexpr char short_json_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace holdfast
