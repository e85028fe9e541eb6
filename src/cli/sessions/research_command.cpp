// holdfast research start|resume: works a run in the foreground, shows how far it is, prints the report.

#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/stop_signals.h"
#include "cli/services/research_service.h"
#include "cli/sessions/session_text.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace holdfast::cli {

namespace {

using session::SessionRecord;

constexpr std::chrono::milliseconds kLook{300};  // at a run that another process works

// The person who waits: what they see, and whether they have had enough.
class ResearchWatcher {
 public:
  explicit ResearchWatcher(StopSignals& signals) : bar_(print_note), shown_(::isatty(STDERR_FILENO) != 0) {
    signals.on_stop([this] { stopped_ = true; });
  }
  ~ResearchWatcher() { bar_.clear(); }

  void show(const std::string& message, int percent) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    bar_.update(steady_milliseconds(), message, static_cast<std::uint64_t>(percent), 100);
  }
  void clear() { bar_.clear(); }
  bool stopped() const { return stopped_; }

 private:
  ProgressBar bar_;
  bool shown_;
  std::mutex mutex_;  // runs report from several threads
  std::atomic<bool> stopped_ = false;
};

bool is_over(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

// Somebody else works it: look until it is over.
Result<void> follow(research::Research& research, const SessionRecord& record, ResearchWatcher& watcher) {
  while (!watcher.stopped()) {
    HF_TRY(const JsonObject status, research.status(record.principal, record.id));
    if (is_over(find_string(status, "status").value_or(""))) return {};
    watcher.show(std::string(find_string(status, "phase").value_or("")),
                 static_cast<int>(find_int(status, "progress_percent").value_or(0)));
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

Error failure_of(const SessionRecord& record) {
  const JsonObject* error = find_object(record.data, "error");
  std::string code(error ? find_string(*error, "code").value_or("") : "");
  const std::string why(error ? find_string(*error, "message").value_or("") : "it did not end well");
  std::string hint = how_to_resume(record.id);
  const bool nothing = code == "NO_SOURCES";
  if (nothing) hint = "--corpus DIR names a folder of documents to look into\n" + hint;
  return make_error(nothing ? ErrorKind::not_found : ErrorKind::unavailable, fmt::format("{}: {}", record.id, why),
                    std::move(hint), std::move(code));
}

Result<void> print_finished(const Context& context, research::Research& research, const SessionRecord& record) {
  HF_TRY(const JsonObject report, research.report(record.principal, record.id));
  if (context.json) {
    print_json(report);
    return {};
  }
  const std::string text(find_string(report, "report").value_or(""));
  print(context.terminal.width > 0 ? harmless(text, false) : text);
  print_warnings(report);
  print_note(context.terminal.soft(fmt::format("{}: holdfast research report {} shows it again", record.id, record.id)) + "\n");
  return {};
}

Result<void> work_on_research(Context& context, ResearchService& service, session::Store& store, const SessionRecord& record,
                              StopSignals& signals) {
  research::Research& research = service.research();
  bool stopped = false;
  {
    ResearchWatcher watcher(signals);
    research::WorkOptions options;
    options.on_progress = [&](const research::Progress& progress) { watcher.show(progress.message, progress.percent); };
    options.stopping = [&] { return watcher.stopped(); };
    HF_TRY(const research::WorkOutcome outcome, research.work(record.id, options));
    if (outcome.already_running) HF_CHECK(follow(research, record, watcher));
    stopped = watcher.stopped();
  }
  HF_TRY(const SessionRecord now, store.get(record.id));
  if (now.status == "completed") return print_finished(context, research, now);
  if (now.status == "failed") return fail(failure_of(now));
  return fail(ErrorKind::cancelled,
              fmt::format("{} {}", record.id, stopped ? "was interrupted; nothing of it is lost" : "was cancelled"),
              how_to_resume(record.id));
}

Result<research::StartRequest> read_research_request(const Context& context) {
  const operations::Given& given = context.given;
  research::StartRequest request;
  request.query = fmt::format("{}", fmt::join(given.texts("query"), " "));
  request.title = given.text("title");
  for (const research::LimitInfo& limit : research::kLimits)
    if (const auto value = given.number(limit.name)) request.limits[limit.name] = *value;
  request.follow_links = !given.flag("no_links");
  if (const std::string mode = given.text("mode"); !mode.empty()) request.mode = mode;
  request.search = given.texts("search");
  request.provider = given.text("provider");
  for (const std::string& folder : given.texts("corpus")) {
    HF_TRY(std::string absolute, corpus_folder(folder));
    request.corpus.push_back(std::move(absolute));
  }
  request.principal = context.settings.text("principal");
  request.client = "holdfast/" HOLDFAST_VERSION;
  HF_CHECK(research::check_start(request));
  return request;
}

}  // namespace

Result<void> start_research(Context& context) {
  HF_TRY(const research::StartRequest request, read_research_request(context));
  HF_TRY(auto signals, StopSignals::watch());
  HF_TRY(auto store, context.open_store());
  HF_TRY(auto service, ResearchService::make(context, *store));
  HF_TRY(const SessionRecord record, service->research().start(request));
  if (!context.given.flag("detach")) return work_on_research(context, *service, *store, record, *signals);
  if (context.json)
    print_json(JsonObject{{"research_id", record.id}, {"status", record.status}});
  else
    print(fmt::format("{}\nA running holdfast server takes it up; holdfast research status {} shows how it stands\n", record.id,
                      record.id));
  return {};
}

Result<void> resume_research(Context& context) {
  HF_TRY(auto signals, StopSignals::watch());
  HF_TRY(auto store, context.open_store());
  HF_TRY(const SessionRecord record,
         session::find_session(*store, context.settings.text("principal"), context.given.text("session")));
  if (record.kind != session::kResearch)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not research", record.id, record.kind));
  HF_TRY(auto service, ResearchService::make(context, *store));
  return work_on_research(context, *service, *store, record, *signals);
}

}  // namespace holdfast::cli
