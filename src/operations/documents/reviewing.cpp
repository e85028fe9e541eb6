// review list, show, accept, reject, comment, undo, trash, restore, export: a person's side of documents under review
// (document-review §7).

#include "base/run/when.h"
#include "operations/context.h"
#include "operations/documents/review.h"
#include "operations/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;
using documents::PendingChange;

// "c_" alone says only what kind of id it is, and may be a folder's name.
constexpr std::size_t kShortestStart = 3;
// Of those that fit: enough to see how far to type on.
constexpr std::size_t kNamedChanges = 10;

// A filter that a script left empty must not mean everything.
constexpr Parameter kInPath = optional("path", {}, "only in this document or folder");
constexpr Parameter kAuthor = optional("author", {}, "only of this author, as list shows it");
constexpr Parameter kMadeSince{.name = "since",
                               .help = "only made since then: 3d, 2026-07-01, 2026-07-01T10:00:00Z",
                               .value = "WHEN",
                               .may_be_empty = false};

constexpr std::array kReviewListParameters{optional("path", "PATH", kInPath.help), kAuthor, kMadeSince};
constexpr std::array kReviewShowParameters{
    needed("what", "WHAT", "ids of changes (unique starts are enough), or paths of documents", texts)};
constexpr std::array kReviewVerdictParameters{
    Parameter{.name = "change",
              .type = texts,
              .help = "ids of changes, or unique starts of them",
              .may_be_empty = false,
              .option = "ID"},
    Parameter{"all", flag, "all of them, or all that the filters leave"},
    kInPath,
    kAuthor,
    kMadeSince,
    Parameter{"commit", flag, "commit documents with git, in your name, when nothing in them is pending any more"}};
constexpr std::array kReviewCommentParameters{needed("change", "ID", "the change, or a unique start of its id"),
                                              needed("text", "TEXT", "what to say", texts)};
constexpr std::array kReviewUndoParameters{optional("move", "ID", "which move, as move told it", "the last that was not undone")};
constexpr std::array kReviewRestoreParameters{needed("trashed", "ID", "as trash lists it")};
constexpr std::array kReviewExportParameters{
    needed("path", "PATH", "the document"), Parameter{"accepted", flag, "with every pending change", "this"},
    Parameter{.name = "base", .type = flag, .help = "without pending changes", .against = "accepted"}};

Facts change_facts(const PendingChange& change) {
  Facts item{{"id", change.id},         {"path", change.path},     {"line", change.line},
             {"kind", change.kind},     {"del", change.del},       {"ins", change.ins},
             {"author", change.author}, {"before", change.before}, {"after", change.after}};
  item["time"] = change.time ? Json(iso8601(*change.time)) : Json(nullptr);
  item["in_front_matter"] = change.in_front_matter;
  item["stale"] = change.stale;
  item["comments"] = to_json_array(change.comments);
  item["places"] = change.places;
  return item;
}

Result<Facts> changes_facts(const Result<std::vector<PendingChange>>& changes) {
  if (!changes) return fail(changes.error());
  JsonArray items;
  for (const PendingChange& change : *changes) items.push_back(change_facts(change));
  return Facts{{"changes", std::move(items)}, {"count", changes->size()}};
}

Result<std::string> path_in(const Documents& documents, const std::string& typed) {
  if (documents.path_of && !typed.empty()) return documents.path_of(typed);
  return typed;
}

Result<Facts> review_show(Context& context, const Given& given) {
  return changes_facts(named_changes(context, given));
}

Result<Facts> review_list(Context& context, const Given& given) {
  return changes_facts(pending_changes(context, given));
}

// What cannot be decided is in the report; the rest is.
Result<Facts> decide(Context& context, const Given& given, bool accept) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const documents::Asker person, documents.asker());
  const bool all = given.flag("all");
  const std::vector<std::string> words = given.texts("change");
  if (all != words.empty())
    return fail(ErrorKind::invalid, all ? "{all} and ids do not go together" : "which changes?",
                "give their ids (holdfast review list), or {all}, which {path} and {author} can narrow", "usage");
  documents::Verdicts verdicts;
  HF_TRY(verdicts.filter, change_filter(context, documents, given));
  if (all) {
    verdicts.all = accept;
  } else {
    // One that is not there is reported with the verdicts.
    HF_TRY(const auto pending, documents.workspace->changes(verdicts.filter, {}));
    for (const std::string& word : words) {
      HF_TRY(std::string id, whole_id(pending, word));
      (accept ? verdicts.accept : verdicts.reject).push_back(std::move(id));
    }
  }
  // Rejecting may be what settles a document in which something was accepted before.
  verdicts.commit = given.flag("commit") || documents.commit_on_accept;
  HF_TRY(const documents::VerdictReport report, documents.workspace->decide(person, verdicts));
  JsonArray failed;
  for (const auto& [id, why] : report.failed) failed.push_back(JsonObject{{"id", id}, {"reason", why}});
  return Facts{{"applied", to_json_array(report.applied)},
               {"failed", std::move(failed)},
               {"remaining", report.remaining},
               {"commits", to_json_array(report.commits)},
               {"notes", to_json_array(report.notes)}};
}

Result<Facts> review_accept(Context& context, const Given& given) {
  return decide(context, given, true);
}

Result<Facts> review_reject(Context& context, const Given& given) {
  return decide(context, given, false);
}

Result<Facts> review_comment(Context& context, const Given& given) {
  HF_TRY(PendingChange change, comment_on_change(context, given));
  return changes_facts(std::vector{std::move(change)});
}

Result<Facts> undo_move(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const documents::Asker person, documents.asker());
  HF_TRY(const std::string done, documents.workspace->undo_move(person, given.text("move")));
  return Facts{{"done", done}};
}

Result<Facts> list_trash(Context& context, const Given&) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const auto files, documents.workspace->trash());
  JsonArray items;
  for (const documents::TrashedFile& file : files)
    items.push_back(JsonObject{{"id", file.id}, {"path", file.path}, {"time", iso8601(file.time)}, {"size", file.size}});
  return Facts{{"trash", std::move(items)}};
}

Result<Facts> restore_trashed(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const documents::Asker person, documents.asker());
  HF_TRY(const std::string done, documents.workspace->restore(person, given.text("trashed")));
  return Facts{{"done", done}};
}

Result<Facts> export_text(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const std::string path, path_in(documents, given.text("path")));
  const std::string_view view = given.flag("base") ? "base" : "accepted";
  HF_TRY(const std::string text, documents.workspace->text(path, view));
  return Facts{{"path", path}, {"view", view}, {"text", text}};
}

constexpr std::array kReviewing{
    reads("review list", "changes that wait for you", kReviewListParameters, review_list),
    reads("review show", "both sides of changes, with what stands around them", kReviewShowParameters, review_show),
    for_scope(Scope::review, changes("review accept", "make changes final", kReviewVerdictParameters, review_accept)),
    for_scope(Scope::review, changes("review reject", "take changes out again", kReviewVerdictParameters, review_reject)),
    for_scope(Scope::review,
              adds("review comment", "say something about a change, in the document", kReviewCommentParameters, review_comment)),
    for_scope(Scope::review, changes("review undo", "move a document or folder back", kReviewUndoParameters, undo_move)),
    reads("review trash", "documents that were deleted or refused", {}, list_trash),
    for_scope(Scope::review,
              adds("review restore", "bring a document back out of the trash", kReviewRestoreParameters, restore_trashed)),
    reads("review export", "a document without markup, on standard output", kReviewExportParameters, export_text),
};

}  // namespace

Result<documents::ChangeFilter> change_filter(Context& context, const Documents& documents, const Given& given) {
  documents::ChangeFilter filter;
  HF_TRY(filter.path, path_in(documents, given.text("path")));
  filter.author = given.text("author");
  if (given.has("since")) {
    auto since = parse_when(given.text("since"), context.now());
    if (!since) return fail(std::move(since).error().within("{since}"));
    filter.since = *since;
  }
  return filter;
}

Result<std::string> whole_id(const std::vector<PendingChange>& changes, std::string_view typed) {
  std::map<std::string, std::string> fitting;  // and the document
  for (const PendingChange& change : changes) {
    if (change.id == typed) return change.id;
    if (typed.size() >= kShortestStart && change.id.starts_with(typed)) fitting.emplace(change.id, change.path);
  }
  if (fitting.empty()) return std::string(typed);
  if (fitting.size() == 1) return fitting.begin()->first;
  std::string named;
  for (const auto& [id, path] : fitting | std::views::take(kNamedChanges))
    named += fmt::format("{}{} in {}", named.empty() ? "" : ", ", id, path);
  return fail(
      ErrorKind::ambiguous,
      fmt::format("{} fits {} changes: {}{}", typed, fitting.size(), named, fitting.size() > kNamedChanges ? ", ..." : ""),
      "type more of it");
}

Result<std::vector<PendingChange>> pending_changes(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const documents::ChangeFilter filter, change_filter(context, documents, given));
  return documents.workspace->changes(filter, {});
}

Result<std::vector<PendingChange>> named_changes(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const auto all, documents.workspace->changes({}, {}));
  std::vector<PendingChange> shown;
  for (const std::string& word : given.texts("what")) {
    HF_TRY(const std::string id, whole_id(all, word));
    const std::size_t before = shown.size();
    std::ranges::copy_if(all, std::back_inserter(shown), [&](const PendingChange& change) { return change.id == id; });
    if (shown.size() > before) continue;
    documents::ChangeFilter filter;
    HF_TRY(filter.path, path_in(documents, word));
    auto of_path = documents.workspace->changes(filter, {});
    if (!of_path)
      return fail(ErrorKind::not_found, fmt::format("{} is neither a pending change nor a document", word),
                  "holdfast review list shows what is pending");
    std::ranges::move(*of_path, std::back_inserter(shown));
  }
  return shown;
}

Result<PendingChange> comment_on_change(Context& context, const Given& given) {
  HF_TRY(const Documents documents, context.documents());
  HF_TRY(const documents::Asker person, documents.asker());
  const std::string note = fmt::format("{}", fmt::join(given.texts("text"), " "));
  HF_TRY(const documents::ChangeFilter filter, change_filter(context, documents, given));
  HF_TRY(const auto pending, documents.workspace->changes(filter, {}));
  HF_TRY(const std::string id, whole_id(pending, given.text("change")));
  return documents.workspace->comment(person, filter.path, id, note);
}

std::span<const Operation> reviewing_operations() {
  return kReviewing;
}

}  // namespace holdfast::operations
