// list, pick, search: which sessions there are.

#include "base/text/text.h"
#include "catalogue/list.h"
#include "operations/operation.h"
#include "operations/sessions/list_filters.h"
#include "operations/sessions/session_item.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "session/query/known_damage.h"

#include <algorithm>

namespace holdfast::operations {

namespace {

using session::SessionRecord;

constexpr std::int64_t kReasoningListLimit = 10;  // reasoning-sessions §6
constexpr std::size_t kOffered = 10;              // threads-and-research §8
constexpr std::string_view kNew = "new", kCancel = "cancel";
constexpr std::int64_t kFoundSessions = 10;
constexpr std::size_t kHitsPerSession = 3;

constexpr auto kListParameters = joined(kFilterParameters, kRootParameters);

Result<session::Query> read_query(Context& context, const Given& given) {
  HF_TRY(session::Query query, read_filters(given, context.now()));
  query.principal = context.identity().principal;
  HF_CHECK(limit_to_roots(context, given, query));
  const bool thoughts_only = query.kinds == std::vector{std::string(session::kReasoning)};
  HF_TRY(query.limit, limit_of(given, thoughts_only ? kReasoningListLimit : kListLimit, context.longest_list()));
  return query;
}

Result<Facts> list(Context& context, const Given& given) {
  HF_TRY(session::Query query, read_query(context, given));
  HF_TRY(const catalogue::Page page, catalogue::list(context.asker(), {std::move(query)}));
  JsonArray sessions;
  for (const catalogue::Listed& each : page.items) sessions.push_back(session_item(each.record, context.now(), context.policy()));
  const std::size_t count = sessions.size();
  Facts facts{{"sessions", std::move(sessions)}, {"count", count}, {"total", page.total}, {"hasMore", !page.next_cursor.empty()}};
  if (!page.next_cursor.empty()) facts["next_cursor"] = page.next_cursor;
  if (!page.unread.empty()) facts["warnings"] = to_json_array(page.warnings());
  return facts;
}

// Lets the person choose; where nobody can be asked, the list is returned.
Result<Facts> pick(Context& context, const Given& given) {
  HF_TRY(session::Query query, read_query(context, given));
  query.limit = std::min(query.limit, kOffered);
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(const session::Page page, store->list(query));
  std::vector<Choice> choices;
  for (const SessionRecord& record : page.items)
    choices.push_back({record.id, text_in(session_item(record, context.now(), context.policy()), "display")});
  choices.push_back({std::string(kNew), "Start a new one"});
  choices.push_back({std::string(kCancel), "Cancel"});
  HF_TRY(const auto chosen, context.choose("Which session do you want to go on with?", choices));
  if (!chosen) return list(context, given);
  if (!chosen->ended.empty()) return Facts{{"outcome", chosen->ended}};
  if (chosen->value == kCancel || chosen->value.empty()) return Facts{{"outcome", "cancelled"}};
  if (chosen->value == kNew) return Facts{{"outcome", "new"}};
  // The question took this id from a list that may have changed since; what is there now counts.
  HF_TRY(const SessionRecord record, store->get(chosen->value));
  if (record.principal != query.principal) return Facts{{"outcome", "cancelled"}};
  return Facts{
      {"outcome", "picked"}, {"sessionId", record.id}, {"session", session_item(record, context.now(), context.policy())}};
}

constexpr auto kSearchParameters =
    joined(std::array{Parameter{.name = "query", .help = "search: words; all must occur"}, kFilterParameters[0],
                      kFilterParameters[5], Parameter{.name = "limit", .type = Parameter::Type::number, .least = 1}},
           kRootParameters);

// Hits come newest first; sessions keep the order of their first hit.
Result<Facts> search(Context& context, const Given& given) {
  session::SearchQuery query;
  query.text = given.text("query");
  if (trim(query.text).empty())
    return fail(ErrorKind::invalid, "{query} is required", "give the words to look for", "invalid_argument");
  HF_TRY(const std::size_t limit,
         limit_of(given, kFoundSessions, static_cast<std::int64_t>(session::kMaxSearchLimit / kHitsPerSession)));
  query.principal = context.identity().principal;
  query.per_session = kHitsPerSession;
  query.limit = limit * kHitsPerSession;
  HF_TRY(query.kinds, kinds_of(given));
  HF_TRY(query.visibilities, visibilities_of(given));
  HF_CHECK(limit_to_roots(context, given, query));
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(session::SearchResult result, store->search(query));

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
  for (auto& [id, hits] : found)
    if (const auto record = store->get(id); record && record->principal == query.principal)  // else gone since the search
      matches.push_back(
          JsonObject{{"session", session_item(*record, context.now(), context.policy())}, {"hits", std::move(hits)}});
  const std::size_t count = matches.size();
  return Facts{{"query", query.text}, {"matches", std::move(matches)}, {"count", count}, {"hasMore", more}};
}

constexpr std::array kListing{
    reads("sessions list", "newest first", kListParameters, list),
    reads("sessions pick", "the person chooses one of the newest", kListParameters, pick),
    reads("sessions search", "words in title and text of sessions that the store keeps", kSearchParameters, search),
};

}  // namespace

Result<Facts> list_of_kind(Context& context, const Given& given, std::string_view kind, std::string_view member) {
  Given filters = given;
  filters.set("type", Json(kind));
  HF_TRY(session::Query query, read_filters(filters, context.now()));
  query.principal = context.identity().principal;
  HF_TRY(query.limit, limit_of(given, kListLimit, context.longest_list()));
  HF_CHECK(limit_to_roots(context, given, query));
  HF_TRY(session::Store* const store, context.store(true));
  HF_TRY(session::Page page, store->list(query));
  session::look_for_damage(*store, page.items);
  JsonArray items;
  for (const SessionRecord& record : page.items) items.push_back(session_item(record, context.now(), context.policy()));
  const std::size_t count = items.size();
  Facts facts{{member, std::move(items)}, {"count", count}, {"total", page.total}};
  if (!page.next_cursor.empty()) facts["next_cursor"] = page.next_cursor;
  return facts;
}

std::span<const Operation> listing_operations() {
  return kListing;
}

}  // namespace holdfast::operations
