#include "tools/project_root.h"

#include "base/text/uri.h"
#include "operations/operation.h"
#include "tools/caller_connection.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

// Roots that are none (relative, broken) are passed over: the client's mistake must not cost the call.
std::vector<reasoning::OfferedRoot> read_roots(const JsonObject& result) {
  std::vector<reasoning::OfferedRoot> roots;
  const JsonArray* listed = find_array(result, "roots");
  if (!listed) return roots;
  for (const Json& each : *listed) {
    if (!each.is_object()) continue;
    const auto uri = find_string(each.as_object(), "uri");
    auto root = canonical_root(uri.value_or(""));
    if (!root) continue;
    const std::string name(find_string(each.as_object(), "name").value_or(""));
    if (std::ranges::find(roots, *root, &reasoning::OfferedRoot::uri) != roots.end()) continue;
    roots.push_back({*root, name.empty() ? root_display_name(*root) : name});
  }
  return roots;
}

}  // namespace

Result<ResolvedRoots> ProjectRoot::resolve(mcp::Call& call) const {
  session::StoreView store(stores_, call.caller());
  HF_TRY(reasoning::Connection connection, connection_of(call.caller(), store, owner_));
  // A list that came after the binding decides whether the root is still there.
  const bool asks = !call.arguments().contains("root") && call.caller().can_list_roots() &&
                    (connection.bound_root.empty() || !connection.roots);
  if (!asks) return choose(call, connection);
  HF_TRY(operations::OfferedRoots offer, offered(call, connection));
  HF_TRY(ResolvedRoots resolved, choose(call, connection));
  resolved.notice = std::move(offer.notice);
  return resolved;
}

Result<ResolvedRoots> ProjectRoot::known(const mcp::Call& call) const {
  session::StoreView store(stores_, call.caller());
  HF_TRY(const reasoning::Connection connection, connection_of(call.caller(), store, owner_));
  return choose(call, connection);
}

Result<ResolvedRoots> ProjectRoot::choose(const mcp::Call& call, const reasoning::Connection& connection) const {
  ResolvedRoots resolved;
  const auto found = [&](std::string root, std::string_view source) {
    resolved.roots = {std::move(root)};
    resolved.source = source;
    return resolved;
  };
  if (auto argument = find_string(call.arguments(), "root")) {
    auto root = canonical_root(*argument);
    if (!root) return fail(std::move(root).error().within("root"));
    return found(std::move(*root), "argument");
  }
  if (!connection.bound_root.empty()) return found(connection.bound_root, "bound");
  if (connection.roots && !connection.roots->empty()) {
    for (const reasoning::OfferedRoot& root : *connection.roots) resolved.roots.push_back(root.uri);
    resolved.source = "mcp";
    return resolved;
  }
  if (!configured_.empty()) {
    HF_TRY(std::string root, canonical_root(configured_));
    if (call.caller().may_see(root)) return found(std::move(root), "configuration");
  }
  if (call.caller().transport == mcp::Transport::stdio && !client_folder_.empty())
    if (auto root = canonical_root(client_folder_)) return found(std::move(*root), "environment");
  if (call.caller().projects.size() == 1) return found(call.caller().projects.front(), "token");
  return resolved;
}

Result<operations::OfferedRoots> ProjectRoot::offered(mcp::Call& call, reasoning::Connection& connection) const {
  operations::OfferedRoots offer;
  if (!call.caller().can_list_roots()) return offer;
  if (connection.roots) {
    offer.available = true;
    offer.roots = *connection.roots;
    return offer;
  }
  if (connection.roots_unavailable) return offer;
  const mcp::Answer* answer = call.ask("roots", mcp::Question::roots(kRootsPatience));
  if (!answer) return operations::asked();
  if (answer->failure) {
    connection.roots_unavailable = true;
  } else {
    offer.available = true;
    offer.roots = read_roots(answer->result);
    connection.roots = offer.roots;
    const bool gone = !connection.bound_root.empty() &&
                      std::ranges::find(offer.roots, connection.bound_root, &reasoning::OfferedRoot::uri) == offer.roots.end();
    if (gone) {
      offer.notice = fmt::format("the bound root {} is no longer among the client's roots, so it is not bound any more",
                                 connection.bound_root);
      connection.bound_root.clear();
    }
  }
  if (connection.id.empty()) return offer;
  session::StoreView store(stores_, call.caller());
  HF_CHECK(store.write([&](session::Transaction& transaction) { return reasoning::save_connection(transaction, connection); }));
  return offer;
}

Result<void> ProjectRoot::forget_offered(const mcp::Caller& caller) const {
  session::StoreView store(stores_, caller);
  HF_TRY(reasoning::Connection connection, connection_of(caller, store, owner_));
  if (connection.id.empty() || (!connection.roots && !connection.roots_unavailable)) return {};
  connection.roots.reset();
  connection.roots_unavailable = false;
  return store.write([&](session::Transaction& transaction) { return reasoning::save_connection(transaction, connection); });
}

}  // namespace holdfast::tools
