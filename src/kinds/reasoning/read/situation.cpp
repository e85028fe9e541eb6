#include "kinds/reasoning/read/situation.h"

#include "base/text/uri.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reasoning {

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
