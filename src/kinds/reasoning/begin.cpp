#include "kinds/reasoning/begin.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::reasoning {

namespace {

using session::SessionRecord;
using session::Transaction;

constexpr std::size_t kRelated = 5;

// How many other sessions there are with this project (task, aspect), and the newest of the narrowest.
Result<Started::Related> related_to(session::Reader& reader, const SessionRecord& record) {
  Started::Related related;
  session::Query query;
  query.kinds = {std::string(session::kReasoning)};
  query.principal = record.principal;
  query.limit = kRelated + 1;
  const auto look = [&](std::int64_t& count) -> Result<void> {
    HF_TRY(session::Page page, reader.list(query));
    count = page.total - 1;  // without the new one itself
    std::erase_if(page.items, [&](const SessionRecord& item) { return item.id == record.id; });
    if (!page.items.empty()) related.sessions = std::move(page.items);
    if (related.sessions.size() > kRelated) related.sessions.resize(kRelated);
    return {};
  };
  if (record.project.empty()) return related;
  query.project = record.project;
  HF_CHECK(look(related.project_count));
  if (record.task.empty()) return related;
  query.task = record.task;
  HF_CHECK(look(related.task_count));
  if (record.aspect.empty()) return related;
  query.aspect = record.aspect;
  HF_CHECK(look(related.aspect_count));
  return related;
}

}  // namespace

Result<SessionRecord> create_session(Transaction& transaction, const NewSession& wanted, const Situation& situation) {
  SessionRecord record;
  record.id = make_uuid7();
  record.kind = session::kReasoning;
  record.title = wanted.title;
  record.description = wanted.description;
  record.opening = to_valid_utf8(utf8_prefix(wanted.opening, session::kMaxOpeningBytes / 4));
  record.root_uri = wanted.root;
  record.root_name = name_of_root(wanted.root);
  record.project = wanted.project.empty() ? record.root_name : wanted.project;
  record.task = wanted.task;
  record.aspect = wanted.aspect;
  record.domain = wanted.domain;
  record.tags = wanted.tags;
  record.data = wanted.data;
  record.status = "active";
  record.principal = situation.principal;
  record.client = situation.client;
  return transaction.create(std::move(record));
}

Result<Started> start_session(session::Store& store, NewSession wanted, const Situation& situation) {
  if (wanted.root.empty() && situation.roots.size() > 1)
    return fail(ErrorKind::invalid, fmt::format("the client offers {} roots and none is chosen", situation.roots.size()),
                fmt::format("give root, or init with operation bind_root first; they are: {}", fmt::join(situation.roots, ", ")),
                "ambiguous_root");
  if (wanted.root.empty() && situation.roots.size() == 1) wanted.root = situation.roots.front();
  Started started;
  const std::string name = name_of_root(wanted.root);
  if (wanted.root.empty() && wanted.project.empty())
    started.notices.push_back("the session belongs to no project: to find it again its sessionId will be needed");
  if (!name.empty() && !wanted.project.empty() && wanted.project != name)
    started.notices.push_back(
        fmt::format("project '{}' is kept as a label; the session is found by its root {}", wanted.project, wanted.root));
  auto made = store.write([&](Transaction& transaction) -> Result<Started> {
    Started out = started;
    Connection connection = situation.connection;
    HF_TRY(out.record, create_session(transaction, wanted, situation));
    out.previous_session = connection.active_session;
    connection.may_attach = false;
    HF_CHECK(set_active(transaction, connection, out.record.id, 0));
    HF_TRY(out.related, related_to(transaction, out.record));
    return out;
  });
  return made;
}

Result<JsonObject> complete(Transaction& transaction, SessionRecord& record, ManifestBuilder builder, std::string_view status) {
  HF_TRY(record, transaction.get(record.id));
  HF_TRY(std::optional<JsonObject> manifest, stored_manifest(transaction, record));
  if (!manifest) {
    HF_CHECK(read_into(builder, transaction, record.id));
    manifest = builder.manifest(record.id, transaction.now());
    session::NewEntry entry;
    entry.type = kManifestEntry;
    entry.data = to_json(*manifest);
    entry.touch = session::Touch::change;
    HF_CHECK(transaction.append(record.id, std::move(entry)));
    HF_TRY(record, transaction.get(record.id));
  }
  if (record.status == status) return *std::move(manifest);
  record.status = status;
  record.completed_at = transaction.now();
  HF_TRY(record, transaction.update(std::move(record)));
  return *std::move(manifest);
}

Result<Closed> close_session(session::Store& store, const std::string& id, std::string_view status, const Situation& situation) {
  if (status != "completed" && status != "abandoned")
    return fail(ErrorKind::invalid, fmt::format("a session is closed as completed or abandoned, not as {}", status), {},
                "invalid_argument");
  HF_TRY(SessionRecord before, find_reasoning(store, situation, id));
  // Read outside of the transaction what may be long; the rest is read inside.
  ManifestBuilder builder;
  HF_CHECK(read_into(builder, store, before.id));
  return store.write([&](Transaction& transaction) -> Result<Closed> {
    Closed closed;
    HF_TRY(closed.record, find_reasoning(transaction, situation, before.id));
    HF_TRY(closed.manifest, complete(transaction, closed.record, builder, status));
    Connection connection = situation.connection;
    connection.may_attach = false;
    if (connection.active_session == before.id)
      HF_CHECK(set_active(transaction, connection, "", 0));
    else if (situation.has_connection())
      HF_CHECK(save_connection(transaction, connection));
    return closed;
  });
}

}  // namespace holdfast::reasoning
