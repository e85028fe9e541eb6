// holdfast lineage, holdfast import lineage.

#include "base/ids.h"
#include "cli/arguments/commands.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/family/lineage.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

// An id whose files are gone has its family still, so it is looked for where sessions lie first and then among those remembered.
Result<std::string> id_of(const TranscriptWork& work, const std::string& text) {
  auto found = work.transcript(text);
  if (found) return found->id();
  if (found.error().kind != ErrorKind::not_found || text.empty()) return fail(std::move(found).error());
  if (is_uuid(text)) return text;
  return work.keeper().remembered(text, std::move(found).error());
}

Result<void> print_original(const TranscriptWork& work, const transcripts::LineageTree& tree) {
  std::vector<std::string> ids;
  for (const auto& [id, node] : tree.nodes) ids.push_back(id);
  HF_TRY(session::Store * store, work.keeper().store_to_read());
  if (!store)
    return fail(ErrorKind::not_found, "there is nothing to export yet", "the client's own forks are in its transcripts");
  HF_TRY(const JsonObject exported, transcripts::export_lineage(*store, ids));
  print(to_json_pretty(exported) + "\n");
  return {};
}

}  // namespace

Result<void> show_lineage(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  std::vector<std::string> words = work->given().words;
  const bool exporting = !words.empty() && words.front() == "export";
  if (exporting) words.erase(words.begin());
  if (words.size() > 1) return fail(ErrorKind::invalid, "one id is enough", "holdfast lineage --help explains it", "usage");
  HF_TRY(const std::string id, id_of(*work, words.empty() ? "" : words.front()));
  HF_TRY(const auto tree, work->keeper().lineage(id));
  const bool json = context.line.json || work->given().format == "json";
  if (!tree) {
    if (json)
      print("null\n");
    else
      print(fmt::format("nothing is known about the family of {}\n", id));
    return {};
  }
  if (exporting) return print_original(*work, *tree);
  if (json)
    print_json(to_json(*tree));
  else
    print(harmless(work->given().format == "tree" ? lineage_drawing(*tree) : lineage_text(*tree), false));
  return {};
}

Result<void> import_lineage(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const std::size_t count, transcripts::import_lineage(*store, context.line.transcripts.words.front()));
  if (context.line.json)
    print_json(JsonObject{{"imported", count}});
  else
    print(fmt::format("{} new\n", count));
  return {};
}

}  // namespace holdfast::cli
