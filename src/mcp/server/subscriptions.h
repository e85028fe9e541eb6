#pragma once

// subscriptions/listen: requests that stay open and carry what changed. I/O thread only.

#include "base/identity.h"
#include "mcp/server/connection.h"
#include "mcp/transport/outlet.h"
#include "mcp/wire/rpc.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::mcp {

// Whose a resource is, and in which projects it stands: others are not told of it.
struct Audience {
  std::string principal;
  std::vector<std::string> roots;

  bool has(const Identity& identity) const { return identity.principal == principal && identity.may_see(roots); }
};
// As one process tells another.
JsonObject audience_fields(const Audience& audience);
Audience audience_from(const JsonObject& written);

class Subscriptions {
 public:
  struct Filter {
    bool tools = false, prompts = false, resources = false;
    std::set<std::string, std::less<>> uris;
    std::set<std::string, std::less<>> tasks;
  };
  struct Offer {  // what this server can announce
    bool tools = false, prompts = false, resources = false, updates = false, tasks = false;
  };

  // Reads params.notifications; a malformed filter is an error. tasks_allowed: the caller declared the
  // tasks extension.
  static std::expected<Filter, RpcError> read_filter(const JsonObject& params, const Offer& offer, bool tasks_allowed);

  // Acknowledges and keeps the subscription, also in its connection (if there is one). Returns a handle for close().
  std::uint64_t open(const Json& id, Filter filter, const Identity& identity, std::shared_ptr<Connection> connection,
                     std::shared_ptr<Outlet> outlet);
  void close(std::uint64_t handle);  // the client has gone, or does not want it any more

  void tools_changed();
  void prompts_changed();
  void resources_changed();
  // Subscribers of this audience; all when there is none.
  void resource_updated(const std::string& uri, const std::optional<Audience>& audience);
  void task_changed(const std::string& id, const Identity& owner, const JsonObject& task);

  // Ids that somebody wants to hear of.
  std::set<std::string> watched_tasks() const;

  // Answers every open listen request: the server ends.
  void end_all(const JsonObject& server_meta);
  std::size_t count() const { return open_.size(); }

 private:
  struct Open {
    Json id;
    Filter filter;
    Identity identity;
    std::shared_ptr<Connection> connection;  // null on HTTP
    std::shared_ptr<Outlet> outlet;
  };
  void tell(const Open& subscription, std::string_view method, JsonObject params);

  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_ = 1;
};

}  // namespace holdfast::mcp
