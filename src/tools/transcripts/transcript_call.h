#pragma once

// One call of a tool over transcripts: who is asking, which session is meant, where relative paths begin. Lives as long as the
// call, on its pool thread.

#include "catalogue/find.h"
#include "kinds/transcripts/products/claude/current.h"
#include "tools/transcripts/transcript_tools.h"

#include <chrono>
#include <initializer_list>

namespace holdfast::tools {

class TranscriptCall {
 public:
  TranscriptCall(mcp::Call& call, session::Store& store, const transcripts::Keeper& keeper, const ProjectRoot& root,
                 const TranscriptToolOptions& options)
      : call_(call), store_(store), keeper_(keeper), root_(root), options_(options) {}

  const transcripts::Keeper& keeper() const { return keeper_; }
  catalogue::Asker asker() const;  // what exists for the caller
  const TranscriptToolOptions& options() const { return options_; }

  // A session that somebody else names is not there for them, as everywhere; without one they are refused. Errors: those of
  // catalogue::find_transcript, refused.
  Result<void> allow() const;

  // Ends what operations left behind that died; before anything is looked for.
  void recover() { recovered_ = keeper_.recover(); }
  const transcripts::Recovered& recovered() const { return recovered_; }

  std::string text(std::string_view name) const;  // "" when it was not given
  bool flag(std::string_view name, bool fallback = false) const;
  std::optional<bool> maybe_flag(std::string_view name) const;

  // The session under that argument, looked for in source_project when given; absent: the one that calls.
  // Errors: those of catalogue::find_transcript.
  Result<catalogue::Found> session(std::string_view argument);
  // By the tool use, the Codex thread, and on stdio the process and the environment (transcript-archive §3.1).
  Result<transcripts::AnySession> current();
  // Its id; empty when it cannot be told.
  std::string caller_session();
  // Those that may be it; none of them is taken away.
  std::vector<std::string> caller_sessions();

  // A folder given as an argument, as the client would take it; nullopt when it was not given.
  Result<std::optional<std::string>> folder(std::string_view argument) const;
  // The project the caller works in; nullopt: not known.
  Result<std::optional<std::string>> project() const;
  // Relative paths begin at the project. Errors: invalid, when there is none.
  Result<std::string> absolute(const std::string& path) const;

  // Tells the client now and then; stops the work when the call was cancelled.
  transcripts::Progress progress();

 private:
  transcripts::CallerHints caller_hints();
  mcp::Call& call_;
  session::Store& store_;  // as the caller sees it
  const transcripts::Keeper& keeper_;
  const ProjectRoot& root_;
  const TranscriptToolOptions& options_;
  transcripts::Recovered recovered_;
};

// Refused unless the files of this machine's user belong to the caller.
Result<void> check_owner(const mcp::Caller& caller);

// The schema of a result that has at least these members; more may come. Clients hold errors against the same schema.
JsonObject result_with(std::initializer_list<std::string_view> required);

// The words of transcript-archive §3: failed usage not_found ambiguous refused bad_archive network.
std::string_view exit_word(ErrorKind kind);

}  // namespace holdfast::tools
