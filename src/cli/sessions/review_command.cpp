// holdfast review list|show|export|trash|restore|undo|comment: looking at documents under review, and what is not a verdict.

#include "cli/arguments/change_ids.h"
#include "cli/program/context.h"
#include "cli/services/review_workspace.h"
#include "cli/sessions/review_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::cli {

namespace {

using documents::PendingChange;

void print_changes(const Context& context, const std::vector<PendingChange>& changes, bool whole) {
  if (context.json) {
    JsonArray items;
    for (const PendingChange& change : changes) items.push_back(change_json(change));
    const std::size_t count = items.size();
    return print_json(JsonObject{{"changes", std::move(items)}, {"count", count}});
  }
  const Millis now = context.clock->now();
  if (changes.empty()) return print("no pending changes\n");
  if (!whole) return print(changes_table(changes, now, context.terminal));
  std::string text;
  for (const PendingChange& change : changes) text += (text.empty() ? "" : "\n") + change_text(change, now, context.terminal);
  print(text);
}

void print_done(const Context& context, const std::string& text) {
  if (context.json)
    print_json(JsonObject{{"done", text}});
  else
    print(harmless(text, false) + "\n");
}

}  // namespace

Result<void> list_changes(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const documents::ChangeFilter filter, review->filter());
  HF_TRY(const auto changes, review->changes(filter));
  print_changes(context, changes, false);
  return {};
}

Result<void> show_changes(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const auto all, review->changes({}));
  std::vector<PendingChange> shown;
  for (const std::string& word : context.given.texts("what")) {
    HF_TRY(const std::string id, whole_id(all, word));
    const std::size_t before = shown.size();
    for (const PendingChange& change : all)
      if (change.id == id) shown.push_back(change);
    if (shown.size() > before) continue;
    documents::ChangeFilter filter;
    HF_TRY(filter.path, review->path_of(word));
    auto of_path = review->changes(filter);
    if (!of_path)
      return fail(ErrorKind::not_found, fmt::format("{} is neither a pending change nor a document", word),
                  "holdfast review list shows what is pending");
    std::ranges::move(*of_path, std::back_inserter(shown));
  }
  print_changes(context, shown, true);
  return {};
}

Result<void> comment_change(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const auto all, review->changes({}));
  HF_TRY(const std::string id, whole_id(all, context.given.text("change")));
  HF_TRY(const PendingChange change,
         review->workspace().comment(review->reviewer(), "", id, fmt::format("{}", fmt::join(context.given.texts("text"), " "))));
  print_changes(context, {change}, true);
  return {};
}

Result<void> undo_document_move(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const std::string done, review->workspace().undo_move(review->reviewer(), context.given.text("move")));
  print_done(context, done);
  return {};
}

Result<void> list_trash(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const auto files, review->workspace().trash());
  if (context.json) {
    JsonArray items;
    for (const documents::TrashedFile& file : files)
      items.push_back(JsonObject{{"id", file.id}, {"path", file.path}, {"time", iso8601(file.time)}, {"size", file.size}});
    print_json(JsonObject{{"trash", std::move(items)}});
    return {};
  }
  if (files.empty()) {
    print("the trash is empty\n");
    return {};
  }
  Table table({{"ID", false, false}, {"PATH", false, true}, {"SINCE", false, false}, {"BYTES", true, false}});
  for (const documents::TrashedFile& file : files) table.add({file.id, file.path, iso8601(file.time), std::to_string(file.size)});
  print(table.text(context.terminal));
  return {};
}

Result<void> restore_document(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const std::string done, review->workspace().restore(review->reviewer(), context.given.text("trashed")));
  print_done(context, done);
  return {};
}

// Byte for byte, so that a linter or a pipe gets the document and nothing else.
Result<void> export_document(Context& context) {
  HF_TRY(auto review, ReviewWorkspace::open(context));
  HF_TRY(const std::string path, review->path_of(context.given.text("path")));
  const std::string_view view = context.given.flag("base") ? "base" : "accepted";
  const auto text = review->workspace().text(path, view);
  if (!text) return fail(in_commands(text.error()));
  if (context.json)
    print_json(JsonObject{{"path", path}, {"view", view}, {"text", *text}});
  else
    print(*text);
  return {};
}

}  // namespace holdfast::cli
