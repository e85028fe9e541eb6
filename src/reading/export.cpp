#include "reading/export.h"

#include "reading/export_parts.h"
#include "reading/html/markdown_turns.h"
#include "reading/html/visible_text.h"
#include "reading/turn_json.h"

#include <fmt/format.h>

namespace holdfast::reading {

std::string_view ending_of(ExportFormat format) {
  return format == ExportFormat::html ? ".html" : format == ExportFormat::markdown ? ".md" : ".json";
}

Result<void> each_exported(Reading& reading, const ExportOptions& options, const std::function<Result<void>(Turn&)>& take) {
  ReadLimits limits = kExportLimits;
  if (options.format != ExportFormat::html) limits.image_bytes = 0;
  // In windows, so that progress is told and a reader who has had enough is heard.
  return each_window(reading, limits, [&](Window& window) -> Result<void> {
    for (Turn& turn : window.turns) {
      if (options.filter) filter_texts(turn, options.filter);
      HF_CHECK(take(turn));
    }
    if (options.progress && !options.progress(window.next.value_or(window.last_line), window.last_line))
      return fail(ErrorKind::cancelled, "stopped");
    return {};
  });
}

Heading filtered_heading(const Heading& heading, const ExportOptions& options) {
  Heading out = heading;
  if (!options.filter) return out;
  for (std::string* text : {&out.title, &out.project, &out.resume_command}) *text = options.filter(*text);
  for (auto& [name, value] : out.details) value = options.filter(value);
  for (Subagent& agent : out.subagents) agent.description = options.filter(agent.description);
  return out;
}

namespace {

class CountingSink {
 public:
  CountingSink(const ExportSink& sink, Exported& exported) : sink_(sink), exported_(exported) {}
  Result<void> operator()(std::string_view bytes) {
    exported_.bytes += bytes.size();
    return sink_(bytes);
  }

 private:
  const ExportSink& sink_;
  Exported& exported_;
};

Result<void> markdown_turns(Reading& reading, const ExportOptions& options, CountingSink& out, Exported& exported) {
  std::string bare;  // the heading of a compaction, whose summary mostly follows with one of its own
  const auto take = [&](Turn& turn) -> Result<void> {
    ++exported.turns;
    exported.prompts += turn.prompt ? 1 : 0;
    std::string text;
    const bool whole = append_turn(text, turn, {options.detailed});
    if (text.empty()) return {};
    if (!turn.compaction) text.insert(0, bare);
    bare.clear();
    if (whole) return out(text);
    bare = std::move(text);
    return {};
  };
  HF_CHECK(each_exported(reading, options, take));
  return out(bare);
}

Result<Exported> export_markdown(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  Exported exported;
  CountingSink out(sink, exported);
  std::string text;
  append_heading(text, filtered_heading(reading.heading(), options));
  HF_CHECK(out(text));
  HF_CHECK(markdown_turns(reading, options, out, exported));
  for (const Subagent& agent : reading.heading().subagents) {
    if (!options.subagents) break;
    HF_TRY(auto inner, reading.subagent(agent.id));
    text = "---\n\n";
    append_heading(text, filtered_heading(inner->heading(), options));
    HF_CHECK(out(text));
    HF_CHECK(markdown_turns(*inner, options, out, exported));
    ++exported.subagents;
  }
  return exported;
}

Result<void> json_turns(Reading& reading, const ExportOptions& options, CountingSink& out, Exported& exported) {
  bool first = true;
  HF_CHECK(out("["));
  HF_CHECK(each_exported(reading, options, [&](Turn& turn) -> Result<void> {
    ++exported.turns;
    exported.prompts += turn.prompt ? 1 : 0;
    const std::string text = (first ? "\n" : ",\n") + to_json(turn_json(turn));
    first = false;
    return out(text);
  }));
  return out("]");
}

Result<Exported> export_json(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  Exported exported;
  CountingSink out(sink, exported);
  HF_CHECK(out(fmt::format("{{\"session\":{},\"turns\":", to_json(heading_json(filtered_heading(reading.heading(), options))))));
  HF_CHECK(json_turns(reading, options, out, exported));
  if (options.subagents) {
    HF_CHECK(out(",\"subagents\":["));
    for (const Subagent& agent : reading.heading().subagents) {
      HF_TRY(auto inner, reading.subagent(agent.id));
      HF_CHECK(out(fmt::format("{}{{\"session\":{},\"turns\":", exported.subagents == 0 ? "" : ",",
                               to_json(heading_json(filtered_heading(inner->heading(), options))))));
      HF_CHECK(json_turns(*inner, options, out, exported));
      HF_CHECK(out("}"));
      ++exported.subagents;
    }
    HF_CHECK(out("]"));
  }
  HF_CHECK(out("}\n"));
  return exported;
}

}  // namespace

Result<Exported> export_session(Reading& reading, const ExportOptions& options, const ExportSink& sink) {
  switch (options.format) {
    case ExportFormat::html:
      return export_html(reading, options, sink);
    case ExportFormat::markdown:
      return export_markdown(reading, options, sink);
    case ExportFormat::json:
      break;
  }
  return export_json(reading, options, sink);
}

}  // namespace holdfast::reading
