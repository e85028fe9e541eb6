// Lists against the definition: any sessions, any filters, any order give what filtering and sorting in memory gives, page by
// page, with the right total. Whatever a backend does to be quick must not show.

#include "session/display.h"
#include "store/contract/fixture.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>

namespace holdfast::store {
namespace {

using namespace session;

template <class T>
bool among(const std::vector<T>& any_of, const T& value) {
  return any_of.empty() || std::ranges::find(any_of, value) != any_of.end();
}

bool fits(const SessionRecord& r, const Query& q) {
  const auto has_root = [&](const std::string& root) {
    return r.root_uri == root || std::ranges::find(r.linked_roots, root) != r.linked_roots.end();
  };
  const bool rootless = r.root_uri.empty() && r.linked_roots.empty();
  const bool in_roots = q.roots.empty() || std::ranges::any_of(q.roots, has_root) || (q.rootless && rootless);
  const bool visible = q.visibilities.empty() ? r.visibility != Visibility::deleted : among(q.visibilities, r.visibility);
  return in_roots && visible && among(q.kinds, r.kind) && among(q.statuses, shown_status(r)) &&
         (!q.pinned || *q.pinned == r.pinned) && (!q.aspect || *q.aspect == r.aspect) && among(q.aspects, r.aspect) &&
         (!q.principal || *q.principal == r.principal) && (!q.updated_since || r.updated_at >= *q.updated_since) &&
         (!q.updated_before || r.updated_at < *q.updated_before) && (!q.due_before || (r.due_at && *r.due_at <= *q.due_before));
}

bool before(const SessionRecord& a, const SessionRecord& b, const Query& q) {
  const auto preferred = [&](const SessionRecord& r) {
    return std::ranges::find(q.prefer_status, r.status) != q.prefer_status.end();
  };
  switch (q.sort) {
    case Sort::created:
      return std::tie(a.created_at, a.id) > std::tie(b.created_at, b.id);
    case Sort::due:
      if (a.due_at.has_value() != b.due_at.has_value()) return a.due_at.has_value();
      return std::tie(a.due_at, a.id) < std::tie(b.due_at, b.id);
    case Sort::resume:
      return std::tuple(a.pinned, preferred(a), a.updated_at, a.created_at, a.id) >
             std::tuple(b.pinned, preferred(b), b.updated_at, b.created_at, b.id);
    case Sort::updated:
      break;
  }
  return std::tie(a.updated_at, a.id) > std::tie(b.updated_at, b.id);
}

template <class T>
std::vector<T> some_of(std::vector<T> all) {
  std::vector<T> chosen;
  if (*rc::gen::inRange(0, 3) != 0) return chosen;  // mostly no condition, so that something is left
  for (T& each : all) {
    if (*rc::gen::arbitrary<bool>()) chosen.push_back(std::move(each));
  }
  return chosen;
}

const std::vector<std::string> kKinds = {"reasoning", "thread", "research"};
const std::vector<std::string> kStatuses = {"active", "completed"};
const std::vector<std::string> kRoots = {"file:///one", "file:///two"};
const std::vector<std::string> kPrincipals = {"local", "ann"};
const std::vector<Visibility> kVisibilities = {Visibility::live, Visibility::archived, Visibility::deleted};

Millis any_time() {
  return kStart + *rc::gen::inRange(0, 6);  // few instants: many ties
}

SessionRecord any_record(std::string id) {
  SessionRecord r;
  r.id = std::move(id);
  r.kind = kKinds.front();
  r.status = kStatuses.front();
  if (*rc::gen::arbitrary<bool>()) {  // half of them differ in nothing but the aspect
    r.kind = *rc::gen::elementOf(kKinds);
    r.status = *rc::gen::elementOf(kStatuses);
    r.visibility = *rc::gen::elementOf(kVisibilities);
    r.pinned = *rc::gen::inRange(0, 4) == 0;
    r.principal = *rc::gen::elementOf(kPrincipals);
  }
  r.aspect = std::to_string(*rc::gen::inRange(0, 25));  // more than a backend might care to count one by one
  if (*rc::gen::arbitrary<bool>()) r.root_uri = *rc::gen::elementOf(kRoots);
  if (*rc::gen::inRange(0, 4) == 0) r.linked_roots = {*rc::gen::elementOf(kRoots)};
  r.created_at = any_time();
  r.updated_at = any_time();
  if (*rc::gen::arbitrary<bool>()) r.domain = std::to_string(any_time());
  return r;
}

Query any_query() {
  Query q;
  q.kinds = some_of(kKinds);
  q.statuses = some_of(std::vector<std::string>{"active", "completed", "archived"});
  q.visibilities = some_of(kVisibilities);
  q.roots = some_of(kRoots);
  q.rootless = *rc::gen::arbitrary<bool>();
  q.aspects = some_of(std::vector<std::string>{"1", "2", "3", "20"});
  if (*rc::gen::inRange(0, 8) == 0) q.aspect = "2";
  if (*rc::gen::inRange(0, 4) == 0) q.pinned = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) q.principal = *rc::gen::elementOf(kPrincipals);
  if (*rc::gen::inRange(0, 4) == 0) q.updated_since = any_time();
  if (*rc::gen::inRange(0, 4) == 0) q.updated_before = any_time();
  if (*rc::gen::inRange(0, 4) == 0) q.due_before = any_time();
  q.sort = *rc::gen::element(Sort::updated, Sort::created, Sort::due, Sort::resume);
  q.prefer_status = some_of(kStatuses);
  q.limit = static_cast<std::size_t>(*rc::gen::inRange(1, 12));
  return q;
}

TEST_P(ListContract, GivesWhatFilteringInMemoryGives) {
  due_ = [](const SessionRecord& record) -> std::optional<Millis> {
    if (record.domain.empty()) return std::nullopt;
    return std::stoll(record.domain);
  };
  const bool held = rc::check("any sessions, any question", [&] {
    backend_ = GetParam().make();
    store_ = open();
    const int count = *rc::gen::inRange(0, 100);
    std::vector<SessionRecord> all;
    must(store_->write([&](Transaction& t) -> Result<void> {
      for (int i = 0; i < count; ++i) {
        HF_TRY(auto made, t.create(any_record("s" + std::to_string(i))));
        all.push_back(std::move(made));
      }
      // Some move to another place, some go.
      for (SessionRecord& each : all) {
        if (*rc::gen::inRange(0, 5) != 0) continue;
        SessionRecord changed = any_record(each.id);
        changed.rev = each.rev;
        HF_TRY(each, t.update(changed, Touch::nothing));
      }
      if (all.empty() || *rc::gen::arbitrary<bool>()) return {};
      HF_CHECK(t.purge(all.back().id, "test"));
      all.pop_back();
      return {};
    }));

    for (int question = 0; question < 5; ++question) {
      Query query = any_query();
      std::vector<SessionRecord> expected;
      std::ranges::copy_if(all, std::back_inserter(expected), [&](const SessionRecord& r) { return fits(r, query); });
      std::ranges::sort(expected, [&](const SessionRecord& a, const SessionRecord& b) { return before(a, b, query); });
      std::vector<std::string> expected_ids;
      for (const SessionRecord& each : expected) expected_ids.push_back(each.id);

      const Page first = must(store_->list(query));
      RC_ASSERT(first.total == static_cast<std::int64_t>(expected.size()));
      RC_ASSERT(all_pages(query, query.limit) == expected_ids);
      query.offset = static_cast<std::size_t>(*rc::gen::inRange(0, 10));
      const std::size_t from = std::min(query.offset, expected_ids.size());
      const std::size_t size = std::min(query.limit, expected_ids.size() - from);
      const auto begin = expected_ids.begin() + static_cast<std::ptrdiff_t>(from);
      RC_ASSERT(list(query) == std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(size)));
    }
    RC_ASSERT(must(store_->integrity()).ok);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace holdfast::store
