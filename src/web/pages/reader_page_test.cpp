#include "web/pages/reader_page.h"

#include "base/crypto/hash.h"
#include "base/files/test_folder.h"
#include "catalogue/list.h"
#include "kinds/transcripts/guard/guard.h"
#include "kinds/transcripts/testing/test_home.h"
#include "session/kinds.h"
#include "store/blobs/open.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;
using transcripts::TestHome;

class ReaderPageTest : public testing::Test {
 protected:
  ReaderPageTest() {
    transcripts::KeeperOptions options;
    options.clock = std::make_shared<ManualClock>(1'700'000'000'000);
    options.data_folder = folder.path();
    options.store = [this](bool) -> Result<session::Store*> { return store.get(); };
    options.guard = [this]() -> Result<session::Blobs*> { return guard.get(); };
    keeper = std::make_unique<transcripts::Keeper>(transcripts::Homes::open(home.folder(), folder / "codex").value(), options);
  }

  PageRequest asking(const std::string& id, std::string_view query = {}) {
    PageRequest request;
    request.path = "/sessions/" + id;
    request.parts = {id};
    request.query = Fields::parse(query);
    request.principal = "local";
    return request;
  }
  Reader reader() { return {*store, transcripts_of(keeper.get()), {}, cache}; }
  std::string page(const std::string& id, std::string_view query = {}) {
    auto answer = reader_page(reader(), asking(id, query));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    return answer ? answer->body : "";
  }
  void write_long() {
    std::string text, parent = "null";
    for (int i = 1; i <= 130; ++i) {
      text +=
          fmt::format(
              R"({{"type":"{}","uuid":"u{}","parentUuid":{},"message":{{"id":"m{}","content":"<script>words {}</script>"}}}})",
              i % 2 == 1 ? "user" : "assistant", i, parent, i, i) +
          "\n";
      parent = fmt::format("\"u{}\"", i);
    }
    home.write("projects/-p/" + kLong + ".jsonl", text);
  }

  // Lines 3 and 4 were taken back.
  void write_branches() {
    std::string text;
    for (const auto& [id, parent, words] :
         {std::tuple{1, 0, "start"}, {2, 1, "first"}, {3, 2, "old way"}, {4, 3, "old end"}, {5, 2, "new way"}, {6, 5, "new end"}})
      text +=
          fmt::format(R"({{"type":"{}","uuid":"u{}","parentUuid":{},"message":{{"id":"m{}","content":"{}"}}}})",
                      id % 2 == 1 ? "user" : "assistant", id, parent == 0 ? "null" : fmt::format("\"u{}\"", parent), id, words) +
          "\n";
    home.write("projects/-p/" + kLong + ".jsonl", text);
  }

  const std::string kLong = "0badcafe-1111-4222-8333-444455556666";
  TestFolder folder;
  TestHome home = TestHome::of_client();
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + folder / "s.db").value();
  std::unique_ptr<session::Blobs> guard = store::open_blobs(folder / "guard").value();
  std::unique_ptr<transcripts::Keeper> keeper;
  std::shared_ptr<transcripts::ReadingCache> cache = std::make_shared<transcripts::ReadingCache>();
};

TEST_F(ReaderPageTest, WhatOnlyTheGuardHasIsReadAndListedAsKept) {
  ASSERT_TRUE(transcripts::Guard(keeper->homes(), *guard).keep_all());
  const std::string there = page("000000a2");
  const std::string agents = page("000000a4");
  const Transcripts transcripts = transcripts_of(keeper.get());
  const auto listed = [&](const std::string& principal, std::vector<std::string> statuses) {
    catalogue::Filter filter;
    filter.query.principal = principal;
    filter.query.statuses = std::move(statuses);
    return catalogue::list(asker_of(*store, transcripts, principal), filter).value().items;
  };
  const auto before = listed("local", {});
  for (const auto& each : before) EXPECT_NE(each.record.status, "kept");
  std::filesystem::remove_all(home / "projects");
  const std::string html = page("000000a2");
  EXPECT_THAT(html, HasSubstr("holdfast restore --in-place " + TestHome::id("a2")));
  EXPECT_THAT(html, HasSubstr(">kept</span>"));
  EXPECT_THAT(html, Not(HasSubstr("claude --resume")));
  const auto turns = [](const std::string& text) { return text.substr(text.find("<article")); };
  EXPECT_EQ(turns(html), turns(there));
  EXPECT_EQ(turns(page("000000a4")), turns(agents));
  EXPECT_EQ(reader_page(reader(),
                        [&] {
                          PageRequest request = asking("000000a2");
                          request.principal = "ann";
                          return request;
                        }())
                .error()
                .kind,
            ErrorKind::not_found);

  const auto after = listed("local", {});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].record.id, before[i].record.id);
    EXPECT_EQ(after[i].record.title, before[i].record.title);
    EXPECT_EQ(after[i].record.root_uri, before[i].record.root_uri);
    EXPECT_EQ(after[i].line.session.size(), before[i].line.session.size());
    EXPECT_EQ(after[i].record.status, "kept");
  }
  EXPECT_EQ(listed("local", {"kept"}).size(), before.size());
  EXPECT_THAT(listed("local", {"idle"}), testing::IsEmpty());
  EXPECT_THAT(listed("ann", {}), testing::IsEmpty());
}

TEST_F(ReaderPageTest, ATranscriptWithItsResumeCommand) {
  const std::string html = page("000000a2");
  EXPECT_THAT(html, HasSubstr("claude --resume " + TestHome::id("a2")));
  EXPECT_THAT(html, HasSubstr("<article class=\"turn user prompt\" id=\"L3\">"));
  EXPECT_THAT(html, HasSubstr("<details class=\"tool failed\" open=\"\">"));
  EXPECT_THAT(html, Not(HasSubstr("rel=\"next\"")));
}

TEST_F(ReaderPageTest, WindowsAreLinked) {
  write_long();
  std::string html = page(kLong);
  EXPECT_THAT(html, HasSubstr("id=\"L50\""));
  EXPECT_THAT(html, Not(HasSubstr("id=\"L51\"")));
  EXPECT_THAT(html, HasSubstr("href=\"/sessions/" + kLong + "?line=51\" rel=\"next\""));
  EXPECT_THAT(html, Not(HasSubstr("<script>words")));
  html = page(kLong, "line=100");
  EXPECT_THAT(html, HasSubstr("id=\"L100\""));
  EXPECT_THAT(html, HasSubstr("before=100"));
  html = page(kLong, "before=last");
  EXPECT_THAT(html, HasSubstr("id=\"L130\""));
  EXPECT_THAT(html, HasSubstr("id=\"L81\""));
  EXPECT_THAT(html, Not(HasSubstr("id=\"L80\"")));
}

TEST_F(ReaderPageTest, ALinkToALineOfAnotherBranchOpensIt) {
  write_branches();
  const std::string html = page(kLong, "line=4");
  EXPECT_THAT(html, HasSubstr("id=\"L4\""));
  EXPECT_THAT(html, HasSubstr("old end"));
  EXPECT_THAT(html, HasSubstr("This is another branch"));
  EXPECT_THAT(html, HasSubstr("?branch=4&amp;before=4"));
  EXPECT_THAT(page(kLong, "line=5"), Not(HasSubstr("This is another branch")));
  EXPECT_THAT(page(kLong), HasSubstr("?all=1"));
}

TEST_F(ReaderPageTest, WhatIsNoPlaceIsSaid) {
  write_branches();
  EXPECT_THAT(page(kLong, "branch=999999"), Not(HasSubstr("This is another branch")));
  EXPECT_THAT(page(kLong, "branch=999999"), HasSubstr("There is no line 999999: the session has 6 lines."));
  EXPECT_THAT(page(kLong, "before=abc"), HasSubstr("“abc” is not the number of a line."));
  EXPECT_THAT(page(kLong, "line=99999999999999999999999"), HasSubstr("is not the number of a line."));
  EXPECT_THAT(page(kLong, "before=last"), Not(HasSubstr("class=\"notice\"")));
}

TEST_F(ReaderPageTest, LinksOfASubagentStayWithIt) {
  const std::string html = page("000000a4", "agent=agent-a19cecce4a9a1d58e&branch=1");
  EXPECT_THAT(html, Not(HasSubstr("This is another branch")));
  EXPECT_THAT(html, Not(HasSubstr("?branch=")));
}

TEST_F(ReaderPageTest, SubagentsAndSavedOutput) {
  EXPECT_THAT(page("000000a4"), HasSubstr("?agent=agent-a19cecce4a9a1d58e"));
  EXPECT_THAT(page("000000a4", "agent=agent-a19cecce4a9a1d58e"), HasSubstr("conversation of a subagent"));
  EXPECT_EQ(reader_page(reader(), asking("000000a4", "agent=../x")).error().kind, ErrorKind::not_found);
  EXPECT_THAT(page("000000a6"), HasSubstr("/record?file=tool-results%2Fbwduhec92.txt"));
  const auto saved = record_page(reader(), asking("000000a6", "file=tool-results/bwduhec92.txt"));
  ASSERT_TRUE(saved);
  EXPECT_THAT(saved->body, HasSubstr("line-877-abcdefgh"));
  EXPECT_FALSE(record_page(reader(), asking("000000a6", "file=../../settings.json")));
}

TEST_F(ReaderPageTest, ImagesAreServedByTheListAlone) {
  const std::string bytes = "\x89PNG";
  home.write(
      "projects/-p/" + kLong + ".jsonl",
      fmt::format(
          R"({{"type":"user","uuid":"u","message":{{"content":[{{"type":"image","source":{{"media_type":"image/png","data":"{0}"}}}},{{"type":"image","source":{{"media_type":"text/html","data":"{0}"}}}}]}}}})",
          to_base64(bytes)) +
          "\n");
  EXPECT_THAT(page(kLong), HasSubstr("/image?ref=1%2F0"));
  EXPECT_THAT(page(kLong), Not(HasSubstr("/image?ref=1%2F1")));
  const auto image = image_of_session(reader(), asking(kLong, "ref=1/0"));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->body, bytes);
  EXPECT_THAT(image->headers, testing::Contains(testing::Pair("Content-Type", "image/png")));
  EXPECT_THAT(image->headers, testing::Contains(testing::Pair("X-Content-Type-Options", "nosniff")));
  EXPECT_THAT(image->headers, testing::Contains(testing::Pair("Content-Security-Policy", HasSubstr("sandbox"))));
  EXPECT_FALSE(image_of_session(reader(), asking(kLong, "ref=1/1")));
}

TEST_F(ReaderPageTest, ARecordIsDownloadedAsBytes) {
  write_long();
  const auto raw = raw_record(reader(), asking(kLong, "line=2"));
  ASSERT_TRUE(raw);
  EXPECT_THAT(raw->body, HasSubstr("<script>words 2</script>"));
  EXPECT_THAT(raw->headers, testing::Contains(testing::Pair("Content-Type", "application/octet-stream")));
  EXPECT_EQ(raw_record(reader(), asking(kLong, "line=999")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(raw_record(reader(), asking(kLong, "line=2&part=9")).error().kind, ErrorKind::not_found);
}

TEST_F(ReaderPageTest, SomebodyElseSeesNoTranscripts) {
  PageRequest request = asking("000000a2");
  request.principal = "ann";
  EXPECT_EQ(reader_page(reader(), request).error().kind, ErrorKind::not_found);
}

TEST_F(ReaderPageTest, ASessionOfTheStoreIsLive) {
  ASSERT_TRUE(store->write([](session::Transaction& transaction) -> Result<void> {
    session::SessionRecord record;
    record.id = "thread-AbCdEfGh1234";
    record.kind = session::kThread;
    record.title = "<b>Retries</b>";
    record.status = "active";
    HF_CHECK(transaction.create(record));
    session::NewEntry entry;
    entry.type = "message";
    entry.text = "hello <i>there</i>";
    HF_CHECK(transaction.append(record.id, entry));
    return {};
  }));
  const std::string html = page("thread-AbCd");
  EXPECT_THAT(html, HasSubstr("data-live=\"thread-AbCdEfGh1234\""));
  EXPECT_THAT(html, HasSubstr("&lt;i&gt;there&lt;/i&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;Retries&lt;/b&gt;"));
}

}  // namespace
}  // namespace holdfast::web
