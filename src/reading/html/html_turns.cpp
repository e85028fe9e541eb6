#include "reading/html/html_turns.h"

#include "base/text/text.h"
#include "reading/html/markdown.h"
#include "reading/html/visible_text.h"

#include <fmt/format.h>

namespace holdfast::reading {
namespace {

constexpr std::size_t kShownWords = 120;  // of a summary

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

}  // namespace holdfast::reading
