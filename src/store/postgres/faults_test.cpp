// What happens to writes when the server, a connection or another node gets in the way.

#include "store/contract/fixture.h"
#include "store/postgres/connection.h"
#include "store/postgres/test_server.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace holdfast::store::postgres {
namespace {

using namespace session;

class PostgresFaults : public testing::Test {
 protected:
  ~PostgresFaults() override { TestServer::instance().drop(url_); }

  std::unique_ptr<Store> open() const { return must(open_store(url_)); }
  std::unique_ptr<Connection> connect() const { return must(Connection::open({url_, {}, std::chrono::seconds(20)})); }

  static void create(Store& store, const std::string& id) {
    must(store.write([&](Transaction& t) {
      SessionRecord record;
      record.id = id;
      record.kind = "reasoning";
      return t.create(record);
    }));
  }
  // As a thought is appended: the number is decided by what is there.
  static Result<Appended> append_next(Store& store, const std::string& id, const std::string& text) {
    return store.write([&](Transaction& t) -> Result<Appended> {
      HF_TRY(const auto record, t.get(id));
      NewEntry entry;
      entry.type = "thought";
      entry.number = record.highest_number("") + 1;
      entry.text = text;
      return t.append(id, entry);
    });
  }
  // How often each text is there; numbers and seqs must be without holes.
  static std::map<std::string, int> texts_of(Store& store, const std::string& id) {
    std::map<std::string, int> found;
    EntryQuery query;
    query.session = id;
    query.limit = 5000;
    std::int64_t expected = 1;
    for (const Entry& entry : must(store.entries(query)).entries) {
      EXPECT_EQ(entry.seq, expected);
      EXPECT_EQ(entry.number, expected);
      ++expected;
      ++found[entry.text];
    }
    EXPECT_TRUE(must(store.verify(id)).ok);
    return found;
  }

  // Appends with several threads while `trouble` happens; what was acknowledged is there once, the rest at most once.
  void append_under(const std::function<void(const std::atomic<int>& acknowledged)>& trouble, int each) {
    auto one = open();
    auto two = open();
    create(*one, "a");
    constexpr int kThreads = 4;
    std::atomic<int> acknowledged = 0;
    std::mutex mutex;
    std::map<std::string, bool> outcomes;
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
          Store& store = thread % 2 == 0 ? *one : *two;
          for (int i = 0; i < each; ++i) {
            const std::string text = std::to_string(thread) + "/" + std::to_string(i);
            const auto appended = append_next(store, "a", text);
            if (!appended) {
              EXPECT_EQ(appended.error().kind, ErrorKind::unavailable) << appended.error().message;
            }
            const std::lock_guard lock(mutex);
            outcomes[text] = appended.has_value();
            if (appended) ++acknowledged;
          }
        });
      }
      trouble(acknowledged);
    }
    auto found = texts_of(*one, "a");
    for (const auto& [text, ok] : outcomes) {
      if (ok) {
        EXPECT_EQ(found[text], 1) << text;
      } else {
        EXPECT_LE(found[text], 1) << text;
      }
    }
    EXPECT_GT(acknowledged, each);
  }

  const std::string url_ = TestServer::instance().fresh_url();
};

TEST_F(PostgresFaults, WritesSurviveRestartsOfTheServer) {
  append_under(
      [](const std::atomic<int>& acknowledged) {
        for (int round = 1; round <= 2; ++round) {
          while (acknowledged < 20 * round) std::this_thread::yield();
          TestServer::instance().restart();
        }
      },
      40);
}

TEST_F(PostgresFaults, AConnectionThatIsCutDuringACommitLosesAndRepeatsNothing) {
  auto killer = must(Connection::open({TestServer::instance().url(), "pg_catalog", std::chrono::seconds(20)}));
  append_under(
      [&](const std::atomic<int>& acknowledged) {
        for (int round = 1; round <= 25; ++round) {
          while (acknowledged < 4 * round) std::this_thread::yield();
          must(
              killer->ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast' AND pid <> "
                          "pg_backend_pid() AND state = 'active'"));
        }
      },
      40);
}

TEST_F(PostgresFaults, TwoNodesAppendThoughtsToOneSession) {
  auto one = open();
  auto two = open();
  create(*one, "a");
  constexpr int kEach = 50;
  {
    std::vector<std::jthread> threads;
    for (Store* store : {one.get(), two.get()}) {
      threads.emplace_back([store, name = store == one.get() ? "one" : "two"] {
        for (int i = 0; i < kEach; ++i) must(append_next(*store, "a", name + std::to_string(i)));
      });
    }
  }
  const auto found = texts_of(*one, "a");
  EXPECT_EQ(found.size(), 2u * kEach);
  for (const auto& [text, times] : found) EXPECT_EQ(times, 1) << text;
}

TEST_F(PostgresFaults, SessionsTakenInOppositeOrderDoNotLockEachOtherOut) {
  auto one = open();
  auto two = open();
  create(*one, "a");
  create(*one, "b");
  constexpr int kEach = 30;
  {
    std::vector<std::jthread> threads;
    for (Store* store : {one.get(), two.get()}) {
      const bool forward = store == one.get();
      threads.emplace_back([store, forward] {
        for (int i = 0; i < kEach; ++i) {
          must(store->write([&](Transaction& t) -> Result<void> {
            for (const char* id : {forward ? "a" : "b", forward ? "b" : "a"}) {
              NewEntry entry;
              entry.type = "note";
              HF_CHECK(t.append(id, entry));
            }
            return {};
          }));
        }
      });
    }
  }
  EXPECT_EQ(must(one->get("a")).entry_count(), 2 * kEach);
  EXPECT_EQ(must(one->get("b")).entry_count(), 2 * kEach);
}

TEST_F(PostgresFaults, ADeadlockWithSomebodyElseIsTriedAgain) {
  auto store = open();
  must(store->write([](Transaction& t) -> Result<void> {
    HF_CHECK(t.put("session", "mine", 1));
    HF_CHECK(t.put("session", "theirs", 1));
    return {};
  }));
  // A person at psql, in the middle of something. The server finds the deadlock when the last one has waited for a while; theirs
  // takes longer to find, so it is ours that is given up.
  auto person = connect();
  must(person->ask("SET deadlock_timeout = '1min'"));
  person->begin();
  must(person->ask("UPDATE keyed SET rev = rev WHERE key = 'theirs'"));
  auto watcher = connect();
  std::jthread waiting;
  int runs = 0;
  must(store->write([&](Transaction& t) -> Result<void> {
    HF_CHECK(t.put("session", "mine", 2));
    session::ValueQuery all;
    all.space = "session";
    HF_CHECK(t.values(all));  // now it is written, and locked
    if (++runs == 1) {
      waiting = std::jthread([&] {
        must(person->ask("UPDATE keyed SET rev = rev WHERE key = 'mine'"));
        must(person->ask("COMMIT"));
      });
      while (must(watcher->ask("SELECT count(*) FROM pg_locks WHERE NOT granted"))[0].integer(0) == 0) std::this_thread::yield();
    }
    HF_CHECK(t.put("session", "theirs", 2));
    return {};
  }));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(must(store->value("session", "mine"))->rev, 2);
  EXPECT_EQ(must(store->value("session", "theirs"))->rev, 2);
}

TEST_F(PostgresFaults, ReadingByNumberLeavesNothingOutWhileManyCommit) {
  auto one = open();
  auto two = open();
  constexpr int kThreads = 6, kEach = 40;
  for (int i = 0; i < kThreads; ++i) create(*one, "s" + std::to_string(i));
  const std::int64_t start = must(one->last_sequence());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Store& store = thread % 2 == 0 ? *one : *two;
      for (int i = 0; i < kEach; ++i) must(append_next(store, "s" + std::to_string(thread), "x"));
    });
  }
  std::int64_t last = start;
  std::map<std::string, std::int64_t> seen;
  for (int count = 0; count < kThreads * kEach;) {
    for (const Event& event : must(two->events_after(last, 7))) {
      EXPECT_GT(event.sequence, last);
      last = event.sequence;
      EXPECT_EQ(event.seq, ++seen[event.session]) << event.session;
      ++count;
    }
    if (HasFailure()) break;
  }
}

TEST_F(PostgresFaults, EventsArriveAfterTheListeningConnectionWasCut) {
  auto store = open();
  create(*store, "a");
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  SubscribeOptions options;
  options.on_ready = [&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_all();
  };
  const auto subscription = must(store->subscribe(options));
  must(connect()->ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"));
  must(append_next(*store, "a", "x"));
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return ready; }));
  EXPECT_EQ(subscription->take().events.front().seq, 1);
}

}  // namespace
}  // namespace holdfast::store::postgres
