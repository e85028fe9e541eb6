// Notices, storage and research as pages, over a real store.

#include "base/files/test_folder.h"
#include "session/life/notices.h"
#include "store/open.h"
#include "web/pages/add_pages.h"
#include "web/pages/notices_page.h"
#include "web/pages/research_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Millis kCareNow = 1'800'000'000'000;
constexpr const char* kHostile = "<img src=x onerror=alert(1)>";

struct CarePagesTest : testing::Test {
  CarePagesTest() {
    store::OpenOptions options;
    options.clock = clock;
    options.due = session::due_rule(policy);
    store = store::open_store("sqlite:" + (folder / "store.db"), options).value();
    stores.emplace(*store);
    pages = make_pages({*stores});
  }
  void add(const std::string& id, const std::string& kind, const std::string& principal = "local", JsonObject data = {}) {
    ASSERT_TRUE(store->write([&](session::Transaction& transaction) {
      session::SessionRecord record;
      record.id = id;
      record.kind = kind;
      record.title = kHostile;
      record.status = kind == "research" ? "in_progress" : "active";
      record.principal = principal;
      record.data = data;
      return transaction.create(record);
    }));
  }
  Result<net::HttpResponse> ask(std::string_view method, std::string path, std::string_view form = {}) {
    PageRequest request;
    request.path = path;
    request.principal = "local";
    request.is_login = true;
    request.now = clock->now();
    request.form = Fields::parse(form);
    Pages::Match match;
    EXPECT_TRUE(pages.find(method, path, match) && match.handler) << path;
    request.parts = match.parts;
    return (*match.handler)(request);
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kCareNow);
  session::RetentionPolicy policy;
  std::unique_ptr<session::Store> store;
  std::optional<session::SharedStore> stores;
  Pages pages;
};

TEST_F(CarePagesTest, EveryPageIsThereAndEscapes) {
  for (const char* kind : {"thread", "research", "reasoning", "document", "run"}) add(std::string(kind) + "-1", kind);
  for (const char* path : {"/", "/search", "/review", "/research", "/research/research-1", "/notices", "/storage",
                           "/sessions/reasoning-1/graph", "/sessions/thread-1/family"}) {
    const auto answer = ask("GET", path);
    ASSERT_TRUE(answer) << path << ": " << answer.error().message;
    EXPECT_EQ(answer->status, 200) << path;
    EXPECT_THAT(answer->body, Not(HasSubstr("<img src=x"))) << path;
    EXPECT_THAT(answer->body, Not(HasSubstr("style="))) << path;
    EXPECT_THAT(answer->body, Not(HasSubstr("onclick="))) << path;
    EXPECT_THAT(answer->body, HasSubstr("<h1")) << path;
  }
}

TEST_F(CarePagesTest, SessionsOfOthersDoNotExist) {
  add("theirs-reasoning", "reasoning", "ann");
  add("theirs-research", "research", "ann");
  for (const char* path :
       {"/sessions/theirs-reasoning/graph", "/sessions/theirs-reasoning/family", "/research/theirs-research"}) {
    const auto answer = ask("GET", path);
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().kind, ErrorKind::not_found) << path;
  }
  EXPECT_FALSE(ask("POST", "/sessions/theirs-reasoning/do/sessions-pin"));
  EXPECT_FALSE(store->get("theirs-reasoning")->pinned);
}

TEST_F(CarePagesTest, TheCalendarShowsWhatIsDueAndPinningKeepsIt) {
  add("thread-1", "thread");
  EXPECT_THAT(ask("GET", "/notices").value().body, HasSubstr("/sessions/thread-1/do/sessions-pin"));
  const auto answer = ask("POST", "/sessions/thread-1/do/sessions-pin", "back=//evil");
  EXPECT_EQ(answer.value().status, 303);
  EXPECT_TRUE(store->get("thread-1")->pinned);
  EXPECT_THAT(ask("GET", "/notices").value().body, HasSubstr("Nothing is due"));
}

TEST_F(CarePagesTest, APageDoesWhatFitsOneAndNothingElse) {
  add("thread-1", "thread");
  const auto done = ask("POST", "/sessions/thread-1/do/note", "text=ask+Ada&back=/notices");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->status, 303);
  EXPECT_EQ(ask("POST", "/sessions/thread-1/do/sessions-update", "title=Kelp&add_tags=sea").value().status, 303);
  EXPECT_EQ(store->get("thread-1")->title, "Kelp");
  for (const char* other : {"delete", "sessions-get", "info", "nothing", "archive"}) {
    const auto refused = ask("POST", std::string("/sessions/thread-1/do/") + other);
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().kind, ErrorKind::not_found) << other;
  }
  const auto wrong = ask("POST", "/sessions/thread-1/do/sessions-pin", "expected_rev=many");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "expected_rev is not a number");
}

TEST_F(CarePagesTest, NoticesAreAcknowledged) {
  add("thread-1", "thread");
  const auto notice = store->write([&](session::Transaction& transaction) -> Result<session::Notice> {
    HF_TRY(const auto record, transaction.get("thread-1"));
    return session::announce(transaction, record, *session::next_step(record, policy), policy);
  });
  ASSERT_TRUE(notice);
  EXPECT_THAT(ask("GET", "/notices").value().body, HasSubstr("id=\"" + notice->id + "\""));
  EXPECT_FALSE(ask("POST", "/notices/acknowledge"));
  EXPECT_EQ(ask("POST", "/notices/acknowledge", "id=" + notice->id).value().status, 303);
  EXPECT_THAT(ask("GET", "/notices").value().body, HasSubstr("acknowledged"));
}

TEST_F(CarePagesTest, VerifyingReadsEverything) {
  add("thread-1", "thread");
  EXPECT_THAT(ask("POST", "/storage/verify").value().body, HasSubstr("1 session and 0 entries were read"));
}

TEST_F(CarePagesTest, ARunShowsItsProgress) {
  add("research-1", "research", "local", JsonObject{{"phase", "gathering"}, {"progress_percent", 37}});
  const std::string html = ask("GET", "/research/research-1").value().body;
  EXPECT_THAT(html, HasSubstr("<li class=\"done\">planning</li><li class=\"now\" aria-current=\"step\">gathering</li>"));
  EXPECT_THAT(html, HasSubstr("value=\"37\""));
  EXPECT_FALSE(ask("POST", "/sessions/research-1/do/deep-research-cancel")) << "nobody here can";
}

TEST(ResearchShow, CitationsLeadToTheirSources) {
  EXPECT_EQ(with_citation_links("so [1], not [3] or [x] `[2]` [2][", 2),
            "so [\\[1\\]](#source-1), not [3] or [x] `[2]` [\\[2\\]](#source-2)[");
  research::RunState state;
  state.sources.resize(2);
  research::StoredReport report;
  report.text = "# Retries\n\nThree times [1], <script>never</script> [more](javascript:alert(1)).";
  state.reports = {report};
  Html page;
  show_report(page, state);
  const std::string html = std::move(page).finish();
  EXPECT_THAT(html, HasSubstr("<a href=\"#source-1\""));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"javascript")));
}

TEST(ResearchShow, OnlyAddressesOfTheWebAreLinks) {
  research::RunState state;
  for (const char* uri : {"javascript:alert(1)", "https://example.org/a", "file:///etc/passwd"}) {
    research::Source source;
    source.citation = static_cast<std::int64_t>(state.sources.size()) + 1;
    source.uri = uri;
    state.sources.push_back(source);
  }
  Html page;
  show_sources(page, state);
  const std::string html = std::move(page).finish();
  EXPECT_THAT(html, HasSubstr("href=\"https://example.org/a\""));
  EXPECT_THAT(html, Not(HasSubstr("href=\"javascript")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"file")));
}

}  // namespace
}  // namespace holdfast::web
