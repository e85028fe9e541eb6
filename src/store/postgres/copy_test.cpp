#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/postgres/connection.h"
#include "store/postgres/test_server.h"

namespace holdfast::store::postgres {
namespace {

using namespace session;

class StoreCopy : public testing::Test {
 protected:
  ~StoreCopy() override { TestServer::instance().drop(database_); }

  static void fill(Store& store) {
    must(store.write([](Transaction& t) -> Result<void> {
      for (int i = 0; i < 20; ++i) {
        SessionRecord record;
        record.id = "session-" + std::to_string(i);
        record.kind = "thread";
        record.title = "Title " + std::to_string(i);
        record.description = std::string("with a zero \0 byte", 18);
        record.tags = {"one", "two"};
        record.root_uri = i % 2 == 0 ? "file:///r" : "";
        record.data = {{"n", i}};
        HF_CHECK(t.create(record));
        for (int n = 1; n <= 60; ++n) {
          NewEntry entry;
          entry.type = n % 7 == 0 ? "result" : "message";
          entry.lane = n % 5 == 0 ? "side" : "";
          entry.number = n;
          entry.text = "needle" + std::to_string(n) + std::string(static_cast<std::size_t>(n) * 10, 'x');
          entry.data = R"({"a":1})";
          entry.idempotency_key = "key-" + std::to_string(n);
          HF_CHECK(t.append(record.id, entry));
        }
        HF_CHECK(t.put("session", "key" + std::to_string(i), i));
        HF_CHECK(t.add_lineage({0, record.id, "parent", "fork", 0, {{"d", 1}}}));
      }
      HF_CHECK(t.put("retention", "gone", 1, {}, 5));
      HF_CHECK(t.acquire_lease("work", make_lease_owner()));
      return {};
    }));
    must(store.write([](Transaction& t) -> Result<void> {
      HF_CHECK(t.redact("session-3", 5));
      HF_CHECK(t.purge("session-4", "test"));
      return {};
    }));
  }

  static std::string everything(Store& store) {
    std::string all = std::string(store.secret());
    Query query;
    query.limit = 1000;
    query.sort = Sort::created;
    for (const SessionRecord& r : must(store.list(query)).items) {
      all += r.id + r.title + r.description + to_json(r.data) + std::to_string(r.rev) + std::to_string(r.updated_at) +
             r.root_uri + std::to_string(r.entry_count()) + r.tags.front() + "\n";
      EntryQuery entries;
      entries.session = r.id;
      for (const Entry& e : must(store.entries(entries)).entries) {
        all += std::to_string(e.sequence) + e.type + e.lane + e.text + e.data + e.idempotency_key +
               std::string(bytes_of(e.hash)) + std::to_string(e.time) + (e.redacted ? "r" : "") + (e.damage ? "DAMAGE" : "") +
               "\n";
      }
      for (const LineageEvent& l : must(store.lineage_of(r.id)))
        all += std::to_string(l.number) + l.parent + to_json(l.details) + "\n";
    }
    for (const KeyedValue& v : must(store.values({"session", "", "", 100})))
      all += v.key + to_json(v.value) + std::to_string(v.rev) + "\n";
    all += must(store.tombstone("session-4")).value().reason + std::to_string(must(store.last_sequence()));
    return all;
  }

  static Result<CopyTotals> copy(const std::string& from, const std::string& to) { return copy_store(from, to, {}); }

  // Ends after so many parcels, as a killed process does; false: it had come to its end.
  static bool break_off(const std::string& from, const std::string& to, int parcels) {
    struct Killed {};
    try {
      must(copy_store(from, to, [&](const CopyProgress&) {
        if (parcels-- == 0) throw Killed();
      }));
    } catch (const Killed&) {
      return true;
    }
    return false;
  }

  TestFolder folder_;
  const std::string file_ = "sqlite:" + (folder_ / "one.db");
  const std::string second_file_ = "sqlite:" + (folder_ / "two.db");
  const std::string database_ = TestServer::instance().fresh_url();
};

TEST_F(StoreCopy, IsTheSameInBothDirections) {
  fill(*must(open_store(file_)));
  const std::string original = everything(*must(open_store(file_)));
  EXPECT_EQ(must(copy(file_, database_)).entries, 19 * 60);
  {
    auto store = must(open_store(database_));
    EXPECT_EQ(everything(*store), original);
    EXPECT_TRUE(must(store->integrity()).ok);
    EXPECT_FALSE(must(store->lease("work")));
  }
  must(copy(database_, second_file_));
  auto back = must(open_store(second_file_));
  EXPECT_EQ(everything(*back), original);
  EXPECT_TRUE(must(back->integrity()).ok);
  // Both go on where the first one was.
  auto database = must(open_store(database_));
  for (Store* store : {back.get(), database.get()}) {
    const std::int64_t last = must(store->last_sequence());
    const auto appended = must(store->write([](Transaction& t) {
      NewEntry entry;
      entry.type = "message";
      entry.text = "more";
      return t.append("session-1", entry);
    }));
    EXPECT_EQ(appended.entry.seq, 61);
    EXPECT_GT(must(store->last_sequence()), last);
    EXPECT_TRUE(must(store->verify("session-1")).ok);
    EXPECT_EQ(must(store->write([](Transaction& t) { return t.add_lineage({0, "x", "y", "fork", 0, {}}); })).number, 21);
    SearchQuery query;
    query.text = "needle33";
    query.limit = 100;
    EXPECT_EQ(must(store->search(query)).hits.size(), 19u);
  }
}

TEST_F(StoreCopy, GoesOnWhereItWasBrokenOff) {
  fill(*must(open_store(file_)));
  for (const std::string& target : {database_, second_file_}) {
    for (int parcels = 0; parcels < 9; ++parcels) {
      if (!break_off(file_, target, parcels)) break;
      // Nobody takes it for a store meanwhile.
      EXPECT_EQ(kind_of_failure(open_store(target)), ErrorKind::refused);
    }
    auto mark = open_store(target);
    if (!mark) must(copy(file_, target));
    EXPECT_EQ(everything(*must(open_store(target))), everything(*must(open_store(file_))));
  }
}

TEST_F(StoreCopy, RefusesATargetThatHasSomethingElse) {
  fill(*must(open_store(file_)));
  fill(*must(open_store(database_)));
  EXPECT_EQ(kind_of_failure(copy(file_, database_)), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(copy(database_, file_)), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(copy("sqlite:" + (folder_ / "absent.db"), second_file_)), ErrorKind::not_found);
}

TEST_F(StoreCopy, RefusesToGoOnWithAnotherSource) {
  fill(*must(open_store(file_)));
  EXPECT_TRUE(break_off(file_, database_, 2));
  must(must(open_store(file_))->write([](Transaction& t) { return t.put("session", "key1", 7); }));
  EXPECT_EQ(kind_of_failure(copy(file_, database_)), ErrorKind::conflict);
}

}  // namespace
}  // namespace holdfast::store::postgres
