#include "tools/reasoning/reasoning_caller.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "tools/caller_connection.h"

#include <future>
#include <set>

namespace holdfast::tools {

namespace {

// The I/O thread answers in microseconds unless it is ending; then nobody is there any more.
constexpr std::chrono::seconds kPresencePatience{2};

constexpr std::size_t kRunLength = 16;  // 64 bits: connections of one session are few

std::set<std::string> present_connections(mcp::Server& server) {
  auto told = std::make_shared<std::promise<std::set<std::string>>>();
  std::future<std::set<std::string>> answer = told->get_future();
  server.present_connections([told](std::set<std::string> present) { told->set_value(std::move(present)); });
  if (answer.wait_for(kPresencePatience) != std::future_status::ready) return {};
  return answer.get();
}

}  // namespace

reasoning::Situation ReasoningCaller::situate_unread(mcp::Call& call) const {
  reasoning::Situation situation;
  situation.principal = call.caller().principal;
  situation.connection = fresh_connection_of(call.caller(), root_.owner());
  // Shown with every thought and exported, so it must not be the transport's id, which lets others in; one that is the same for
  // the same connection will do.
  situation.run = situation.has_connection() ? to_hex(sha256(situation.connection.id)).substr(0, kRunLength) : make_handle();
  situation.client = client_name(call.caller());
  situation.auto_attach = settings_.auto_attach;
  situation.attach_window = settings_.attach_window;
  situation.agent_id = settings_.agent_id;
  situation.agent_name = settings_.agent_name;
  return situation;
}

Result<operations::Situated> ReasoningCaller::situate(mcp::Call& call, session::Store& store, operations::Situate how) const {
  using operations::Situate;
  operations::Situated situated{situate_unread(call)};
  if (how == Situate::unread) return situated;
  reasoning::Situation& situation = situated.situation;
  if (how != Situate::connection) {
    HF_TRY(ResolvedRoots resolved, root_.resolve(call));
    situated.notice = std::move(resolved.notice);
    situation.roots = std::move(resolved.roots);
    situated.root_source = std::move(resolved.source);
  }
  if (situation.has_connection()) HF_CHECK(reasoning::recall_connection(store, situation.connection));
  auto present = std::make_shared<std::set<std::string>>();
  if (how == Situate::others) *present = present_connections(server_);
  mcp::StateStore& processes = server_.store();
  situation.is_attached = [present, &processes](const reasoning::Holder& holder) {
    if (holder.transport == "stdio") return processes.is_alive(holder.owner);
    return present->contains(holder.connection);
  };
  return situated;
}

}  // namespace holdfast::tools
