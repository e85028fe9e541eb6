#include "store/tables/condition.h"

#include "base/text/text.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Query;
using session::Visibility;

namespace {

// What is asked for is what is shown (design 8.6).
void add_statuses(Condition& where, const Query& query) {
  const bool only_live = query.visibilities == std::vector{Visibility::live};
  if (query.statuses.empty() || only_live) return where.add_any("s.status", query.statuses);
  std::string kinds, shown = "CASE";
  for (std::string_view kind : session::kVisibilityAsStatus) kinds += fmt::format("{}'{}'", kinds.empty() ? "" : ",", kind);
  for (const Visibility hidden : {Visibility::archived, Visibility::deleted})
    shown +=
        fmt::format(" WHEN s.visibility = {} AND s.kind IN ({}) THEN '{}'", static_cast<int>(hidden), kinds, name_of(hidden));
  where.add_any(shown + " ELSE s.status END", query.statuses);
}

// The first text, byte for byte, behind all that begin with the prefix; empty: there is none.
std::string first_behind(std::string prefix) {
  constexpr char kLastByte = '\xff';
  while (!prefix.empty() && prefix.back() == kLastByte) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

}  // namespace

std::string marks(std::size_t count) {
  std::string out = "(";
  for (std::size_t i = 0; i < count; ++i) out += i == 0 ? "?" : ",?";
  return out + ")";
}

std::vector<std::string> stored_roots(const std::vector<std::string>& roots, bool rootless) {
  std::vector<std::string> stored = roots;
  if (rootless) stored.emplace_back();
  return stored;
}

void Condition::add_any(std::string_view column, const std::vector<std::string>& any_of) {
  if (any_of.empty()) return;
  add(fmt::format("{} IN {}", column, marks(any_of.size())));
  values.insert(values.end(), any_of.begin(), any_of.end());
}

void Condition::add_roots(const std::vector<std::string>& roots, bool rootless) {
  if (roots.empty()) return;
  const auto stored = stored_roots(roots, rootless);
  add(fmt::format("s.key IN (SELECT session FROM roots WHERE root IN {})", marks(stored.size())));
  values.insert(values.end(), stored.begin(), stored.end());
}

void Condition::add_roots_of_row(const std::vector<std::string>& roots, bool rootless) {
  if (roots.empty()) return;
  const auto stored = stored_roots(roots, rootless);
  add(fmt::format("EXISTS (SELECT 1 FROM roots WHERE root IN {} AND shelf = s.shelf AND session = s.key)", marks(stored.size())));
  values.insert(values.end(), stored.begin(), stored.end());
}

void Condition::add_visibilities(const std::vector<Visibility>& visibilities) {
  if (visibilities.empty()) return add(fmt::format("s.visibility <> {}", static_cast<int>(Visibility::deleted)));
  std::string list;
  for (Visibility each : visibilities) list += fmt::format("{}{}", list.empty() ? "" : ",", static_cast<int>(each));
  add(fmt::format("s.visibility IN ({})", list));
}

void Condition::add_principal(const std::optional<std::string>& principal) {
  if (principal) add_any("s.principal", {*principal});
}

void Condition::add_aspects(const Query& query) {
  if (query.aspect) add_any("s.aspect", {*query.aspect});
  add_any("s.aspect", query.aspects);
}

void Condition::add_times(const Query& query) {
  if (query.updated_since) add_value("s.updated_at >= ?", *query.updated_since);
  if (query.updated_before) add_value("s.updated_at < ?", *query.updated_before);
  if (query.due_before) add_value("s.due_key <= ?", *query.due_before);
}

void Condition::add_value(std::string_view condition, Value value) {
  add(condition);
  values.push_back(std::move(value));
}

Condition conditions_of(const Query& query, std::string_view has_text) {
  Condition where;
  where.add_any("s.kind", query.kinds);
  where.add_roots(query.roots, query.rootless);
  add_statuses(where, query);
  where.add_visibilities(query.visibilities);
  if (query.pinned) where.add(*query.pinned ? "s.pinned = 1" : "s.pinned = 0");
  for (const std::string& tag : query.tags) where.add_value("s.key IN (SELECT session FROM tags WHERE tag = ?)", tag);
  if (query.project) where.add_any("s.project", {*query.project});
  if (query.task) where.add_any("s.task", {*query.task});
  where.add_aspects(query);
  if (!query.text.empty()) {
    where.add_value(fmt::format("s.key IN (SELECT session FROM session_texts WHERE {})", has_text), fold_case(query.text));
  }
  where.add_times(query);
  where.add_principal(query.principal);
  return where;
}

Condition conditions_of(const session::SearchQuery& query) {
  Condition where;
  where.add_any("s.kind", query.kinds);
  where.add_roots(query.roots, query.rootless);
  where.add_visibilities(query.visibilities);
  if (!query.not_session.empty()) where.add_value("s.id <> ?", query.not_session);
  where.add_principal(query.principal);
  return where;
}

Condition conditions_of(const session::IdQuery& query) {
  Condition where;
  where.add_value("s.id >= ?", query.prefix);
  if (std::string behind = first_behind(query.prefix); !behind.empty()) where.add_value("s.id < ?", std::move(behind));
  where.add_roots(query.roots, false);
  where.add_principal(query.principal);
  return where;
}

}  // namespace holdfast::store
