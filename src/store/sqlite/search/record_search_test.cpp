// Records found through the index are those that reading all of them finds, in the same order: whatever is indexed, changed
// since, purged, or so frequent that the index is not used.

#include "store/sqlite/search/record_search.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/sqlite/read_pool.h"
#include "store/sqlite/search/store_index.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;
using testing::IsEmpty;

// A store, and beside it an index of the same file, as another process has it, that is fed when a test says so.
class IndexedStore {
 public:
  IndexedStore() : readers_(context_) {
    OpenOptions options;
    options.clock = clock_;
    context_.path = folder_ / "store.db";
    store_ = must(open_store("sqlite:" + context_.path, options));
    context_.store_id = must(readers_.with([](Db& db) -> Result<std::string> {
      HF_TRY(auto rows, db.query("SELECT value FROM meta WHERE name = 'store_id'"));
      HF_CHECK(rows.next());
      return std::string(rows.text(0));
    }));
    index_ = std::make_unique<StoreIndex>(context_, readers_);
  }

  void create(const SessionRecord& record) {
    must(store_->write([&](Transaction& t) { return t.create(record); }));
  }
  void change(const std::string& id, bool scrub, const std::function<void(SessionRecord&)>& how) {
    must(store_->write([&](Transaction& t) -> Result<void> {
      HF_TRY(auto record, t.get(id));
      how(record);
      if (scrub) t.scrub();
      HF_CHECK(t.update(std::move(record)));
      return {};
    }));
  }
  void append(const std::string& id, const std::string& text) {
    NewEntry entry;
    entry.type = "note";
    entry.text = text;
    must(store_->write([&](Transaction& t) { return t.append(id, entry); }));
  }
  void purge(const std::string& id) {
    must(store_->write([&](Transaction& t) { return t.purge(id, "test"); }));
  }
  void feed() { index_->feed(); }
  bool is_indexed() const { return std::filesystem::exists(context_.path + ".index/manifest"); }

  // "key text at time", as a search finds them. `meanwhile` happens after it has begun.
  std::vector<std::string> find(
      const SearchQuery& query, std::size_t first_turn = kFirstTurn, const std::function<void()>& meanwhile = [] {}) {
    search::TextSearch words(query.text, query.as_typed, query.codes_are_words);
    const Condition where = conditions_of(query);
    std::vector<std::string> found;
    must(readers_.with([&](Db& db) -> Result<void> {
      HF_TRY(const auto division, index_->divide(db));
      meanwhile();
      const RecordQuestion question{query, words, where, division, first_turn};
      RecordSearch search(db, question);
      HF_CHECK(search.run([&](const FoundRecord& each) -> Result<bool> {
        found.push_back(fmt::format("{} {} at {}", each.session, each.text, each.updated_at));
        return true;
      }));
      scanned_ = search.scanned_bytes();
      return {};
    }));
    return found;
  }
  // The same by reading all of them.
  std::vector<std::string> scan(const SearchQuery& query) {
    search::TextSearch words(query.text, query.as_typed, query.codes_are_words);
    const Condition where = conditions_of(query);
    std::vector<std::string> found;
    must(readers_.with([&](Db& db) -> Result<void> {
      HF_TRY(auto rows, db.query(fmt::format(
                            "SELECT s.key, s.title, t.description, s.tags, s.updated_at FROM sessions AS s JOIN session_texts "
                            "AS t ON t.session = s.key WHERE {} ORDER BY s.updated_at DESC, s.id DESC",
                            where.sql)));
      int mark = 0;
      bind_values(rows, mark, where.values);
      while (true) {
        HF_TRY(const bool more, rows.next());
        if (!more) return {};
        const std::string text = searched_text(rows.text(1), rows.text(2), rows.text(3));
        if (words.matches(text)) {
          found.push_back(fmt::format("{} {} at {}", rows.integer(0), text, rows.integer(4)));
        }
      }
    }));
    return found;
  }
  std::size_t scanned_bytes() const { return scanned_; }

  bool any_file_contains(const std::string& bytes) const { return any_file_below(folder_.path(), bytes); }
  bool index_contains(const std::string& bytes) const { return any_file_below(context_.path + ".index", bytes); }

  Store& store() { return *store_; }
  ManualClock& clock() { return *clock_; }

 private:
  static bool any_file_below(const std::string& folder, const std::string& bytes) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
      if (file.is_regular_file() && must(read_file(file.path().string())).contains(bytes)) return true;
    return false;
  }

  TestFolder folder_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(kStart);
  Context context_;
  ReadPool readers_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<StoreIndex> index_;
  std::size_t scanned_ = 0;
};

SearchQuery looking_for(std::string text) {
  SearchQuery query;
  query.text = std::move(text);
  return query;
}

SessionRecord titled(std::string id, std::string title) {
  SessionRecord record;
  record.id = std::move(id);
  record.kind = "thread";
  record.title = std::move(title);
  return record;
}

TEST(RecordSearch, ReadsNothingThatIsIndexed) {
  IndexedStore store;
  for (int i = 0; i < 50; ++i) store.create(titled(fmt::format("s{}", i), fmt::format("session number{}", i)));
  EXPECT_EQ(store.find(looking_for("number17")).size(), 1u);
  EXPECT_GT(store.scanned_bytes(), 0u);
  store.feed();
  EXPECT_EQ(store.find(looking_for("number17")).size(), 1u);
  EXPECT_EQ(store.find(looking_for("session")).size(), 50u);
  EXPECT_EQ(store.scanned_bytes(), 0u);
  store.change("s17", false, [](SessionRecord& record) { record.title = "renamed"; });
  EXPECT_THAT(store.find(looking_for("number17")), IsEmpty());
  EXPECT_EQ(store.find(looking_for("renamed")).size(), 1u);
}

TEST(RecordSearch, MissesNothingThatGetsAnotherNumberMeanwhile) {
  IndexedStore store;
  store.create(titled("a", "needle"));
  store.create(titled("b", "hay"));
  const auto found = store.find(looking_for("needle"), kFirstTurn, [&] {
    store.change("a", false, [](SessionRecord& record) { record.pinned = true; });
    store.feed();
  });
  EXPECT_EQ(found.size(), 1u);
}

// Beginnings of words that stand alone or are continued, in few ways and in many, alone and behind rare and frequent ones.
TEST(RecordSearch, FindsWhatFrequentWordsCanBecome) {
  IndexedStore store;
  constexpr int kMany = 400;
  for (int i = 0; i < kMany; ++i) {
    const std::string_view ending = std::array{"", "s", "al", "Ä", "ſ"}[static_cast<std::size_t>(i) % 5];
    store.create(titled(fmt::format("s{}", i), fmt::format("the session{} of-item{} 東京 number{}", ending, ending, i % 100)));
    store.clock().advance(i % 3);
    if (i == kMany - 20) store.feed();
  }
  for (const char* text : {"session", "sessions", "sess", "sessiona", "the session", "number7 session", "number", "number1",
                           "of-item", "the of-item", "of-item session", "東京 sessionä", "京", "session number42", "absent",
                           "absent session", "the absent", "\"session\"", "sessionx"}) {
    const auto found = store.find(looking_for(text));
    EXPECT_EQ(found, store.scan(looking_for(text))) << text;
  }
  EXPECT_EQ(store.find(looking_for("session")).size(), static_cast<std::size_t>(kMany));
}

TEST(RecordSearch, OldTitlesLeaveTheIndexWithAnErasure) {
  IndexedStore store;
  store.create(titled("purged", "xyzzyfirsttitle"));
  store.create(titled("cleaned", "plughfirsttitle"));
  store.create(titled("other", "frobozzstays"));
  store.feed();
  // Renamed without haste: the words of the old title may stay in the index until something is erased.
  store.change("purged", false, [](SessionRecord& record) { record.title = "quuxsecondtitle"; });
  store.change("cleaned", false, [](SessionRecord& record) { record.description = "waldodescription"; });
  store.feed();
  store.change("purged", false, [](SessionRecord& record) { record.title = "not indexed any more"; });
  for (const char* word : {"xyzzyfirst", "quuxsecond", "plughfirst", "waldodescr"})
    EXPECT_TRUE(store.index_contains(word)) << word;

  store.purge("purged");
  for (const char* word : {"xyzzyfirst", "quuxsecond"}) EXPECT_FALSE(store.any_file_contains(word)) << word;
  EXPECT_EQ(store.find(looking_for("frobozzstays")).size(), 1u);
  EXPECT_EQ(store.scanned_bytes(), 0u) << "the rest needs not be read again";
  store.feed();
  EXPECT_TRUE(store.index_contains("plughfirst"));
  store.change("cleaned", true, [](SessionRecord& record) { record.title = record.description = kRedactedText; });
  for (const char* word : {"plughfirst", "waldodescr"}) EXPECT_FALSE(store.any_file_contains(word)) << word;
  store.feed();
  EXPECT_TRUE(store.index_contains("frobozz"));
  EXPECT_EQ(store.find(looking_for("frobozzstays")).size(), 1u);
}

const std::vector<std::string> kSearchedKinds = {"reasoning", "thread"};
const std::vector<std::string> kSearchedRoots = {"file:///one", "file:///two"};
const std::vector<std::string> kSearchedWords = {"Retry", "retries", "re",  "Straße",   "東京",
                                                 "京都",  "foo-bar", "a",   "٣٤",       "ﬁx",
                                                 "x\ny",  ";",       "one", "\xCD\xBE", std::string(70, 'w')};

std::string any_text() {
  std::string text;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
    text += *rc::gen::elementOf(kSearchedWords) + *rc::gen::elementOf(std::vector<std::string>{" ", "", "."});
  return text;
}

void set_texts(SessionRecord& record) {
  record.title = any_text();
  record.description = any_text();
  record.tags.clear();
  if (*rc::gen::arbitrary<bool>()) record.tags = {"red", "tag-" + std::to_string(*rc::gen::inRange(0, 3))};
}

// From the first case on: small numbers alone would never index anything.
int below(int end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end));
}

SearchQuery any_search() {
  SearchQuery query = looking_for(*rc::gen::inRange(0, 3) == 0 ? '"' + any_text() + '"' : any_text());
  if (query.text.size() < 3) query.text = *rc::gen::elementOf(std::vector<std::string>{"ret", "red", "tag-1", "京", "www"});
  if (*rc::gen::inRange(0, 3) == 0) query.kinds = {*rc::gen::elementOf(kSearchedKinds)};
  if (*rc::gen::inRange(0, 3) == 0) query.roots = {*rc::gen::elementOf(kSearchedRoots)};
  query.rootless = *rc::gen::arbitrary<bool>();
  if (*rc::gen::inRange(0, 3) == 0) query.principal = *rc::gen::elementOf(std::vector<std::string>{"ann", "bob"});
  if (*rc::gen::inRange(0, 3) == 0) query.visibilities = {Visibility::deleted, Visibility::live};
  return query;
}

RC_GTEST_PROP(RecordSearch, FindsWhatReadingAllOfThemFinds, ()) {
  IndexedStore store;
  std::vector<std::string> ids;
  int made = 0;
  for (int step = 1 + below(40); step > 0; --step) {
    const int what = ids.empty() ? 0 : below(20);
    const std::string id = ids.empty() ? "" : *rc::gen::elementOf(ids);
    if (*rc::gen::arbitrary<bool>()) store.clock().advance(1);
    if (what < 7) {
      SessionRecord record;
      record.id = fmt::format("s{}", made++ * 7 % 100);
      if (std::ranges::find(ids, record.id) != ids.end()) continue;
      record.kind = *rc::gen::elementOf(kSearchedKinds);
      record.visibility = *rc::gen::element(Visibility::live, Visibility::archived, Visibility::deleted);
      record.principal = *rc::gen::element<std::string>("ann", "bob");
      if (*rc::gen::arbitrary<bool>()) record.root_uri = *rc::gen::elementOf(kSearchedRoots);
      set_texts(record);
      store.create(record);
      ids.push_back(record.id);
    } else if (what < 11) {
      store.change(id, *rc::gen::inRange(0, 8) == 0, set_texts);
    } else if (what < 13) {
      store.append(id, any_text());
    } else if (what < 14) {  // seldom, because it empties the index
      store.purge(id);
      std::erase(ids, id);
    } else {
      store.feed();
    }
  }
  const std::size_t first_turn = *rc::gen::element<std::size_t>(1, 2, 3, kFirstTurn);
  RC_CLASSIFY(store.is_indexed(), "indexed");
  for (int i = 0; i < 10; ++i) {
    const SearchQuery query = any_search();
    if (search::TextSearch(query.text, query.as_typed, query.codes_are_words).empty()) continue;
    RC_ASSERT(store.find(query, first_turn) == store.scan(query));
    if (i == 4) store.feed();
  }
}

}  // namespace
}  // namespace holdfast::store
