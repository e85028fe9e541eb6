// holdfast://sessions and holdfast://sessions/{id}.

#include "operations/sessions/session_item.h"
#include "session/query/known_damage.h"
#include "tools/session/session_tools.h"

#include <algorithm>

namespace holdfast::tools {

namespace {

constexpr std::string_view kSessionUri = "holdfast://sessions/{id}";
constexpr std::string_view kJson = "application/json";
constexpr std::size_t kListedSessions = 100;  // newest sessions of the list
constexpr std::size_t kLastEntries = 20;      // of one session

mcp::ResourceReply to_resource(std::string_view uri, const JsonObject& state) {
  mcp::ResourceResult result;
  result.contents.push_back(mcp::text_contents(uri, kJson, to_json_pretty(state)));
  return result;
}

mcp::ResourceReply read_sessions(mcp::Call& call, const session::SharedStore& stores, const SessionOperations& operations,
                                 Millis now) {
  session::StoreView store(stores, call.caller());
  session::Query query;
  query.principal = call.caller().principal;
  query.limit = kListedSessions;
  auto page = store.list(query);
  if (!page) return mcp::to_rpc_error(page.error());
  session::look_for_damage(store, page->items);
  JsonArray sessions;
  for (const session::SessionRecord& record : page->items) sessions.push_back(operations.item(record, now));
  const std::size_t count = sessions.size();
  return to_resource(
      kSessionsUri,
      {{"sessions", std::move(sessions)}, {"count", count}, {"total", page->total}, {"hasMore", !page->next_cursor.empty()}});
}

std::optional<mcp::ResourceReply> read_session(mcp::Call& call, const session::SharedStore& stores,
                                               const SessionOperations& operations, const CallRoom& room, const std::string& uri,
                                               const std::string& id) {
  session::StoreView store(stores, call.caller());
  CallContext context(call, store, room);
  const Millis now = context.now();
  const catalogue::Asker asker = context.asker();
  const auto found = catalogue::find(asker, id);
  if (!found && (found.error().kind == ErrorKind::not_found || found.error().kind == ErrorKind::ambiguous)) return std::nullopt;
  auto record = found ? catalogue::record_of(asker, *found) : Result<session::SessionRecord>(fail(found.error()));
  if (!record) return mcp::to_rpc_error(record.error());
  if (!found->record()) return to_resource(uri, {{"session", operations.item(*record, now)}});
  session::EntryQuery query;
  query.session = record->id;
  query.limit = kLastEntries;
  query.direction = session::Direction::backward;
  auto page = store.entries(query);
  if (!page) return mcp::to_rpc_error(page.error());
  JsonArray entries;
  for (auto entry = page->entries.rbegin(); entry != page->entries.rend(); ++entry)
    entries.push_back(operations::entry_item(*entry));
  return to_resource(
      uri,
      {{"session", operations.item(*record, now)}, {"lastEntries", std::move(entries)}, {"hasEarlier", page->next.has_value()}});
}

}  // namespace

void add_session_resources(mcp::Server& server, const session::SharedStore& stores, const SessionOperations& operations,
                           const CallRoom& room) {
  server.add_resource({{std::string(kSessionsUri), "sessions", "Sessions", "The newest sessions, as JSON", std::string(kJson)},
                       [&](mcp::Call& call) { return read_sessions(call, stores, operations, server.clock().now()); }});
  server.add_template({std::string(kSessionUri), "session", "One session", "Record and last entries, as JSON", std::string(kJson),
                       [&](mcp::Call& call, const std::string& uri, const mcp::Variables& variables) {
                         return read_session(call, stores, operations, room, uri, variables.at("id"));
                       }});
}

}  // namespace holdfast::tools
