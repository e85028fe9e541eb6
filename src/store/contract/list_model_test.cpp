// Lists against the definition: any sessions, any filters, any order give what filtering and sorting in memory gives, page by
// page, with the right total, while two processes write. Whatever a backend does to be quick must not show.

#include "base/text/text.h"
#include "session/query/display.h"
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
  const bool has_tags = std::ranges::all_of(q.tags, [&](const std::string& tag) { return std::ranges::count(r.tags, tag) > 0; });
  const bool has_labels = has_tags && (!q.project || *q.project == r.project) && (!q.task || *q.task == r.task);
  const auto has_text = [needle = fold_case(q.text)](const std::string& text) { return fold_case(text).contains(needle); };
  const bool in_texts =
      has_text(r.title) || has_text(r.description) || has_text(r.opening) || std::ranges::any_of(r.tags, has_text);
  const bool visible = q.visibilities.empty() ? r.visibility != Visibility::deleted : among(q.visibilities, r.visibility);
  return in_roots && has_labels && in_texts && visible && among(q.kinds, r.kind) && among(q.statuses, shown_status(r)) &&
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

const std::vector<std::string> kListedKinds = {"reasoning", "thread", "research"};
const std::vector<std::string> kStatuses = {"active", "completed"};
const std::vector<std::string> kListedRoots = {"file:///one", "file:///two"};
const std::vector<std::string> kTags = {"red", "green"};
const std::vector<std::string> kListedWords = {"Retry", "retries", "tr", "Straße", "x"};
const std::vector<std::string> kPrincipals = {"local", "ann"};
const std::vector<Visibility> kVisibilities = {Visibility::live, Visibility::archived, Visibility::deleted};

Millis any_time() {
  return kStart + *rc::gen::inRange(0, 6);  // few instants: many ties
}

SessionRecord any_record(std::string id) {
  SessionRecord r;
  r.id = std::move(id);
  r.kind = kListedKinds.front();
  r.status = kStatuses.front();
  if (*rc::gen::arbitrary<bool>()) {  // half of them differ in nothing but the aspect
    r.kind = *rc::gen::elementOf(kListedKinds);
    r.status = *rc::gen::elementOf(kStatuses);
    r.visibility = *rc::gen::elementOf(kVisibilities);
    r.pinned = *rc::gen::inRange(0, 4) == 0;
    r.principal = *rc::gen::elementOf(kPrincipals);
  }
  r.aspect = std::to_string(*rc::gen::inRange(0, 25));  // more than a backend might care to count one by one
  if (*rc::gen::arbitrary<bool>()) r.root_uri = *rc::gen::elementOf(kListedRoots);
  if (*rc::gen::inRange(0, 4) == 0) r.linked_roots = {*rc::gen::elementOf(kListedRoots)};
  r.tags = some_of(kTags);
  if (*rc::gen::arbitrary<bool>()) r.project = "project";
  if (*rc::gen::inRange(0, 4) == 0) r.task = "task";
  for (std::string* text : {&r.title, &r.description, &r.opening}) {
    if (*rc::gen::arbitrary<bool>()) *text = *rc::gen::elementOf(kListedWords) + *rc::gen::elementOf(kListedWords);
  }
  r.created_at = any_time();
  r.updated_at = any_time();
  if (*rc::gen::arbitrary<bool>()) r.domain = std::to_string(any_time());
  return r;
}

Query any_query() {
  Query q;
  q.kinds = some_of(kListedKinds);
  q.statuses = some_of(std::vector<std::string>{"active", "completed", "archived"});
  q.visibilities = some_of(kVisibilities);
  q.roots = some_of(kListedRoots);
  q.rootless = *rc::gen::arbitrary<bool>();
  q.aspects = some_of(std::vector<std::string>{"1", "2", "3", "20"});
  if (*rc::gen::inRange(0, 8) == 0) q.aspect = "2";
  if (*rc::gen::inRange(0, 4) == 0) q.pinned = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) q.principal = *rc::gen::elementOf(kPrincipals);
  if (*rc::gen::inRange(0, 4) == 0) q.updated_since = any_time();
  if (*rc::gen::inRange(0, 4) == 0) q.updated_before = any_time();
  if (*rc::gen::inRange(0, 4) == 0) q.due_before = any_time();
  q.tags = some_of(kTags);
  if (*rc::gen::inRange(0, 8) == 0) q.project = *rc::gen::element<std::string>("project", "");
  if (*rc::gen::inRange(0, 8) == 0) q.task = *rc::gen::element<std::string>("task", "");
  if (*rc::gen::inRange(0, 3) == 0) q.text = *rc::gen::element<std::string>("retr", "R", "strasse", "rx", "ytr", "nothing", "re");
  q.sort = *rc::gen::element(Sort::updated, Sort::created, Sort::due, Sort::resume);
  q.prefer_status = some_of(kStatuses);
  q.limit = static_cast<std::size_t>(*rc::gen::inRange(1, 12));
  return q;
}

// What the store should hold. Every change is made here and there.
class ListModel {
 public:
  void change(Store& store) {
    const ListModel before = *this;
    must(store.write([&](Transaction& t) -> Result<void> {
      *this = before;  // a store may run this more than once
      const int fresh = *rc::gen::inRange(0, 40);
      for (int i = 0; i < fresh; ++i) {
        HF_TRY(auto made, t.create(any_record("s" + std::to_string(created_++))));
        all_.push_back(std::move(made));
      }
      // Some move to another place, some go on.
      for (SessionRecord& each : all_) {
        const int fate = *rc::gen::inRange(0, 10);
        if (fate < 2) {
          SessionRecord changed = any_record(each.id);
          changed.rev = each.rev;
          HF_TRY(each, t.update(changed, Touch::nothing));
        } else if (fate == 2) {
          NewEntry entry;
          entry.type = "note";
          HF_CHECK(t.append(each.id, entry));
          HF_TRY(each, t.get(each.id));
        }
      }
      if (all_.empty() || *rc::gen::arbitrary<bool>()) return {};
      const auto goes = all_.begin() + *rc::gen::element<std::ptrdiff_t>(0, std::ssize(all_) - 1);
      HF_CHECK(t.purge(goes->id, "test"));
      all_.erase(goes);
      return {};
    }));
  }

  std::vector<std::string> answer(const Query& query) const {
    std::vector<SessionRecord> fitting;
    std::ranges::copy_if(all_, std::back_inserter(fitting), [&](const SessionRecord& r) { return fits(r, query); });
    std::ranges::sort(fitting, [&](const SessionRecord& a, const SessionRecord& b) { return before(a, b, query); });
    std::vector<std::string> ids;
    for (const SessionRecord& each : fitting) ids.push_back(each.id);
    return ids;
  }

 private:
  std::vector<SessionRecord> all_;
  int created_ = 0;
};

#ifdef HOLDFAST_SANITIZED
constexpr int kRounds = 2;  // a hundred times
#else
constexpr int kRounds = 4;
#endif

TEST_P(ListContract, GivesWhatFilteringInMemoryGives) {
  due_ = [](const SessionRecord& record) -> std::optional<Millis> {
    if (record.domain.empty()) return std::nullopt;
    return std::stoll(record.domain);
  };
  const bool held = rc::check("any sessions, any question", [&] {
    store_.reset();
    backend_ = GetParam().make();
    store_ = open();
    auto other = open();
    ListModel model;
    for (int round = 0; round < kRounds; ++round) {
      if (*rc::gen::arbitrary<bool>()) std::swap(store_, other);
      clock_->advance(1);
      model.change(*store_);
      if (*rc::gen::arbitrary<bool>()) std::swap(store_, other);
      for (int question = 0; question < 4; ++question) {
        Query query = any_query();
        const std::vector<std::string> expected = model.answer(query);
        RC_ASSERT(must(store_->list(query)).total == std::ssize(expected));
        RC_ASSERT(all_pages(query, query.limit) == expected);
        query.offset = static_cast<std::size_t>(*rc::gen::inRange(0, 10));
        const std::size_t from = std::min(query.offset, expected.size());
        const std::size_t size = std::min(query.limit, expected.size() - from);
        const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(from);
        RC_ASSERT(list(query) == std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(size)));
      }
    }
    RC_ASSERT(must(store_->integrity()).ok);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace holdfast::store
