// holdfast info.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/home/kind_counts.h"
#include "kinds/transcripts/reading/session_info.h"
#include "operations/sessions/notes.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

std::string thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string usage_text(const transcripts::Usage& usage, const Terminal& terminal) {
  std::string out;
  if (!usage.models.empty()) {
    Table table({{"MODEL"}, {"INPUT", true}, {"OUTPUT", true}, {"CACHE WRITTEN", true}, {"CACHE READ", true}});
    for (const auto& [model, tokens] : usage.models)
      table.add({model, thousands(tokens.input), thousands(tokens.output), thousands(tokens.cache_written),
                 thousands(tokens.cache_read)});
    out += "\n" + table.text(terminal);
  }
  if (!usage.tool_calls.empty()) {
    Table table({{"TOOL"}, {"CALLS", true}});
    for (const auto& [tool, count] : usage.tool_calls) table.add({tool, thousands(count)});
    out += "\n" + table.text(terminal);
  }
  return out;
}

std::string family_text(const transcripts::SessionInfo& info) {
  if (!info.lineage) return "none known";
  const auto node = info.lineage->nodes.find(info.line.session.id());
  if (node == info.lineage->nodes.end()) return "none known";
  std::string text =
      node->second.parent_id.empty() ? "root" : fmt::format("{} of {}", node->second.method, node->second.parent_id);
  if (const std::size_t children = node->second.children.size(); children > 0)
    text += fmt::format(", {} {}", children, children == 1 ? "copy" : "copies");
  return text;
}

std::string info_text(const transcripts::SessionInfo& info, const Terminal& terminal, Millis now, bool verbose) {
  std::string out = terminal.bold(harmless(info.line.title.empty() ? "(no title)" : info.line.title, true)) + "\n";
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), harmless(value, true));
  };
  const transcripts::SessionLine& summary = info.line;
  line("id", summary.session.id());
  line("product", fmt::format("{} {}", summary.session.product(), summary.version));
  line("project", summary.project_path);
  line("branch", summary.git_branch);
  line("state", std::string(info.state_word()));
  line("native", info.native ? "yes: delete and move need --force" : "no: made by a copy");
  line("family", family_text(info));
  if (summary.first_time != 0) line("first", iso8601(summary.first_time));
  if (summary.last_time != 0)
    line("last", fmt::format("{} ({})", iso8601(summary.last_time), session::age(summary.last_time, now)));
  std::map<transcripts::ArtifactKind, std::uint64_t> counts;
  for (const auto& artifact : info.inventory.artifacts) ++counts[artifact.kind];
  line("size", fmt::format("{} in {} files", size_text(info.inventory.bytes()), info.inventory.artifacts.size()));
  JsonObject parts;
  transcripts::add_kind_counts(parts, counts, "");
  line("with", parts_text(parts, ""));
  line("messages",
       fmt::format("{}, {} subagents, {} compactions", info.usage.messages, info.usage.subagents, info.usage.compactions));
  line("file", info.file);
  if (verbose)
    for (const auto& artifact : info.inventory.artifacts) line("", fmt::format("{} ({} bytes)", artifact.path, artifact.size));
  for (const std::string& each : info.inventory.left_out) line("left out", each);
  line(info.kept ? "restore" : "resume", info.kept ? transcripts::restore_command(summary.session) : resume_command(summary));
  out += usage_text(info.usage, terminal);
  if (info.cost) {
    out += fmt::format("\n${:.2f} by the prices of {}\n", info.cost->dollars, info.cost->as_of);
    for (const std::string& model : info.cost->unpriced)
      out += fmt::format("no price is known for {}: add it to prices.json\n", harmless(model, true));
  }
  return out;
}

}  // namespace

Result<void> show_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  HF_TRY(const auto found, work->named_transcript());
  HF_TRY(auto info, catalogue::describe(work->homes_keeper(), found, work->progress()));
  if (given.flag("cost")) {
    HF_TRY(const auto prices, transcripts::read_prices(context.folders.config + "/prices.json"));
    info.cost = cost_of(info.usage, prices);
  }
  JsonArray notes;  // no store: nothing was ever noted
  if (const auto store = work->store(true)) {
    HF_TRY(notes, operations::notes_of(**store, found.id()));
  }
  work->progress_done();
  if (context.json || given.text("format") == "json") {
    JsonObject facts = to_json(info);
    if (!notes.empty()) facts["notes"] = std::move(notes);
    print_json(facts);
  } else {
    print(info_text(info, context.terminal, work->homes_keeper().now(), context.verbose));
    print(notes_text(notes));
  }
  work->warn(info.warnings);
  return {};
}

}  // namespace holdfast::cli
