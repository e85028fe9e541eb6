#include "kinds/runner/servers/toolbox.h"

#include "base/crypto/hash.h"
#include "kinds/runner/result_text.h"
#include "kinds/runner/servers/connect_servers.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::runner {

namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kHashHex = 8;

}  // namespace

std::string function_name(std::string_view server, std::string_view tool, bool several) {
  const std::string whole = several ? fmt::format("{}__{}", server, tool) : std::string(tool);
  std::string name = whole;
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) c = '_';
  if (name.size() > kMaxNameBytes)
    name = fmt::format("{}_{}", name.substr(0, kMaxNameBytes - kHashHex - 1), to_hex(sha256(whole)).substr(0, kHashHex));
  return name;
}

Toolbox::Toolbox(const std::vector<LiveServer*>& servers, bool several, std::vector<std::string>& problems,
                 const std::stop_token& stop)
    : several_(several), stop_(stop) {
  for (LiveServer* server : servers) {
    Offer& offer = offers_.emplace_back(Offer{server, 0, nullptr});
    if (auto known = ask_for(offer); !known)
      problems.push_back(known.error().code == kPassedOver
                             ? known.error().message
                             : fmt::format("{}: {}", server->definition().name, known.error().message));
  }
  put_together();
}

Result<void> Toolbox::ask_for(Offer& offer) {
  offer.changes = offer.server->tool_changes();  // before it is asked: what changes meanwhile is asked for again
  auto known = offer.server->tools(stop_);
  if (!known) return fail(known.error().error);
  offer.tools = *std::move(known);
  return {};
}

// Only of who said that its list has changed: nobody is waited for who is silent.
void Toolbox::look_again() {
  bool changed = false;
  for (Offer& offer : offers_)
    if (offer.changes != offer.server->tool_changes()) changed = ask_for(offer).has_value() || changed;
  if (changed) put_together();
}

void Toolbox::put_together() {
  tools_.clear();
  origins_.clear();
  for (const Offer& offer : offers_) {
    if (!offer.tools) continue;
    const std::string& server = offer.server->definition().name;
    for (const mcp::RemoteTool& tool : offer.tools->tools) {
      std::string name = function_name(server, tool.name, several_);
      // Two names that only differ in what had to be replaced.
      if (origins_.contains(name))
        name = function_name(server, tool.name + "_" + to_hex(sha256(tool.name)).substr(0, kHashHex), several_);
      if (!origins_.emplace(name, Origin{offer.server, tool.name, tool.read_only, tool.read_only || tool.idempotent}).second)
        continue;
      model::Tool function;
      function.name = name;
      function.description = find_string(tool.definition, "description").value_or("");
      if (const JsonObject* schema = find_object(tool.definition, "inputSchema")) function.parameters = *schema;
      tools_.push_back(std::move(function));
    }
  }
}

bool Toolbox::is_read_only(std::string_view name) const {
  const auto origin = origins_.find(name);
  return origin != origins_.end() && origin->second.read_only;
}

bool Toolbox::is_repeatable(std::string_view name) const {
  const auto origin = origins_.find(name);
  return origin != origins_.end() && origin->second.repeatable;
}

ToolOutcome Toolbox::call(std::string_view name, const JsonObject& arguments, CallTime most, std::stop_token stop) {
  const auto origin = origins_.find(name);
  if (origin == origins_.end()) return {fmt::format("Error: there is no tool {}", name), true, false};
  mcp::CallOptions options;
  options.limit = most.whole;
  options.timeout = std::min(most.silence, most.whole);
  options.on_progress = [](const mcp::Progress&) {};  // so that the server is asked for it, which gives the call more time
  const auto answer = origin->second.server->call_tool(origin->second.tool, arguments, options, std::move(stop));
  if (answer) return read_result(*answer);
  if (answer.error().error.code == kLoginRequired) {
    const std::lock_guard lock(mutex_);
    login_required_ = Error(answer.error().error).within(origin->second.server->definition().name);
  }
  // An error that was answered is an end: what the server says about it is all there is to know.
  const bool unknown = answer.error().outcome == mcp::Outcome::unknown && !answer.error().rpc;
  const bool called = unknown || answer.error().rpc;
  return {fmt::format("Error: {}{}", answer.error().error.message,
                      unknown ? " (nobody knows whether it was executed: look before you repeat it)" : ""),
          true, called};
}

std::optional<Error> Toolbox::login_required() {
  const std::lock_guard lock(mutex_);
  return login_required_;
}

}  // namespace holdfast::runner
