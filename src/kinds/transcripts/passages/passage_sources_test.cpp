#include "kinds/transcripts/passages/passage_sources.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using search::Passage;
using search::Source;
using testing::Contains;
using testing::HasSubstr;

class Sources : public testing::Test {
 protected:
  const Source& source(const std::string& ending) {
    sources_ = **transcripts_.list();
    for (const Source& source : sources_)
      if (source.key.ends_with(ending)) return source;
    static const Source kNone;
    ADD_FAILURE() << "no " << ending;
    return kNone;
  }
  std::vector<std::string> texts(const Source& source, search::PassageSources::Position from = {},
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
  search::PassageSources::Position end_;
};

TEST_F(Sources, SubagentsAndSavedResultsBelongToTheirSession) {
  const std::string main = "projects/-home-dev-work-demo/" + TestHome::id("a4");
  EXPECT_EQ(source(main + ".jsonl").session, TestHome::id("a4"));
  EXPECT_EQ(source("/subagents/agent-a19cecce4a9a1d58e.jsonl").session, TestHome::id("a4"));
  folder_.write(main + "/tool-results/b1234.txt", "first\nsecond kelp");
  const Source& result = source("/tool-results/b1234.txt");
  EXPECT_EQ(result.session, TestHome::id("a4"));
  EXPECT_THAT(texts(result), testing::ElementsAre("1: first\nsecond kelp"));
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

TEST_F(Sources, ASavedResultIsOneMessageInPartsOfWholeLines) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a4") + "/tool-results/b9.txt";
  std::string text;
  for (int i = 1; text.size() < 3 * kSavedPart; ++i) text += "line " + std::to_string(i) + " of the result\n";
  text += std::string(2 * kSavedPart, 'x') + "\nlast, without its end";
  folder_.write(path, text);
  const Source saved = source(path);
  std::string joined;
  std::vector<std::uint64_t> begins, lines;
  const auto read = transcripts_.read(saved, {}, saved.size, [&](const Passage& passage) {
    EXPECT_EQ(passage.line_begin, joined.size());
    EXPECT_EQ(passage.line, 1 + static_cast<std::uint64_t>(std::ranges::count(joined, '\n')));
    EXPECT_TRUE(passage.counts_lines);
    EXPECT_EQ(passage.time, saved.changed_at);
    begins.push_back(passage.line_begin);
    lines.push_back(passage.line);
    joined += passage.text;
    return true;
  });
  ASSERT_TRUE(read);
  EXPECT_EQ(read->offset, saved.size);
  EXPECT_EQ(joined, text);
  ASSERT_GT(begins.size(), 4U);
  // Any part alone is the same.
  for (std::size_t i = 0; i < begins.size(); ++i) {
    std::size_t seen = 0;
    EXPECT_TRUE(transcripts_.read(saved, {begins[i], lines[i]}, begins[i] + 1, [&](const Passage& passage) {
      ++seen;
      EXPECT_EQ(passage.line_begin, begins[i]);
      return true;
    }));
    EXPECT_EQ(seen, 1U);
  }
  const std::string before = saved.incarnation;
  folder_.append(path, " that came later");
  EXPECT_NE(source(path).incarnation, before) << "it is another message";
}

TEST_F(Sources, AnIndentedSavedResultIsItsStrings) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a4") + "/tool-results/toolu_1.json";
  folder_.write(path, "[\n  {\n    \"type\": \"text\",\n    \"text\": \"say \\\"kelp\\\"\"\n  }\n]\n");
  EXPECT_THAT(texts(source(path)), testing::ElementsAre("1: say \"kelp\""));
  folder_.write(path, "[ {\"text\": \"torn");
  EXPECT_THAT(texts(source(path)), testing::ElementsAre("1: [ {\"text\": \"torn"));
}

TEST_F(Sources, AProofIsThatOfTheBeginningAndOfWhatWasReadLast) {
  const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("a1") + ".jsonl";
  const Source before = source(path);
  const auto proof = transcripts_.proof(before, before.size);
  ASSERT_TRUE(proof);
  EXPECT_NE(*proof, 0U);
  folder_.append(path, "{\"type\":\"user\"}\n");
  const Source grown = source(path);
  EXPECT_NE(grown.stamp, before.stamp);
  EXPECT_EQ(grown.incarnation, before.incarnation);
  EXPECT_EQ(transcripts_.proof(grown, before.size).value(), *proof) << "it only grew";
  std::fstream(folder_ / path, std::ios::in | std::ios::out | std::ios::binary).write("X", 1);
  EXPECT_NE(transcripts_.proof(source(path), before.size).value(), *proof);
}

TEST_F(Sources, NamesThatComeAndGoAreSeenAtOnce) {
  const auto count = [&] { return (*transcripts_.list())->size(); };
  const std::size_t before = count();
  for (int i = 0; i < 20; ++i) {
    const std::string path = "projects/-home-dev-work-demo/" + TestHome::id("d" + std::to_string(i % 10)) + ".jsonl";
    folder_.write(path, "{}\n");
    EXPECT_EQ(count(), before + 1);
    std::filesystem::remove(folder_ / path);
    EXPECT_EQ(count(), before);
  }
  folder_.write("projects/-new/" + TestHome::id("e1") + "/subagents/agent-ab12.jsonl", "{}\n");
  EXPECT_EQ(count(), before + 1);
  std::filesystem::remove_all(folder_ / "projects/-new");
  EXPECT_EQ(count(), before);
}

TEST_F(Sources, BlocksAreReadWithAndWithoutAGlance) {
  const Source first = source(TestHome::id("a1") + ".jsonl");
  const auto whole = texts(first);
  ASSERT_FALSE(whole.empty());
  std::vector<std::string> glanced;
  const auto read = transcripts_.read_wanted(first, {}, first.size, {{"no such text anywhere"}}, [&](const Passage& passage) {
    glanced.emplace_back(passage.text);
    return true;
  });
  ASSERT_TRUE(read);
  EXPECT_EQ(read->offset, first.size) << "what is passed over is read all the same";
  EXPECT_LT(glanced.size(), whole.size());
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
