#include "tools/session/notices.h"

#include "base/run/log.h"
#include "operations/table.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

JsonArray notices_json(const std::vector<session::Notice>& notices) {
  JsonArray out;
  for (const session::Notice& notice : notices) out.push_back(session::notice_json(notice));
  return out;
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

void add_notice_resource(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room) {
  mcp::Resource resource{std::string(kNoticesUri), "notices", "Notices",
                         "What will be archived, deleted or erased, and when, as JSON", "application/json"};
  server.add_resource(
      {std::move(resource), [&stores, &room](mcp::Call& call) -> mcp::ResourceReply {
         session::StoreView store(stores, call.caller());
         CallContext context(call, store, room);
         const auto facts = operations::find_operation("sessions notices")->run(context, operations::Given({{"all", true}}));
         if (!facts) return mcp::to_rpc_error(facts.error());
         mcp::ResourceResult result;
         result.contents.push_back(mcp::text_contents(kNoticesUri, "application/json", to_json_pretty(Json(*facts))));
         return result;
       }});
}

}  // namespace holdfast::tools
