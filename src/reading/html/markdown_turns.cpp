#include "reading/html/markdown_turns.h"

#include "base/text/text.h"
#include "reading/html/call_view.h"
#include "reading/html/html_turns.h"
#include "reading/html/line_diff.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

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

constexpr std::size_t kMarkdownSummaryChars = 200;

void append_block(std::string& out, std::string_view text) {
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  out += '\n';
}

void append_left_out(std::string& out, std::uint64_t bytes) {
  if (bytes > 0) out += fmt::format("*… {} more*\n\n", bytes_text(bytes));
}

std::string inline_code(std::string_view text) {
  std::string line = visible_line(text, kMarkdownSummaryChars);
  std::ranges::replace(line, '`', '\'');
  return line.empty() ? line : " `" + line + "`";
}

// A word of a stranger within a line of ours.
std::string shown_word(std::string_view text) {
  return escaped_markdown(visible_line(text, kMarkdownSummaryChars));
}

std::string diff_text(const Diff& diff) {
  if (!diff.patch.empty()) return diff.patch;
  std::string out;
  for (const DiffLine& line : diff_lines(diff.before, diff.after)) (out += line.sign).append(line.text) += '\n';
  return out;
}

void append_call(std::string& out, const Part& call) {
  const CallView shown = view_call(call);
  const bool failed = call.result && call.result->error;
  out += fmt::format("**{}**{}{}\n\n", shown_word(call.name.empty() ? "result" : call.name), inline_code(shown.summary),
                     failed ? " — failed" : "");
  if (shown.body_is_text && !shown.body.empty())
    append_block(out, safe_markdown(visible_text(shown.body)));
  else if (!shown.body.empty())
    append_code(out, visible_text(shown.body));
  for (const Diff& diff : shown.diffs) append_code(out, visible_text(diff_text(diff)), "diff");
  for (const Todo& todo : shown.todos)
    out += fmt::format("- [{}] {}\n", todo.status == "completed" ? 'x' : ' ', shown_word(todo.text));
  if (!shown.todos.empty()) out += '\n';
  if (!shown.rest.empty()) append_code(out, visible_text(to_json_pretty(shown.rest)), "json");
  if (call.subagent)
    out += fmt::format("*subagent {}: {}*\n\n", shown_word(call.subagent->type), shown_word(call.subagent->description));
  if (!call.result) return;
  if (!call.result->output.text.empty()) append_code(out, visible_text(call.result->output.text));
  append_left_out(out, call.result->output.left_out);
  for (const Image& image : call.result->images) out += fmt::format("*[an image, {}]*\n\n", shown_word(image.media_type));
}

void append_part(std::string& out, const Part& part, const MarkdownOptions& options) {
  switch (part.kind) {
    case Part::Kind::text:
      append_block(out, safe_markdown(visible_text(part.text.text)));
      append_left_out(out, part.text.left_out);
      break;
    case Part::Kind::thinking:
      if (!options.detailed) break;
      out += "*Thinking*\n\n";
      append_block(out, safe_markdown(visible_text(part.text.text)));
      append_left_out(out, part.text.left_out);
      break;
    case Part::Kind::tool_call:
    case Part::Kind::tool_result:
      if (options.detailed) append_call(out, part);
      break;
    case Part::Kind::diff:
      for (const Diff& diff : part.diffs) {
        if (const std::string path = inline_code(diff.path); !path.empty()) out += path.substr(1) + "\n\n";
        append_code(out, visible_text(diff_text(diff)), "diff");
      }
      break;
    case Part::Kind::notice:
      if (!options.detailed) break;
      out += fmt::format("*{}*\n\n", shown_word(part.name));
      if (!part.text.text.empty()) append_code(out, visible_text(part.text.text));
      break;
    case Part::Kind::raw:
      if (!options.detailed) break;
      append_code(out, visible_text(part.text.text), "json");
      append_left_out(out, part.text.left_out);
      break;
    case Part::Kind::image:
      break;
  }
  for (const Image& image : part.images) out += fmt::format("*[an image, {}]*\n\n", shown_word(image.media_type));
}

std::string title_of(const Turn& turn) {
  std::string title = turn.compaction ? "Compacted here" : turn.meta ? "Client" : "";
  if (title.empty())
    title = turn.role == Role::user        ? "User"
            : turn.role == Role::assistant ? "Assistant"
            : turn.role == Role::system    ? "System"
                                           : "Note";
  if (!turn.author.empty()) title += " · " + shown_word(turn.author);
  if (!turn.lane.empty()) title += fmt::format(" \\[{}\\]", shown_word(turn.lane));
  if (turn.time != 0) title += " · " + iso8601(turn.time);
  return title;
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

void append_code(std::string& out, std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  out += fence;
  out += language;
  out += '\n';
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  out += fence;
  out += "\n\n";
}

bool append_turn(std::string& out, const Turn& turn, const MarkdownOptions& options) {
  if (!options.detailed && turn.meta && !turn.compaction) return false;
  std::string body;
  // What a conversation went on from is part of it, however short the document is to be.
  const MarkdownOptions shown{options.detailed || turn.compaction};
  for (const Part& part : turn.parts) append_part(body, part, shown);
  for (const Fork& fork : turn.forks)
    body += fmt::format("*Another branch leaves here, at line {}: {}*\n\n", fork.line, shown_word(fork.words));
  if (body.empty() && !turn.compaction) return false;
  out += fmt::format("## {}\n\n{}", title_of(turn), body);
  return !body.empty();
}

void append_heading(std::string& out, const Heading& heading) {
  out += fmt::format("# {}\n\n", shown_word(heading.title.empty() ? heading.id : heading.title));
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("- {}:{}\n", name, inline_code(value));
  };
  line("session", heading.id);
  line("kind", heading.kind);
  line("project", heading.project);
  if (heading.first_time != 0) line("from", iso8601(heading.first_time));
  if (heading.last_time != 0) line("to", iso8601(heading.last_time));
  for (const auto& [name, value] : heading.details) line(shown_word(name), value);
  line("resume", heading.resume_command);
  out += '\n';
}

}  // namespace holdfast::reading
