// holdfast search, trace, index: find sessions by what was said and done in them.

#include "base/run/when.h"
#include "cli/program/context.h"
#include "cli/services/search_service.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "session/query/display.h"
#include "session/query/store_view.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::cli {
namespace {

constexpr std::int64_t kFound = 10, kPlacesOfOne = 3;
constexpr std::size_t kNamedUnreadable = 5;

// The store, when there is one: a search makes none.
std::unique_ptr<session::Store> store_to_search(const Context& context) {
  auto store = context.open_store(true);
  if (store) return *std::move(store);
  if (store.error().kind != ErrorKind::not_found) print_note("without the store: " + store.error().message + "\n");
  return nullptr;
}

// One search, from opening what it needs to printing what it found.
class Searching {
 public:
  static Result<std::unique_ptr<Searching>> begin(Context& context) {
    std::unique_ptr<Searching> searching(new Searching(context));
    HF_TRY(searching->work_, TranscriptWork::begin(context));
    searching->store_ = store_to_search(context);
    if (searching->store_)
      searching->view_ = std::make_unique<session::StoreView>(session::SharedStore(*searching->store_),
                                                              full_identity(context.settings.text("principal")));
    HF_TRY(searching->service_, SearchService::open(context, searching->work_->homes(), false));
    return searching;
  }

  SearchService& service() { return *service_; }

  // With a bar on a terminal; Ctrl-C ends it, and what is done stays.
  Result<void> update() {
    std::stop_source stop;
    const transcripts::Progress progress = work_->progress();
    std::mutex one_at_a_time;
    const auto updated = service_->index().update(
        service_->sources(),
        [&](const search::TextIndex::Progress& at) {
          const std::lock_guard lock(one_at_a_time);
          if (progress && !progress("indexing", at.done, at.total)) stop.request_stop();
        },
        stop.get_token());
    work_->progress_done();
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped; what is indexed stays");
    // Somebody else is at it: what is missing will be scanned.
    if (!updated && updated.error().kind == ErrorKind::conflict) return {};
    return updated;
  }

  Result<session::FindRequest> request() {
    const operations::Given& given = context_.given;
    session::FindRequest request;
    for (const std::string& word : given.texts("query")) request.text += (request.text.empty() ? "" : " ") + word;
    for (const std::string& word : given.texts("without")) request.text += " -" + word;
    request.kinds = given.texts("kind");
    request.branch = given.text("branch");
    request.tool = given.text("tool");
    request.model = given.text("model");
    request.file = std::filesystem::path(given.text("file")).lexically_normal().string();
    if (const std::string id = given.text("session"); !id.empty()) {
      HF_TRY(const auto found, work_->any_session(id, {}));
      request.session = found.id();
    }
    request.store = view_.get();
    request.transcripts = true;
    request.limit = static_cast<std::size_t>(given.number("limit", kFound));
    request.per_session = static_cast<std::size_t>(given.number("per_session", kPlacesOfOne));
    if (given.flag("newest")) request.order = search::TextQuery::Order::newest;
    if (const std::string project = given.text("project"); !project.empty()) {
      HF_TRY(request.project, transcripts::canonical_project(project));
    }
    const Millis now = context_.clock->now();
    if (const std::string since = given.text("since"); !since.empty()) {
      HF_TRY(request.since, parse_when(since, now));
    }
    if (const std::string until = given.text("until"); !until.empty()) {
      HF_TRY(request.until, parse_when(until, now));
    }
    for (const std::string& role : given.texts("role")) {
      const auto known = search::passage_role(role);
      if (!known)
        return fail(ErrorKind::invalid, fmt::format("there is no role {}", role),
                    "user, assistant, thinking, tool_call, tool_result, system or title", "usage");
      request.roles.push_back(*known);
    }
    return request;
  }

  Result<void> run(const session::FindRequest& request) {
    if (!context_.given.flag("no_index")) {
      HF_TRY(const search::IndexState state, service_->index().state(service_->sources()));
      if (state.source_bytes > state.indexed_bytes + kWorthIndexing) {
        // A disk that is full or may not be written makes it slower, not impossible.
        if (auto updated = update(); !updated) {
          if (updated.error().kind == ErrorKind::cancelled) return updated;
          print_note("without an up-to-date index: " + updated.error().message + "\n");
        }
      }
    }
    HF_TRY(const session::FindResult found, service_->finder().find(request));
    if (context_.json) {
      print_json(json_of(found));
      return {};
    }
    if (found.sessions.empty()) print("nothing found\n");
    for (const session::FoundInSession& each : found.sessions) print(text_of(each));
    if (found.more) print(context_.terminal.soft("there are more sessions; --limit shows them\n"));
    if (found.more_places && !found.more)
      print(context_.terminal.soft("there are more places in these sessions; --per-session shows them\n"));
    note_unreadable(found.unreadable);
    return {};
  }

 private:
  explicit Searching(Context& context) : context_(context) {}

  // What could not be looked at may hold more.
  static void note_unreadable(const std::vector<search::Unreadable>& unreadable) {
    for (std::size_t i = 0; i < unreadable.size() && i < kNamedUnreadable; ++i)
      print_note(fmt::format("not searched: {}: {}\n", harmless(unreadable[i].key, true), harmless(unreadable[i].reason, true)));
    if (unreadable.size() > kNamedUnreadable)
      print_note(fmt::format("not searched either: {} more\n", unreadable.size() - kNamedUnreadable));
  }

  std::string text_of(const session::FoundInSession& found) const {
    const Terminal& terminal = context_.terminal;
    std::string text =
        fmt::format("{}  {}  {}", terminal.bold(shown_id(found)), found.product.empty() ? found.kind : found.product,
                    session::age(found.time, context_.clock->now()));
    if (found.status == "kept") text += "  kept";
    if (!found.project.empty()) text += "  " + harmless(found.project, true);
    text += "  " + harmless(found.title, true) + "\n";
    for (const session::FoundPlace& place : found.places) {
      const std::string what = place.tool.empty() ? std::string(name_of(place.role)) : place.tool;
      const std::string where = place.line > 0 ? fmt::format("{}:{}", harmless(what, true), place.line) : "title";
      text += fmt::format("  {}{} {}\n", beside(found, place), terminal.soft(where), marked(place));
    }
    if (!found.resume.empty()) text += "  " + terminal.soft(harmless(found.resume, true)) + "\n";
    return text + "\n";
  }

  // Ids of transcripts are long and unlike each other; those of the store say what they are.
  std::string shown_id(const session::FoundInSession& found) const {
    return context_.verbose || found.kind != "transcript" ? found.id : found.id.substr(0, kShortId);
  }

  // The name of the file when it is not the conversation itself: a subagent's, a saved result.
  static std::string beside(const session::FoundInSession& found, const session::FoundPlace& place) {
    const std::string_view name = std::string_view(place.source).substr(place.source.rfind('/') + 1);
    if (found.kind != "transcript" || name.contains(found.id)) return {};
    return harmless(name, true) + " ";
  }

  std::string marked(const session::FoundPlace& place) const {
    std::string text;
    std::size_t at = 0;
    const std::string_view snippet = place.snippet;
    for (const auto& [begin, end] : place.highlights) {
      if (begin < at || end > snippet.size() || begin >= end) continue;
      text += harmless(snippet.substr(at, begin - at), true);
      text += context_.terminal.bold(harmless(snippet.substr(begin, end - begin), true));
      at = end;
    }
    return text + harmless(snippet.substr(at), true);
  }

  Context& context_;
  std::unique_ptr<TranscriptWork> work_;
  std::unique_ptr<session::Store> store_;
  std::unique_ptr<session::StoreView> view_;
  std::unique_ptr<SearchService> service_;
};

}  // namespace

Result<void> search_everything(Context& context) {
  HF_TRY(const auto searching, Searching::begin(context));
  HF_TRY(const session::FindRequest request, searching->request());
  return searching->run(request);
}

Result<void> trace_file(Context& context) {
  HF_TRY(const auto searching, Searching::begin(context));
  HF_TRY(session::FindRequest request, searching->request());
  request.order = search::TextQuery::Order::newest;
  request.kinds = {"transcript"};
  // A path that exists means this very file; anything else may be the end of a path, of a file that is gone.
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(request.file, error).lexically_normal();
  if (!error && std::filesystem::exists(whole, error)) request.file = whole.string();
  return searching->run(request);
}

Result<void> update_index(Context& context) {
  HF_TRY(const auto searching, Searching::begin(context));
  if (context.given.flag("rebuild")) HF_CHECK(searching->service().index().clear());
  if (!context.given.flag("status")) HF_CHECK(searching->update());
  HF_TRY(const search::IndexState state, searching->service().index().state(searching->service().sources()));
  if (context.json) {
    print_json(JsonObject{{"source_bytes", state.source_bytes},
                          {"indexed_bytes", state.indexed_bytes},
                          {"index_bytes", state.index_bytes},
                          {"segments", state.segments},
                          {"sources", state.sources},
                          {"folder", SearchService::index_folder(context)}});
    return {};
  }
  print(fmt::format("{} of {} indexed in {} files, {} on the disk\n", size_text(state.indexed_bytes),
                    size_text(state.source_bytes), state.sources, size_text(state.index_bytes)));
  return {};
}

}  // namespace holdfast::cli
