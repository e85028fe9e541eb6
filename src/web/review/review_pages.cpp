#include "web/review/review_pages.h"

#include "operations/documents/review.h"
#include "operations/table.h"
#include "web/gateway/http_status.h"
#include "web/pages/page_context.h"
#include "web/pages/shown.h"
#include "web/review/review_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace holdfast::web {

namespace {

using documents::PendingChange;

constexpr std::size_t kShownDocumentBytes = 1024 * 1024;  // of a document; a larger one is shown by its changes alone
constexpr std::size_t kShownChanges = 500;                // of one document
constexpr std::size_t kLongestComment = 4096;             // bytes, as on the command line

struct Done {
  std::string text;
  std::vector<std::string> problems;
  Draft draft = {};
};

Error no_workspace() {
  return make_error(ErrorKind::not_found, "no folder is under review on this server",
                    "start it with --documents DIR, or set documents.roots in config.json");
}

Error no_login() {
  return make_error(ErrorKind::refused, "verdicts need a login",
                    "start the server without --no-auth, so that it is known that a person decides");
}

// A request, as operations see it: over the folders that its login may see, in the name of its person.
class ReviewRequest final : public PageContext {
 public:
  ReviewRequest(const ReviewService& service, const PageRequest& request)
      : PageContext(request), service_(service), request_(request) {}

  // Opened at first use; nullptr: none of the folders is for who asks.
  Result<std::shared_ptr<documents::Workspace>> workspace() {
    if (!workspace_ && service_.workspace) {
      HF_TRY(workspace_, service_.workspace(request_));
    }
    return workspace_;
  }
  Result<operations::Documents> documents() override {
    operations::Documents documents;
    HF_TRY(documents.workspace, workspace());
    if (!documents.workspace) return fail(no_workspace());
    documents.asker = [this]() -> Result<documents::Asker> {
      if (!request_.is_login) return fail(no_login());
      documents::Asker asker = service_.reviewer(request_);
      asker.reviewer = true;
      return asker;
    };
    documents.commit_on_accept = service_.commit_on_accept;
    return documents;
  }

 private:
  const ReviewService& service_;
  const PageRequest& request_;
  std::shared_ptr<documents::Workspace> workspace_;
};

// The hints of the workspace name tools; a person has a page.
Error for_people(Error error) {
  if (error.hint.contains("glob ")) error.hint = "the page Review lists what is pending";
  return error;
}

Result<std::vector<PendingChange>> changes_of(operations::Context& context, std::string_view path, std::string_view author = {}) {
  auto found = operations::pending_changes(context, operations::Given({{"path", path}, {"author", author}}));
  if (!found) return fail(for_people(std::move(found).error()));
  return found;
}

std::span<const PendingChange> shown_of(const std::vector<PendingChange>& changes) {
  return std::span(changes).first(std::min(changes.size(), kShownChanges));
}

void write_login_needed(Html& page) {
  page.element("p", "Verdicts need a login: start the server without --no-auth, so that it is known that a person decides.",
               {{"class", "notice"}});
}

void write_done(Html& page, const Done& done) {
  if (!done.text.empty()) page.element("p", done.text, {{"class", "notice good"}, {"role", "status"}});
  for (const std::string& problem : done.problems) page.element("p", problem, {{"class", "notice bad"}, {"role", "alert"}});
}

// A comment whose change is gone, so that there is no box for it: what was written is still there to be taken along.
void write_lost_draft(Html& page, const Draft& draft, const std::vector<PendingChange>& changes) {
  const auto shown = std::span(changes).first(std::min(changes.size(), kShownChanges));
  const bool has_box =
      std::ranges::any_of(shown, [&](const PendingChange& change) { return change.id == draft.id && !is_remark(change); });
  if (draft.text.empty() || has_box) return;
  page.element("p", "What you wrote:").element("pre", draft.text, {{"class", "notice"}, {"dir", "auto"}});
}

// What the redirect after a verdict says; only words of ours, whatever the address holds.
Done done_of(const Fields& query) {
  const std::string_view what = query.get("done");
  Done done;
  if (what == "accepted") done.text = "Accepted.";
  if (what == "committed") done.text = "Accepted and committed, in your name.";
  if (what == "rejected") done.text = "Rejected.";
  if (what == "commented") done.text = "The comment stands behind the change.";
  return done;
}

bool takes_file_away(const PendingChange* change) {
  return change->kind == "delete";
}

// The deletion that is proposed of the whole document; it comes first among its changes.
const PendingChange* proposed_deletion(const std::vector<PendingChange>& changes) {
  return !changes.empty() && takes_file_away(&changes.front()) ? &changes.front() : nullptr;
}

void write_deletion(Html& page, const PendingChange* deletion) {
  if (!deletion) return;
  page.element("p",
               fmt::format("{} proposes to delete this document. Nothing of it is left when you accept that; the trash keeps it.",
                           deletion->author.empty() ? "Somebody" : deletion->author),
               {{"class", "notice bad"}});
}

void write_documents(Html& page, const PageRequest& request, const std::vector<PendingChange>& changes) {
  std::map<std::string, std::vector<const PendingChange*>> documents;
  for (const PendingChange& change : changes) documents[change.path].push_back(&change);
  page.element("p",
               fmt::format("{} in {}.", counted(static_cast<std::int64_t>(changes.size()), "change", "changes"),
                           counted(static_cast<std::int64_t>(documents.size()), "document", "documents")),
               {{"class", "soft"}});
  page.open("ul", {{"class", "rows"}, {"id", "review-rows"}});
  for (const auto& [path, pending] : documents) {
    page.open("li", {{"class", "row"}}).element("a", path, {{"class", "row-title"}, {"href", document_path(path)}});
    page.open("span", {{"class", "badges"}});
    show_badge(page, counted(static_cast<std::int64_t>(pending.size()), "change", "changes"));
    if (std::ranges::any_of(pending, takes_file_away)) show_badge(page, "delete file", "badge bad");
    if (std::ranges::any_of(pending, &PendingChange::stale)) show_badge(page, "stale", "badge bad");
    page.close().open("span", {{"class", "row-facts"}});
    std::map<std::string, std::size_t> authors;
    for (const PendingChange* change : pending) ++authors[change->author.empty() ? "unknown" : change->author];
    for (const auto& [author, count] : authors)
      page.element("a", author,
                   {{"href", "/review?" + Fields().with("author", author).encode()},
                    {"title", counted(static_cast<std::int64_t>(count), "change", "changes")}});
    const auto latest = std::ranges::max(pending, {}, [](const PendingChange* change) { return change->time.value_or(0); });
    if (latest->time) show_age(page, *latest->time, request.now);
    page.element("a", "side by side", {{"href", document_path(path, "sides")}}).close().close();
  }
  page.close();
}

struct DocumentTexts {
  std::string raw, base, accepted;
  bool too_large = false;
};

// A document that is only proposed has no base; one that is to go has no other side.
DocumentTexts read_texts(documents::Workspace& workspace, const std::string& path, bool sides) {
  DocumentTexts texts;
  const auto read = [&](std::string_view view) { return workspace.text(path, view).value_or(""); };
  if (sides) {
    texts.base = read("base");
    texts.accepted = read("accepted");
  } else {
    texts.raw = read("raw");
  }
  texts.too_large = std::max({texts.raw.size(), texts.base.size(), texts.accepted.size()}) > kShownDocumentBytes;
  return texts;
}

void write_views(Html& page, const std::string& path, bool sides) {
  page.open("nav", {{"class", "pages"}, {"aria-label", "Views"}});
  page.element("a", "Changes in the text", {{"href", document_path(path)}, {"aria-current", sides ? Html::kLeftOut : "page"}});
  page.element("a", "Before and after",
               {{"href", document_path(path, "sides")}, {"aria-current", sides ? "page" : Html::kLeftOut}});
  page.close();
}

void write_text(Html& page, const PageRequest& request, const DocumentTexts& texts, bool sides, bool goes) {
  if (texts.too_large) {
    page.element("p", "The document is too large to be shown as a whole.", {{"class", "soft"}});
  } else if (sides) {
    const bool whole = request.query.get("whole") == "1";
    show_sides(page, texts.base, goes ? std::string() : texts.accepted, whole);
    const std::string other = request.query.with("whole", whole ? "" : "1").encode();
    page.open("p")
        .element("a", whole ? "Fold what is the same" : "Show every line", {{"href", request.path + "?" + other}})
        .close();
  } else {
    show_marked(page, texts.raw, goes);
  }
}

Result<net::HttpResponse> document_response(const ReviewService& service, ReviewRequest& context, const PageRequest& request,
                                            const std::string& path, const Done& done, int status) {
  HF_TRY(const auto workspace, context.workspace());
  if (!workspace) return fail(no_workspace());
  HF_TRY(const auto changes, changes_of(context, path));
  const bool sides = request.query.get("view") == "sides" || request.form.get("view") == "sides";
  const DocumentTexts texts = read_texts(*workspace, path, sides);
  const Deciding deciding{request.is_login, !service.commit_on_accept && service.in_git && service.in_git(path)};
  // The answer to a form stands at an address that nobody can ask for: news come from the page of the document.
  const std::string from = document_path(path, sides ? "sides" : "");
  return show_page(
      request, {path, Section::review},
      [&](Html& page) {
        page.open("p").element("a", "Review", {{"href", "/review"}}).close().element("h1", path);
        write_done(page, done);
        write_lost_draft(page, done.draft, changes);
        if (!request.is_login) write_login_needed(page);
        write_views(page, path, sides);
        page.open("div", {{"id", "document"},
                          {"data-live", "*"},
                          {"data-from", request.form.empty() ? Html::kLeftOut : std::string_view(from)}});
        write_deletion(page, proposed_deletion(changes));
        if (changes.empty()) page.element("p", "Nothing is pending here.", {{"class", "soft"}});
        if (!changes.empty() && request.is_login) show_verdicts_on_all(page, request, path, shown_of(changes), deciding);
        page.element("h2", sides ? "Before and after" : "The document");
        write_text(page, request, texts, sides, proposed_deletion(changes) != nullptr);
        if (!changes.empty()) page.element("h2", counted(static_cast<std::int64_t>(changes.size()), "change", "changes"));
        for (std::size_t i = 0; i < changes.size() && i < kShownChanges; ++i)
          show_change(page, request, changes[i], deciding, done.draft);
        if (changes.size() > kShownChanges)
          page.element("p", fmt::format("The first {} are shown; more appear when these are decided.", kShownChanges),
                       {{"class", "soft"}});
        page.close();
      },
      status);
}

// Back to the document while it has something pending, else to the list. There at the change behind those that were decided (or
// at the one that was commented on), so that a person goes on reading where they were. `before`: what was pending.
Result<net::HttpResponse> after(ReviewRequest& context, const PageRequest& request, const std::string& path,
                                std::string_view done, const std::vector<PendingChange>& before) {
  const auto left = changes_of(context, path);
  if (path.empty() || !left || left->empty()) return see_other(fmt::format("/review?done={}", done));
  const auto is_left = [&](const PendingChange& change) {
    return std::ranges::find(*left, change.mark, &PendingChange::mark) != left->end();
  };
  const std::vector<std::string> named = request.form.all("id");
  const PendingChange* next = nullptr;
  bool is_behind = false;
  for (const PendingChange& change : before) {
    if (std::ranges::any_of(named, [&](const std::string& id) { return documents::is_named(change, id); })) {
      is_behind = true;
      next = nullptr;
    }
    if (is_behind && !next && is_left(change)) next = &change;
  }
  std::string address =
      "/review/document?" + Fields().with("path", path).with("view", request.form.get("view")).with("done", done).encode();
  if (is_behind) address += "#" + change_anchor(next ? next->id : left->back().id);
  return see_other(address);
}

}  // namespace

Result<net::HttpResponse> review_page(const ReviewService& service, const PageRequest& request) {
  ReviewRequest context(service, request);
  HF_TRY(const auto workspace, context.workspace());
  std::vector<PendingChange> changes;
  if (workspace) {
    HF_TRY(changes, changes_of(context, request.query.get("path"), request.query.get("author")));
  }
  return show_page(request, {"Review", Section::review}, [&](Html& page) {
    page.element("h1", "Review");
    write_done(page, done_of(request.query));
    if (!workspace) {
      page.element("p", no_workspace().message + ".", {{"class", "notice"}})
          .element("p", no_workspace().hint, {{"class", "soft"}});
      return;
    }
    if (request.query.has("author"))
      page.open("p")
          .text("Changes by ")
          .element("strong", request.query.get("author"))
          .text(". ")
          .element("a", "All", {{"href", "/review"}})
          .close();
    page.open("div", {{"id", "review"}, {"data-live", "*"}});
    if (changes.empty())
      page.element("p", "Nothing waits for you. Changes that a model proposes to your documents appear here.",
                   {{"class", "soft"}});
    else
      write_documents(page, request, changes);
    page.close();
  });
}

Result<net::HttpResponse> review_document_page(const ReviewService& service, const PageRequest& request) {
  ReviewRequest context(service, request);
  HF_TRY(const auto workspace, context.workspace());
  if (!workspace) return fail(no_workspace());
  if (request.query.get("path").empty()) return see_other("/review");
  return document_response(service, context, request, std::string(request.query.get("path")), done_of(request.query), 200);
}

Result<net::HttpResponse> decide_changes(const ReviewService& service, const PageRequest& request) {
  if (!request.is_login) return fail(no_login());
  ReviewRequest context(service, request);
  const std::string_view verdict = request.form.get("verdict");
  if (verdict != "accept" && verdict != "reject" && verdict != "commit")
    return fail(ErrorKind::invalid, "a verdict is accept, commit or reject");
  const bool accept = verdict != "reject";
  const std::string path(request.form.get("path"));
  const bool all = request.form.get("all") == "1";
  if (all && path.empty()) return fail(ErrorKind::invalid, "all changes of which document?");
  if (!all && !request.form.has("id")) return fail(ErrorKind::invalid, "which change?");
  HF_TRY(const auto before, changes_of(context, path));
  JsonArray ids;
  if (all) {
    // Those that were shown, and no other: a model may have proposed more since.
    if (request.form.get("seen") != seen_mark(shown_of(before)))
      return document_response(service, context, request, path,
                               {{}, {"Nothing was decided: the changes are not those that you saw. Look at them once more."}},
                               status_of(ErrorKind::conflict));
    // A comment is somebody's word, not a proposal: it is resolved one by one.
    for (const PendingChange& change : shown_of(before))
      if (!is_remark(change)) ids.emplace_back(change.id);
    if (ids.empty()) return after(context, request, path, accept ? "accepted" : "rejected", before);
  } else {
    ids = to_json_array(request.form.all("id"));
  }
  const operations::Given given({{"change", std::move(ids)}, {"path", path}, {"commit", verdict == "commit"}});
  auto facts = operations::find_operation(accept ? "review accept" : "review reject")->run(context, given);
  if (!facts) return fail(for_people(std::move(facts).error()));
  const operations::Given report(*std::move(facts));
  const JsonArray& failed = *find_array(report.values(), "failed");
  const std::size_t applied = report.texts("applied").size();
  const bool committed = !report.texts("commits").empty();
  if (failed.empty() && (verdict != "commit" || committed))
    return after(context, request, path, !accept ? "rejected" : committed ? "committed" : "accepted", before);
  Done done;
  if (applied > 0) done.text = fmt::format("{} {}.", accept ? "Accepted" : "Rejected", applied);
  for (const Json& each : failed)
    done.problems.push_back(fmt::format("{}: {}", text_in(each.as_object(), "id"), text_in(each.as_object(), "reason")));
  // Committed is a document in which nothing is pending any more.
  if (verdict == "commit" && !committed) {
    const std::vector<std::string> notes = report.texts("notes");
    if (notes.empty()) done.problems.push_back("Not committed yet: other changes of the document are still pending.");
    done.problems.insert(done.problems.end(), notes.begin(), notes.end());
  }
  return document_response(service, context, request, path, done, failed.empty() ? 200 : status_of(ErrorKind::conflict));
}

Result<net::HttpResponse> comment_change(const ReviewService& service, const PageRequest& request) {
  if (!request.is_login) return fail(no_login());
  ReviewRequest context(service, request);
  HF_TRY(const auto workspace, context.workspace());
  if (!workspace) return fail(no_workspace());
  const std::string_view id = request.form.get("id"), note = request.form.get("note");
  const std::string path(request.form.get("path"));
  // What was written stays in its box, beside why it was refused.
  const auto refuse = [&](Error error) -> Result<net::HttpResponse> {
    if (path.empty()) return fail(std::move(error));
    Done done;
    done.problems.push_back(error.hint.empty() ? error.message : fmt::format("{} — {}", error.message, error.hint));
    done.draft = {std::string(id), std::string(note)};
    return document_response(service, context, request, path, done, status_of(error.kind));
  };
  if (note.size() > kLongestComment)
    return refuse(make_error(ErrorKind::too_large, fmt::format("a comment has at most {} bytes", kLongestComment)));
  auto commented = operations::comment_on_change(context, operations::Given({{"change", id}, {"path", path}, {"text", note}}));
  if (!commented) return refuse(for_people(std::move(commented).error()));
  return after(context, request, path, "commented", {*commented});
}

}  // namespace holdfast::web
