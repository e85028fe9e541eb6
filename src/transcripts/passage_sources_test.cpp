#include "transcripts/passage_sources.h"

#include "transcripts/test_home.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using session::Passage;
using session::Source;
using testing::Contains;
using testing::HasSubstr;

class Sources : public testing::Test {
 protected:
  const Source& source(const std::string& ending) {
    sources_ = *transcripts_.list();
    for (const Source& source : sources_)
      if (source.key.ends_with(ending)) return source;
    static const Source kNone;
    ADD_FAILURE() << "no " << ending;
    return kNone;
  }
  std::vector<std::string> texts(const Source& source, session::PassageSources::Position from = {},
                                 std::uint64_t to = UINT64_MAX) {
    std::vector<std::string> texts;
    const auto read = transcripts_.read(source, from, to, [&](const Passage& passage) {
      texts.push_back(std::to_string(passage.line) + ": " + std::string(passage.text));
      return true;
    });
    EXPECT_TRUE(read);
    if (read) end_ = *read;
    return texts;
  }

  TestHome folder_ = TestHome::of_client();
  Homes homes_ = *Homes::open(folder_.folder(), folder_.outside() + "/.codex");
  TranscriptSources transcripts_{homes_, nullptr};
  std::vector<Source> sources_;
  session::PassageSources::Position end_;
};

TEST_F(Sources, SubagentsAndSavedResultsBelongToTheirSession) {
  const std::string main = "projects/-home-dev-work-demo/" + TestHome::id("a4");
  EXPECT_EQ(source(main + ".jsonl").session, TestHome::id("a4"));
  EXPECT_EQ(source("/subagents/agent-a19cecce4a9a1d58e.jsonl").session, TestHome::id("a4"));
  folder_.write(main + "/tool-results/b1234.txt", "first\nsecond kelp");
  const Source& result = source("/tool-results/b1234.txt");
  EXPECT_EQ(result.session, TestHome::id("a4"));
  EXPECT_THAT(texts(result), testing::ElementsAre("1: first", "2: second kelp"));
}

TEST_F(Sources, AnyPartGivesThePassagesOfItsLinesAndTheWholeIsTheirSum) {
  const Source first = source(TestHome::id("a1") + ".jsonl");
  const auto whole = texts(first);
  ASSERT_GT(whole.size(), 3U);
  EXPECT_EQ(end_.offset, first.size);
  std::vector<std::string> parts;
  end_ = {};
  for (std::uint64_t to = 500; end_.offset < first.size; to += 500)
    for (std::string& text : texts(first, end_, to)) parts.push_back(std::move(text));
  EXPECT_EQ(parts, whole);
}

TEST_F(Sources, ATornLineIsReadWhenItIsWhole) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("c1") + ".jsonl";
  folder_.write(path, "{\"type\":\"user\",\"message\":{\"content\":\"one\"}}\nnot json\n{\"type\":\"user\",\"message\":{\"cont");
  EXPECT_THAT(texts(source(path)), testing::ElementsAre("1: one"));
  const auto at = end_;
  EXPECT_EQ(at.line, 3U);
  folder_.append(path, "ent\":\"three\"}}\n");
  EXPECT_THAT(texts(source(path), at), testing::ElementsAre("3: three"));
}

TEST_F(Sources, AFileThatWasReplacedIsAnotherOne) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl";
  const std::string before = source(path).incarnation;
  folder_.append(path, "\n");
  EXPECT_EQ(source(path).incarnation, before);
  std::filesystem::copy_file(folder_ / path, folder_ / "other");
  std::filesystem::rename(folder_ / "other", folder_ / path);
  EXPECT_NE(source(path).incarnation, before);
}

TEST_F(Sources, RolloutsOfCodexAreThere) {
  const std::string rollout = folder_.outside() + "/.codex/sessions/2026/07/01";
  std::filesystem::create_directories(rollout);
  std::ofstream(rollout + "/rollout-2026-07-01T10-00-00-019a0000-0000-7000-8000-000000000001.jsonl")
      << R"({"timestamp":"2026-07-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"kelp"}})" << "\n";
  const Source& found = source("000000000001.jsonl");
  EXPECT_EQ(found.session, "019a0000-0000-7000-8000-000000000001");
  EXPECT_THAT(texts(found), testing::ElementsAre("1: kelp"));
}

TEST(SourceName, OnlyWhatIsPartOfAConversation) {
  EXPECT_FALSE(source_name("claude:settings.json"));
  EXPECT_FALSE(source_name("claude:projects/-w/memory/MEMORY.md"));
  EXPECT_FALSE(source_name("claude:tasks/" + TestHome::id("a1") + "/1.json"));
  EXPECT_FALSE(source_name("store:x"));
  EXPECT_EQ(source_name("claude:projects/-w/" + TestHome::id("a1") + ".jsonl")->session, TestHome::id("a1"));
}

}  // namespace
}  // namespace holdfast::transcripts
