#pragma once

// The tool `research`: threads and deep research (threads-and-research §1). `action` says what; each action takes its own
// arguments and answers in one envelope, {success, data, error, notices, meta}, as text and as structuredContent. Everything that
// is wrong with the arguments is said at once.

#include "mcp/server/server.h"
#include "tools/call_context.h"
#include "tools/research/research_workers.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::tools {

// What is the same for all calls; everything outlives the server. The calls open threads and research.
struct ResearchRooms {
  const session::SharedStore& stores;
  const CallRoom& calls;
  ResearchWorkers& workers;
  std::chrono::milliseconds wait_timeout{60'000};  // research.wait_timeout_s
};

// Lives as long as the call.
struct ResearchCall {
  mcp::Call& call;
  const ResearchRooms& rooms;
  session::Store& store;  // as the caller sees it
  CallContext& context;

  const JsonObject& arguments() const { return call.arguments(); }
  const std::string& principal() const { return call.caller().principal; }
  std::string text(std::string_view name) const { return text_in(arguments(), name); }
  bool flag(std::string_view name, bool fallback) const { return find_bool(arguments(), name).value_or(fallback); }
};

struct ResearchAnswer {
  JsonObject data;
  std::vector<std::string> warnings;
  // The call failed, yet left something behind: `data` becomes the details of the error.
  std::optional<Error> failure;
};

// What an action is about; several: one question for all of them.
enum class Subject : std::uint8_t { none, thread, thread_if_named, threads, run, runs, either };
inline constexpr std::array<std::string_view, 3> kIdArguments = {"thread_id", "research_id", "id"};

struct ResearchAction {
  std::string name;
  std::string_view operation;  // that it shows
  Subject subject = Subject::none;
  bool also_deleted = false;
  std::vector<std::string> required, optional;  // names of argument_schemas()
  Result<ResearchAnswer> (*run)(ResearchCall&, const ResearchAction&) = nullptr;
};

std::vector<ResearchAction> research_actions();
// Every argument of every action, once.
JsonObject argument_schemas();

Result<void> add_research_tool(mcp::Server& server, const ResearchRooms& rooms);

}  // namespace holdfast::tools
