#include "base/files/test_folder.h"
#include "session/life/retention.h"
#include "store/open.h"
#include "web/gateway/subject.h"
#include "web/pages/pages.h"
#include "web/pages/shown.h"
#include "web/pages/timeline_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace holdfast::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct TimelineTest : testing::Test {
  TimelineTest() {
    transcripts::KeeperOptions options;
    options.data_folder = folder / "data";
    options.clock = std::make_shared<SystemClock>();
    keeper =
        std::make_unique<transcripts::Keeper>(transcripts::Homes::open(folder / "claude", folder / "codex").value(), options);
  }
  void add(const std::string& id, const std::string& kind, std::string root = {}, bool pinned = false,
           std::string principal = "local") {
    ASSERT_TRUE(store->write([&](session::Transaction& transaction) {
      session::SessionRecord record;
      record.id = id;
      record.kind = kind;
      record.title = "about " + id;
      record.status = "active";
      record.root_uri = root;
      record.root_name = root.substr(root.rfind('/') + 1);
      record.pinned = pinned;
      record.principal = principal;
      return transaction.create(record);
    }));
  }
  void add_transcript(const std::string& id, Millis time) {
    const std::filesystem::path path = folder / ("claude/projects/-home-me-app/" + id + ".jsonl");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << fmt::format(
        R"({{"type":"user","cwd":"/home/me/app","sessionId":"{}","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"Fix the CORS header"}}}})"
        "\n",
        id);
    std::filesystem::last_write_time(
        path,
        std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(time))));
  }
  Result<net::HttpResponse> ask(const std::string& query, const std::string& principal = "local") {
    PageRequest request;
    request.path = "/";
    request.principal = principal;
    request.query = Fields::parse(query);
    request.now = 10 * session::kDay;
    return timeline_page(asker_of(*store, transcripts_of(keeper.get()), principal), request);
  }
  // The sessions of the page, in its order; `next` is where the older ones are.
  std::vector<std::string> ids(const std::string& query, const std::string& principal = "local") {
    const std::string html = ask(query, principal).value().body;
    std::vector<std::string> ids;
    for (std::size_t at = 0; (at = html.find("id=\"s-", at)) != std::string::npos;) {
      at += 6;
      ids.push_back(html.substr(at, html.find('"', at) - at));
    }
    next.clear();
    if (const std::size_t link = html.find("rel=\"next\" href=\"/?"); link != std::string::npos) {
      const std::size_t begin = link + 19;
      next = html.substr(begin, html.find('"', begin) - begin);
      for (std::size_t at; (at = next.find("&amp;")) != std::string::npos;) next.replace(at, 5, "&");
    }
    return ids;
  }

  TestFolder folder;
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + (folder / "store.db")).value();
  std::unique_ptr<transcripts::Keeper> keeper;
  std::string next;
};

constexpr const char* kOld = "11111111-1111-4111-8111-111111111111";
constexpr const char* kOlder = "22222222-2222-4222-8222-222222222222";

TEST_F(TimelineTest, MergesTheStoreAndTranscripts) {
  add_transcript(kOlder, 1'000'000);
  add_transcript(kOld, 2'000'000);
  add("thread-1", "thread");
  EXPECT_THAT(ids(""), ElementsAre("thread-1", kOld, kOlder));
  EXPECT_EQ(next, "");
  const std::string html = ask("").value().body;
  for (const char* text : {"Fix the CORS header", ">app</a>", ">idle</span>", ">claude</span>"})
    EXPECT_THAT(html, HasSubstr(text));
  EXPECT_THAT(ids("", "ann"), ElementsAre()) << "transcripts belong to the user who runs the program";
}

TEST_F(TimelineTest, FiltersBothSides) {
  add_transcript(kOld, 2'000'000);
  add("thread-1", "thread", "file:///home/me/app");
  add("run-1", "run", "file:///home/me/other", true);
  EXPECT_THAT(ids("kind=transcript"), ElementsAre(kOld));
  EXPECT_THAT(ids("project=/home/me/app"), ElementsAre("thread-1", kOld));
  EXPECT_THAT(ids("project=OTH"), ElementsAre("run-1"));
  EXPECT_THAT(ids("pinned=1"), ElementsAre("run-1"));
  EXPECT_THAT(ids("text=cors"), ElementsAre(kOld));
  EXPECT_THAT(ids("status=idle"), ElementsAre(kOld));
  EXPECT_THAT(ids("until=1970-01-01T00:33:20Z"), ElementsAre());
  EXPECT_THAT(ids("until=1970-01-01T00:33:20.001Z"), ElementsAre(kOld));
}

TEST_F(TimelineTest, PagesNeitherRepeatNorSkipAlthoughTimesAreTheSame) {
  std::vector<std::string> expected;
  for (int i = 0; i < 120; ++i) {
    const std::string id = fmt::format("{:08}-1111-4111-8111-111111111111", i);
    add_transcript(id, 5'000'000 + i / 70);
    expected.push_back(id);
  }
  std::vector<std::string> seen = ids("");
  EXPECT_EQ(seen.size(), kTimelineRows);
  while (!next.empty()) {
    auto more = ids(std::string(next));
    seen.insert(seen.end(), more.begin(), more.end());
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAreArray(expected));
}

TEST_F(TimelineTest, ACursorThatIsNone) {
  for (const char* cursor : {"x", "12", "12.", ".3", "-5.1", "99999999999999999999.1"}) {
    auto page = ask(std::string("cursor=") + cursor);
    ASSERT_FALSE(page) << cursor;
    EXPECT_EQ(page.error().kind, ErrorKind::invalid);
  }
}

TEST_F(TimelineTest, ThePageEscapesWhatOthersWrote) {
  add("<b>\"'", "thread", "file:///home/me/<i>");
  const std::string html = ask("text=%3Cb%3E&cursor=").value().body;
  EXPECT_THAT(html, HasSubstr("about &lt;b&gt;&quot;&#39;"));
  EXPECT_THAT(html, HasSubstr("href=\"/sessions/%3Cb%3E%22%27\""));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, Not(HasSubstr("style=")));
}

TEST(Shown, APeriodIsOfAgesDaysAndTimes) {
  const auto period = [](std::string_view since, std::string_view until) {
    return period_of(Fields().with("since", since).with("until", until), 10 * session::kDay);
  };
  EXPECT_EQ(period("1970-01-02", "1970-01-03").since, session::kDay);
  EXPECT_EQ(period("1970-01-02", "1970-01-03").until, 3 * session::kDay) << "the day that is named is in";
  EXPECT_EQ(period("3d", "1d").since, 7 * session::kDay);
  EXPECT_EQ(period("3d", "1d").until, 9 * session::kDay);
  EXPECT_EQ(period("1970-01-02T01:00:00Z", "").since, session::kDay + 3'600'000);
  EXPECT_EQ(period("1970-13-02", "yesterday!").since, std::nullopt);
  EXPECT_EQ(period("1970-13-02", "yesterday!").until, std::nullopt);
}

TEST(Shown, SizesAndDaysAreReadable) {
  EXPECT_EQ(readable_size(999), "999 bytes");
  EXPECT_EQ(readable_size(1000), "1.0 kB");
  EXPECT_EQ(readable_size(999'950), "1.0 MB");
  EXPECT_EQ(readable_size(1'440'000), "1.4 MB");
  EXPECT_EQ(readable_day(0), "1 January 1970");
  EXPECT_EQ(session_path("a/b", 7), "/sessions/a%2Fb?line=7#L7");
}

}  // namespace
}  // namespace holdfast::web
