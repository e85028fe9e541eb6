#include "kinds/transcripts/passages/everything_finder.h"

#include "base/files/test_folder.h"
#include "kinds/transcripts/testing/test_home.h"
#include "search/index/open.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class Everything : public testing::Test {
 protected:
  void say(const std::string& short_name, const std::string& role, const std::string& text) const {
    const std::string id = TestHome::id(short_name);
    home_.write(fmt::format("projects/{}/{}.jsonl", TestHome::kDemo, id),
                fmt::format(R"({{"type":"{0}","uuid":"{1}","sessionId":"{1}","timestamp":"2026-07-01T10:00:00.000Z",)"
                            R"("cwd":"/home/dev/work/demo","message":{{"role":"{0}","content":"{2}"}}}})"
                            "\n",
                            role, id, text));
  }
  void keep(const std::string& id, const std::string& role, const std::string& text) {
    ASSERT_TRUE(store_->write([&](session::Transaction& t) -> Result<void> {
      session::SessionRecord record;
      record.id = id;
      record.kind = "thread";
      record.title = "kept";
      record.status = "active";
      HF_CHECK(t.create(record));
      session::NewEntry entry;
      entry.type = "message";
      entry.text = text;
      entry.data = fmt::format(R"({{"role":"{}"}})", role);
      HF_CHECK(t.append(id, entry));
      return {};
    }));
  }
  std::vector<std::string> find(session::FindRequest request) {
    request.store = store_.get();
    request.transcripts = true;
    const auto found = finder_.find(request);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    std::vector<std::string> ids;
    if (found)
      for (const session::FoundInSession& each : found->sessions) ids.push_back(each.id);
    return ids;
  }
  std::vector<std::string> find(const std::string& text) {
    session::FindRequest request;
    request.text = text;
    return find(request);
  }

  TestHome home_;
  TestFolder data_;
  Homes homes_ = *Homes::open(home_.folder(), home_.outside() + "/.codex");
  TranscriptSources sources_{homes_, nullptr};
  std::unique_ptr<search::TextIndex> index_ = *search::open_text_index(data_ / "index");
  std::unique_ptr<session::Store> store_ = *store::open_store("sqlite:" + (data_ / "store.db"));
  ManualClock clock_{TestHome::kNow};
  EverythingFinder finder_{homes_, sources_, *index_, clock_};
};

TEST_F(Everything, WhatFitsBestStandsFirstWhereverItLies) {
  const std::string filler(3000, 'x');
  say("a1", "assistant", "zostera somewhere in " + filler);
  say("a2", "user", "zostera zostera zostera, zostera?");
  keep("near", "user", "zostera and zostera");
  keep("far", "user", "zostera behind " + filler);
  EXPECT_THAT(find("zostera"), ElementsAre(TestHome::id("a2"), "near", testing::AnyOf("far", TestHome::id("a1")), testing::_));
}

TEST_F(Everything, OneLanguageFindsTheSameInBoth) {
  say("a1", "user", "kelp_server.cpp failed with E0277, 海藻 and สวัสดีครับ");
  keep("stored", "user", "kelp_server.cpp failed with xE02771, 海藻 and สวัสดีครับ");
  const auto both = UnorderedElementsAre(TestHome::id("a1"), "stored");
  for (const char* text :
       {"kelp_serv", "p_server.c", "E0277", "fail*", "*aile*", "\"failed with\"", "failed -nothing", "藻", "วัสดี"})
    EXPECT_THAT(find(text), both) << text;
  EXPECT_THAT(find("failed -\"with E0277\""), ElementsAre("stored"));
}

TEST_F(Everything, RolesAreThoseOfTheSpeaker) {
  keep("asked", "user", "eelgrass");
  keep("answered", "assistant", "eelgrass");
  session::FindRequest request;
  request.text = "eelgrass";
  request.roles = {search::PassageRole::assistant};
  EXPECT_THAT(find(request), ElementsAre("answered"));
}

}  // namespace
}  // namespace holdfast::transcripts
