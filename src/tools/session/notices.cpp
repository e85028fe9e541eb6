#include "tools/session/notices.h"

#include "base/run/log.h"
#include "tools/session/core_operations.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

constexpr std::size_t kListedNotices = 100;  // a person or a model reads all of it

JsonArray notices_json(const std::vector<session::Notice>& notices) {
  JsonArray out;
  for (const session::Notice& notice : notices) out.push_back(session::notice_json(notice));
  return out;
}

Result<SessionAnswer> list_notices(SessionCall& call) {
  HF_TRY(JsonObject state, open_notices(call.store, call.principal(), find_bool(call.arguments(), "all").value_or(false)));
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> acknowledge(SessionCall& call) {
  const std::vector<std::string> ids = texts_of(call.arguments(), "notice_ids");
  if (ids.empty() && !find_bool(call.arguments(), "all").value_or(false))
    return fail(ErrorKind::invalid, "notice_ids is required", "name the notices, or say all: true", "invalid_argument");
  HF_TRY(const std::size_t count, session::acknowledge(call.store, call.principal(), ids));
  return SessionAnswer{{{"acknowledged", count}}, {}, false};
}

}  // namespace

DueNotices take_due_notices(session::Store& store, const std::string& principal, Millis now) {
  auto taken = session::take_notices(store, principal, now);
  if (!taken) {
    log(LogLevel::warn, "tools", "notices are not shown now: " + taken.error().message);
    return {};
  }
  DueNotices due{notices_json(taken->notices), taken->more, {}};
  for (const session::Notice& notice : taken->notices) due.text += notice.text + "\n";
  if (due.more > 0) due.text += fmt::format("… and {} more (operation notices of the session tool)\n", due.more);
  return due;
}

void add_notice_block(mcp::ToolResult& result, const DueNotices& due) {
  if (due.text.empty()) return;
  JsonObject block = mcp::text_block(due.text);
  block["annotations"] = JsonObject{{"audience", JsonArray{"user"}}};
  result.content.insert(result.content.begin(), std::move(block));
}

Result<JsonObject> open_notices(session::Reader& reader, const std::string& principal, bool all) {
  HF_TRY(session::NoticeList list, session::list_notices(reader, principal, all, kListedNotices));
  JsonObject state{{"notices", notices_json(list.notices)}, {"count", list.notices.size()}};
  if (list.more > 0) state["more"] = list.more;
  return state;
}

void add_notice_operations(SessionOperations& operations) {
  operations.add({"notices", {}, SessionOperation::Session::none, list_notices});
  operations.add({"notices-ack", {}, SessionOperation::Session::none, acknowledge});
  operations.add_argument("notice_ids",
                          {{"type", "array"}, {"items", JsonObject{{"type", "string"}}}, {"description", "notices-ack: these"}});
  operations.add_argument("all",
                          {{"type", "boolean"}, {"description", "notices: acknowledged ones too; notices-ack: all of them"}});
}

void add_notice_resource(mcp::Server& server, const session::SharedStore& stores) {
  mcp::Resource resource{std::string(kNoticesUri), "notices", "Notices",
                         "What will be archived, deleted or erased, and when, as JSON", "application/json"};
  server.add_resource({std::move(resource), [&stores](mcp::Call& call) -> mcp::ResourceReply {
                         session::StoreView store(stores, call.caller());
                         auto state = open_notices(store, call.caller().principal, true);
                         if (!state) return mcp::to_rpc_error(state.error());
                         mcp::ResourceResult result;
                         result.contents.push_back(
                             mcp::text_contents(kNoticesUri, "application/json", to_json_pretty(Json(std::move(*state)))));
                         return result;
                       }});
}

}  // namespace holdfast::tools
