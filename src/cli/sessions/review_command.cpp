// holdfast review list|show|comment|export|trash|restore|undo: documents under review, and what is not a verdict.

#include "cli/sessions/review_text.h"
#include "operations/documents/review.h"

namespace holdfast::cli {

namespace {

using documents::PendingChange;
using Changes = Result<std::vector<PendingChange>>;

// The facts of the operation as JSON, or the same changes with what stands around them: `find` has them as values.
Result<void> print_changes(Context& context, Changes (*find)(operations::Context&, const operations::Given&), bool whole) {
  HF_TRY(const auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  if (context.json) {
    const auto facts = work->perform();
    if (!facts) return fail(in_commands(facts.error()));
    print_json(*facts);
    return {};
  }
  const Changes changes = find(*work, context.given);
  if (!changes) return fail(in_commands(changes.error()));
  const Millis now = context.clock->now();
  std::string text;
  if (!whole && !changes->empty()) text = changes_table(*changes, now, context.terminal);
  if (whole)
    for (const PendingChange& change : *changes) text += (text.empty() ? "" : "\n") + change_text(change, now, context.terminal);
  print(text.empty() ? "no pending changes\n" : text);
  return {};
}

}  // namespace

// The workspace's hints name tools; a person has commands.
Error in_commands(Error error) {
  if (error.hint.contains("glob ")) error.hint = "give a path from this folder on, or one that holdfast review list shows";
  return error;
}

Result<void> list_changes(Context& context) {
  return print_changes(context, operations::pending_changes, false);
}

Result<void> show_changes(Context& context) {
  return print_changes(context, operations::named_changes, true);
}

Result<void> comment_change(Context& context) {
  const auto one = [](operations::Context& work, const operations::Given& given) -> Changes {
    HF_TRY(PendingChange change, operations::comment_on_change(work, given));
    return std::vector{std::move(change)};
  };
  return print_changes(context, one, true);
}

std::string review_done_text(const JsonObject& facts, const Context&) {
  return harmless(text_in(facts, "done"), false) + "\n";
}

std::string trash_text(const JsonObject& facts, const Context& context) {
  Table table({{"ID", false, false}, {"PATH", false, true}, {"SINCE", false, false}, {"BYTES", true, false}});
  const JsonArray& files = *find_array(facts, "trash");
  for (const Json& each : files) {
    const JsonObject& file = each.as_object();
    table.add({text_in(file, "id"), text_in(file, "path"), text_in(file, "time"), to_json(file.at("size"))});
  }
  return files.empty() ? "the trash is empty\n" : table.text(context.terminal);
}

// Byte for byte, so that a linter or a pipe gets the document and nothing else.
std::string exported_text(const JsonObject& facts, const Context&) {
  return text_in(facts, "text");
}

}  // namespace holdfast::cli
