// What every match of a pattern contains, read off the pattern itself. Anything that is not plainly understood here gives up:
// the answer "nothing" is always right.

#include "documents/line_pattern.h"

#include <algorithm>

namespace holdfast::documents {

namespace {

constexpr std::string_view kSigns = "\\.+*?()|[]{}^$";

bool is_sign(char c) {
  return kSigns.find(c) != std::string_view::npos;
}

}  // namespace

RequiredLiteral required_literal(std::string_view pattern) {
  if (pattern.find_first_of(kSigns) == std::string_view::npos) return {std::string(pattern), true};
  RequiredLiteral best;
  std::string run;
  const auto end_run = [&] {
    if (run.size() > best.text.size()) best.text = run;
    run.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '|' || c == '(' || c == ')') return {};  // alternatives, groups and flags
    if (c == '[') {
      end_run();
      std::size_t end = i + 1;
      if (end < pattern.size() && pattern[end] == '^') ++end;
      if (end < pattern.size() && pattern[end] == ']') ++end;
      for (; end < pattern.size() && pattern[end] != ']'; ++end)
        if (pattern[end] == '\\' || pattern[end] == '[') return {};  // escapes and named classes
      i = end;
    } else if (c == '*' || c == '?' || c == '{') {
      // What stands before may be missing: its last character, whole.
      while (!run.empty() && (static_cast<unsigned char>(run.back()) & 0xC0) == 0x80) run.pop_back();
      if (!run.empty()) run.pop_back();
      end_run();
      if (c == '{') i = std::min(pattern.find('}', i), pattern.size());
    } else if (c == '+' || c == '.' || c == '^' || c == '$') {
      end_run();
    } else if (c == '\\') {
      if (i + 1 < pattern.size() && is_sign(pattern[i + 1])) {
        run += pattern[++i];
      } else if (i + 1 < pattern.size() && std::string_view("bBdDsSwW").find(pattern[i + 1]) != std::string_view::npos) {
        end_run();
        ++i;
      } else {
        return {};
      }
    } else {
      run += c;
    }
  }
  end_run();
  return best;
}

}  // namespace holdfast::documents
