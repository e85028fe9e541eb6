#include "store/contract/fixture.h"
#include "store/postgres/rows/write_tables.h"
#include "store/postgres/test_server.h"

#include <thread>

namespace holdfast::store::postgres {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadAheadTest, KnowsWhatFollowedLastTime) {
  ReadAhead ahead;
  const Look first{"space", "a"}, session{"", "s"}, other{"", "t"};
  EXPECT_THAT(ahead.after(first), IsEmpty());
  ahead.learn({first, session});
  EXPECT_THAT(ahead.after(first), ElementsAre(session));
  ahead.learn({first, other});
  EXPECT_THAT(ahead.after(first), ElementsAre(other));
  EXPECT_THAT(ahead.after(session), IsEmpty());
}

class ReadAheadInWrites : public testing::Test {
 protected:
  ~ReadAheadInWrites() override { TestServer::instance().drop(url_); }

  // Reads where it is to go, goes there and says how often it was there: what a thought does.
  static std::int64_t visit(Store& store) {
    return must(store.write([](Transaction& t) -> Result<std::int64_t> {
      HF_TRY(const auto target, t.value("session", "mine"));
      const std::string id(view(target->value.get_string()));
      HF_TRY(const auto record, t.get(id));
      HF_TRY(const auto seen, t.value("retention", id));
      NewEntry entry;
      entry.type = "visit";
      HF_CHECK(t.append(id, entry));
      HF_CHECK(t.put("retention", id, record.entry_count() + 1));
      HF_TRY(const auto after, t.get(id));
      EXPECT_EQ(after.entry_count(), record.entry_count() + 1);
      EXPECT_EQ(seen ? seen->value.to_number<std::int64_t>() : 0, record.entry_count());
      return after.entry_count();
    }));
  }
  static void aim(Store& store, const std::string& id) {
    must(store.write([&](Transaction& t) { return t.put("session", "mine", Json(id)); }));
  }

  const std::string url_ = TestServer::instance().fresh_url();
};

TEST_F(ReadAheadInWrites, SeeWhatOthersChangedAndBearAWrongGuess) {
  auto here = must(open_store(url_));
  auto there = must(open_store(url_));
  for (const char* id : {"a", "b"})
    must(here->write([&](Transaction& t) -> Result<void> {
      SessionRecord record;
      record.id = id;
      record.kind = "thread";
      HF_CHECK(t.create(record));
      return {};
    }));
  aim(*here, "a");
  EXPECT_EQ(visit(*here), 1);
  EXPECT_EQ(visit(*here), 2);
  EXPECT_EQ(visit(*there), 3);
  EXPECT_EQ(visit(*here), 4);
  aim(*there, "b");  // and here it was always a
  EXPECT_EQ(visit(*here), 1);
  EXPECT_EQ(visit(*here), 2);
  must(there->write([](Transaction& t) { return t.purge("a", "test"); }));
  aim(*there, "b");
  EXPECT_EQ(visit(*there), 3);
  EXPECT_TRUE(must(here->verify("b")).ok);
}

TEST_F(ReadAheadInWrites, NobodyIsLostWhenManyGuess) {
  auto here = must(open_store(url_));
  must(here->write([](Transaction& t) -> Result<void> {
    SessionRecord record;
    record.id = "a";
    record.kind = "thread";
    HF_CHECK(t.create(record));
    return {};
  }));
  aim(*here, "a");
  constexpr int kVisits = 25;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        auto store = must(open_store(url_));
        for (int n = 0; n < kVisits; ++n) visit(*store);
      });
  }
  EXPECT_EQ(must(here->get("a")).entry_count(), 4 * kVisits);
}

}  // namespace
}  // namespace holdfast::store::postgres
