#pragma once

// One call of a tool, as operations see it: who is asking, which session is calling, where relative paths begin. Lives as long as
// the call, on its pool thread.

#include "kinds/research/run/run.h"
#include "kinds/threads/threads.h"
#include "kinds/transcripts/products/claude/current.h"
#include "mcp/server/call.h"
#include "operations/context.h"
#include "tools/project_root.h"

#include <functional>

namespace holdfast::tools {

class Confirmation;
class ReasoningCaller;

// Threads and research over one view of the store: made for a call, gone before the view is.
struct Conversations {
  std::unique_ptr<threads::Threads> threads;
  std::unique_ptr<research::Research> research;
};
using OpenConversations = std::function<Conversations(session::Store&)>;

// What all calls have in common; outlives them.
struct CallRoom {
  const ProjectRoot& root;
  const session::RetentionPolicy& policy;
  const Clock& clock;
  const transcripts::Keeper* keeper = nullptr;  // nullptr: transcripts are not offered here
  transcripts::RemoteOptions remote = {};
  std::string archive_folder = {};  // where an archive goes that nobody placed
  const Confirmation* confirmation = nullptr;
  const session::SharedStore* stores = nullptr;
  const ReasoningCaller* reasoning = nullptr;
  OpenConversations open = {};
  model::Models* models = nullptr;  // for the questions before a run
  // What searches everything; made at first use, since most connections never search.
  std::function<Result<operations::Context::Search>()> search = {};
};

class CallContext final : public operations::Context {
 public:
  // The store: as the caller sees it. The tool: the name it is called by.
  CallContext(mcp::Call& call, session::Store& store, const CallRoom& room, std::string_view tool = "session")
      : call_(call), store_(store), room_(room), tool_(tool) {}

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
  std::function<bool()> cancelled() override;

  // Sessions of the call's projects and those without one (design 8.3); `research` narrows its lists only when a root is named.
  Result<operations::ListedRoots> listed_roots() override;
  Result<operations::Place> place() override;
  Result<std::optional<operations::Chosen>> choose(const std::string& prompt,
                                                   const std::vector<operations::Choice>& choices) override;
  Result<JsonObject> confirm(const operations::GatedAction& action) override;
  Result<operations::WholeStore> whole_store() override;
  Result<threads::Threads*> threads() override;
  Result<research::Research*> research() override;
  // Up to three questions, where the client can show them. Whoever cannot or does not want to answer gets a run that notes what
  // it assumed.
  Result<void> clarify(research::StartRequest& request) override;
  // As progress of the call: how many characters so far, and the last of them. At most one report a second
  // (threads-and-research §11).
  std::function<void(std::string_view)> listener() override;
  Result<operations::Situated> situation(operations::Situate how) override;
  Result<operations::OfferedRoots> offered_roots(operations::Situated& situated) override;

 private:
  transcripts::CallerHints caller_hints();

  mcp::Call& call_;
  session::Store& store_;
  const CallRoom& room_;
  std::string_view tool_;
  transcripts::Recovered recovered_;
  Conversations conversations_;  // made when they are needed
};

// Refused unless the files of this machine's user belong to the caller.
Result<void> check_owner(const mcp::Caller& caller);

// The words of transcript-archive §3: failed usage not_found ambiguous refused bad_archive network.
std::string_view exit_word(ErrorKind kind);

}  // namespace holdfast::tools
