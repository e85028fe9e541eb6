#pragma once

// What every command over transcripts works with: the homes, the verbs, and the person at the terminal.
//
// Nothing is opened before a command asks for it: the store when something is to be remembered, the network when an archive is
// elsewhere.

#include "catalogue/files.h"
#include "catalogue/find.h"
#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/stop_signals.h"
#include "kinds/transcripts/products/claude/current.h"
#include "kinds/transcripts/remote/archive_place.h"

#include <atomic>

namespace holdfast::cli {

// Characters of a transcript's id in a table: unique among the sessions of one person, nearly always.
inline constexpr std::size_t kShortId = 8;

class TranscriptWork {
 public:
  // What died half way is ended before anything is looked for, and said; `leave` is for who is to report it.
  enum class Died { end, leave };
  // Errors: invalid (no home folder), those of opening the homes.
  static Result<std::unique_ptr<TranscriptWork>> begin(Context& context, Died died = Died::end);
  ~TranscriptWork();

  const operations::Given& given() const { return context_.given; }
  const transcripts::Keeper& keeper() const { return *keeper_; }
  const transcripts::Homes& homes() const { return keeper_->homes(); }

  // What exists for the person at this terminal.
  catalogue::Asker asker() const;
  // The session of any kind that an id names; an empty id is the transcript this program runs in (transcript-archive §3.1), and
  // then a project to search in makes no sense. Errors: those of catalogue::find.
  Result<catalogue::Found> find(const std::string& id) const;
  // The same for commands over transcripts alone.
  Result<catalogue::Found> transcript(const std::string& id) const;
  // As files to read from, also of one that is only kept; what is missing of it is said.
  Result<catalogue::Files> files_of(const catalogue::Found& found);
  // --version and --as-of. Errors: invalid.
  Result<transcripts::KeptVersion> kept_version() const;
  const transcripts::Recovered& recovered() const { return recovered_; }
  // Those that may be the one this program runs in; none of them is taken away.
  std::vector<std::string> caller_sessions() const;

  // --sp and --tp as the client would take them; nullopt when not given.
  Result<std::optional<std::string>> source_project() const;
  Result<std::optional<std::string>> target_project() const;
  Result<std::string> this_folder() const;

  Result<transcripts::PathLevel> level() const;
  Result<std::vector<std::pair<std::string, std::string>>> maps() const;
  transcripts::RemoteOptions remote() const;

  // Draws a bar when stderr is a terminal, and stops the work after Ctrl-C.
  transcripts::Progress progress();
  // After the work, before anything is printed.
  void progress_done() { bar_.clear(); }

  // Asks on the terminal; --yes answers yes. Errors: refused (there is nobody to ask, or the answer is no).
  Result<void> confirm(const std::string& what) const;
  void warn(const std::vector<std::string>& warnings) const;

 private:
  explicit TranscriptWork(Context& context);
  Result<session::Store*> store(bool to_read);
  transcripts::CallerHints caller_hints() const;

  Context& context_;
  std::unique_ptr<session::Store> store_;
  bool store_is_to_read_ = false;
  std::unique_ptr<transcripts::Keeper> keeper_;
  transcripts::Recovered recovered_;
  ProgressBar bar_;
  std::unique_ptr<StopSignals> signals_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace holdfast::cli
