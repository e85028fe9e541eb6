#pragma once

// What every command over transcripts works with: the homes, the verbs, and the person at the terminal.
//
// Nothing is opened before a command asks for it: the store when something is to be remembered, the network when an archive is
// elsewhere.

#include "catalogue/files.h"
#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/stop_signals.h"
#include "cli/services/review_workspace.h"
#include "cli/services/search_service.h"
#include "kinds/transcripts/products/claude/current.h"
#include "operations/context.h"
#include "operations/operation.h"
#include "session/query/store_view.h"

#include <atomic>

namespace holdfast::cli {

// Characters of a transcript's id in a table: unique among the sessions of one person, nearly always.
inline constexpr std::size_t kShortId = 8;

class TranscriptWork : public operations::Context {
 public:
  // What died half way is ended before anything is looked for, and said; `leave` is for who is to report it.
  enum class Died { end, leave };
  // Errors: invalid (no home folder), those of opening the homes; with `leave` only what needs transcripts is refused with them.
  static Result<std::unique_ptr<TranscriptWork>> begin(cli::Context& context, Died died = Died::end);
  ~TranscriptWork() override;

  const operations::Given& given() const { return context_.given; }
  const transcripts::Keeper& homes_keeper() const { return *keeper_; }

  // The operation that this command shows, with what it was given. Its warnings are printed.
  Result<operations::Facts> perform();
  // The one of that name, with what of `given` it takes. Its warnings are left to the caller.
  Result<operations::Facts> perform(std::string_view operation, const operations::Given& given);
  // The transcript that {session} names, found as {source_project} says; none: the one this program runs in (transcript-archive
  // §3.1).
  Result<catalogue::Found> named_transcript();

  const Identity& identity() const override { return identity_; }
  Millis now() const override { return context_.clock->now(); }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool to_read) override;
  Result<const transcripts::Keeper*> keeper() override;
  Result<operations::Documents> documents() override;
  Result<operations::Administration> administration() override;
  const transcripts::Recovered& recovered() const override { return recovered_; }
  transcripts::RemoteOptions remote() const override;
  Result<transcripts::AnySession> calling_session() override;
  std::vector<std::string> calling_sessions() override;
  Result<std::optional<std::string>> project() override;
  Result<std::string> absolute(const std::string& path) override;
  Result<std::string> archive_path(const std::string& id, std::string_view ending) override;
  // Draws a bar when stderr is a terminal, and stops the work after Ctrl-C.
  transcripts::Progress progress() override;
  // Asks on the terminal. Errors: refused (there is nobody to ask, or the answer is no).
  Result<void> agree(const std::string& what, const JsonObject& plan) override;
  std::function<bool()> cancelled() override;
  Result<void> print(std::string_view bytes) override;
  Result<Search> search() override;
  std::string prices_file() override;

  // After the work, before anything is printed.
  void progress_done() { bar_.clear(); }
  void warn(const std::vector<std::string>& warnings) const;
  // How a plan that has to be agreed to is shown; nullptr: not at all.
  using ShowPlan = std::string (*)(const operations::Facts&, const Terminal&);
  void show_plans_as(ShowPlan show) { show_plan_ = show; }

 protected:
  explicit TranscriptWork(cli::Context& context);
  Result<void> open(Died died);
  Result<session::Store*> open_whole(bool to_read);

  cli::Context& context_;
  std::unique_ptr<session::Store> store_;

 private:
  Result<std::string> this_folder() const;
  transcripts::CallerHints caller_hints() const;
  // From now on Ctrl-C stops the work, not the program.
  void watch_signals();

  Identity identity_;
  session::RetentionPolicy policy_;
  ShowPlan show_plan_ = nullptr;
  bool store_is_to_read_ = false;
  std::unique_ptr<session::StoreView> view_;     // of the store, as who types sees it
  std::unique_ptr<transcripts::Keeper> keeper_;  // nullptr: no_keeper_ says why
  Error no_keeper_;
  std::unique_ptr<SearchService> search_;
  transcripts::Recovered recovered_;
  std::unique_ptr<ReviewWorkspace> review_;
  ProgressBar bar_;
  std::unique_ptr<StopSignals> signals_;
  std::atomic<bool> stopped_ = false;
};

// A command that is nothing but its operation: prints the facts, as JSON or in words.
using Words = std::string (*)(const operations::Facts&, const Context&);
Result<void> show(Context& context, Words words, TranscriptWork::Died died = TranscriptWork::Died::end);
template <auto words>
Result<void> shown(Context& context) {
  return show(context, words);
}
// The same for what has nothing to do with transcripts: what died half way among them is left.
template <auto words>
Result<void> reported(Context& context) {
  return show(context, words, TranscriptWork::Died::leave);
}

}  // namespace holdfast::cli
