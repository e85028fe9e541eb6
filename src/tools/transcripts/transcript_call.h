#pragma once

// One call of a tool over transcripts, as operations see it: who is asking, which session is calling, where relative paths begin.
// Lives as long as the call, on its pool thread.

#include "kinds/transcripts/products/claude/current.h"
#include "operations/context.h"
#include "tools/transcripts/transcript_tools.h"

namespace holdfast::tools {

class TranscriptCall final : public operations::Context {
 public:
  TranscriptCall(mcp::Call& call, session::Store& store, const transcripts::Keeper& keeper, const ProjectRoot& root,
                 const TranscriptToolOptions& options)
      : call_(call), store_(store), keeper_(keeper), root_(root), options_(options) {}

  // Ends what operations left behind that died; before anything is looked for.
  void recover() { recovered_ = keeper_.recover(); }
  // The id of the session that calls; empty when it cannot be told.
  std::string caller_session();

  const Identity& identity() const override { return call_.caller(); }
  Millis now() const override { return keeper_.now(); }
  const session::RetentionPolicy& policy() const override { return options_.policy; }
  Result<session::Store*> store(bool) override { return &store_; }
  Result<const transcripts::Keeper*> keeper() override;
  const transcripts::Recovered& recovered() const override { return recovered_; }
  transcripts::RemoteOptions remote() const override { return options_.remote; }
  std::string prices_path() const override { return options_.prices_path; }

  // By the tool use, the Codex thread, and on stdio the process and the environment (transcript-archive §3.1).
  Result<transcripts::AnySession> calling_session() override;
  std::vector<std::string> calling_sessions() override;
  Result<std::optional<std::string>> project() override;
  // Relative paths begin at the project.
  Result<std::string> absolute(const std::string& path) override;
  Result<std::string> archive_path(const std::string& id, std::string_view ending) override;

  // Tells the client now and then; stops the work when the call was cancelled.
  transcripts::Progress progress() override;
  // A model has asked its person before it called; the tool's description tells it to.
  Result<void> agree(const std::string&) override { return {}; }

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

// The words of transcript-archive §3: failed usage not_found ambiguous refused bad_archive network.
std::string_view exit_word(ErrorKind kind);

}  // namespace holdfast::tools
