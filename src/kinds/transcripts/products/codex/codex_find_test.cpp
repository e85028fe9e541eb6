#include "kinds/transcripts/archive/test_archive.h"
#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/source/session_source.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

const std::string kRolloutId = "019a1111-2222-7333-8444-555555555555";
const std::string kOtherRolloutId = "019a9999-2222-7333-8444-555555555555";

std::string rollout_path(const std::string& id) {
  return "sessions/2026/11/15/rollout-2026-11-15T08-00-00-" + id + ".jsonl";
}

const std::string kMeta = R"({"timestamp":"2026-11-15T07:00:00.000Z","type":"session_meta","payload":{"id":")" + kRolloutId +
                          R"(","cwd":"/home/dev/work","cli_version":"0.58.0","forked_from_id":"f","git":{"branch":"main"}}})" +
                          "\n";
const std::string kTurns =
    R"({"timestamp":"2026-11-15T07:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user"}})"
    "\n"
    R"({"timestamp":"2026-11-15T07:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"fix\nthis"}})"
    "\n"
    R"({"timestamp":"2026-11-15T07:00:03.000Z","type":"event_msg","payload":{"type":"user_message","message":"and that"}})"
    "\n";

struct Text : Receiver {
  Result<void> begin(const Artifact& artifact) override {
    path = artifact.path;
    return {};
  }
  Result<void> line(const Piece& piece) override {
    text += piece.text;
    text += piece.ending;
    return {};
  }
  Result<void> bytes(std::string_view) override { return fail(ErrorKind::internal, "a rollout has lines"); }
  Result<void> end() override { return {}; }
  std::string path, text;
};

TEST(CodexFileName, Codex_12_TakenApart) {
  EXPECT_EQ(codex_file_of(rollout_path(kRolloutId))->id, kRolloutId);
  EXPECT_FALSE(codex_file_of(rollout_path(kRolloutId))->archived);
  EXPECT_TRUE(codex_file_of(rollout_path(kRolloutId) + ".zst")->compressed);
  EXPECT_TRUE(codex_file_of("archived_sessions/rollout-2026-11-15T08-00-00-" + kRolloutId + ".jsonl")->archived);
  for (const std::string& path :
       {"sessions/rollout-x-" + kRolloutId + ".jsonl", "sessions/2026/11/rollout-x-" + kRolloutId + ".jsonl",
        "sessions/2026/11/1x/rollout-x-" + kRolloutId + ".jsonl", "sessions/2026/11/15/" + kRolloutId + ".jsonl",
        "sessions/2026/11/15/rollout-x" + kRolloutId + ".jsonl", "sessions/2026/11/15/rollout-x-" + kRolloutId,
        "sessions/2026/11/15/x/rollout-x-" + kRolloutId + ".jsonl", "sessions/2026/11/15/rollout-.jsonl"s, "sessions/1.json"s,
        ""s})
    EXPECT_FALSE(codex_file_of(path)) << path;
}

class CodexTest : public testing::Test {
 protected:
  TestHome test;
  Home home = test.home();
};

TEST_F(CodexTest, Codex_12_FoundByIdOrPrefix) {
  EXPECT_THAT(codex_sessions(home).value(), IsEmpty());
  test.write(rollout_path(kRolloutId), kMeta);
  test.write("archived_sessions/rollout-2025-01-01T00-00-00-" + kOtherRolloutId + ".jsonl", kMeta);
  test.write("sessions/2026/11/15/notes.txt", "");
  test.write("sessions/12345.json", "{}");
  EXPECT_EQ(codex_sessions(home).value().size(), 2U);
  EXPECT_EQ(find_codex_session(home, kRolloutId).value().path, rollout_path(kRolloutId));
  EXPECT_TRUE(find_codex_session(home, "019A9").value().archived);
  EXPECT_EQ(find_codex_session(home, "019a").error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(find_codex_session(home, "019a").error().message, HasSubstr(kOtherRolloutId));
  EXPECT_EQ(find_codex_session(home, "0").error().kind, ErrorKind::ambiguous);
  EXPECT_EQ(find_codex_session(home, "1").error().kind, ErrorKind::not_found);
  EXPECT_EQ(find_codex_session(home, "x").error().kind, ErrorKind::invalid);
}

TEST_F(CodexTest, Codex_12_ThePlainFileWins) {
  test.write(rollout_path(kRolloutId) + ".zst", packed(kMeta));
  EXPECT_TRUE(find_codex_session(home, kRolloutId).value().compressed);
  test.write("archived_sessions/rollout-2025-01-01T00-00-00-" + kRolloutId + ".jsonl", kMeta);
  EXPECT_TRUE(find_codex_session(home, kRolloutId).value().archived);
  test.write(rollout_path(kRolloutId), kMeta);
  EXPECT_EQ(find_codex_session(home, kRolloutId).value().path, rollout_path(kRolloutId));
}

TEST_F(CodexTest, Codex_12_SummaryOfPlainAndCompressed) {
  for (const bool compressed : {true, false}) {
    test.write(rollout_path(kRolloutId) + (compressed ? ".zst" : ""), compressed ? packed(kMeta + kTurns) : kMeta + kTurns);
    const CodexSession session = summarise_codex(home, find_codex_session(home, kRolloutId).value()).value();
    EXPECT_EQ(session.compressed, compressed);
    EXPECT_EQ(session.title, "fix this");
    EXPECT_EQ(session.cwd, "/home/dev/work");
    EXPECT_EQ(session.version, "0.58.0");
    EXPECT_EQ(session.git_branch, "main");
    EXPECT_EQ(session.forked_from, "f");
    EXPECT_EQ(iso8601(session.first_time), "2026-11-15T07:00:00.000Z");
    EXPECT_EQ(iso8601(session.last_time), "2026-11-15T07:00:03.000Z");
  }
}

TEST_F(CodexTest, Codex_12_LastNameInTheIndexWins) {
  test.write(rollout_path(kRolloutId), kMeta + kTurns);
  test.write("session_index.jsonl", R"({"id":")" + kRolloutId + R"(","thread_name":"one"})" + "\n{torn\n" + R"({"id":")" +
                                        kOtherRolloutId + R"(","thread_name":"other"})" + "\n" + R"({"id":")" + kRolloutId +
                                        R"(","thread_name":"two"})" + "\n");
  EXPECT_EQ(summarise_codex(home, find_codex_session(home, kRolloutId).value()).value().title, "two");
}

TEST_F(CodexTest, LongFilesAreReadAtTheirEnds) {
  std::string text = kMeta;
  text.insert(text.size() - 3, R"(,"base_instructions":")" + std::string(200'000, 'x') + "\"");
  for (int i = 0; i < 3000; ++i) text += kTurns.substr(0, kTurns.find('\n') + 1);
  text += R"({"timestamp":"2026-11-15T09:00:00.000Z","type":"event_msg","payload":{"type":"user_message","message":"late"}})"
          "\n";
  test.write(rollout_path(kRolloutId), text);
  const CodexSession session = summarise_codex(home, find_codex_session(home, kRolloutId).value()).value();
  EXPECT_EQ(session.cwd, "/home/dev/work");
  EXPECT_EQ(iso8601(session.last_time), "2026-11-15T09:00:00.000Z");
}

TEST_F(CodexTest, Codex_12_ReadAsWhatItHolds) {
  const std::string text = kMeta + kTurns + "{torn";
  for (const bool compressed : {true, false}) {
    test.write(rollout_path(kRolloutId) + (compressed ? ".zst" : ""), compressed ? packed(text) : text);
    const auto source = source_on_disk(home, AnySession{find_codex_session(home, kRolloutId).value()});
    const Inventory inventory = source->inventory().value();
    ASSERT_EQ(inventory.artifacts.size(), 1U);
    EXPECT_EQ(inventory.place.session_id, kRolloutId);
    EXPECT_EQ(inventory.artifacts[0].path, rollout_path(kRolloutId));
    EXPECT_EQ(inventory.artifacts[0].size, text.size());
    EXPECT_EQ(kind_of_path(inventory.artifacts[0].path, inventory.place), ArtifactKind::main_transcript);
    Text read;
    ASSERT_TRUE(source->read(inventory.artifacts, read));
    EXPECT_EQ(read.text, text);
    EXPECT_EQ(read.path, rollout_path(kRolloutId));
  }
}

TEST_F(CodexTest, DamagedCompressionIsSaidNotHidden) {
  const std::string whole = packed(kMeta + kTurns);
  test.write(rollout_path(kRolloutId) + ".zst", whole.substr(0, whole.size() / 2));
  const CodexSession session = find_codex_session(home, kRolloutId).value();
  EXPECT_TRUE(summarise_codex(home, session)) << "a list goes on";
  EXPECT_EQ(source_on_disk(home, AnySession{session})->inventory().error().kind, ErrorKind::corrupt);
}

}  // namespace
}  // namespace holdfast::transcripts
