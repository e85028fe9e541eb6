// holdfast lineage, holdfast import lineage.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/family/lineage.h"
#include "operations/transcripts/transcript_parameters.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

bool prints_json(const Context& context) {
  return context.json || context.given.text("format") == "json";
}

// Says so when nothing is known.
Result<std::optional<transcripts::LineageTree>> family_of(const Context& context, TranscriptWork& work) {
  HF_TRY(const std::string id, operations::id_of_family(work, context.given));
  HF_TRY(auto tree, work.homes_keeper().lineage(id));
  if (!tree) print(prints_json(context) ? "null\n" : fmt::format("nothing is known about the family of {}\n", id));
  return tree;
}

Result<void> print_original(const TranscriptWork& work, const transcripts::LineageTree& tree) {
  std::vector<std::string> ids;
  for (const auto& [id, node] : tree.nodes) ids.push_back(id);
  HF_TRY(session::Store * store, work.homes_keeper().store_to_read());
  if (!store)
    return fail(ErrorKind::not_found, "there is nothing to export yet", "the client's own forks are in its transcripts");
  HF_TRY(const JsonObject exported, transcripts::export_lineage(*store, ids));
  print(to_json_pretty(exported) + "\n");
  return {};
}

}  // namespace

Result<void> show_lineage(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const auto tree, family_of(context, *work));
  if (!tree) return {};
  if (prints_json(context))
    print_json(to_json(*tree));
  else
    print(harmless(context.given.text("format") == "tree" ? lineage_drawing(*tree) : lineage_text(*tree), false));
  return {};
}

Result<void> export_lineage(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const auto tree, family_of(context, *work));
  return tree ? print_original(*work, *tree) : Result<void>();
}

Result<void> import_lineage(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const std::size_t count, transcripts::import_lineage(*store, context.given.text("file")));
  if (context.json)
    print_json(JsonObject{{"imported", count}});
  else
    print(fmt::format("{} new\n", count));
  return {};
}

}  // namespace holdfast::cli
