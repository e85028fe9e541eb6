#include "reading/html/safe_markdown.h"

#include "base/text/text.h"

#include <algorithm>
#include <array>

namespace holdfast::reading {
namespace {

constexpr std::array<std::string_view, 3> kSchemes = {"http://", "https://", "mailto:"};

// Whatever ends a line for a reader of Markdown.
std::string with_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') out += text[i];
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) out += '\n';
  }
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

std::size_t run_at(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && line[end] == line[at]) ++end;
  return end - at;
}

// A fence that opens a block at the beginning of a line: its length, else 0. In lists and quotes they end when those do, so such
// ones are taken for text.
std::size_t opening_fence(std::string_view line) {
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return 0;
  const std::size_t length = run_at(line, 0);
  if (length < 3 || (line.front() == '`' && line.find('`', length) != line.npos)) return 0;
  return length;
}

bool closes(std::string_view line, char character, std::size_t length) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == line.npos || begin > 3 || line[begin] != character) return false;
  const std::size_t run = run_at(line, begin);
  return run >= length && line.find_first_not_of(" \t", begin + run) == line.npos;
}

// Where a link may lead; what is behind an entity or an escape is not looked through.
bool is_allowed(std::string_view destination) {
  const std::string lower = to_ascii_lower(destination);
  if (std::ranges::any_of(kSchemes, [&](std::string_view scheme) { return lower.starts_with(scheme); })) return true;
  return lower.find_first_of(":&\\") == std::string::npos;
}

// The end of a code span that opens at `at`, on this line; npos: it does not close.
std::size_t end_of_span(std::string_view line, std::size_t at) {
  const std::size_t length = run_at(line, at);
  for (std::size_t i = at + length; i < line.size();) {
    if (line[i] != '`') {
      ++i;
      continue;
    }
    const std::size_t run = run_at(line, i);
    i += run;
    if (run == length) return i;
  }
  return line.npos;
}

void append_text(std::string& out, std::string_view line) {
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (c == '\\' && next != '\0' && next != '<') {
      out.append(line.substr(i, 2));
      i += 2;
    } else if (c == '`') {
      const std::size_t end = end_of_span(line, i);
      const std::string_view span = line.substr(i, end == line.npos ? run_at(line, i) : end - i);
      // In a table a bar ends the cell, and the span with it.
      if (span.contains('|') && span.contains('<')) {
        for (const char each : span) each == '<' ? out += "&lt;" : out += each;
      } else {
        out += span;
      }
      i += span.size();
    } else if (c == '<') {
      out += "&lt;";
      ++i;
    } else if (c == '!' && next == '[') {
      out += "!\\[";
      i += 2;
    } else if (c == ']' && next == ':') {  // where a reference leads to
      out += "]\\:";
      i += 2;
    } else if (c == ']' && next == '(') {
      const std::size_t begin = std::min(line.find_first_not_of(" \t", i + 2), line.size());
      const std::size_t end = std::min(line.find_first_of(" \t)", begin), line.size());
      // One that goes on in the next line could lead anywhere.
      out += begin < line.size() && is_allowed(line.substr(begin, end - begin)) ? "](" : "]\\(";
      i += 2;
    } else {
      out += c;
      ++i;
    }
  }
}

// What makes a heading of a line, or of the one above it.
void append_start(std::string& out, std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == line.npos || begin > 3) return;
  const char character = line[begin];
  const bool underline =
      (character == '=' || character == '-') && line.find_first_not_of(" \t", begin + run_at(line, begin)) == line.npos;
  if (character != '#' && !underline) return;
  out.append(line.substr(0, begin));
  out += character == '#' ? "##" : "\\";
  line.remove_prefix(begin);
}

}  // namespace

std::string safe_markdown(std::string_view text) {
  const std::string lines = with_newlines(text);
  std::string_view rest = lines;
  std::string out;
  out.reserve(lines.size() + lines.size() / 16);
  char fence = '\0';
  std::size_t length = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (length > 0) {
      if (closes(line, fence, length)) length = 0;
      out += line;
    } else if (length = opening_fence(line); length > 0) {
      fence = line.front();
      out += line;
    } else {
      append_start(out, line);
      append_text(out, line);
    }
    out += '\n';
  }
  if (length > 0) out.append(length, fence) += '\n';
  return out;
}

std::string escaped_markdown(std::string_view line) {
  constexpr std::string_view kCharacters = "\\`*_{}[]()#+-.!|&~<>:";
  std::string out;
  for (const char c : line) {
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (kCharacters.contains(c) && c != '-' && c != '.' && c != ':' && c != '(' && c != ')') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace holdfast::reading
