#include "reading/html/html_turns.h"

#include "base/text/text.h"
#include "reading/html/call_view.h"
#include "reading/html/line_diff.h"
#include "reading/html/markdown.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

constexpr std::size_t kShownWords = 120;  // of a summary

constexpr std::size_t kHtmlSummaryChars = 120;
constexpr std::size_t kOpenLines = 12;  // output of so many lines is shown without unfolding
// A block of so many lines, or of so many bytes on a phone, may be taller than it may get (turn_style), and then scrolls.
constexpr std::size_t kTallLines = 24, kTallBytes = 800;

std::string_view heading_of(const Turn& turn) {
  if (turn.compaction) return "Compacted here";
  if (turn.damaged) return "Damaged line";
  if (turn.meta) return "Client";
  switch (turn.role) {
    case Role::user:
      return "User";
    case Role::assistant:
      return "Assistant";
    case Role::system:
      return "System";
    case Role::other:
      break;
  }
  return "Note";
}

std::string classes_of(const Turn& turn) {
  std::string classes = fmt::format("turn {}", name_of(turn.role));
  for (const auto& [is, name] :
       {std::pair{turn.prompt, " prompt"}, std::pair{turn.meta, " meta"}, std::pair{turn.sidechain, " sidechain"},
        std::pair{turn.compaction, " compaction"}, std::pair{turn.damaged, " damaged"}, std::pair{turn.has_error(), " error"}})
    if (is) classes += name;
  return classes;
}

void badge(Html& html, bool is, std::string_view text) {
  if (is) html.element("span", text, {{"class", "badge"}});
}

void write_head(Html& html, const Turn& turn, const TurnLinks& links) {
  html.open("header");
  html.element("h3", heading_of(turn));
  if (!turn.author.empty()) html.element("span", visible_line(turn.author, kShownWords), {{"class", "soft"}});
  if (!turn.lane.empty()) html.element("span", visible_line(turn.lane, kShownWords), {{"class", "badge"}, {"dir", "auto"}});
  badge(html, turn.sidechain, "side conversation");
  badge(html, turn.error, "error");
  if (turn.time != 0) {
    const std::string time = iso8601(turn.time);
    html.element("time", fmt::format("{} {}", time.substr(0, 10), time.substr(11, 8)), {{"datetime", time}});
  }
  html.element("a", fmt::format("#{}", turn.line),
               {{"class", "anchor"},
                {"href", "#" + links.anchor_of(turn.line)},
                {"aria-label", fmt::format("link to line {}", turn.line)}});
  html.close();
}

// "1.2 MiB are not shown", with a link to the record.
void write_left_out(Html& html, std::uint64_t bytes, std::uint64_t line, const TurnLinks& links) {
  if (bytes == 0) return;
  html.open("p", {{"class", "cut"}}).text(fmt::format("… {} more. ", bytes_text(bytes)));
  if (const std::string address = links.whole_record ? links.whole_record(line) : std::string(); !address.empty())
    html.element("a", "Show all", {{"href", address}});
  html.close();
}

void write_images(Html& html, const std::vector<Image>& images, const TurnLinks& links) {
  for (const Image& image : images) {
    const std::string source = links.image && is_shown_image(image.media_type) ? links.image(image) : std::string();
    if (source.empty())
      html.element("p", fmt::format("[an image, {}]", visible_line(image.media_type, kShownWords)), {{"class", "cut"}});
    else
      html.lone("img", {{"src", source}, {"alt", "image in the session"}, {"loading", "lazy"}});
  }
}

// A text in its own lines, readable by key when it may be too tall to be shown at once.
void write_block(Html& html, std::string_view text, std::string_view css_class = {}) {
  const bool tall = text.size() >= kTallBytes || static_cast<std::size_t>(std::ranges::count(text, '\n')) >= kTallLines;
  html.element(
      "pre", text,
      {{"class", css_class.empty() ? Html::kLeftOut : css_class}, {"dir", "auto"}, {"tabindex", tall ? "0" : Html::kLeftOut}});
}

void write_text(Html& html, const Part& part, const TurnLinks& links) {
  html.open("div", {{"class", "text"}, {"dir", "auto"}});
  write_markdown(html, part.text.text);
  html.close();
  write_left_out(html, part.text.left_out, part.line, links);
}

void write_folded(Html& html, Markup name, std::string_view title, const Part& part, const TurnLinks& links, bool markdown) {
  html.open("details", {{"class", name.text()}});
  html.element("summary", title, {{"dir", "auto"}});
  if (markdown)
    write_text(html, part, links);
  else {
    write_block(html, visible_text(part.text.text));
    write_left_out(html, part.text.left_out, part.line, links);
  }
  html.close();
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

void write_part(Html& html, const Part& part, const TurnLinks& links) {
  switch (part.kind) {
    case Part::Kind::text:
      write_text(html, part, links);
      break;
    case Part::Kind::thinking:
      write_folded(html, "thinking", "Thinking", part, links, true);
      break;
    case Part::Kind::tool_call:
    case Part::Kind::tool_result:
      write_call(html, part, links);
      break;
    case Part::Kind::notice: {
      const std::string title = visible_line(part.name.empty() ? part.text.text : part.name, kShownWords);
      if (part.text.text.size() <= kShownWords && !part.text.text.contains('\n')) {
        html.open("p", {{"class", "notice"}, {"dir", "auto"}}).text(visible_line(part.name, kShownWords));
        if (!part.name.empty() && !part.text.text.empty()) html.text(": ");
        html.text(visible_text(part.text.text)).close();
      } else {
        write_folded(html, "notice", title, part, links, false);
      }
      break;
    }
    case Part::Kind::raw:
      write_folded(html, "raw", part.name.empty() ? "Record" : visible_line(part.name, kShownWords), part, links, false);
      break;
    case Part::Kind::image:
    case Part::Kind::diff:
      break;
  }
  write_images(html, part.images, links);
  if (part.kind == Part::Kind::diff)
    for (const Diff& diff : part.diffs) write_diff(html, diff);
}

void write_forks(Html& html, const Turn& turn, const TurnLinks& links) {
  if (turn.forks.empty()) return;
  html.open("nav", {{"class", "forks"}, {"aria-label", fmt::format("other ways on from line {}", turn.line)}});
  html.text("Here the conversation also went on another way: ").open("ul");
  for (const Fork& fork : turn.forks) {
    const std::string words = fmt::format("line {}: {}", fork.line, visible_line(fork.words, kShownWords));
    const std::string address = links.fork ? links.fork(fork) : std::string();
    html.open("li", {{"dir", "auto"}});
    if (address.empty())
      html.text(words);
    else
      html.element("a", words, {{"href", address}});
    html.close();
  }
  html.close().close();
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

void write_turn(Html& html, const Turn& turn, const TurnLinks& links) {
  html.open("article", {{"class", classes_of(turn)}, {"id", links.anchor_of(turn.line)}});
  write_head(html, turn, links);
  std::uint64_t line = turn.line;
  for (const Part& part : turn.parts) {
    const bool further = part.line != line && part.line != 0;
    if (further) {
      line = part.line;
      html.open("div", {{"id", links.anchor_of(line)}});
    }
    write_part(html, part, links);
    if (further) html.close();
  }
  write_forks(html, turn, links);
  html.close().raw("\n");
}

Markup turn_style() {
  return R"css(
.turn { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--edge); border-radius: .4rem; padding: .6rem 1rem; margin: .75rem 0; overflow-wrap: anywhere; }
.turn:target, .turn:has(:target), .turn:focus { outline: 3px solid var(--focus); outline-offset: 1px; }
.turn.user { border-left-color: var(--link); }
.turn.assistant { border-left-color: var(--good); }
.turn.error, .turn.damaged { border-left-color: var(--bad); }
.turn.meta { background: var(--sunk); }
.turn.compaction { border-style: dashed; }
.turn.sidechain { margin-left: 1.5rem; }
.turn > header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; font-size: .875rem; }
.turn > header h3 { margin: 0; font-size: .95rem; }
.turn > header time { margin-left: auto; color: var(--soft); }
.turn .anchor { color: var(--soft); }
.turn .text { unicode-bidi: isolate; }
.turn .text > :first-child { margin-top: .35rem; }
.turn .text > :last-child { margin-bottom: .35rem; }
.turn pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40rem; overflow: auto; background: var(--sunk); border-radius: .3rem; padding: .5rem .75rem; margin: .4rem 0; unicode-bidi: isolate; }
.turn .text pre { max-height: none; }
.turn code { unicode-bidi: isolate; }
.turn details { margin: .35rem 0; }
.turn details > summary { cursor: pointer; overflow-wrap: anywhere; }
.turn details.tool { border: 1px solid var(--line); border-radius: .3rem; padding: .25rem .6rem; }
.turn details.failed { border-color: var(--bad); }
.turn table { border-collapse: collapse; display: block; overflow-x: auto; }
.turn th, .turn td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; }
.turn blockquote { margin: .4rem 0; padding-left: .8rem; border-left: .2rem solid var(--line); }
.turn img { max-width: 100%; height: auto; border: 1px solid var(--line); }
.turn .diff pre ins { display: block; background: var(--good-ground); color: var(--good); text-decoration: none; }
.turn .diff pre del { display: block; background: var(--bad-ground); color: var(--bad); text-decoration: none; }
.turn figure { margin: .4rem 0; }
.turn figcaption { font-size: .875rem; color: var(--soft); }
.turn .todos { list-style: none; padding-left: .25rem; margin: .3rem 0; }
.turn .todos .done { color: var(--soft); }
.turn .todos .now { font-weight: 600; }
.turn .cut, .turn .soft { color: var(--soft); font-size: .875rem; }
.turn .badge { border: 1px solid var(--edge); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; }
.turn .badge.failed { border-color: var(--bad); color: var(--bad); }
.turn .forks { font-size: .875rem; border-top: 1px dashed var(--line); margin-top: .5rem; padding-top: .35rem; }
)css";
}

Markup export_style() {
  return R"css(
:root { color-scheme: light dark; --ground: #faf9f6; --card: #ffffff; --sunk: #f1eee8; --ink: #1d1c1a; --soft: #5d5a53; --line: #dcd7ce; --edge: #8b857a; --link: #8a4312; --focus: #1f5fa8; --good: #1f6b3a; --good-ground: #e3f3e7; --bad: #a3261f; --bad-ground: #fbe6e3; }
@media (prefers-color-scheme: dark) { :root { --ground: #15161a; --card: #1e2025; --sunk: #26292f; --ink: #eceae6; --soft: #aeaaa1; --line: #363940; --edge: #7c8089; --link: #efb07b; --focus: #8cc2ff; --good: #8fd6a5; --good-ground: #1c3324; --bad: #ff9d92; --bad-ground: #43211e; } }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, body > header, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.prompts { padding-left: 1.5rem; }
.prompts li { margin: .3rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .875rem; }
.bad { color: var(--bad); }
footer { color: var(--soft); font-size: .875rem; padding-bottom: 2rem; }
@media print { .turn { break-inside: avoid-page; } }
)css";
}

}  // namespace holdfast::reading
