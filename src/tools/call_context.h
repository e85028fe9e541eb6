#pragma once

// One call of a tool, as operations see it: who is asking, which session is calling, where relative paths begin. Lives as long as
// the call, on its pool thread.

#include "kinds/transcripts/products/claude/current.h"
#include "mcp/server/call.h"
#include "operations/context.h"
#include "tools/project_root.h"

#include <functional>

namespace holdfast::tools {

// What all calls have in common; outlives them.
struct CallRoom {
  const ProjectRoot& root;
  const session::RetentionPolicy& policy;
  const Clock& clock;
  const transcripts::Keeper* keeper = nullptr;  // nullptr: transcripts are not offered here
  transcripts::RemoteOptions remote = {};
  std::string archive_folder = {};  // where an archive goes that nobody placed
  // What searches everything; made at first use, since most connections never search.
  std::function<Result<operations::Context::Search>()> search = {};
};

class CallContext final : public operations::Context {
 public:
  // The store: as the caller sees it.
  CallContext(mcp::Call& call, session::Store& store, const CallRoom& room) : call_(call), store_(store), room_(room) {}

  // Ends what operations left behind that died; before anything is looked for.
  void recover();
  // The id of the session that calls; empty when it cannot be told.
  std::string caller_session();

  const Identity& identity() const override { return call_.caller(); }
  Millis now() const override { return room_.clock.now(); }
  const session::RetentionPolicy& policy() const override { return room_.policy; }
  Result<session::Store*> store(bool) override { return &store_; }
  Result<const transcripts::Keeper*> keeper() override;
  const transcripts::Recovered& recovered() const override { return recovered_; }
  transcripts::RemoteOptions remote() const override { return room_.remote; }

  // By the tool use, the Codex thread, and on stdio the process and the environment (transcript-archive §3.1).
  Result<transcripts::AnySession> calling_session() override;
  std::vector<std::string> calling_sessions() override;
  Result<std::optional<std::string>> project() override;
  // Relative paths begin at the project.
  Result<std::string> absolute(const std::string& path) override;
  Result<std::string> archive_path(const std::string& id, std::string_view ending) override;

  Result<Search> search() override { return room_.search ? room_.search() : operations::Context::search(); }
  // Tells the client now and then; stops the work when the call was cancelled.
  transcripts::Progress progress() override;
  // A model has asked its person before it called; the tool's description tells it to.
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  transcripts::CallerHints caller_hints();

  mcp::Call& call_;
  session::Store& store_;
  const CallRoom& room_;
  transcripts::Recovered recovered_;
};

// Refused unless the files of this machine's user belong to the caller.
Result<void> check_owner(const mcp::Caller& caller);

// The words of transcript-archive §3: failed usage not_found ambiguous refused bad_archive network.
std::string_view exit_word(ErrorKind kind);

}  // namespace holdfast::tools
