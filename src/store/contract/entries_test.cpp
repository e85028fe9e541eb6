#include "session/limits.h"
#include "store/contract/fixture.h"

#include <numeric>

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;

std::vector<std::int64_t> seqs(const std::vector<Entry>& entries) {
  std::vector<std::int64_t> out;
  for (const Entry& entry : entries) out.push_back(entry.seq);
  return out;
}

TEST_P(StoreContract, ReadsManyAtOnceInTheOrderAskedFor) {
  for (const char* id : {"a", "b", "c"}) create(id);
  append("a", "first");
  append("a", "second");
  append("b", "other");
  const auto purged = store_->write([](Transaction& t) { return t.purge("c", "test"); });
  ASSERT_TRUE(purged);
  std::vector<std::string> ids, texts;
  for (const SessionRecord& got : must(store_->get_each({"b", "none", "c", "a"}))) {
    EXPECT_EQ(got.rev, must(store_->get(got.id)).rev);
    EXPECT_EQ(got.title, "Title of " + got.id);
    EXPECT_FALSE(got.tallies.empty());
    ids.push_back(got.id);
  }
  EXPECT_THAT(ids, ElementsAre("b", "a"));
  for (const Entry& got : must(store_->entry_each({{"b", 1}, {"b", 2}, {"none", 1}, {"c", 1}, {"a", 2}, {"a", 0}, {"a", 1}}))) {
    EXPECT_EQ(got.hash, must(store_->entry(got.session, got.seq)).value().hash);
    texts.push_back(got.text);
  }
  EXPECT_THAT(texts, ElementsAre("other", "second", "first"));
  EXPECT_TRUE(must(store_->get_each({})).empty());
  EXPECT_TRUE(must(store_->entry_each({})).empty());
}

TEST_P(StoreContract, KeepsEntriesByteForByte) {
  create("a");
  const std::string odd("zero\0\xff\xfe\r\n\"\\end", 14);
  NewEntry entry = note(odd);
  entry.type = "thought";
  entry.lane = "branch/../x";
  entry.number = 7;
  entry.author = "me";
  entry.run = "run-1";
  entry.idempotency_key = "key";
  entry.data = R"({"a": 1.0})";
  entry.time = 123;
  const Appended appended = append("a", entry);
  EXPECT_FALSE(appended.replayed);
  reopen();
  const Entry got = must(store_->entry("a", 1)).value();
  EXPECT_EQ(got.text, odd);
  EXPECT_EQ(got.data, R"({"a": 1.0})");
  EXPECT_EQ(got.type, "thought");
  EXPECT_EQ(got.lane, "branch/../x");
  EXPECT_EQ(got.number, 7);
  EXPECT_EQ(got.time, 123);
  EXPECT_EQ(got.author, "me");
  EXPECT_EQ(got.run, "run-1");
  EXPECT_EQ(got.idempotency_key, "key");
  EXPECT_EQ(got.hash, appended.entry.hash);
  EXPECT_FALSE(got.redacted);
  EXPECT_FALSE(got.damage);
}

TEST_P(StoreContract, NumbersEntriesWithoutHoles) {
  create("a");
  create("b");
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(append("a", "x").entry.seq, i);
    EXPECT_EQ(append("b", "x").entry.seq, i);
    EXPECT_EQ(kind_of_failure(store_->write([](Transaction& t) -> Result<Appended> {
                HF_CHECK(t.append("a", note("lost")));
                return fail(ErrorKind::refused, "no");
              })),
              ErrorKind::refused);
  }
  EXPECT_THAT(seqs(entries("a")), ElementsAre(1, 2, 3));
}

TEST_P(StoreContract, TheSameIdempotencyKeyIsTheSameEntry) {
  create("a");
  create("b");
  NewEntry entry = note("first");
  entry.idempotency_key = "k";
  append("a", entry);
  reopen();
  entry.text = "second";
  clock_->advance(5);
  const Appended again = append("a", entry);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.entry.seq, 1);
  EXPECT_EQ(again.entry.text, "first");
  EXPECT_EQ(must(store_->get("a")).updated_at, kStart);
  EXPECT_FALSE(append("b", entry).replayed);
  EXPECT_EQ(must(store_->entry_with_key("a", "k")).value().seq, 1);
  EXPECT_FALSE(must(store_->entry_with_key("a", "other")));
  EXPECT_EQ(entries("a").size(), 1u);
}

TEST_P(StoreContract, ANumberIsTakenOncePerLane) {
  create("a");
  NewEntry entry = note("x");
  entry.number = 5;
  append("a", entry);
  EXPECT_EQ(kind_of_failure(try_append("a", entry)), ErrorKind::conflict);
  entry.lane = "side";
  append("a", entry);
  entry.number = 0;
  append("a", entry);
  append("a", entry);
  EXPECT_EQ(must(store_->entry_at("a", "side", 5)).value().seq, 2);
  EXPECT_FALSE(must(store_->entry_at("a", "side", 6)));
  EXPECT_FALSE(must(store_->entry_at("a", "", 0)));
}

TEST_P(StoreContract, CountsByLaneAndType) {
  create("a");
  NewEntry entry = note("x");
  for (std::int64_t number : {1, 8, 3}) {
    entry.number = number;
    append("a", entry);
  }
  entry.lane = "side";
  append("a", entry);
  entry.type = "other";
  entry.number = 9;
  append("a", entry);
  const SessionRecord r = must(store_->get("a"));
  EXPECT_EQ(r.entry_count(), 5);
  EXPECT_EQ(r.count_of("note"), 4);
  EXPECT_EQ(r.count_in_lane(""), 3);
  EXPECT_EQ(r.count_in_lane("side"), 2);
  EXPECT_EQ(r.highest_number(""), 8);
  EXPECT_EQ(r.highest_number("side"), 9);
  EXPECT_THAT(r.lanes(), ElementsAre("side"));
  EXPECT_EQ(must(store_->list({})).items.front().entry_count(), 5);
}

TEST_P(StoreContract, AppendingMovesTheClocksItIsToldTo) {
  create("a");
  clock_->advance(10);
  EXPECT_EQ(append("a", "x").rev, 2);
  clock_->advance(10);
  NewEntry entry = note("notice");
  entry.touch = Touch::nothing;
  EXPECT_EQ(append("a", entry).rev, 2);
  entry.touch = Touch::change;
  EXPECT_EQ(append("a", entry).rev, 3);
  const SessionRecord r = must(store_->get("a"));
  EXPECT_EQ(r.updated_at, kStart + 20);
  EXPECT_EQ(r.last_activity_at, kStart + 10);
}

TEST_P(StoreContract, PagesEntriesInBothDirections) {
  create("a");
  for (int i = 1; i <= 10; ++i) append("a", std::to_string(i));
  EntryQuery query;
  query.session = "a";
  query.limit = 4;
  EntryPage page = must(store_->entries(query));
  EXPECT_THAT(seqs(page.entries), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(page.next, 5);
  query.from = *page.next;
  query.limit = 6;
  page = must(store_->entries(query));
  EXPECT_THAT(seqs(page.entries), ElementsAre(5, 6, 7, 8, 9, 10));
  EXPECT_FALSE(page.next);

  query = {};
  query.session = "a";
  query.direction = Direction::backward;
  query.limit = 3;
  page = must(store_->entries(query));
  EXPECT_THAT(seqs(page.entries), ElementsAre(10, 9, 8));
  EXPECT_EQ(page.next, 7);
  query.from = 2;
  page = must(store_->entries(query));
  EXPECT_THAT(seqs(page.entries), ElementsAre(2, 1));
  EXPECT_FALSE(page.next);
}

TEST_P(StoreContract, FiltersEntriesByLaneAndType) {
  create("a");
  for (const auto& [lane, type] : std::vector<std::pair<std::string, std::string>>{
           {"", "note"}, {"x", "note"}, {"x", "result"}, {"", "result"}, {"", "plan"}}) {
    NewEntry entry = note("t");
    entry.lane = lane;
    entry.type = type;
    append("a", entry);
  }
  EntryQuery query;
  query.session = "a";
  query.lane = "x";
  EXPECT_THAT(seqs(must(store_->entries(query)).entries), ElementsAre(2, 3));
  query.types = {"result"};
  EXPECT_THAT(seqs(must(store_->entries(query)).entries), ElementsAre(3));
  query.lane.reset();
  query.types = {"result", "plan"};
  EXPECT_THAT(seqs(must(store_->entries(query)).entries), ElementsAre(3, 4, 5));
}

TEST_P(StoreContract, APageOfLargeEntriesEndsEarly) {
  create("a");
  const std::string large(kEntryPageBytes / 2 + 1, 'x');
  for (int i = 0; i < 3; ++i) append("a", large);
  EntryQuery query;
  query.session = "a";
  const EntryPage page = must(store_->entries(query));
  EXPECT_EQ(page.entries.size(), 2u);
  EXPECT_EQ(page.next, 3);
}

TEST_P(StoreContract, RefusesBadEntriesAndLimits) {
  create("a");
  EXPECT_EQ(kind_of_failure(try_append("a", NewEntry{})), ErrorKind::invalid);
  EXPECT_EQ(kind_of_failure(try_append("a", note(std::string(kMaxTextBytes + 1, 'x')))), ErrorKind::too_large);
  EntryQuery query;
  query.session = "a";
  query.limit = 0;
  EXPECT_EQ(kind_of_failure(store_->entries(query)), ErrorKind::invalid);
  query.limit = kMaxEntryLimit + 1;
  EXPECT_EQ(kind_of_failure(store_->entries(query)), ErrorKind::invalid);
  EXPECT_TRUE(entries("a").empty());
}

TEST_P(StoreContract, RedactionIsNotDamage) {
  create("a");
  append("a", "one");
  append("a", "my password");
  append("a", "three");
  const SessionRecord before = must(store_->get("a"));
  clock_->advance(5);
  must(store_->write([](Transaction& t) { return t.redact("a", 2); }));
  reopen();
  const Entry entry = must(store_->entry("a", 2)).value();
  EXPECT_EQ(entry.text, "[redacted]");
  EXPECT_TRUE(entry.redacted);
  EXPECT_FALSE(entry.damage);
  const Verification report = must(store_->verify("a"));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.entries, 3);
  EXPECT_EQ(report.redacted, 1);
  const SessionRecord after = must(store_->get("a"));
  EXPECT_EQ(after.rev, before.rev + 1);
  EXPECT_EQ(after.last_activity_at, before.last_activity_at);
  append("a", "four");
  EXPECT_TRUE(must(store_->verify("a")).ok);
  must(store_->write([](Transaction& t) { return t.redact("a", 2, "[gone]", "{}"); }));
  EXPECT_TRUE(must(store_->verify("a")).ok);
  EXPECT_EQ(kind_of_failure(store_->write([](Transaction& t) { return t.redact("a", 9); })), ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast::store
