// search, trace, index: find sessions by what was said and done in them.

#include "base/run/when.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"
#include "session/kinds.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <mutex>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr std::int64_t kFound = 10, kPlacesOfOne = 3;
// Below this much that is not indexed a search scans it in less time than an update of the index would take to be noticed.
constexpr std::uint64_t kWorthIndexing = 4 * 1024 * 1024;

constexpr Parameter kFindProject{
    .name = "project", .help = "only sessions of this folder", .value = "DIR", .option = "-p,--project"};
constexpr Parameter kFindSince{.name = "since", .help = "not before this time: 2026-07-01, 3d, 2w", .value = "TIME"};
constexpr Parameter kFindUntil{.name = "until", .help = "before this time", .value = "TIME", .option = "--until,--before"};
constexpr Parameter kFindBranch{.name = "branch", .help = "only on this git branch"};
constexpr Parameter kFindTool{.name = "tool", .help = "only calls of this tool"};
constexpr Parameter kFindModel{.name = "model", .help = "only answers of this model; a part of its name will do"};
constexpr Parameter kFindRole{.name = "role",
                              .type = texts,
                              .help = "only what was said so",
                              .words = "user|assistant|thinking|tool_call|tool_result|system|title"};
constexpr Parameter kFindInSession{.name = "session", .help = "only in this session"};
constexpr Parameter kFindNotInSession{.name = "not_session", .help = "not in this session, by its whole id"};
constexpr Parameter kFindNewest{"newest", flag, "newest first, not best first"};
constexpr Parameter kFindLimit = bounded("limit", "how many sessions", "10", 1, 1000);
constexpr Parameter kFindPlaces = bounded("per_session", "places of one session", "3", 1, 1000);
constexpr Parameter kFindNoIndex{"no_index", flag, "do not bring the index up to date first; what is new is scanned"};

// By what both of them choose.
constexpr std::array kFoundBy{kFindProject,   kFindSince,        kFindUntil,  kFindBranch, kFindTool,   kFindModel,  kFindRole,
                              kFindInSession, kFindNotInSession, kFindNewest, kFindLimit,  kFindPlaces, kFindNoIndex};
constexpr auto kSearchEverythingParameters =
    joined(std::array{Parameter{.name = "query",
                                .type = texts,
                                .help = "words, word*, *inside*, \"a phrase\", -without, code as it stands",
                                .option = "TEXT"},
                      Parameter{"without", texts, "not these words; the same as -word"}},
           kFoundBy,
           std::array{Parameter{.name = "kind",
                                .type = texts,
                                .help = "only this kind; may be repeated",
                                .words = "transcript|reasoning|thread|research|document|run"},
                      Parameter{"file", text, "only where a tool touched this file: its path, or the end of it"}});
constexpr auto kTraceParameters = joined(
    std::array{Parameter{.name = "file", .help = "its path, or the end of it", .required = true, .option = "FILE"}}, kFoundBy);

// With a bar where there is one; when that is stopped, what is done stays.
Result<void> update_index(Context& context, const Context::Search& search) {
  std::stop_source stop;
  const transcripts::Progress progress = context.progress();
  std::mutex one_at_a_time;
  const auto updated = search.index->update(
      *search.sources,
      [&](const search::TextIndex::Progress& at) {
        const std::lock_guard lock(one_at_a_time);
        if (progress && !progress("indexing", at.done, at.total)) stop.request_stop();
      },
      stop.get_token());
  if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped; what is indexed stays");
  // Somebody else is at it: what is missing will be scanned.
  if (!updated && updated.error().kind == ErrorKind::conflict) return {};
  return updated;
}

// A disk that is full or may not be written makes the search slower, not impossible.
Result<void> update_when_worth_it(Context& context, const Context::Search& search, std::vector<std::string>& warnings) {
  HF_TRY(const search::IndexState state, search.index->state(*search.sources));
  if (state.source_bytes <= state.indexed_bytes + kWorthIndexing) return {};
  auto updated = update_index(context, search);
  if (updated || updated.error().kind == ErrorKind::cancelled) return updated;
  warnings.push_back("without an up-to-date index: " + updated.error().message);
  return {};
}

Result<std::optional<Millis>> time_given(const Given& given, std::string_view name, Millis now) {
  const std::string text = given.text(name);
  if (text.empty()) return std::nullopt;
  auto time = parse_when(text, now);
  if (!time) return fail(std::move(time).error().within(fmt::format("{{{}}}", name)));
  return *time;
}

Result<session::FindRequest> request_of(Context& context, const Given& given) {
  session::FindRequest request;
  for (const std::string& word : given.texts("query")) request.text += (request.text.empty() ? "" : " ") + word;
  for (const std::string& word : given.texts("without")) request.text += " -" + word;
  request.kinds = given.texts("kind");
  request.branch = given.text("branch");
  request.tool = given.text("tool");
  request.model = given.text("model");
  request.file = std::filesystem::path(given.text("file")).lexically_normal().string();
  request.not_session = given.text("not_session");
  request.limit = static_cast<std::size_t>(given.number("limit", kFound));
  request.per_session = static_cast<std::size_t>(given.number("per_session", kPlacesOfOne));
  if (given.flag("newest")) request.order = search::TextQuery::Order::newest;
  if (const std::string id = given.text("session"); !id.empty()) {
    HF_TRY(const auto found, context.any_session(id, {}));
    request.session = found.id();
  }
  HF_TRY(const auto project, context.folder(given.text("project")));
  request.project = project.value_or("");
  HF_TRY(request.since, time_given(given, "since", context.now()));
  HF_TRY(request.until, time_given(given, "until", context.now()));
  for (const std::string& role : given.texts("role"))
    if (const auto known = search::passage_role(role)) request.roles.push_back(*known);
  return request;
}

// Who has no transcripts searches their own sessions of the store alone.
Result<void> limit_to_what_is_theirs(Context& context, session::FindRequest& request, std::vector<std::string>& warnings) {
  auto store = context.store(true);
  if (store)
    request.store = *store;
  else if (store.error().kind != ErrorKind::not_found)
    warnings.push_back("without the store: " + store.error().message);
  const auto keeper = context.keeper();
  request.transcripts = keeper.has_value();
  if (keeper) return {};
  if (request.kinds == std::vector{std::string(session::kTranscript)}) return fail(keeper.error());
  if (request.kinds.empty())
    for (const std::string_view kind :
         {session::kReasoning, session::kThread, session::kResearch, session::kDocument, session::kRun})
      request.kinds.emplace_back(kind);
  return {};
}

Result<Facts> find_everywhere(Context& context, const Given& given, session::FindRequest request) {
  std::vector<std::string> warnings;
  HF_CHECK(limit_to_what_is_theirs(context, request, warnings));
  HF_TRY(const Context::Search search, context.search());
  if (!search.kept_up && !given.flag("no_index")) HF_CHECK(update_when_worth_it(context, search, warnings));
  HF_TRY(const session::FindResult found, search.finder->find(request));
  Facts facts = json_of(found);
  facts["query"] = request.text;
  if (!warnings.empty()) facts["warnings"] = to_json_array(warnings);
  return facts;
}

Result<Facts> search_everything(Context& context, const Given& given) {
  HF_TRY(session::FindRequest request, request_of(context, given));
  return find_everywhere(context, given, std::move(request));
}

Result<Facts> trace_file(Context& context, const Given& given) {
  HF_TRY(session::FindRequest request, request_of(context, given));
  request.order = search::TextQuery::Order::newest;
  request.kinds = {std::string(session::kTranscript)};
  // A path that exists means this very file; anything else may be the end of a path, of a file that is gone.
  std::error_code error;
  if (auto whole = context.absolute(request.file); whole && std::filesystem::exists(*whole, error))
    request.file = *std::move(whole);
  return find_everywhere(context, given, std::move(request));
}

constexpr std::array kIndexParameters{Parameter{"status", flag, "only say how far it is"},
                                      Parameter{"rebuild", flag, "throw it away first"}};

Result<Facts> bring_index_up_to_date(Context& context, const Given& given) {
  HF_CHECK(context.keeper());
  HF_TRY(const Context::Search search, context.search());
  if (given.flag("rebuild")) HF_CHECK(search.index->clear());
  if (!given.flag("status")) HF_CHECK(update_index(context, search));
  HF_TRY(const search::IndexState state, search.index->state(*search.sources));
  return Facts{{"source_bytes", state.source_bytes}, {"indexed_bytes", state.indexed_bytes},
               {"index_bytes", state.index_bytes},   {"segments", state.segments},
               {"sources", state.sources},           {"folder", search.index_folder}};
}

constexpr std::array kFinding{
    reads("search", "words, phrases and code in every session of every kind", kSearchEverythingParameters, search_everything),
    reads("trace", "which sessions touched a file", kTraceParameters, trace_file),
    adds("index", "bring the search index up to date; searching does so by itself", kIndexParameters, bring_index_up_to_date),
};

}  // namespace

std::span<const Operation> finding_operations() {
  return kFinding;
}

}  // namespace holdfast::operations
