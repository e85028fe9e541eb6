// The prompts that continue a project, and the guide to thinking.

#include "operations/operation.h"
#include "operations/table.h"
#include "tools/reasoning/reasoning_tools.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

constexpr std::string_view kGuide = R"(# Thinking in a session

- **Forward**: send `thought` with the text alone; numbers are assigned.
- **Backward**: begin at the goal and give `thoughtNumber` 5, 4, 3 ... when the order of writing is not the order of the argument.
- **Branching**: try options beside each other: `branchId` names the line, `branchFromThought` says where it begins (once). End a branch with
  `nextThoughtNeeded: false`, then go on without `branchId` on the main chain and say which option won.
- **Revision**: `revisesThought: 3` corrects thought 3; the old one stays readable.
- **Interleaved**: think, act with other tools, then write an `action_report` or `finding`; a `decision_frame` records the options that were not taken.
- **First principles**: write down assumptions as `belief_snapshot`, and an `assumption_update` when one falls.

After a reconnect or a compaction just go on: the session of the project is found again. `init` with `load_context` shows the last thoughts, `session` with
`brief` the goal, the decisions in force, and what is open.
)";

mcp::PromptReply brief_prompt(mcp::Call& call, const session::SharedStore& stores, const CallRoom& room, bool of_one) {
  session::StoreView store(stores, call.caller());
  CallContext context(call, store, room);
  operations::Given given;
  if (of_one) given.set("session", Json(text_in(call.arguments(), "sessionId")));
  const auto facts = operations::find_operation("reasoning brief")->run(context, given);
  if (!facts && operations::is_asked(facts.error())) return mcp::InputRequired{};
  if (!facts && !of_one && facts.error().kind == ErrorKind::invalid && facts.error().code != "no_root")
    return mcp::RpcError{mcp::code::kInvalidParams, facts.error().message, nullptr};
  mcp::PromptResult result;
  if (!facts) {
    result.description = "Nothing to continue";
    result.messages.push_back(
        mcp::PromptResult::message("user", mcp::text_block("No earlier session of this project was found. Begin one with the "
                                                           "init tool (operation start_new), or just send a thought.")));
    return result;
  }
  const std::string id = text_in(*facts, "sessionId");
  result.description = fmt::format("Continue session {}", id);
  result.messages.push_back(mcp::PromptResult::message(
      "user",
      mcp::text_block(fmt::format(
          "Go on with this work. Load it with the init tool (operation load_context, sessionId {}), then continue at the next "
          "number.\n\n{}",
          id, text_in(*facts, "brief")))));
  return result;
}

}  // namespace

std::string_view thinking_guide() {
  return kGuide;
}

void add_reasoning_prompts(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room) {
  mcp::Prompt go_on;
  go_on.name = "continue_project";
  go_on.title = "Continue this project";
  go_on.description = "What was decided, what is open, and the last thoughts of the project's most recent session";
  go_on.arguments = {{"root", "project root, a file URI or absolute path", false}};
  go_on.get = [&](mcp::Call& call) { return brief_prompt(call, stores, room, false); };
  server.add_prompt(std::move(go_on));

  mcp::Prompt recover;
  recover.name = "recover_session";
  recover.title = "Recover a session";
  recover.description = "The same for one session by its id";
  recover.arguments = {{"sessionId", "id of the session, or a unique start of it", true}};
  recover.get = [&](mcp::Call& call) { return brief_prompt(call, stores, room, true); };
  server.add_prompt(std::move(recover));

  server.add_resource(
      {{std::string(kGuideUri), "thinking", "Thinking in a session", "branches, revisions, typed thoughts", "text/markdown"},
       [](mcp::Call&) -> mcp::ResourceReply {
         mcp::ResourceResult result;
         result.contents.push_back(mcp::text_contents(kGuideUri, "text/markdown", kGuide));
         result.shared = true;
         return result;
       }});
}

}  // namespace holdfast::tools
