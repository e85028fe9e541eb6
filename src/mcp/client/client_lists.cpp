#include "mcp/client/client_lists.h"

#include "base/run/log.h"
#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::mcp {

using SteadyClock = std::chrono::steady_clock;

ClientList::ClientList(std::string method, std::string member, const ClientOptions& options, ClientLink& link, ClientCalls& calls,
                       Executor& executor)
    : method_(std::move(method)),
      member_(std::move(member)),
      options_(options),
      link_(link),
      calls_(calls),
      executor_(executor) {}

bool ClientList::fresh() const {
  return known_ && known_generation_ == generation_ && SteadyClock::now() < good_until_ && link_.peer();
}

void ClientList::get(Done done) {
  if (fresh()) {
    executor_.post([done = std::move(done), known = known_]() mutable { done(std::move(known)); });
    return;
  }
  waiting_.push_back(std::move(done));
  if (waiting_.size() == 1) fetch();
}

void ClientList::fetch() {
  items_ = {};
  cursors_.clear();
  pages_ = 0;
  fetched_generation_ = generation_;
  fetched_until_ = SteadyClock::time_point::max();
  fetch_page(std::nullopt);
}

void ClientList::fetch_page(std::optional<std::string> cursor) {
  CallRequest request;
  request.method = method_;
  if (cursor) request.params["cursor"] = *cursor;
  request.options.timeout = options_.list_timeout;
  request.repeatable = true;
  calls_.start(std::move(request), alive_.guard([this](CallResult<JsonObject> page) { take_page(std::move(page)); }));
}

void ClientList::take_page(CallResult<JsonObject> page) {
  if (!page) {
    // A cursor of the connection that was lost meanwhile means nothing on the next one.
    if (page.error().rpc && pages_ > 0 && fetched_generation_ != generation_) return fetch();
    if (!known_ || page.error().rpc) return finish(std::unexpected(std::move(page).error()));
    log(LogLevel::warn, "mcp", fmt::format("{}: the last known list is used: {}", method_, page.error().error.message));
    return finish(std::make_shared<const Items>(Items{known_->items, true}));
  }
  if (const JsonArray* items = find_array(*page, member_)) items_.insert(items_.end(), items->begin(), items->end());
  if (link_.peer() && link_.peer()->era() == Era::modern) {
    const auto life =
        std::chrono::milliseconds(std::clamp<std::int64_t>(find_int(*page, "ttlMs").value_or(0), 0, kNoLimit.count()));
    fetched_until_ = std::min(fetched_until_, SteadyClock::now() + life);
  }
  if (const auto next = find_string(*page, "nextCursor")) {
    const bool again = !cursors_.emplace(*next).second;
    if (!again && ++pages_ < kMaxPages) return fetch_page(std::string(*next));
    log(LogLevel::warn, "mcp", fmt::format("{}: the list does not end; {} items are used", method_, items_.size()));
  }
  known_ = std::make_shared<const Items>(Items{std::exchange(items_, {}), false});
  known_generation_ = fetched_generation_;
  good_until_ = fetched_until_;
  finish(known_);
}

void ClientList::finish(CallResult<Snapshot> result) {
  for (Done& done : std::exchange(waiting_, {})) done(result);
}

ClientLists::ClientLists(const ClientOptions& options, ClientLink& link, ClientCalls& calls, Executor& executor)
    : link_(link),
      tools_("tools/list", "tools", options, link, calls, executor),
      resources_("resources/list", "resources", options, link, calls, executor),
      templates_("resources/templates/list", "resourceTemplates", options, link, calls, executor),
      prompts_("prompts/list", "prompts", options, link, calls, executor) {}

void ClientLists::tools(bool fresh, Client::ToolsDone done) {
  if (fresh) tools_.invalidate();
  tools_.get(alive_.guard([this, done = std::move(done)](CallResult<ClientList::Snapshot> items) mutable {
    if (!items) return done(std::unexpected(std::move(items).error()));
    if (made_of_ != *items) {
      auto list = read_tools((*items)->items, link_.over_http() && link_.peer() && link_.peer()->era() == Era::modern);
      list->stale = (*items)->stale;
      tool_list_ = std::move(list);
      made_of_ = *items;
    }
    done(tool_list_);
  }));
}

void ClientLists::look_up(const std::string& name, bool fresh, std::move_only_function<void(const RemoteTool*)> found) {
  const RemoteTool* known = tool_list_ ? tool_list_->find(name) : nullptr;
  const bool headers_matter = link_.over_http() && link_.peer() && link_.peer()->era() == Era::modern;
  if (!fresh && (known || !headers_matter)) return found(known);
  tools(fresh, [name, found = std::move(found)](CallResult<std::shared_ptr<const ToolList>> list) mutable {
    found(list ? (*list)->find(name) : nullptr);
  });
}

void ClientLists::items(ClientList& list, Client::ItemsDone done) {
  list.get([done = std::move(done)](CallResult<ClientList::Snapshot> items) mutable {
    if (!items) return done(std::unexpected(std::move(items).error()));
    done((*items)->items);
  });
}

bool ClientLists::changed(std::string_view list) {
  if (list == "tools") return tools_.invalidate(), true;
  if (list == "prompts") return prompts_.invalidate(), true;
  if (list != "resources") return false;
  resources_.invalidate();
  templates_.invalidate();
  return true;
}

void ClientLists::forget_all() {
  for (ClientList* list : {&tools_, &resources_, &templates_, &prompts_}) list->invalidate();
}

}  // namespace holdfast::mcp
