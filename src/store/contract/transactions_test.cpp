#include "store/contract/fixture.h"

#include <atomic>
#include <barrier>
#include <thread>

namespace holdfast::store {
namespace {

using namespace session;

TEST_P(StoreContract, AFailedTransactionLeavesNothing) {
  create("a");
  const std::int64_t before = must(store_->last_sequence());
  auto outcome = store_->write([](Transaction& t) -> Result<int> {
    HF_CHECK(t.create(record("b")));
    HF_CHECK(t.append("a", note("x")));
    HF_CHECK(t.put("session", "key", 1));
    HF_CHECK(t.add_lineage({0, "b", "a", "fork", 0, {}}));
    HF_CHECK(t.acquire_lease("work", make_lease_owner()));
    return fail(ErrorKind::refused, "changed my mind");
  });
  EXPECT_EQ(kind_of_failure(outcome), ErrorKind::refused);
  EXPECT_EQ(outcome.error().message, "changed my mind");
  EXPECT_EQ(kind_of_failure(store_->get("b")), ErrorKind::not_found);
  EXPECT_TRUE(entries("a").empty());
  EXPECT_EQ(must(store_->get("a")).rev, 1);
  EXPECT_FALSE(must(store_->value("session", "key")));
  EXPECT_TRUE(must(store_->lineage_of("a")).empty());
  EXPECT_FALSE(must(store_->lease("work")));
  EXPECT_EQ(must(store_->last_sequence()), before);
}

TEST_P(StoreContract, ATransactionSeesItsOwnWrites) {
  const int count = must(store_->write([](Transaction& t) -> Result<int> {
    HF_CHECK(t.create(record("a")));
    HF_CHECK(t.append("a", note("one")));
    EntryQuery query;
    query.session = "a";
    query.direction = Direction::backward;
    HF_TRY(auto page, t.entries(query));
    HF_CHECK(t.append("a", note("two after " + page.entries.front().text)));
    HF_TRY(auto r, t.get("a"));
    return static_cast<int>(r.entry_count());
  }));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(entries("a").back().text, "two after one");
}

TEST_P(StoreContract, AnExceptionInTheWorkIsAnErrorOfThatCallAlone) {
  create("a");
  auto outcome = store_->write([](Transaction& t) -> Result<int> {
    HF_CHECK(t.append("a", note("x")));
    throw std::runtime_error("oops");
  });
  EXPECT_EQ(kind_of_failure(outcome), ErrorKind::internal);
  EXPECT_TRUE(entries("a").empty());
  append("a", "still works");
}

TEST_P(StoreContract, ManyThreadsAppendToOneSession) {
  constexpr int kThreads = 16;
  constexpr int kEach = 25;
  create("a");
  std::barrier start(kThreads);
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int i = 0; i < kEach; ++i) {
        NewEntry entry = note(std::to_string(i));
        entry.run = std::to_string(thread);
        if (!try_append("a", entry)) ADD_FAILURE() << "an append failed";
        // Work that fails shares commits with work that does not.
        auto failing = store_->write([&](Transaction& t) -> Result<int> {
          HF_CHECK(t.append("a", note("never")));
          return fail(ErrorKind::refused, "no");
        });
        if (!failing && failing.error().kind == ErrorKind::refused) ++refused;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, kThreads * kEach);
  const std::vector<Entry> all = entries("a");
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
  std::map<std::string, int> next;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].seq, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(all[i].text, std::to_string(next[all[i].run]++));  // each writer's own order is kept
  }
  EXPECT_TRUE(must(store_->verify("a")).ok);
}

TEST_P(StoreContract, TwoHandlesInterleave) {
  create("a");
  auto other = open();
  for (int i = 0; i < 10; ++i) {
    append("a", "mine");
    must(other->write([](Transaction& t) { return t.append("a", note("theirs")); }));
  }
  EXPECT_EQ(entries("a").size(), 20u);
  EXPECT_EQ(must(other->get("a")).rev, 21);
  EXPECT_TRUE(must(store_->verify("a")).ok);
}

TEST_P(StoreContract, TwoHandlesWriteAtOnce) {
  create("a");
  auto other = open();
  std::vector<std::jthread> threads;
  for (Store* store : {store_.get(), other.get()}) {
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([store] {
        for (int i = 0; i < 20; ++i) {
          auto done = store->write([](Transaction& t) { return t.append("a", note("x")); });
          if (!done) ADD_FAILURE() << done.error().message;
        }
      });
    }
  }
  threads.clear();
  EXPECT_EQ(must(store_->get("a")).entry_count(), 120);
  EXPECT_TRUE(must(store_->integrity()).ok);
}

TEST_P(StoreContract, ReadersWorkBesideAWriter) {
  create("a");
  std::atomic<bool> stop = false;
  std::jthread writer([&] {
    while (!stop) append("a", "x");
  });
  for (int i = 0; i < 200; ++i) {
    const SessionRecord r = must(store_->get("a"));
    // One moment: the tallies and the record belong together.
    EXPECT_EQ(r.rev, r.entry_count() + 1);
  }
  stop = true;
}

}  // namespace
}  // namespace holdfast::store
