#include "kinds/transcripts/passages/line_passages.h"

#include "jsonl/test_odd_json.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using search::Passage;
using search::PassageRole;
using testing::ElementsAre;
using testing::IsEmpty;

struct Seen {
  PassageRole role;
  std::string text;
  std::vector<std::string> attributes;
  Millis time;
};

std::vector<Seen> seen_in(LinePassages& passages, std::string_view line) {
  std::vector<Seen> seen;
  passages.line(line, {0, line.size(), 1}, [&](const Passage& passage) {
    seen.push_back(
        {passage.role, std::string(passage.text), {passage.attributes.begin(), passage.attributes.end()}, passage.time});
    return true;
  });
  return seen;
}

std::vector<Seen> claude(std::string_view line) {
  return seen_in(*claude_passages(), line);
}
std::vector<Seen> codex(std::string_view line) {
  return seen_in(*codex_passages(), line);
}

TEST(ClaudePassages, APromptIsWhatAPersonTyped) {
  const auto seen = claude(
      R"({"type":"user","timestamp":"2026-07-01T10:00:00.250Z","gitBranch":"main","message":{"role":"user","content":"fix \u0043ORS \"now\""}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].role, PassageRole::user);
  EXPECT_EQ(seen[0].text, "fix CORS \"now\"");
  EXPECT_EQ(seen[0].time, 1782900000250);
  EXPECT_THAT(seen[0].attributes, ElementsAre("branch:main"));
}

TEST(ClaudePassages, WhatTheClientPutIntoThePromptIsNotThePersons) {
  EXPECT_EQ(claude(R"({"type":"user","isMeta":true,"message":{"content":"Caveat: ..."}})")[0].role, PassageRole::system);
  EXPECT_EQ(claude(R"({"type":"user","isCompactSummary":true,"message":{"content":"so far"}})")[0].role, PassageRole::system);
}

TEST(ClaudePassages, HoweverNamesAreSpelled) {
  const auto seen =
      claude(R"({"\u0074ype":"us\u0065r","mess\u0061ge":{"content":[{"type":"t\u0065xt","text":"kelp \u0022x"}]}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].role, PassageRole::user);
  EXPECT_EQ(seen[0].text, "kelp \"x");
}

TEST(ClaudePassages, EachBlockOfAnAnswerIsAPassage) {
  const auto seen = claude(R"({"type":"assistant","cwd":"/home/dev/w","message":{"model":"claude-x","content":[
      {"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"I will"},
      {"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file_path":"src/../a.cpp","old_string":"x","edits":[{"new_string":"y"}]}}]}})");
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].role, PassageRole::thinking);
  EXPECT_EQ(seen[0].text, "hm");
  EXPECT_EQ(seen[1].role, PassageRole::assistant);
  EXPECT_EQ(seen[2].role, PassageRole::tool_call);
  EXPECT_EQ(seen[2].text, "Edit\nsrc/../a.cpp\nx\ny");
  EXPECT_THAT(seen[2].attributes, ElementsAre("model:claude-x", "tool:Edit", "file:/home/dev/w/a.cpp"));
}

TEST(ClaudePassages, AResultIsTakenOnceAndNamesTheFileItIsAbout) {
  const auto seen =
      claude(R"({"type":"user","cwd":"/w","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,
      "content":[{"type":"text","text":"E0277: no"},{"type":"image","source":{"type":"base64","data":"aGVsbG8="}}]}]},
      "toolUseResult":{"filePath":"/w/b.py","stdout":"E0277: no"}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].role, PassageRole::tool_result);
  EXPECT_EQ(seen[0].text, "E0277: no");
  EXPECT_THAT(seen[0].attributes, ElementsAre("error", "file:/w/b.py"));
}

TEST(ClaudePassages, TitlesAndUnknownRecordsAreFoundStateIsNot) {
  EXPECT_EQ(claude(R"({"type":"custom-title","customTitle":"The kelp","sessionId":"x"})")[0].role, PassageRole::title);
  EXPECT_EQ(claude(R"({"type":"moon-phase","uuid":"u","phase":{"said":["full","tide"]}})")[0].text, "full\ntide");
  EXPECT_THAT(claude(R"({"type":"last-prompt","lastPrompt":"fix it"})"), IsEmpty());
  EXPECT_THAT(claude(R"({"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{"a":{"backupFileName":"f"}}}})"),
              IsEmpty());
}

TEST(ClaudePassages, TornAndForeignLinesGiveNothing) {
  for (const std::string_view line : {R"({"type":"user","message":{"content":"torn)", "", "null", "[1]", "\0\0\0"})
    EXPECT_THAT(claude(line), IsEmpty()) << line;
}

TEST(ClaudePassages, AnswersOfTheClientHaveNoModel) {
  const auto seen = claude(
      R"({"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"529"}]}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].attributes, ElementsAre("error"));
}

TEST(ClaudePassages, AnyJsonGivesTheSamePassagesWhateverCameBefore) {
  jsonl::OddJson odd(7);
  const auto kept = claude_passages();
  for (int i = 0; i < 3000; ++i) {
    std::string line = R"({"type":)" + std::string(odd.chance(2) ? R"("user")" : R"("assistant")") + R"(,"message":{"content":)" +
                       odd.value() + R"(},"toolUseResult":)" + odd.value() + "}";
    if (odd.chance(3)) line = odd.damaged(std::move(line));
    const auto once = seen_in(*kept, line), again = claude(line);
    ASSERT_EQ(once.size(), again.size()) << line;
    for (std::size_t k = 0; k < once.size(); ++k) {
      ASSERT_EQ(once[k].text, again[k].text) << line;
      ASSERT_EQ(once[k].attributes, again[k].attributes) << line;
    }
  }
}

TEST(CodexPassages, EventsAreReadAndTheirRepetitionIsNot) {
  EXPECT_EQ(
      codex(R"({"timestamp":"2026-07-01T10:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}})")[0]
          .role,
      PassageRole::user);
  EXPECT_THAT(
      codex(
          R"({"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}})"),
      IsEmpty());
  EXPECT_EQ(codex(R"({"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"42"}})")[0].text,
            "42");
}

TEST(CodexPassages, APatchNamesItsFiles) {
  const auto seen = codex(
      R"({"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/a.rs\n+x\n*** Add File: /w/b.rs\n+y\n*** End Patch"}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].attributes, ElementsAre("tool:apply_patch", "file:src/a.rs", "file:/w/b.rs"));
}

TEST(JsonPassages, EveryStringOfASavedResult) {
  const auto seen = seen_in(*json_passages(), R"([{"type":"text","text":"one"},{"type":"image","data":"aaaa"},{"text":"two"}])");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].text, "one\ntwo");
}

TEST(CodexPassages, TheBeginningOfTheFileSaysWhereAndWithWhat) {
  std::vector<std::string_view> lines = {
      R"({"type":"session_meta","payload":{"id":"x","cwd":"/w","git":{"branch":"feature/kelp","commit_hash":"ab"}}})", "torn",
      R"({"type":"turn_context","payload":{"cwd":"/w","model":"gpt-5-codex"}})",
      R"({"type":"turn_context","payload":{"cwd":"/v","model":"later"}})"};
  std::size_t at = 0;
  bool complete = false;
  const FileOpening opening = codex_opening(
      [&]() -> std::optional<std::string_view> { return at < lines.size() ? std::optional(lines[at++]) : std::nullopt; },
      complete);
  EXPECT_TRUE(complete);
  EXPECT_EQ(opening.folder, "/w");
  EXPECT_EQ(opening.branch, "feature/kelp");
  EXPECT_EQ(opening.model, "gpt-5-codex");
  const auto passages = codex_passages();
  passages->begin_file(opening);
  const auto seen = seen_in(
      *passages,
      R"({"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Update File: src/a.rs\n+x"}})");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0].attributes,
              testing::UnorderedElementsAre("tool:apply_patch", "file:/w/src/a.rs", "branch:feature/kelp", "model:gpt-5-codex"));
}

}  // namespace
}  // namespace holdfast::transcripts
