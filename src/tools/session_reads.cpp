// list, get, search, verify: operations that change nothing.

#include "base/text.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "tools/core_operations.h"
#include "tools/known_damage.h"
#include "tools/session_arguments.h"
#include "tools/session_item.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

constexpr std::int64_t kListLimit = 20, kMaxList = 200;      // sessions of one answer: a model reads all of it
constexpr std::int64_t kReasoningListLimit = 10;             // reasoning-sessions §6
constexpr std::size_t kMaxTogether = 1000;                   // of all kinds at once: every page reads all before it
constexpr std::int64_t kEntryLimit = 50, kMaxEntries = 500;  // likewise
constexpr std::int64_t kSearchLimit = 10;                    // sessions
constexpr std::size_t kHitsPerSession = 3;
constexpr std::size_t kVerifyPage = 200;

std::size_t limit_of(const JsonObject& arguments, std::int64_t fallback, std::int64_t highest) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(find_int(arguments, "limit").value_or(fallback), 1, highest));
}

// nullopt: the client was asked for its roots.
Result<std::optional<session::Query>> read_query(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  session::Query query;
  query.principal = call.principal();
  HF_TRY(query.kinds, kinds_of(arguments));
  HF_TRY(query.visibilities, visibilities_of(arguments));
  HF_TRY(const bool rooted, limit_to_root(call, query));
  if (!rooted) return std::nullopt;
  query.statuses = texts_of(arguments, "status");
  query.tags = texts_of(arguments, "tags");
  query.pinned = find_bool(arguments, "pinned");
  if (auto project = find_string(arguments, "project")) query.project = *project;
  query.text = find_string(arguments, "q").value_or("");
  HF_TRY(query.updated_since, time_of(arguments, "updated_since"));
  HF_TRY(query.updated_before, time_of(arguments, "updated_before"));
  auto sort = find_string(arguments, "sort");
  if (sort == "created_at") query.sort = session::Sort::created;
  if (sort == "due_at") query.sort = session::Sort::due;
  const bool thoughts_only = query.kinds == std::vector{std::string(session::kReasoning)};
  query.limit = limit_of(arguments, thoughts_only ? kReasoningListLimit : kListLimit, kMaxList);
  query.cursor = find_string(arguments, "cursor").value_or("");
  query.offset = static_cast<std::size_t>(find_int(arguments, "offset").value_or(0));
  return query;
}

// Of every kind, those of other programs too: the newest of both, put together. Their pages have no cursor in common, so the
// way on is `offset`.
Result<SessionAnswer> list_all_kinds(SessionCall& call, session::Query query) {
  if (!query.cursor.empty())
    return fail(ErrorKind::invalid, "type all has no cursor", "use offset, or list one kind", "invalid_argument");
  const std::size_t offset = query.offset, limit = query.limit;
  query.offset = 0;
  query.limit = offset + limit;
  if (query.limit > kMaxTogether)
    return fail(ErrorKind::invalid, fmt::format("type all ends after {} sessions", kMaxTogether), "list one kind",
                "invalid_argument");
  HF_TRY(session::Page page, call.store.list(query));
  std::int64_t total = page.total;
  for (const OutsideKind& outside : call.operations.outside()) {
    HF_TRY(OutsideKind::List others, outside.list(call, query.limit));
    total += others.total;
    for (session::SessionRecord& record : others.records) page.items.push_back(std::move(record));
  }
  std::sort(page.items.begin(), page.items.end(),
            [](const session::SessionRecord& a, const session::SessionRecord& b) { return a.updated_at > b.updated_at; });
  JsonArray sessions;
  for (std::size_t i = offset; i < page.items.size() && i < offset + limit; ++i) {
    add_known_damage(call.store, page.items[i]);
    sessions.push_back(call.operations.item(page.items[i], call.now));
  }
  const std::size_t count = sessions.size();
  const bool more = static_cast<std::int64_t>(offset + count) < total;
  return SessionAnswer{{{"sessions", std::move(sessions)}, {"count", count}, {"total", total}, {"hasMore", more}}, {}, false};
}

Result<SessionAnswer> list(SessionCall& call) {
  HF_TRY(std::optional<session::Query> query, read_query(call));
  if (!query) return SessionAnswer{{}, {}, true};
  if (query->kinds.empty() && !call.operations.outside().empty()) return list_all_kinds(call, std::move(*query));
  HF_TRY(session::Page page, call.store.list(*query));
  const Millis now = call.now;
  JsonArray sessions;
  for (session::SessionRecord& record : page.items) {
    add_known_damage(call.store, record);
    sessions.push_back(call.operations.item(record, now));
  }
  const std::size_t count = sessions.size();
  JsonObject state{
      {"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
  if (!page.next_cursor.empty()) state["next_cursor"] = page.next_cursor;
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> get(SessionCall& call) {
  session::EntryQuery query;
  query.session = call.record->id;
  query.from = find_int(call.arguments(), "offset").value_or(0) + 1;
  query.limit = limit_of(call.arguments(), kEntryLimit, kMaxEntries);
  HF_TRY(session::EntryPage page, call.store.entries(query));
  JsonArray entries;
  for (const session::Entry& entry : page.entries) entries.push_back(entry_item(entry));
  JsonObject state{{"session", call.operations.item(*call.record, call.now)},
                   {"entries", std::move(entries)},
                   {"hasMore", page.next.has_value()}};
  if (page.next) state["next_offset"] = *page.next - 1;
  return SessionAnswer{std::move(state), {}, false};
}

// Hits come newest first; sessions keep the order of their first hit.
Result<SessionAnswer> search(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  auto text = find_string(arguments, "query");
  if (!text || trim(*text).empty())
    return fail(ErrorKind::invalid, "query is required", "give the words to look for", "invalid_argument");
  const std::size_t limit =
      limit_of(arguments, kSearchLimit, static_cast<std::int64_t>(session::kMaxSearchLimit / kHitsPerSession));
  session::SearchQuery query;
  query.text = *text;
  query.principal = call.principal();
  query.per_session = kHitsPerSession;
  query.limit = limit * kHitsPerSession;
  HF_TRY(query.kinds, kinds_of(arguments));
  HF_TRY(query.visibilities, visibilities_of(arguments));
  HF_TRY(const bool rooted, limit_to_root(call, query));
  if (!rooted) return SessionAnswer{{}, {}, true};
  HF_TRY(session::SearchResult result, call.store.search(query));

  std::vector<std::pair<std::string, JsonArray>> found;
  bool more = result.more;
  for (const session::SearchHit& hit : result.hits) {
    auto place = std::ranges::find(found, hit.session, &std::pair<std::string, JsonArray>::first);
    if (place == found.end()) {
      if (found.size() == limit) {
        more = true;
        continue;
      }
      place = found.insert(found.end(), {hit.session, {}});
    }
    JsonObject entry{{"seq", hit.seq}, {"type", hit.type}, {"snippet", hit.snippet}};
    // A thought is known by its number and its branch; other kinds have a lane at most.
    const bool thought = hit.kind == session::kReasoning;
    if (hit.number != 0) entry[thought ? "thoughtNumber" : "number"] = hit.number;
    if (!hit.lane.empty()) entry[thought ? "branchId" : "lane"] = hit.lane;
    place->second.push_back(std::move(entry));
  }
  JsonArray matches;
  for (auto& [id, hits] : found) {
    auto record = call.store.get(id);
    if (!record || record->principal != call.principal()) continue;  // gone since the search
    matches.push_back(JsonObject{{"session", call.operations.item(*record, call.now)}, {"hits", std::move(hits)}});
  }
  const std::size_t count = matches.size();
  return SessionAnswer{{{"query", *text}, {"matches", std::move(matches)}, {"count", count}, {"hasMore", more}}, {}, false};
}

JsonObject to_json_object(const session::Verification& verification) {
  JsonArray problems;
  for (const std::string& problem : verification.problems) problems.emplace_back(problem);
  return {{"sessionId", verification.session},
          {"ok", verification.ok},
          {"records", verification.entries},
          {"redacted", verification.redacted},
          {"problems", std::move(problems)}};
}

Result<session::Verification> check(SessionCall& call, const std::string& session) {
  HF_TRY(session::Verification verification, call.store.verify(session));
  const bool found = !verification.ok && !verification.problems.empty();
  remember_damage(call.store, session, found ? std::optional(verification.problems.front()) : std::nullopt);
  return verification;
}

// One session, or all of the caller's: only those with problems are listed then.
Result<SessionAnswer> verify(SessionCall& call) {
  if (call.record) {
    HF_TRY(session::Verification verification, check(call, call.record->id));
    return SessionAnswer{to_json_object(verification), {}, false};
  }
  session::Query query;
  query.principal = call.principal();
  query.visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
  query.limit = kVerifyPage;
  JsonArray damaged;
  std::int64_t checked = 0, records = 0;
  do {
    HF_TRY(session::Page page, call.store.list(query));
    for (const session::SessionRecord& record : page.items) {
      if (call.call.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
      HF_TRY(session::Verification verification, check(call, record.id));
      ++checked;
      records += verification.entries;
      if (!verification.ok) damaged.push_back(to_json_object(verification));
    }
    call.call.progress(static_cast<double>(checked), static_cast<double>(page.total));
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  const bool ok = damaged.empty();
  return SessionAnswer{{{"ok", ok}, {"sessions", checked}, {"records", records}, {"damaged", std::move(damaged)}}, {}, false};
}

JsonObject texts(std::string_view description) {
  return {{"type", JsonArray{"string", "array"}}, {"items", JsonObject{{"type", "string"}}}, {"description", description}};
}

}  // namespace

void add_read_operations(SessionOperations& operations) {
  using enum SessionOperation::Session;
  operations.add({"list", {}, none, list});
  operations.add({"get", {}, required, get});
  operations.add({"search", {}, none, search});
  operations.add({"verify", {}, optional, verify});

  operations.add_argument("type", texts("kind of session, or all"));
  operations.add_argument("query", {{"type", "string"}, {"description", "search: words; all must occur"}});
  operations.add_argument("q", {{"type", "string"}, {"description", "list: part of title, description, opening or tags"}});
  operations.add_argument("status", texts("list: only these"));
  operations.add_argument("visibility", texts("live, archived, deleted; default live and archived"));
  operations.add_argument("tags", texts("list: all of them; update: replaces the tags"));
  operations.add_argument("pinned", {{"type", "boolean"}});
  operations.add_argument("project", {{"type", "string"}});
  operations.add_argument("root", {{"type", "string"}, {"description", "project root, a file URI or absolute path"}});
  operations.add_argument("allRoots", {{"type", "boolean"}, {"description", "not only the current project"}});
  operations.add_argument("updated_since", {{"type", "string"}, {"description", "ISO 8601"}});
  operations.add_argument("updated_before", {{"type", "string"}});
  operations.add_argument("sort", {{"type", "string"}, {"enum", JsonArray{"updated_at", "created_at", "due_at"}}});
  operations.add_argument("limit", {{"type", "integer"}, {"minimum", 1}});
  operations.add_argument("offset", {{"type", "integer"}, {"minimum", 0}});
  operations.add_argument("cursor", {{"type", "string"}, {"description", "next_cursor of the page before"}});
}

}  // namespace holdfast::tools
