#include "store/tables/reads.h"

#include "session/limits.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace holdfast::store {

using session::Entry;

template <class Base>
Result<SessionRow> Reads<Base>::found(Result<std::optional<SessionRow>> row, std::string_view id) {
  if (!row) return fail(std::move(row).error());
  if (*row) return **std::move(row);
  HF_TRY(const auto stone, tables_.find_tombstone(id));
  if (stone) {
    return fail(ErrorKind::not_found, fmt::format("session {} was purged on {}", id, iso8601(stone->purged_at)), {}, "gone");
  }
  return fail(ErrorKind::not_found, fmt::format("there is no session {}", id));
}

template <class Base>
Result<SessionRow> Reads<Base>::row(std::string_view id) {
  return found(tables_.find_row(id), id);
}

template <class Base>
Result<SessionRow> Reads<Base>::whole_row(std::string_view id) {
  return found(tables_.find_whole_row(id), id);
}

template <class Base>
Result<session::SessionRecord> Reads<Base>::get(std::string_view id) {
  HF_TRY(auto found, whole_row(id));
  return std::move(found.record);
}

template <class Base>
Result<session::Page> Reads<Base>::list(const session::Query& query) {
  return tables_.list(query);
}

template <class Base>
Result<std::vector<std::string>> Reads<Base>::ids_with_prefix(const session::IdQuery& query) {
  return tables_.ids_with_prefix(query);
}

template <class Base>
Result<std::optional<session::Tombstone>> Reads<Base>::tombstone(std::string_view id) {
  return tables_.find_tombstone(id);
}

template <class Base>
Result<session::EntryPage> Reads<Base>::entries(const session::EntryQuery& query) {
  if (query.limit < 1 || query.limit > session::kMaxEntryLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", session::kMaxEntryLimit, query.limit));
  }
  HF_TRY(const auto found, row(query.session));
  return tables_.read_entries(found, query);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry(std::string_view session, std::int64_t seq) {
  HF_TRY(const auto found, row(session));
  return tables_.find_entry(found, seq);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry_at(std::string_view session, std::string_view lane, std::int64_t number) {
  HF_TRY(const auto found, row(session));
  return tables_.find_numbered(found, lane, number);
}

template <class Base>
Result<std::optional<Entry>> Reads<Base>::entry_with_key(std::string_view session, std::string_view key) {
  HF_TRY(const auto found, row(session));
  return tables_.find_by_key(found, key);
}

template <class Base>
Result<std::vector<session::LineageEvent>> Reads<Base>::lineage_of(std::string_view session) {
  return tables_.lineage_of(session);
}

template <class Base>
Result<std::vector<session::LineageEvent>> Reads<Base>::lineage_tree(std::string_view session) {
  // Breadth first over both directions. A set of visited ids, because stored history may be circular.
  std::set<std::string, std::less<>> seen{std::string(session)};
  std::vector<std::string> waiting{std::string(session)};
  std::map<std::int64_t, session::LineageEvent> found;
  while (!waiting.empty() && found.size() < session::kMaxLineageEvents) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    HF_TRY(auto events, tables_.lineage_of(id));
    for (session::LineageEvent& event : events) {
      for (const std::string& other : {event.child, event.parent}) {
        if (!other.empty() && seen.insert(other).second) waiting.push_back(other);
      }
      found.try_emplace(event.number, std::move(event));
    }
  }
  std::vector<session::LineageEvent> events;
  for (auto& [number, event] : found) events.push_back(std::move(event));
  return events;
}

template <class Base>
Result<std::optional<session::KeyedValue>> Reads<Base>::value(std::string_view space, std::string_view key) {
  return tables_.find_value(space, key, rules_.clock->now());
}

template <class Base>
Result<std::vector<session::KeyedValue>> Reads<Base>::values(const session::ValueQuery& query) {
  return tables_.list_values(query, rules_.clock->now());
}

template <class Base>
Result<std::optional<session::Lease>> Reads<Base>::lease(std::string_view name) {
  return tables_.find_lease(name);
}

template class Reads<session::Reader>;
template class Reads<session::Transaction>;

}  // namespace holdfast::store
