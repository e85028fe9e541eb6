#include "catalogue/list.h"

#include "kinds/transcripts/guard/test_guard.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "session/life/retention.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::catalogue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;
using transcripts::TestHome;

std::string said(const std::string& prompt, const std::string& cwd = "/home/me/app") {
  return fmt::format(
      R"({{"type":"user","isSidechain":false,"cwd":"{}","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"{}"}}}})"
      "\n",
      cwd, prompt);
}

// A store with a clock, and a home without sessions; times are seconds after the start.
class CatalogueListTest : public testing::Test {
 protected:
  static constexpr Millis kStart = TestHome::kNow;

  CatalogueListTest() {
    store::OpenOptions options;
    options.clock = clock_;
    options.due = session::due_rule({});
    store_ = store::open_store("sqlite:" + files_.outside() + "/s.db", options).value();
  }
  void create(const std::string& id, int second, const std::string& kind = "thread", const std::string& root = {},
              const std::string& principal = "local", bool pinned = false) {
    clock_->set(kStart + second * 1000);
    ASSERT_TRUE(store_->write([&](session::Transaction& transaction) {
      session::SessionRecord record;
      record.id = id;
      record.kind = kind;
      record.title = "about " + id;
      record.status = "active";
      record.principal = principal;
      record.root_uri = root;
      record.root_name = root.substr(root.rfind('/') + 1);
      record.pinned = pinned;
      return transaction.create(record);
    }));
  }
  static void set_time(const std::string& path, int second) {
    const timespec times[2] = {{kStart / 1000 + second, 0}, {kStart / 1000 + second, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  // "01" is an id (test_home.h).
  void add_transcript(const std::string& name, int second, const std::string& text = said("hello"),
                      const std::string& project = "-home-me-app") {
    const std::string path = "projects/" + project + "/" + TestHome::id(name) + ".jsonl";
    files_.write(path, text);
    set_time(files_ / path, second);
  }
  void add_rollout(const std::string& id, int second, const std::string& cwd) {
    const std::string path = files_.outside() + "/codex/sessions/2026/11/15/rollout-2026-11-15T10-00-00-" + id + ".jsonl";
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << fmt::format(
        R"({{"timestamp":"2026-11-15T10:00:00.000Z","type":"session_meta","payload":{{"id":"{}","cwd":"{}"}}}})"
        "\n",
        id, cwd);
    set_time(path, second);
  }
  Asker owner() {
    return {[this]() -> Result<session::Store*> { return store_.get(); }, "local", &keeper_};
  }
  Page page(const Filter& filter) {
    auto listed = list(asker_ ? *asker_ : owner(), filter);
    EXPECT_TRUE(listed) << listed.error().message;
    return listed ? *std::move(listed) : Page();
  }
  // What is listed, transcripts by their short names.
  static std::vector<std::string> names(const Page& page) {
    std::vector<std::string> names;
    for (const Listed& each : page.items)
      names.push_back(each.record.kind == "transcript" ? each.record.id.substr(6, 2) : each.record.id);
    return names;
  }
  std::vector<std::string> names(const Filter& filter) { return names(page(filter)); }
  // Page by page, to the end.
  std::vector<std::string> walk(Filter filter) {
    std::vector<std::string> all;
    for (int i = 0; i < 200; ++i) {
      const Page one = page(filter);
      for (const std::string& name : names(one)) all.push_back(name);
      if (one.next_cursor.empty()) return all;
      filter.query.cursor = one.next_cursor;
      filter.query.offset = 0;
    }
    ADD_FAILURE() << "it never ends";
    return all;
  }

  TestHome files_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<session::Store> store_;
  transcripts::Homes homes_ = transcripts::Homes::open(files_.folder(), files_.outside() + "/codex").value();
  std::unique_ptr<session::Blobs> blobs_ = store::open_blobs(files_.outside() + "/guard").value();
  transcripts::Guard guard_{homes_, *blobs_};
  transcripts::Keeper keeper_{homes_, [this] {
                                transcripts::KeeperOptions options;
                                options.data_folder = files_.outside() + "/data";
                                options.home_folder = files_.outside();
                                options.clock = clock_;
                                options.store = [](bool) -> Result<session::Store*> {
                                  return fail(ErrorKind::not_found, "no store in this test");
                                };
                                options.guard = [this]() -> Result<session::Blobs*> { return blobs_.get(); };
                                return options;
                              }()};
  std::optional<Asker> asker_;
};

TEST_F(CatalogueListTest, TheStoreAndTranscriptsAreOneList) {
  create("thread-a1", 10);
  add_transcript("01", 20, said("Fix the CORS header"));
  add_transcript("02", 5);
  create("run-a1", 30, "run");
  const Page all = page({});
  EXPECT_THAT(names(all), ElementsAre("run-a1", "01", "thread-a1", "02"));
  EXPECT_EQ(all.total, 4);
  EXPECT_EQ(all.next_cursor, "");
  const session::SessionRecord& transcript = all.items[1].record;
  EXPECT_EQ(transcript.title, "Fix the CORS header");
  EXPECT_EQ(transcript.root_name, "app");
  EXPECT_EQ(transcript.updated_at, kStart + 20'000);
  EXPECT_TRUE(all.items[1].found.on_disk());
}

TEST_F(CatalogueListTest, OneCursorGoesThroughAllPlaces) {
  std::vector<std::string> all;
  for (int i = 0; i < 12; ++i) {
    if (i % 3 == 0) {
      create(fmt::format("thread-{:02}", i), i);
      all.push_back(fmt::format("thread-{:02}", i));
    } else {
      add_transcript(fmt::format("{:02}", i), i);
      all.push_back(fmt::format("{:02}", i));
    }
  }
  std::ranges::reverse(all);
  for (const std::size_t limit : {1, 2, 3, 5, 12}) {
    Filter filter;
    filter.query.limit = limit;
    EXPECT_EQ(walk(filter), all) << limit;
    filter.query.offset = 4;
    EXPECT_EQ(walk(filter), std::vector<std::string>(all.begin() + 4, all.end())) << limit;
  }
  Filter filter;
  filter.query.limit = 5;
  Page one = page(filter);
  EXPECT_EQ(one.total, 12);
  filter.query.cursor = one.next_cursor;
  one = page(filter);
  EXPECT_EQ(one.total, 12) << "all that fit, on every page";
  filter.query.cursor = one.next_cursor;
  EXPECT_EQ(page(filter).total, 12);
}

TEST_F(CatalogueListTest, PagesNeitherRepeatNorSkipAlthoughTimesAreTheSame) {
  std::vector<std::string> expected;
  for (int i = 10; i < 60; ++i) {
    add_transcript(std::to_string(i), i / 30);
    create(fmt::format("thread-{}", i), i / 30);
    expected.push_back(std::to_string(i));
    expected.push_back(fmt::format("thread-{}", i));
  }
  Filter filter;
  filter.query.limit = 7;
  EXPECT_THAT(walk(filter), UnorderedElementsAreArray(expected));
}

TEST_F(CatalogueListTest, WhatIsWrittenBetweenTwoPagesMovesNothingElse) {
  for (int i = 0; i < 6; ++i) create(fmt::format("thread-{}", i), i * 2);
  for (int i = 0; i < 6; ++i) add_transcript(fmt::format("0{}", i), i * 2 + 1);
  Filter filter;
  filter.query.limit = 4;
  const Page first = page(filter);
  EXPECT_THAT(names(first), ElementsAre("05", "thread-5", "04", "thread-4"));
  clock_->set(kStart + 100'000);
  ASSERT_TRUE(store_->write([](session::Transaction& transaction) -> Result<session::SessionRecord> {
    HF_TRY(auto record, transaction.get("thread-5"));
    record.title = "changed";
    return transaction.update(record);
  }));
  add_transcript("05", 101);
  filter.query.cursor = first.next_cursor;
  EXPECT_THAT(names(filter), ElementsAre("03", "thread-3", "02", "thread-2"));
}

TEST_F(CatalogueListTest, ACursorBelongsToItsFilterAndItsAsker) {
  for (int i = 0; i < 3; ++i) create(fmt::format("thread-{}", i), i);
  add_transcript("01", 9);
  Filter filter;
  filter.query.limit = 2;
  filter.query.principal = "local";
  const std::string cursor = page(filter).next_cursor;
  const auto word = [&](const Filter& asked) {
    const auto listed = list(owner(), asked);
    return listed ? std::string("a page") : listed.error().code;
  };
  filter.query.cursor = cursor;
  EXPECT_EQ(word(filter), "a page");
  Filter other = filter;
  other.query.kinds = {"thread", "transcript"};
  EXPECT_EQ(word(other), "INVALID_CURSOR");
  other = filter;
  other.root_name = "app";
  EXPECT_EQ(word(other), "INVALID_CURSOR");
  other = filter;
  other.query.principal = "ann";
  EXPECT_EQ(word(other), "INVALID_CURSOR");
  for (const std::string& text : {std::string("x"), cursor + "x", cursor.substr(1), std::string("12.3")}) {
    other = filter;
    other.query.cursor = text;
    EXPECT_EQ(word(other), "INVALID_CURSOR") << text;
  }
  other = filter;
  other.query.offset = 1;
  EXPECT_EQ(list(owner(), other).error().kind, ErrorKind::invalid) << "a cursor or an offset";
}

TEST_F(CatalogueListTest, FiltersMeanTheSameOfEveryPlace) {
  create("thread-a1", 30, "thread", "file:///home/me/app");
  create("run-a1", 20, "run", "file:///home/me/other", "local", true);
  add_transcript("01", 2, said("Fix the CORS header"));
  Filter filter;
  filter.query.kinds = {"transcript"};
  EXPECT_THAT(names(filter), ElementsAre("01"));
  filter.query.kinds = {"run", "transcript"};
  EXPECT_THAT(names(filter), ElementsAre("run-a1", "01"));
  filter = {};
  filter.query.roots = {"file:///home/me/app"};
  EXPECT_THAT(names(filter), ElementsAre("thread-a1", "01"));
  filter = {};
  filter.root_name = "OTH";
  EXPECT_THAT(names(filter), ElementsAre("run-a1"));
  filter.root_name = "APP";
  EXPECT_THAT(names(filter), ElementsAre("thread-a1", "01"));
  EXPECT_EQ(page(filter).total, session::kNotCounted);
  filter = {};
  filter.query.pinned = true;
  EXPECT_THAT(names(filter), ElementsAre("run-a1"));
  filter = {};
  filter.query.text = "cors";
  EXPECT_THAT(names(filter), ElementsAre("01"));
  EXPECT_EQ(page(filter).total, 1);
  filter.query.text = "ABOUT";
  EXPECT_THAT(names(filter), ElementsAre("thread-a1", "run-a1"));
  filter = {};
  filter.query.tags = {"x"};
  EXPECT_THAT(names(filter), ElementsAre());
  for (const char* status : {"idle", "kept", "running", "active"}) {
    filter = {};
    filter.query.statuses = {status};
    const std::string word = status;
    EXPECT_EQ(page(filter).total, word == "idle" ? 1 : word == "active" ? 2 : 0) << word;
  }
  filter = {};
  filter.query.visibilities = {session::Visibility::archived};
  EXPECT_THAT(names(filter), ElementsAre());
  filter = {};
  filter.query.updated_before = kStart + 2'000;
  EXPECT_THAT(names(filter), ElementsAre());
  filter.query.updated_before = kStart + 2'001;
  EXPECT_THAT(names(filter), ElementsAre("01"));
  filter.query.updated_since = kStart + 2'001;
  EXPECT_THAT(names(filter), ElementsAre());
}

TEST_F(CatalogueListTest, ForOthersThereAreNoTranscripts) {
  create("thread-a1", 1, "thread", {}, "ann");
  create("thread-b1", 2, "thread", {}, "bob");
  add_transcript("01", 3);
  asker_ = owner();
  asker_->principal = "ann";
  asker_->keeper = nullptr;
  Filter filter;
  filter.query.principal = "ann";
  EXPECT_THAT(names(filter), ElementsAre("thread-a1"));
  filter.query.kinds = {"transcript"};
  EXPECT_THAT(names(filter), ElementsAre());
}

TEST_F(CatalogueListTest, OfOneTranscriptInSeveralPlacesTheBestIsListed) {
  for (const char* name : {"01", "02", "03"}) add_transcript(name, name[1] - '0');
  ASSERT_TRUE(guard_.keep_all());
  clock_->set(kStart + 50'000);
  EXPECT_THAT(names(Filter()), ElementsAre("03", "02", "01"));
  std::filesystem::remove(files_ / ("projects/-home-me-app/" + TestHome::id("02") + ".jsonl"));
  transcripts::EraseOptions options;
  options.force = true;
  ASSERT_TRUE(keeper_.erase(homes_.find(TestHome::id("03")).value(), options));
  Page all = page({});
  EXPECT_EQ(all.total, 3);
  std::map<std::string, Place> places;
  for (const Listed& each : all.items) places[each.record.id.substr(6, 2)] = each.found.place();
  EXPECT_EQ(places, (std::map<std::string, Place>{{"01", Place::disk}, {"02", Place::guard}, {"03", Place::backup}}));
  Filter filter;
  filter.query.statuses = {"kept"};
  filter.query.roots = {"file:///home/me/app"};
  EXPECT_THAT(names(filter), UnorderedElementsAreArray({"02", "03"}));
  filter.query.roots = {"file:///home/me/elsewhere"};
  EXPECT_THAT(names(filter), ElementsAre());
}

TEST_F(CatalogueListTest, APlaceThatCannotBeReadHidesNothingOfTheOthers) {
  add_transcript("01", 1);
  transcripts::KeeperOptions options;
  options.data_folder = files_.outside() + "/data";
  options.clock = clock_;
  options.guard = []() -> Result<session::Blobs*> { return fail(ErrorKind::corrupt, "the guard is broken"); };
  const transcripts::Keeper keeper(homes_, options);
  asker_ = owner();
  asker_->keeper = &keeper;
  const Page all = page({});
  EXPECT_THAT(names(all), ElementsAre("01"));
  ASSERT_EQ(all.unread.size(), 1U);
  EXPECT_THAT(all.unread.front(), testing::Field(&Error::message, HasSubstr("the guard is broken")));
}

TEST_F(CatalogueListTest, Search_10_OfDuplicatesTheNewest) {
  add_transcript("01", 1, said("old"), "-a");
  add_transcript("02", 3, said("new"), "-b");
  add_transcript("01", 0, said("older copy"), "-b");
  const Page all = page({});
  EXPECT_EQ(all.total, 2);
  ASSERT_THAT(names(all), ElementsAre("02", "01"));
  EXPECT_EQ(all.items[1].record.title, "old");
}

TEST_F(CatalogueListTest, Search_10_WorktreesOfTheRepositoryAreIncluded) {
  const std::string outside = std::filesystem::canonical(files_.outside()).string();
  files_.write("../main/.git/worktrees/tree/gitdir", outside + "/tree/.git");
  for (const auto& [name, folder] : {std::pair{"01", "main"}, std::pair{"02", "tree"}, std::pair{"03", "other"}})
    add_transcript(name, name[1] - '0', said("hello", outside + "/" + folder),
                   transcripts::project_folder_name(outside + "/" + folder));
  const std::string of_codex = "0a0000c1-0000-4000-8000-0000000000c1";
  add_rollout(of_codex, 9, outside + "/tree");
  add_rollout("0a0000c2-0000-4000-8000-0000000000c2", 8, outside + "/other");
  Filter filter;
  filter.query.roots = {"file://" + outside + "/main"};
  EXPECT_THAT(names(filter), ElementsAre("c1", "02", "01")) << "of both products";
  EXPECT_EQ(page(filter).total, 3);
  filter.query.count = false;
  filter.query.limit = 1;
  EXPECT_THAT(walk(filter), ElementsAre("c1", "02", "01"));
}

TEST_F(CatalogueListTest, ASidechainIsNoSession) {
  add_transcript("01", 2,
                 R"({"isSidechain":true,"customTitle":"side"})"
                 "\n");
  add_transcript("02", 1, said("main"));
  Filter filter;
  filter.query.limit = 1;
  EXPECT_THAT(names(filter), ElementsAre("02")) << "it does not use up the limit";
  EXPECT_EQ(page(filter).next_cursor, "");
}

TEST_F(CatalogueListTest, OtherOrders) {
  create("thread-a1", 1);  // has a clock, so something is due
  create("run-a1", 2, "run");
  add_transcript("01", 3);  // its records are of 2026-01-01
  Filter filter;
  filter.query.sort = session::Sort::created;
  filter.query.limit = 1;
  EXPECT_THAT(walk(filter), ElementsAre("run-a1", "thread-a1", "01"));
  filter.query.sort = session::Sort::due;
  EXPECT_EQ(walk(filter).front(), "thread-a1");
  EXPECT_EQ(walk(filter).size(), 3U);
}

TEST_F(CatalogueListTest, WhatHardlyAnythingFitsIsLookedForPageByPage) {
  for (int i = 10; i < 40; ++i) add_transcript(std::to_string(i), i);
  add_transcript("01", 1, said("the one"));
  Filter filter;
  filter.query.text = "the one";
  filter.query.count = false;
  filter.look_at_most = 10;
  const Page first = page(filter);
  EXPECT_THAT(names(first), ElementsAre());
  EXPECT_NE(first.next_cursor, "");
  EXPECT_THAT(walk(filter), ElementsAre("01"));
}

TEST_F(CatalogueListTest, AFileThatCannotBeReadIsStillASession) {
  add_transcript("01", 1);
  add_transcript("02", 2);
  const std::string path = files_ / ("projects/-home-me-app/" + TestHome::id("02") + ".jsonl");
  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove(path);
  // What the guard has of it is lost.
  for (const auto& each : std::filesystem::recursive_directory_iterator(files_.outside() + "/guard"))
    if (each.path().extension() == ".pack") std::filesystem::resize_file(each.path(), each.file_size() / 2);
  const Page all = page({});
  ASSERT_THAT(names(all), ElementsAre("02", "01"));
  EXPECT_TRUE(all.items[0].record.damage.has_value());
  EXPECT_EQ(all.items[0].record.status, "kept");
}

}  // namespace
}  // namespace holdfast::catalogue
