#include "reading/html/markdown_turns.h"

#include "base/text/text.h"
#include "reading/html/call_view.h"
#include "reading/html/html_turns.h"
#include "reading/html/line_diff.h"
#include "reading/html/safe_markdown.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

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
