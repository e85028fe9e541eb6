#pragma once

// Lists of a server: all their pages, and how long they are good. Executor thread only.
//
// Legacy lists are good until the server says they changed; modern ones as long as their ttlMs says, or until it says
// so. A new connection ends both. Who asks while a list is being fetched gets that one.

#include "base/run/lifeline.h"
#include "mcp/client/client.h"
#include "mcp/client/client_calls.h"

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace holdfast::mcp {

// One list: "tools/list" whose items are in "tools".
class ClientList {
 public:
  struct Items {
    JsonArray items;
    bool stale = false;  // the server could not be asked again
  };
  using Snapshot = std::shared_ptr<const Items>;
  using Done = std::move_only_function<void(CallResult<Snapshot>)>;

  ClientList(std::string method, std::string member, const ClientOptions& options, ClientLink& link, ClientCalls& calls,
             Executor& executor);

  void get(Done done);
  void invalidate() { ++generation_; }
  const Snapshot& known() const { return known_; }  // the last one, however old; may be null

 private:
  void fetch();
  void fetch_page(std::optional<std::string> cursor);
  void take_page(CallResult<JsonObject> page);
  void finish(CallResult<Snapshot> result);
  bool fresh() const;

  const std::string method_, member_;
  const ClientOptions& options_;
  ClientLink& link_;
  ClientCalls& calls_;
  Executor& executor_;

  Snapshot known_;
  std::uint64_t generation_ = 1, known_generation_ = 0;
  std::chrono::steady_clock::time_point good_until_{};
  std::vector<Done> waiting_;

  // Of the fetch under way.
  JsonArray items_;
  std::set<std::string> cursors_;
  std::size_t pages_ = 0;
  std::uint64_t fetched_generation_ = 0;
  std::chrono::steady_clock::time_point fetched_until_{};
  Lifeline alive_;
};

class ClientLists {
 public:
  ClientLists(const ClientOptions& options, ClientLink& link, ClientCalls& calls, Executor& executor);

  void tools(bool fresh, Client::ToolsDone done);
  // What is known of a tool; where headers depend on it (modern HTTP) the server is asked first.
  void look_up(const std::string& name, bool fresh, std::move_only_function<void(const RemoteTool*)> found);
  void items(ClientList& list, Client::ItemsDone done);

  ClientList& resources() { return resources_; }
  ClientList& templates() { return templates_; }
  ClientList& prompts() { return prompts_; }

  // "tools", "resources", "prompts". False when there is no such list.
  bool changed(std::string_view list);
  void forget_all();  // a new connection

 private:
  ClientLink& link_;
  ClientList tools_, resources_, templates_, prompts_;
  std::shared_ptr<const ToolList> tool_list_;  // made of made_of_
  ClientList::Snapshot made_of_;
  Lifeline alive_;
};

}  // namespace holdfast::mcp
