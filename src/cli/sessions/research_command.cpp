// holdfast research start|resume: works a run in the foreground, shows how far it is, prints the report.

#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/stop_signals.h"
#include "cli/sessions/session_text.h"

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
  print_report(context, report);
  print_note(context.terminal.soft(fmt::format("{}: holdfast research report {} shows it again", record.id, record.id)) + "\n");
  return {};
}

Result<void> work_on_research(Context& context, SessionWork& work, const std::string& id, StopSignals& signals) {
  HF_TRY(research::Research* const made, work.research());
  research::Research& research = *made;
  HF_TRY(session::Store* const store, work.store(false));
  HF_TRY(const SessionRecord record, store->get(id));
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
  HF_TRY(const SessionRecord now, store->get(record.id));
  if (now.status == "completed") return print_finished(context, research, now);
  if (now.status == "failed") return fail(failure_of(now));
  return fail(ErrorKind::cancelled,
              fmt::format("{} {}", record.id, stopped ? "was interrupted; nothing of it is lost" : "was cancelled"),
              how_to_resume(record.id));
}

Result<operations::Given> read_research_question(const operations::Given& typed) {
  operations::Given given = typed;
  given.set("query", Json(fmt::format("{}", fmt::join(typed.texts("query"), " "))));
  given.set("follow_links", !typed.flag("no_links"));
  std::vector<std::string> folders;
  for (const std::string& folder : typed.texts("corpus")) {
    HF_TRY(folders.emplace_back(), corpus_folder(folder));
  }
  given.set("corpus", to_json_array(folders));
  return given;
}

}  // namespace

Result<void> start_research(Context& context) {
  HF_TRY(const operations::Given question, read_research_question(context.given));
  HF_TRY(auto signals, StopSignals::watch());
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform("deep-research start", question));
  const std::string id = text_in(facts, "research_id");
  if (!context.given.flag("detach")) return work_on_research(context, *work, id, *signals);
  if (context.json)
    print_json(JsonObject{{"research_id", id}, {"status", facts.at("status")}});
  else
    print(fmt::format("{}\nA running holdfast server takes it up; holdfast research status {} shows how it stands\n", id, id));
  return {};
}

Result<void> resume_research(Context& context) {
  HF_TRY(auto signals, StopSignals::watch());
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform("deep-research resume", context.given));
  return work_on_research(context, *work, text_in(facts, "research_id"), *signals);
}

}  // namespace holdfast::cli
