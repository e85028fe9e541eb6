#pragma once

// What a handler sees of the request it serves.
//
// A handler runs on a pool thread (or, if declared so, on the I/O thread, and then must not block).
// It may be run several times for one request: when it asks the client something, it returns
// InputRequired and is run again from the top once the answer is there, in this process or, in the
// modern era, in any other. So a handler does nothing that cannot be repeated before its last
// question, and keeps what it wants to remember between runs in state().
//
//   ToolReply remove(Call& call) {
//     const Answer* answer = call.ask("confirm", Question::form("Really?", schema));
//     if (!answer) return InputRequired{};
//     if (!answer->accepted()) return ToolResult::text("kept");
//     ...
//   }

#include "mcp/server/caller.h"
#include "mcp/wire/question.h"
#include "mcp/wire/reply.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

class Run;

class Call {
 public:
  explicit Call(std::shared_ptr<Run> run);

  const Caller& caller() const;
  const JsonObject& arguments() const;     // of the tool: coerced and valid; of a prompt: strings
  const JsonObject& request_meta() const;  // the request's _meta, untrusted
  // Arguments the schema does not know, where the tool reports instead of refusing (design 8.22).
  const std::vector<std::string>& ignored_arguments() const;

  // True once the client gave up; a handler that works long looks at it now and then.
  bool cancelled() const;
  // Waits on the pool thread; false when cancelled before the time was over.
  bool wait_for(std::chrono::milliseconds time);

  // Does nothing unless the request asked for progress, or when the value has not grown. Over HTTP the first
  // report settles the status, so a handler that may lack a client capability asks before it reports.
  void progress(double progress, std::optional<double> total = {}, std::string_view message = {});
  // notifications/message, if this caller wants that severity.
  void log(Severity severity, std::string_view logger, Json data);

  // The answer to the question under this key, or nullptr: the question is then put to the client when
  // the handler returns InputRequired. Several may be put at once. Valid until the handler returns.
  const Answer* ask(std::string_view key, Question question);
  // Carried from run to run of this request; authentic, but readable by the client.
  JsonObject& state();

  // From here on the call is a task (tasks extension) if this client knows tasks: it has its answer, the
  // task id, and the handler goes on in the background. Otherwise nothing changes and the client waits.
  // Pool threads only; durable when it returns. Errors: the store could not keep the task.
  // outlives: the work does not end with this process; `_meta`, which stays with the task, says which it is
  // (Tasks::set_survivors).
  Result<bool> become_task(std::string status_message = {}, JsonObject meta = {}, bool outlives = false);
  void task_status(std::string message);

  // Legacy HTTP: closes the connection but not the stream; the client comes back for the result. Elsewhere
  // nothing happens.
  void release_connection();

 private:
  std::shared_ptr<Run> run_;
};

}  // namespace holdfast::mcp
