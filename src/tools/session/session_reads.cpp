// get, search, verify: operations that change nothing. Lists are in session_list.cpp.

#include "base/text/text.h"
#include "operations/sessions/session_item.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "session/query/known_damage.h"
#include "tools/session/core_operations.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

constexpr std::int64_t kEntryLimit = 50;
constexpr std::int64_t kFoundSessions = 10;
constexpr std::size_t kHitsPerSession = 3;
constexpr std::size_t kVerifyPage = 200;

Result<SessionAnswer> get_entries(SessionCall& call) {
  session::EntryQuery query;
  query.session = call.record->id;
  query.from = find_int(call.arguments(), "offset").value_or(0) + 1;
  HF_TRY(query.limit, limit_of(call.arguments(), kEntryLimit, kMaxItems));
  HF_TRY(session::EntryPage page, call.store.entries(query));
  session::add_known_damage(call.store, *call.record);
  if (const auto damage = session::damage_among(page.entries); damage && !call.record->damage) {
    session::remember_damage(call.store, call.record->id, damage);
    call.record->damage = damage;
  }
  JsonArray entries;
  for (const session::Entry& entry : page.entries) entries.push_back(operations::entry_item(entry));
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
  HF_TRY(const std::size_t limit,
         limit_of(arguments, kFoundSessions, static_cast<std::int64_t>(session::kMaxSearchLimit / kHitsPerSession)));
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
  session::remember_damage(call.store, session, found ? std::optional(verification.problems.front()) : std::nullopt);
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

}  // namespace

void add_read_operations(SessionOperations& operations) {
  using enum SessionOperation::Session;
  operations.add({"get", {}, required, get_entries});
  operations.add({"search", {}, none, search});
  operations.add({"verify", {}, optional, verify});

  operations.add_argument("query", {{"type", "string"}, {"description", "search: words; all must occur"}});
}

}  // namespace holdfast::tools
