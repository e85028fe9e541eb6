#include "kinds/transcripts/reading/transcript_reading.h"

#include "base/crypto/hash.h"
#include "kinds/transcripts/testing/test_home.h"
#include "reading/html/html_turns.h"
#include "reading/html/test_markup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>

namespace holdfast::transcripts {
namespace {

using reading::Part;
using reading::Role;
using reading::Turn;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::string_literals;

const std::string kReadId = "0badcafe-1111-4222-8333-444455556666";
const std::string kReadPath = "projects/-home-dev-p/" + kReadId + ".jsonl";

std::string uuid(int number) {
  return fmt::format("aaaaaaaa-0000-4000-8000-{:012}", number);
}

// parent 0: none.
std::string record(std::string_view type, int id, int parent, std::string_view more) {
  return fmt::format(
             R"({{"parentUuid":{},"isSidechain":false,"type":"{}","uuid":"{}","timestamp":"2026-11-15T03:06:39.379Z"{}}})",
             parent == 0 ? "null" : fmt::format("\"{}\"", uuid(parent)), type, uuid(id), more) +
         "\n";
}
std::string prompt(int id, int parent, std::string_view text) {
  return record("user", id, parent, fmt::format(R"(,"message":{{"role":"user","content":{}}})", holdfast::to_json(Json(text))));
}
std::string answer(int id, int parent, std::string_view text, std::string_view message = "") {
  return record("assistant", id, parent,
                fmt::format(R"(,"message":{{"id":"{}","model":"m","content":[{{"type":"text","text":{}}}]}})",
                            message.empty() ? "msg_" + std::to_string(id) : std::string(message), holdfast::to_json(Json(text))));
}
std::string call(int id, int parent, std::string_view tool_id, std::string_view message) {
  return record(
      "assistant", id, parent,
      fmt::format(
          R"(,"message":{{"id":"{}","content":[{{"type":"tool_use","id":"{}","name":"Bash","input":{{"command":"ls"}}}}]}})",
          message, tool_id));
}
std::string result(int id, int parent, std::string_view tool_id, std::string_view text, bool error = false) {
  return record(
      "user", id, parent,
      fmt::format(R"(,"message":{{"content":[{{"type":"tool_result","tool_use_id":"{}","content":{},"is_error":{}}}]}})", tool_id,
                  holdfast::to_json(Json(text)), error));
}

class TranscriptReadingTest : public testing::Test {
 protected:
  std::unique_ptr<reading::Reading> open(const TestHome& test, const std::string& id, ReadingOptions options = {}) {
    homes = Homes::open(test.folder(), test.outside() + "/.codex").value();
    const auto session = homes->find(id);
    EXPECT_TRUE(session);
    auto opened = open_transcript(source_on_disk(homes->of(*session), *session), options, &cache);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    return *std::move(opened);
  }
  std::unique_ptr<reading::Reading> open_text(const std::string& text, ReadingOptions options = {}) {
    made.write(kReadPath, text);
    return open(made, kReadId, options);
  }
  static std::vector<Turn> all(reading::Reading& reading) {
    std::vector<Turn> turns;
    EXPECT_TRUE(each_window(reading, {}, [&](reading::Window& window) -> Result<void> {
      std::ranges::move(window.turns, std::back_inserter(turns));
      return {};
    }));
    return turns;
  }
  static std::vector<std::string> texts(const std::vector<Turn>& turns) {
    std::vector<std::string> out;
    for (const Turn& turn : turns)
      for (const Part& part : turn.parts) out.push_back(part.text.text);
    return out;
  }

  TestHome made;
  ReadingCache cache;
  std::optional<Homes> homes;
};

TEST_F(TranscriptReadingTest, OfTheRealClient) {
  const TestHome client = TestHome::of_client();
  auto reading = open(client, TestHome::id("a2"));
  EXPECT_EQ(reading->heading().project, "/home/dev/work/demo");
  EXPECT_THAT(reading->heading().resume_command, HasSubstr("claude --resume"));
  const auto turns = all(*reading);
  std::vector<std::string> tools;
  std::size_t errors = 0, prompts = 0, thoughts = 0;
  for (const Turn& turn : turns) {
    prompts += turn.prompt ? 1 : 0;
    for (const Part& part : turn.parts) {
      thoughts += part.kind == Part::Kind::thinking ? 1 : 0;
      EXPECT_NE(part.kind, Part::Kind::tool_result);
      EXPECT_NE(part.kind, Part::Kind::raw) << part.name;
      if (part.kind != Part::Kind::tool_call) continue;
      tools.push_back(part.name);
      ASSERT_TRUE(part.result) << part.id;
      errors += part.result->error ? 1 : 0;
      if (part.name == "Edit") {
        EXPECT_THAT(part.result->patch, HasSubstr("-beta\n+gamma"));
      }
    }
  }
  EXPECT_THAT(tools, ElementsAre("Bash", "Write", "Read", "Bash", "Edit", "Bash"));
  EXPECT_EQ(errors, 1u);
  EXPECT_EQ(prompts, 1u);
  EXPECT_EQ(thoughts, 1u);
}

TEST_F(TranscriptReadingTest, ASubagentHangsBelowItsCall) {
  const TestHome client = TestHome::of_client();
  auto reading = open(client, TestHome::id("a4"));
  std::optional<reading::Subagent> agent;
  for (const Turn& turn : all(*reading))
    for (const Part& part : turn.parts)
      if (part.subagent) agent = part.subagent;
  ASSERT_TRUE(agent);
  EXPECT_EQ(agent->description, "Look around");
  auto inner = reading->subagent(agent->id);
  ASSERT_TRUE(inner);
  EXPECT_THAT(all(**inner), testing::Not(IsEmpty()));
  EXPECT_FALSE(reading->subagent("../../x"));
}

TEST_F(TranscriptReadingTest, SavedOutputIsFound) {
  const TestHome client = TestHome::of_client();
  auto reading = open(client, TestHome::id("a6"));
  std::string saved;
  for (const Turn& turn : all(*reading))
    for (const Part& part : turn.parts)
      if (part.result) saved += part.result->saved_output;
  EXPECT_EQ(saved, "tool-results/bwduhec92.txt");
  const auto file = reading->saved_file(saved);
  ASSERT_TRUE(file);
  EXPECT_GT(file->size, 30'000u);
  EXPECT_FALSE(reading->saved_file("tool-results/../../x.jsonl"));
}

TEST_F(TranscriptReadingTest, EverySessionOfTheClientIsSafeHtml) {
  const TestHome client = TestHome::of_client();
  for (const char* id : {"a1", "a2", "a3", "a4", "a5", "a6"}) {
    auto reading = open(client, TestHome::id(id));
    reading::Html html;
    for (const Turn& turn : all(*reading)) write_turn(html, turn, {});
    EXPECT_EQ(reading::wrong_markup(std::move(html).finish()), "") << id;
  }
}

TEST_F(TranscriptReadingTest, BlocksOfOneAnswerAreOneTurnAndResultsStandWithTheirCalls) {
  auto reading = open_text(prompt(1, 0, "go") + answer(2, 1, "I will", "m1") + call(3, 2, "t1", "m1") + call(4, 3, "t2", "m1") +
                           result(5, 3, "t1", "one") + result(6, 4, "t2", "two", true) + answer(7, 6, "done"));
  const auto turns = all(*reading);
  ASSERT_THAT(turns, SizeIs(3));
  ASSERT_THAT(turns[1].parts, SizeIs(3));
  EXPECT_EQ(turns[1].parts[1].result->output.text, "one");
  EXPECT_EQ(turns[1].parts[2].result->output.text, "two");
  EXPECT_TRUE(turns[1].has_error());
  EXPECT_EQ(turns[1].parts[2].line, 4u);
}

TEST_F(TranscriptReadingTest, TheBranchThatWouldBeResumedAndTheOthersWhereTheyLeave) {
  const std::string text = prompt(1, 0, "start") + answer(2, 1, "first") + prompt(3, 2, "old way") + answer(4, 3, "old end") +
                           prompt(5, 2, "new way") + answer(6, 5, "new end");
  auto reading = open_text(text);
  EXPECT_THAT(texts(all(*reading)), ElementsAre("start", "first", "new way", "new end"));
  const auto turns = all(*reading);
  ASSERT_THAT(turns[1].forks, SizeIs(1));
  EXPECT_EQ(turns[1].forks[0].line, 3u);
  EXPECT_EQ(turns[1].forks[0].words, "old way");

  ReadingOptions other;
  other.branch = 3;
  EXPECT_THAT(texts(all(*open_text(text, other))), ElementsAre("start", "first", "old way", "old end"));
  ReadingOptions everything;
  everything.all_branches = true;
  EXPECT_THAT(all(*open_text(text, everything)), SizeIs(6));

  // on-disk §8: last-prompt picks the branch.
  auto named = open_text(text + fmt::format(R"({{"type":"last-prompt","leafUuid":"{}"}})", uuid(3)) + "\n");
  EXPECT_THAT(texts(all(*named)), ElementsAre("start", "first", "old way", "old end"));
}

TEST_F(TranscriptReadingTest, ALineOfAnotherBranchOpensThatBranch) {
  const std::string text = prompt(1, 0, "start") + answer(2, 1, "first") + prompt(3, 2, "old way") + answer(4, 3, "old end") +
                           prompt(5, 2, "new way") + answer(6, 5, "new end");
  reading::WindowQuery query;
  query.from = 4;
  auto window = open_text(text)->window(query).value();
  EXPECT_THAT(texts(window.turns), ElementsAre("old end"));
  EXPECT_EQ(window.branch, 4u);
  query.from = 5;
  window = open_text(text)->window(query).value();
  EXPECT_THAT(texts(window.turns), ElementsAre("new way", "new end"));
  EXPECT_EQ(window.branch, std::nullopt);
  // The window before ends between the branches: what follows is of the one that is read.
  query.from = 0;
  query.before = 3;
  window = open_text(text)->window(query).value();
  EXPECT_EQ(window.next, 5u);
  ReadingOptions none;
  none.branch = 99;
  window = open_text(text, none)->window({}).value();
  EXPECT_EQ(window.branch, std::nullopt);
  EXPECT_THAT(texts(window.turns), ElementsAre("start", "first", "new way", "new end"));
}

TEST_F(TranscriptReadingTest, ADamagedLineIsNoEndOfAWay) {
  // Its shape is that of a message, its text is none: the escape is cut.
  const std::string damaged = R"({"type":"user","uuid":"00000000-dead-4000-8000-000000000000","parentUuid":null,)"
                              R"("message":{"role":"user","content":"\u12"}})"
                              "\n";
  EXPECT_THAT(texts(open_text(prompt(1, 0, "start") + answer(2, 1, "end") + damaged)->window({}).value().turns),
              testing::IsSupersetOf({"start", "end"}));
}

TEST_F(TranscriptReadingTest, CompactionIsMarkedAndWhatCameBeforeStays) {
  auto reading = open_text(
      prompt(1, 0, "before") + answer(2, 1, "answer") +
      record("system", 3, 0,
             fmt::format(R"(,"subtype":"compact_boundary","logicalParentUuid":"{}","compactMetadata":{{"trigger":"auto"}})",
                         uuid(2))) +
      record("user", 4, 3, R"(,"isCompactSummary":true,"message":{"content":"This session is being continued"})") +
      prompt(5, 4, "after"));
  const auto turns = all(*reading);
  ASSERT_THAT(turns, SizeIs(5));
  EXPECT_EQ(turns[0].parts[0].text.text, "before");
  EXPECT_TRUE(turns[2].compaction);
  EXPECT_EQ(turns[4].parts[0].text.text, "after");
}

// As the client writes it when two of its batches meet.
std::string with_compaction(const std::string& behind) {
  return prompt(1, 0, "a") + answer(2, 1, "b") +
         record("system", 3, 0, fmt::format(R"(,"subtype":"compact_boundary","logicalParentUuid":"{}")", uuid(2))) +
         record("user", 4, 3, R"(,"isCompactSummary":true,"message":{"content":"summary"})") + behind;
}

TEST_F(TranscriptReadingTest, P18AnAnswerIsReadBehindItsPromptWhereverItLies) {
  const std::string text = with_compaction(answer(6, 5, "d") + prompt(5, 4, "c") + answer(8, 7, "f") + prompt(7, 6, "e"));
  const auto expected = ElementsAre("a", "b", "", "summary", "c", "d", "e", "f");
  auto reading = open_text(text);
  EXPECT_THAT(texts(all(*reading)), expected);
  EXPECT_THAT(texts(all(*open_text(text + fmt::format(R"({{"type":"last-prompt","leafUuid":"{}"}})", uuid(7)) + "\n"))), expected)
      << "what descends from the named leaf may lie before it";
  ReadingOptions everything;
  everything.all_branches = true;
  EXPECT_THAT(texts(all(*open_text(text, everything))), expected);
  // A window at a time, to the end and back.
  reading = open_text(text);
  reading::WindowQuery query;
  query.turns = 1;
  std::vector<std::string> forth, back;
  for (;;) {
    const auto window = reading->window(query).value();
    for (const std::string& each : texts(window.turns)) forth.push_back(each);
    if (!window.next) break;
    query.from = *window.next;
  }
  EXPECT_THAT(forth, expected);
  query.from = 0;
  for (query.before = reading::kToTheEnd;;) {
    const auto window = reading->window(query).value();
    for (const std::string& each : texts(window.turns)) back.insert(back.begin(), each);
    if (!window.previous) break;
    query.before = *window.previous;
  }
  EXPECT_THAT(back, expected);
}

// Any order of the lines is the same conversation, with calls whose answers come in parallel.
TEST_F(TranscriptReadingTest, P18TheOrderOfTheLinesDoesNotMatter) {
  std::vector<std::string> lines;
  std::vector<std::string> expected;
  constexpr int kTurnCount = 9;  // whose results are near their calls in any order
  for (int turn = 0; turn < kTurnCount; ++turn) {
    const int id = turn * 10;
    lines.push_back(prompt(id + 1, turn == 0 ? 0 : id - 1, fmt::format("p{}", turn)));
    lines.push_back(call(id + 2, id + 1, fmt::format("a{}", turn), fmt::format("m{}", turn)));
    lines.push_back(call(id + 3, id + 2, fmt::format("b{}", turn), fmt::format("m{}", turn)));
    lines.push_back(result(id + 4, id + 2, fmt::format("a{}", turn), "ra"));
    lines.push_back(result(id + 5, id + 3, fmt::format("b{}", turn), "rb"));
    lines.push_back(answer(id + 9, id + 5, fmt::format("q{}", turn)));
    for (const std::string& each : {fmt::format("p{}", turn), std::string(), std::string(), fmt::format("q{}", turn)})
      expected.push_back(each);
  }
  std::mt19937 random(18);
  for (int round = 0; round < 40; ++round) {
    // Slips of a batch at first, then no order at all.
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
      if (random() % 4 == 0) std::swap(lines[i], lines[i + 1]);
    if (round >= 20) std::ranges::shuffle(lines, random);
    std::string text;
    for (const std::string& line : lines) text += line;
    text += fmt::format(R"({{"type":"last-prompt","leafUuid":"{}"}})", uuid(kTurnCount * 10 - 1)) + "\n";
    auto reading = open_text(text);
    const auto turns = all(*reading);
    ASSERT_EQ(texts(turns), expected) << round;
    for (const Turn& turn : turns)
      for (const Part& part : turn.parts) EXPECT_EQ(part.kind == Part::Kind::tool_call, part.result.has_value());
  }
}

// The client keeps some messages beside the summary; after a resume the chain goes on from the last of those, and passes the
// boundary by.
TEST_F(TranscriptReadingTest, P18TheSummaryIsNoOtherWay) {
  auto reading = open_text(with_compaction(prompt(5, 2, "c") + answer(6, 5, "d")));
  const auto turns = all(*reading);
  EXPECT_THAT(texts(turns), ElementsAre("a", "b", "", "summary", "c", "d"));
  for (const Turn& turn : turns) EXPECT_THAT(turn.forks, IsEmpty());
}

TEST_F(TranscriptReadingTest, P18OfTwoRecordsWithOneIdTheOneBeforeIsTheParent) {
  std::string text = prompt(1, 0, "a") + answer(2, 1, "b");
  for (int i = 0; i < 20; ++i) text += record("attachment", 100 + i, 99 + i, R"(,"attachment":{"type":"x","content":"y"})");
  text += prompt(3, 2, "c") + answer(4, 3, "d");
  ReadingOptions everything;
  everything.all_branches = true;
  const auto found = texts(all(*open_text(text + prompt(1, 0, "e") + answer(2, 1, "f"), everything)));
  ASSERT_EQ(found.size(), 26u);
  EXPECT_THAT(std::vector(found.end() - 4, found.end()), ElementsAre("c", "d", "e", "f"));
}

TEST_F(TranscriptReadingTest, CirclesAndMissingParentsEnd) {
  EXPECT_THAT(all(*open_text(prompt(1, 2, "a") + answer(2, 1, "b"))), SizeIs(2));
  EXPECT_THAT(texts(all(*open_text(prompt(1, 0, "a") + answer(2, 1, "b") + prompt(3, 99, "c")))), ElementsAre("a", "b", "c"));
  EXPECT_THAT(all(*open_text("")), IsEmpty());
}

TEST_F(TranscriptReadingTest, WhatIsNoRecordIsShownAsItIs) {
  const std::string whole = answer(3, 2, "c");
  auto reading = open_text(prompt(1, 0, "a") + "{\"type\":\"us\n" + std::string(10, '\0') + "\n\n\xff\xfe\n" +
                           R"({"type":"brand-new","uuid":"x"})" + "\n[1,2]\n" + prompt(2, 1, "b") +
                           whole.substr(0, whole.size() - 1) + answer(4, 3, "fused") + "{\"torn");
  const auto turns = all(*reading);
  std::size_t damaged = 0, raw = 0;
  std::string words;
  for (const Turn& turn : turns) {
    damaged += turn.damaged ? 1 : 0;
    for (const Part& part : turn.parts) {
      raw += part.kind == Part::Kind::raw ? 1 : 0;
      words += part.text.text + " ";
    }
    reading::Html html;
    write_turn(html, turn, {});
    EXPECT_EQ(reading::wrong_markup(std::move(html).finish()), "");
  }
  EXPECT_EQ(damaged, 5u);
  EXPECT_EQ(raw, 6u);
  EXPECT_THAT(words, HasSubstr("fused"));
}

TEST_F(TranscriptReadingTest, AppendedLinesAreReadAndATornEndAgain) {
  auto reading = open_text(prompt(1, 0, "a") + answer(2, 1, "b").substr(0, 30));
  EXPECT_THAT(all(*reading), SizeIs(2));
  made.append(kReadPath, answer(2, 1, "b").substr(30) + prompt(3, 2, "c"));
  EXPECT_THAT(texts(all(*open(made, kReadId))), ElementsAre("a", "b", "c"));
  // Another file under the name.
  std::filesystem::remove(made / kReadPath);
  EXPECT_THAT(texts(all(*open_text(prompt(1, 0, "z")))), ElementsAre("z"));
}

TEST_F(TranscriptReadingTest, WindowsFollowEachOtherWithoutGapOrRepetition) {
  std::string text;
  int id = 0;
  for (int turn = 0; turn < 120; ++turn) {
    text += prompt(id + 1, id, fmt::format("prompt {}", turn));
    text += call(id + 2, id + 1, fmt::format("a{}", turn), fmt::format("m{}", turn));
    text += call(id + 3, id + 2, fmt::format("b{}", turn), fmt::format("m{}", turn));
    text += result(id + 4, id + 2, fmt::format("a{}", turn), "ra") + result(id + 5, id + 3, fmt::format("b{}", turn), "rb");
    id += 5;
  }
  auto reading = open_text(text);
  for (const std::size_t turns : {1u, 7u, 50u}) {
    reading::WindowQuery query;
    query.turns = turns;
    std::size_t seen = 0, results = 0;
    for (;;) {
      const auto window = reading->window(query).value();
      for (const Turn& turn : window.turns) {
        ++seen;
        for (const Part& part : turn.parts) results += part.result ? 1 : 0;
      }
      if (!window.next) break;
      query.from = *window.next;
    }
    EXPECT_EQ(seen, 240u);
    EXPECT_EQ(results, 240u);
  }
  // To the end, and back.
  reading::WindowQuery query;
  query.turns = 10;
  query.before = reading::kToTheEnd;
  const auto last = reading->window(query).value();
  EXPECT_THAT(last.turns, SizeIs(testing::AllOf(testing::Gt(0u), testing::Le(10u))));
  EXPECT_FALSE(last.next);
  ASSERT_TRUE(last.previous);
  query.before = *last.previous;
  EXPECT_EQ(reading->window(query)->next, last.previous);
  query.before = 0;
  // A link to a result leads to its call.
  query.from = 4;
  EXPECT_EQ(reading->window(query)->turns.front().line, 2u);
}

TEST_F(TranscriptReadingTest, AVeryLongLineIsCutNotRead) {
  const std::string huge(8 * 1024 * 1024, 'x');
  auto reading = open_text(prompt(1, 0, "a") + result(2, 1, "t", huge) + answer(3, 2, "b"));
  const auto turns = all(*reading);
  ASSERT_THAT(turns, SizeIs(3));
  const auto& output = turns[1].parts[0].result->output;
  EXPECT_EQ(output.text.size(), reading::ReadLimits().text_bytes);
  EXPECT_EQ(output.text.size() + output.left_out, huge.size());
  const auto whole = reading->whole_record(2);
  ASSERT_TRUE(whole);
  EXPECT_GT(whole->size, huge.size());
}

TEST_F(TranscriptReadingTest, ImagesAreReadByTheirReference) {
  const std::string bytes = "\x89PNG....";
  const auto image = [&](std::string_view type) {
    return fmt::format(R"({{"type":"image","source":{{"type":"base64","media_type":"{}","data":"{}"}}}})", type,
                       to_base64(bytes));
  };
  auto reading = open_text(record("user", 1, 0,
                                  fmt::format(R"(,"message":{{"content":[{},{},{{"type":"text","text":"see"}}]}})",
                                              image("image/png"), image("image/svg+xml"))));
  const auto turns = all(*reading);
  ASSERT_THAT(turns, SizeIs(1));
  ASSERT_THAT(turns[0].parts, SizeIs(3));
  EXPECT_EQ(turns[0].parts[0].images[0].base64, "");
  const auto found = reading->image(turns[0].parts[0].images[0].reference);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, bytes);
  EXPECT_EQ(reading->image(turns[0].parts[1].images[0].reference).error().kind, ErrorKind::invalid);
  EXPECT_EQ(reading->image("1/9").error().kind, ErrorKind::not_found);
  EXPECT_EQ(reading->image("x").error().kind, ErrorKind::not_found);
}

TEST_F(TranscriptReadingTest, Codex) {
  const std::string id = "019a1111-2222-7333-8444-555555555555";
  const std::string path = ".codex/sessions/2026/11/15/rollout-2026-11-15T08-00-00-" + id + ".jsonl";
  std::filesystem::create_directories(made.outside() + "/.codex/sessions/2026/11/15");
  std::ofstream(made.outside() + "/" + path)
      << R"({"timestamp":"2026-11-15T07:00:00.000Z","type":"session_meta","payload":{"id":")" << id << R"(","cwd":"/w"}})" << "\n"
      << R"({"timestamp":"2026-11-15T07:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}})"
      << "\n"
      << R"({"timestamp":"2026-11-15T07:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"fix this"}})"
      << "\n"
      << R"({"timestamp":"2026-11-15T07:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\",\"-l\"]}","call_id":"c1"}})"
      << "\n"
      << R"({"timestamp":"2026-11-15T07:00:04.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"boom\",\"metadata\":{\"exit_code\":1}}"}})"
      << "\n"
      << R"({"timestamp":"2026-11-15T07:00:05.000Z","type":"event_msg","payload":{"type":"agent_message","message":"fixed"}})"
      << "\n";
  auto reading = open(made, id);
  const auto turns = all(*reading);
  ASSERT_THAT(turns, SizeIs(3));
  EXPECT_TRUE(turns[0].prompt);
  EXPECT_EQ(turns[1].parts[0].result->output.text, "boom");
  EXPECT_TRUE(turns[1].has_error());
  EXPECT_EQ(turns[2].parts[0].text.text, "fixed");
}

}  // namespace
}  // namespace holdfast::transcripts
