#include "kinds/reasoning/connections.h"

#include "base/text/uri.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reasoning {
namespace {

constexpr std::string_view kConnections = "reasoning.connections", kHolders = "reasoning.holders";
// Far more than connections that have one session open; what is beyond them cannot make it more in use.
constexpr std::size_t kMaxHolders = 1000;

// To the hour: a row whose expiry stays is written over in place, one that moves in the index of expiries is not.
Millis expiry_after(Millis now) {
  constexpr Millis kHour = 3600 * 1000;
  return ((now + kConnectionIdle) / kHour + 1) * kHour;
}

JsonArray roots_to_json(const std::vector<OfferedRoot>& roots) {
  JsonArray out;
  for (const OfferedRoot& root : roots) out.push_back(JsonObject{{"uri", root.uri}, {"name", root.name}});
  return out;
}

Connection read_connection(const std::string& id, const JsonObject& row) {
  Connection connection;
  connection.id = id;
  connection.principal = text_in(row, "principal");
  connection.transport = text_in(row, "transport");
  connection.owner = text_in(row, "owner");
  connection.opened_at = find_int(row, "openedAt").value_or(0);
  connection.active_session = text_in(row, "active");
  connection.may_attach = find_bool(row, "mayAttach").value_or(true);
  connection.bound_root = text_in(row, "boundRoot");
  connection.position_project = text_in(row, "project");
  connection.position_task = text_in(row, "task");
  connection.position_aspect = text_in(row, "aspect");
  connection.roots_unavailable = find_bool(row, "rootsUnavailable").value_or(false);
  if (const JsonArray* roots = find_array(row, "roots")) {
    connection.roots.emplace();
    for (const Json& root : *roots)
      if (root.is_object()) connection.roots->push_back({text_in(root.as_object(), "uri"), text_in(root.as_object(), "name")});
  }
  return connection;
}

Holder read_holder(std::string connection, const Json& value) {
  Holder holder;
  holder.connection = std::move(connection);
  if (!value.is_object()) return holder;
  const JsonObject& row = value.as_object();
  holder.transport = text_in(row, "transport");
  holder.owner = text_in(row, "owner");
  holder.last_call_at = find_int(row, "lastCallAt").value_or(0);
  holder.seen_seq = find_int(row, "seenSeq").value_or(0);
  return holder;
}

}  // namespace

Result<std::optional<Connection>> load_connection(session::Reader& reader, const std::string& id) {
  HF_TRY(auto value, reader.value(kConnections, id));
  if (!value || !value->value.is_object()) return std::nullopt;
  return read_connection(id, value->value.as_object());
}

Result<void> recall_connection(session::Reader& reader, Connection& connection) {
  HF_TRY(auto stored, load_connection(reader, connection.id));
  if (!stored || stored->principal != connection.principal) return {};
  stored->transport = connection.transport;
  stored->owner = connection.owner;
  if (stored->opened_at == 0) stored->opened_at = connection.opened_at;
  connection = *std::move(stored);
  return {};
}

Result<void> save_connection(session::Transaction& transaction, const Connection& connection) {
  JsonObject row{{"principal", connection.principal}, {"transport", connection.transport},   {"owner", connection.owner},
                 {"openedAt", connection.opened_at},  {"active", connection.active_session}, {"mayAttach", connection.may_attach},
                 {"boundRoot", connection.bound_root}};
  if (!connection.position_project.empty()) row["project"] = connection.position_project;
  if (!connection.position_task.empty()) row["task"] = connection.position_task;
  if (!connection.position_aspect.empty()) row["aspect"] = connection.position_aspect;
  if (connection.roots_unavailable) row["rootsUnavailable"] = true;
  if (connection.roots) row["roots"] = roots_to_json(*connection.roots);
  HF_CHECK(transaction.put(kConnections, connection.id, row, {}, expiry_after(transaction.now())));
  return {};
}

Result<std::vector<Holder>> holders_of(session::Reader& reader, const std::string& session) {
  session::ValueQuery query;
  query.space = kHolders;
  query.prefix = session + "/";
  query.limit = kMaxHolders;
  HF_TRY(auto values, reader.values(query));
  std::vector<Holder> holders;
  for (const session::KeyedValue& value : values)
    holders.push_back(read_holder(value.key.substr(query.prefix.size()), value.value));
  return holders;
}

Result<std::optional<Holder>> holder(session::Reader& reader, const std::string& session, const std::string& connection) {
  HF_TRY(auto value, reader.value(kHolders, session + "/" + connection));
  if (!value) return std::nullopt;
  return read_holder(connection, value->value);
}

Result<void> hold(session::Transaction& transaction, const std::string& session, const Holder& holder) {
  const JsonObject row{{"transport", holder.transport},
                       {"owner", holder.owner},
                       {"lastCallAt", holder.last_call_at},
                       {"seenSeq", holder.seen_seq}};
  HF_CHECK(transaction.put(kHolders, session + "/" + holder.connection, row, {}, expiry_after(transaction.now())));
  return {};
}

Result<void> let_go(session::Transaction& transaction, const std::string& session, const std::string& connection) {
  HF_CHECK(transaction.erase(kHolders, session + "/" + connection));
  return {};
}

Result<void> forget_connection(session::Transaction& transaction, const std::string& id) {
  HF_TRY(const auto stored, load_connection(transaction, id));
  if (!stored) return {};
  if (!stored->active_session.empty()) HF_CHECK(let_go(transaction, stored->active_session, id));
  HF_CHECK(transaction.erase(kConnections, id));
  return {};
}

Result<session::SessionRecord> find_reasoning(session::Reader& reader, const Situation& situation,
                                              std::string_view id_or_prefix) {
  HF_TRY(session::SessionRecord record, session::find_session(reader, situation.principal, id_or_prefix));
  if (record.kind != session::kReasoning)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session, thoughts go to reasoning sessions", record.id, record.kind),
                {}, "invalid_argument");
  if (record.visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("session {} is deleted", record.id),
                "session with operation restore brings it back");
  return record;
}

Result<void> set_active(session::Transaction& transaction, Connection& connection, const std::string& session,
                        std::int64_t seen_seq) {
  if (connection.id.empty()) return {};
  const bool changed = connection.active_session != session;
  if (changed && !connection.active_session.empty()) HF_CHECK(let_go(transaction, connection.active_session, connection.id));
  connection.active_session = session;
  if (changed || session.empty() || connection.opened_at == 0) {
    if (connection.opened_at == 0) connection.opened_at = transaction.now();
    HF_CHECK(save_connection(transaction, connection));
  }
  if (session.empty()) return {};
  return hold(transaction, session, {connection.id, connection.transport, connection.owner, transaction.now(), seen_seq});
}

Result<bool> is_in_use(session::Reader& reader, const Situation& situation, const std::string& session) {
  HF_TRY(auto holders, holders_of(reader, session));
  return std::ranges::any_of(holders, [&](const Holder& holder) {
    if (holder.connection == situation.connection.id) return false;
    if (situation.is_attached && situation.is_attached(holder)) return true;
    // A stdio process that has ended cannot come back, whenever it called last.
    if (holder.transport == "stdio") return false;
    return situation.has_connection() && situation.connection.opened_at != 0 &&
           holder.last_call_at > situation.connection.opened_at;
  });
}

std::string name_of_root(const std::string& root) {
  return root.empty() ? std::string() : root_display_name(root);
}

}  // namespace holdfast::reasoning
