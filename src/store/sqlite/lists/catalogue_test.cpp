#include "store/sqlite/lists/catalogue.h"

#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/sqlite/lists/catalogue_scan.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

CatalogueRow row(std::int64_t key, std::string text, std::vector<Label> labels = {}) {
  CatalogueRow row;
  row.key = key;
  row.id = "s" + std::to_string(key);
  row.bucket = 1;
  row.text = std::move(text);
  row.labels = std::move(labels);
  return row;
}

std::vector<Slot> with_text(const CatalogueColumns& columns, const std::string& needle, std::vector<Slot> among) {
  columns.keep_with_text(Substring(needle), among);
  return among;
}

TEST(CatalogueColumns, FindTextsWithinOneSessionAlone) {
  CatalogueColumns columns;
  for (const char* text : {"abc", "def", "", "abcdef", "cd"}) columns.put(row(columns.size() + 1, text));
  EXPECT_THAT(with_text(columns, "cd", {0, 1, 2, 3, 4}), ElementsAre(3, 4));
  EXPECT_THAT(with_text(columns, "abc", {0, 1, 2, 3, 4}), ElementsAre(0, 3));
  EXPECT_THAT(with_text(columns, "f", {4, 3, 2, 1, 0}), ElementsAre(3, 1));
  EXPECT_THAT(with_text(columns, "cd", {3}), ElementsAre(3));  // few are looked at one by one
  EXPECT_THAT(with_text(columns, "cd", {0}), IsEmpty());
}

TEST(CatalogueColumns, ForgetWhatIsReplaced) {
  CatalogueColumns columns;
  const Label red = columns.label(LabelSort::tag, "red");
  const Label blue = columns.label(LabelSort::tag, "blue");
  EXPECT_EQ(columns.label(LabelSort::tag, "red"), red);
  EXPECT_NE(columns.label(LabelSort::root, "red"), red);
  EXPECT_EQ(columns.find_label(LabelSort::tag, "green"), std::nullopt);
  ASSERT_TRUE(columns.put(row(3, "first", {red})));
  ASSERT_TRUE(columns.put(row(7, "second", {red, blue})));
  ASSERT_TRUE(columns.put(row(3, "third", {blue})));
  EXPECT_THAT(columns.labels(0), ElementsAre(blue));
  EXPECT_THAT(with_text(columns, "first", {0, 1}), IsEmpty());
  EXPECT_THAT(with_text(columns, "third", {0, 1}), ElementsAre(0));
  columns.remove(7);
  EXPECT_EQ(columns.buckets()[1], CatalogueColumns::kNowhere);
  EXPECT_THAT(with_text(columns, "second", {0, 1}), IsEmpty());
  EXPECT_FALSE(columns.put(row(5, "between")));  // slots are in the order of keys
  ASSERT_TRUE(columns.put(row(7, "again", {red})));
  EXPECT_THAT(with_text(columns, "again", {0, 1}), ElementsAre(1));
  EXPECT_THAT(columns.keys_of({"s7", "s5"}), ElementsAre(7));
}

TEST(CatalogueColumns, SayWhenTheyAreMostlyWaste) {
  CatalogueColumns columns;
  const std::string text(1000, 'x');
  for (int i = 0; i < 100; ++i) columns.put(row(i, text + std::to_string(i)));
  EXPECT_FALSE(columns.mostly_waste());
  for (int i = 0; i < 100; ++i) columns.put(row(i, text + std::to_string(i)));
  EXPECT_FALSE(columns.mostly_waste());  // the same again costs nothing
  for (int i = 0; i < 120; ++i) columns.put(row(i % 100, text + "again" + std::to_string(i)));
  EXPECT_TRUE(columns.mostly_waste());
}

TEST(CatalogueColumns, GiveUpTextsThatAreTooLarge) {
  CatalogueColumns columns;
  const std::string text(kMaxCatalogueText / 2, 'x');
  columns.put(row(1, text));
  Query query;
  query.text = "x";
  EXPECT_TRUE(can_scan(columns, query));
  columns.put(row(2, text + "y"));
  EXPECT_FALSE(can_scan(columns, query));
  EXPECT_TRUE(can_scan(columns, {}));
  columns.put(row(3, "small"));
  EXPECT_FALSE(columns.has_texts());
}

class Catalogues : public testing::Test {
 protected:
  void SetUp() override {
    store_ = must(open_store("sqlite:" + path_, options()));
    for (int i = 0; i < kSessions; ++i) create("s" + std::to_string(i), i % 2 == 0 ? "even" : "odd");
    db_ = must(Db::open(path_, Db::Mode::read_only));
  }
  OpenOptions options() {
    OpenOptions options;
    options.due = [this](const SessionRecord&) { return due_; };
    return options;
  }
  void create(const std::string& id, const std::string& title) {
    must(store_->write([&](Transaction& t) {
      SessionRecord record;
      record.id = id;
      record.kind = "thread";
      record.title = title;
      record.created_at = ++time_;
      return t.create(record);
    }));
  }
  void purge(const std::string& id) {
    must(store_->write([&](Transaction& t) { return t.purge(id, "test"); }));
  }
  static Query asking_for(std::string text) {
    Query query;
    query.text = std::move(text);
    return query;
  }
  static std::optional<std::vector<std::string>> ids(const std::optional<Found>& found) {
    if (!found) return std::nullopt;
    std::vector<std::string> ids;
    for (const Place& place : found->places) ids.push_back(place.position.id);
    EXPECT_EQ(found->total, std::ssize(ids));
    return ids;
  }
  // nullopt: it did not answer.
  std::optional<std::vector<std::string>> find(const Query& query) { return ids(must(catalogue_.find(*db_, query, {}))); }
  void make() { catalogue_.charge(1000); }

  static constexpr int kSessions = 6;
  TestFolder folder_;
  std::string path_ = folder_ / "store.db";
  Millis time_ = kStart;
  std::optional<Millis> due_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Db> db_;
  Catalogue catalogue_;
};

TEST_F(Catalogues, AreMadeWhenListsHaveCostAsMuch) {
  EXPECT_EQ(find(asking_for("even")), std::nullopt);
  catalogue_.charge(kCatalogueWorth * kSessions - 1);
  EXPECT_EQ(find(asking_for("even")), std::nullopt);
  catalogue_.charge(1);
  EXPECT_THAT(find(asking_for("even")).value(), ElementsAre("s4", "s2", "s0"));
}

TEST_F(Catalogues, ServeWhatBucketsDoNotKnow) {
  EXPECT_FALSE(Catalogue::serves({}));
  Query query;
  query.kinds = {"thread"};
  query.statuses = {"active"};
  EXPECT_FALSE(Catalogue::serves(query));
  query.updated_since = kStart;
  EXPECT_TRUE(Catalogue::serves(query));
  query.count = false;  // a walk along the index ends with the page
  EXPECT_FALSE(Catalogue::serves(query));
  query.tags = {"tag"};
  EXPECT_TRUE(Catalogue::serves(query));
}

TEST_F(Catalogues, FollowWhatOthersCommit) {
  make();
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("s5", "s3", "s1"));
  create("new", "odd, too");
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("new", "s5", "s3", "s1"));
  SessionRecord record = must(store_->get("s3"));
  record.title = "even now";
  must(store_->write([&](Transaction& t) { return t.update(record, Touch::nothing); }));
  purge("s1");
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("new", "s5"));
  NewEntry entry;
  entry.type = "note";
  must(store_->write([&](Transaction& t) { return t.append("s5", entry); }));
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("s5", "new"));
  for (int i = 0; i < 200; ++i) create("more" + std::to_string(i), "many");  // too many to read them one by one
  EXPECT_EQ(must(catalogue_.find(*db_, asking_for("many"), {})).value().total, 200);
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("s5", "new"));
}

// The last key is given away again after a purge.
TEST_F(Catalogues, TellASessionFromTheOneBeforeInItsPlace) {
  make();
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("s5", "s3", "s1"));
  purge("s5");
  create("next", "even");
  EXPECT_THAT(find(asking_for("odd")).value(), ElementsAre("s3", "s1"));
  EXPECT_THAT(find(asking_for("even")).value(), ElementsAre("next", "s4", "s2", "s0"));
}

TEST_F(Catalogues, SeeThatARuleMovedTheDueTimes) {
  make();
  Query due = asking_for("odd");
  due.due_before = kStart;
  EXPECT_THAT(find(due).value(), IsEmpty());
  due_ = kStart;
  must(store_->write([](Transaction& t) { return t.refresh_due("", 100); }));
  EXPECT_THAT(find(due).value(), UnorderedElementsAre("s1", "s3", "s5"));
}

TEST_F(Catalogues, SeeThatBucketsWereCountedAnew) {
  make();
  Query query = asking_for("odd");
  query.kinds = {"thread"};
  EXPECT_EQ(find(query)->size(), 3u);
  must(must(Db::open(path_, Db::Mode::read_write))->script("UPDATE shelves SET sessions = 17"));
  EXPECT_EQ(find(query), std::nullopt);
  store_ = must(open_store("sqlite:" + path_, options()));
  EXPECT_EQ(find(query)->size(), 3u);
}

TEST_F(Catalogues, AreOfNoUseToWhoSeesAnEarlierMoment) {
  make();
  EXPECT_EQ(find(asking_for("odd"))->size(), 3u);
  auto late = must(Db::open(path_, Db::Mode::read_only));
  must(late->run("BEGIN"));
  must(late->number("SELECT count(*) FROM sessions"));
  create("new", "odd");
  EXPECT_EQ(find(asking_for("odd"))->size(), 4u);
  EXPECT_FALSE(must(catalogue_.find(*late, asking_for("odd"), {})).has_value());
  EXPECT_EQ(find(asking_for("odd"))->size(), 4u);
}

TEST_F(Catalogues, AreNotForTransactionsThatWrite) {
  const Query query = asking_for("odd");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(must(store_->list(query)).total, 3);
  must(store_->write([&](Transaction& t) -> Result<void> {
    HF_CHECK(t.purge("s1", "test"));
    HF_TRY(const Page page, t.list(query));
    EXPECT_THAT(ids_of(page), ElementsAre("s5", "s3"));
    return {};
  }));
  EXPECT_EQ(must(store_->list(query)).total, 2);
}

}  // namespace
}  // namespace holdfast::store
