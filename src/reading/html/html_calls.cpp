#include "base/text/text.h"
#include "reading/html/call_view.h"
#include "reading/html/html_turns.h"
#include "reading/html/line_diff.h"
#include "reading/html/markdown.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

constexpr std::size_t kHtmlSummaryChars = 120;
constexpr std::size_t kOpenLines = 12;  // output of so many lines is shown without unfolding
// A block of so many lines, or of so many bytes on a phone, may be taller than it may get (turn_style.cpp), and then scrolls.
constexpr std::size_t kTallLines = 24, kTallBytes = 800;

// Of MCP tools the server and the tool: "mcp__files__read" -> "files · read".
std::string tool_name(std::string_view name) {
  constexpr std::string_view kPrefix = "mcp__";
  if (!name.starts_with(kPrefix)) return visible_line(name, kHtmlSummaryChars);
  const std::string_view rest = name.substr(kPrefix.size());
  const std::size_t between = rest.find("__");
  if (between == std::string_view::npos) return visible_line(rest, kHtmlSummaryChars);
  return visible_line(rest.substr(0, between), kHtmlSummaryChars) + " · " +
         visible_line(rest.substr(between + 2), kHtmlSummaryChars);
}

void write_todos(Html& html, const std::vector<Todo>& todos) {
  if (todos.empty()) return;
  html.open("ul", {{"class", "todos"}});
  for (const Todo& todo : todos) {
    const bool done = todo.status == "completed", now = todo.status == "in_progress";
    html.open("li", {{"class", done ? "done" : now ? "now" : ""}});
    html.text(done ? "☑ " : now ? "▶ " : "☐ ").text(visible_text(todo.text));
    if (!done && !now && !todo.status.empty() && todo.status != "pending")
      html.text(fmt::format(" ({})", visible_text(todo.status)));
    html.close();
  }
  html.close();
}

void write_output(Html& html, const ToolResult& result, const TurnLinks& links) {
  const std::string text = visible_text(result.output.text);
  if (!text.empty()) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (lines <= kOpenLines) {
      write_block(html, text, "output");
    } else {
      html.open("details", {{"class", "output"}}).element("summary", fmt::format("Output, {} lines", lines + 1));
      write_block(html, text);
      html.close();
    }
  } else if (result.images.empty() && result.patch.empty()) {
    html.element("p", "no output", {{"class", "soft"}});
  }
  write_left_out(html, result.output.left_out, result.line, links);
  if (!result.saved_output.empty()) {
    const std::string address = links.saved_file ? links.saved_file(result.saved_output) : std::string();
    html.open("p", {{"class", "cut"}}).text("the whole output is in ");
    if (address.empty())
      html.element("code", visible_text(result.saved_output));
    else
      html.element("a", visible_text(result.saved_output), {{"href", address}});
    html.close();
  }
  write_images(html, result.images, links);
}

}  // namespace

void write_block(Html& html, std::string_view text, std::string_view css_class) {
  const bool tall = text.size() >= kTallBytes || static_cast<std::size_t>(std::ranges::count(text, '\n')) >= kTallLines;
  html.element(
      "pre", text,
      {{"class", css_class.empty() ? Html::kLeftOut : css_class}, {"dir", "auto"}, {"tabindex", tall ? "0" : Html::kLeftOut}});
}

void write_diff(Html& html, const Diff& diff) {
  const auto lines = diff.patch.empty() ? diff_lines(diff.before, diff.after) : patch_lines(diff.patch);
  html.open("figure", {{"class", "diff"}});
  if (!diff.path.empty()) html.element("figcaption", visible_text(diff.path), {{"dir", "auto"}});
  html.open("pre", {{"tabindex", lines.size() >= kTallLines ? "0" : Html::kLeftOut}});
  for (const DiffLine& line : lines) {
    const std::string text = visible_text(line.text);
    switch (line.sign) {
      case '+':
        html.open("ins").text("+").text(text).text("\n").close();
        break;
      case '-':
        html.open("del").text("-").text(text).text("\n").close();
        break;
      case '@':
        html.open("span", {{"class", "soft"}}).text(text).text("\n").close();
        break;
      default:
        html.text(" ").text(text).text("\n");
    }
  }
  html.close().close();
}

void write_call(Html& html, const Part& call, const TurnLinks& links) {
  const bool failed = call.result && call.result->error;
  CallView shown = view_call(call);
  if (call.result && !call.result->patch.empty() && !failed) {
    // What really happened to the file, with its surroundings.
    shown.diffs.clear();
    shown.diffs.push_back({shown.summary, {}, {}, call.result->patch});
  }
  const bool open = failed || !shown.todos.empty() || !shown.diffs.empty();
  const bool waits = call.kind == Part::Kind::tool_call && !call.result;
  const std::string_view classes = failed ? "tool failed" : waits ? "tool waiting" : "tool";
  html.open("details", {{"class", classes}, {"open", open ? "" : Html::kLeftOut}});
  html.open("summary", {{"dir", "auto"}});
  html.element("b", call.name.empty() ? "Result" : tool_name(call.name));
  html.text(" ").element("code", visible_line(shown.summary, kHtmlSummaryChars));
  if (failed) html.text(" ").element("span", "failed", {{"class", "badge failed"}});
  if (waits) html.text(" ").element("span", "no result", {{"class", "badge"}});
  html.close();
  if (shown.body_is_text && !shown.body.empty()) {
    html.open("div", {{"class", "text"}, {"dir", "auto"}});
    write_markdown(html, shown.body);
    html.close();
  } else if (!shown.body.empty()) {
    write_block(html, visible_text(shown.body));
  }
  for (const Diff& diff : shown.diffs) write_diff(html, diff);
  write_todos(html, shown.todos);
  if (!shown.rest.empty()) write_block(html, visible_text(to_json_pretty(shown.rest)), "arguments");
  write_left_out(html, call.text.left_out, call.line, links);
  if (call.subagent) {
    const std::string label = fmt::format("Subagent {}: {}", visible_line(call.subagent->type, kHtmlSummaryChars),
                                          visible_line(call.subagent->description, kHtmlSummaryChars));
    const std::string address = links.subagent ? links.subagent(*call.subagent) : std::string();
    html.open("p", {{"class", "subagent"}});
    if (address.empty())
      html.text(label);
    else
      html.element("a", label, {{"href", address}});
    html.close();
  }
  if (call.result) {
    const bool further = call.result->line != 0 && call.result->line != call.line;
    html.open("div", {{"id", further ? std::string_view(links.anchor_of(call.result->line)) : Html::kLeftOut}});
    write_output(html, *call.result, links);
    html.close();
  }
  html.close();
}

}  // namespace holdfast::reading
