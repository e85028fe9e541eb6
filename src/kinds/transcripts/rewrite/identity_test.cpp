#include "kinds/transcripts/rewrite/identity.h"

#include "kinds/transcripts/rewrite/test_rewrite.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

const std::string kOld = "000000a4-0000-4000-8000-0000000000a4";

Identity copy(std::vector<std::string> agents = {}, std::vector<std::string> slugs = {}) {
  return identity_of_copy({kOld, "-home-u-p"}, kNewId, "-srv-q", agents, slugs);
}

std::optional<std::string> path(const Identity& identity, ArtifactKind kind, std::string from) {
  Artifact artifact;
  artifact.kind = kind;
  artifact.path = std::move(from);
  return new_path(identity, artifact);
}

TEST(Identity, Clone_5_SuffixIsTheRandomEnd) {
  EXPECT_EQ(copy().suffix, "5555beef");
  EXPECT_FALSE(copy().keeps_id());
}

TEST(Identity, Clone_5_NamesAreNeverStacked) {
  const Identity identity = copy({"a1", "a2-clone-00000000"}, {"plan-x-clone-11111111-clone-22222222"});
  EXPECT_THAT(identity.agents, ElementsAre(Pair("a1", "a1" + kNewMark), Pair("a2-clone-00000000", "a2" + kNewMark)));
  EXPECT_THAT(identity.slugs, ElementsAre(Pair("plan-x-clone-11111111-clone-22222222", "plan-x" + kNewMark)));
}

TEST(Identity, TwoNamesOfOneBaseStayTwo) {
  const Identity identity = copy({}, {"s", "s-clone-11111111", "s"});
  EXPECT_THAT(identity.slugs, ElementsAre(Pair("s", "s" + kNewMark), Pair("s-clone-11111111", "s" + kNewMark + "-2")));
}

TEST(Identity, Clone_5_TitlesAreNeverStacked) {
  EXPECT_EQ(clone_title("Work", "5555beef"), "Work (clone-5555beef)");
  EXPECT_EQ(clone_title("Work (clone-1a2b3c4d)", "5555beef"), "Work (clone-5555beef)");
  EXPECT_EQ(clone_title("Work (clone-1a2b3c4)", "5555beef"), "Work (clone-1a2b3c4) (clone-5555beef)");
  EXPECT_EQ(clone_title("Work (clone-1a2b3c4x)", "5555beef"), "Work (clone-1a2b3c4x) (clone-5555beef)");
  EXPECT_EQ(clone_title("", "5555beef"), "");
}

TEST(Identity, Clone_5_WhereEveryFileGoes) {
  const Identity identity = copy({"a1"}, {"plan-x"});
  using K = ArtifactKind;
  const std::string from = "projects/-home-u-p/", to = "projects/-srv-q/";
  EXPECT_THAT(path(identity, K::main_transcript, from + kOld + ".jsonl"), Optional(to + kNewId + ".jsonl"));
  EXPECT_THAT(path(identity, K::flat_agent, from + "agent-a1.jsonl"), Optional(to + "agent-a1" + kNewMark + ".jsonl"));
  const std::string nested = "/subagents/workflows/wf_1/agent-a1.jsonl";
  EXPECT_THAT(path(identity, K::nested_agent, from + kOld + nested), Optional(to + kNewId + nested));
  EXPECT_THAT(path(identity, K::other, from + kOld), Optional(to + kNewId));
  EXPECT_THAT(path(identity, K::plan, "plans/plan-x.md"), Optional("plans/plan-x" + kNewMark + ".md"));
  EXPECT_THAT(path(identity, K::todo, "todos/" + kOld + "-agent-" + kOld + ".json"),
              Optional("todos/" + kNewId + "-agent-" + kNewId + ".json"));
  EXPECT_THAT(path(identity, K::todo, "todos/" + kOld + "-agent-a1.json"),
              Optional("todos/" + kNewId + "-agent-a1" + kNewMark + ".json"));
  EXPECT_THAT(path(identity, K::todo, "todos/" + kOld + "-agent-zz.json"), Optional("todos/" + kNewId + "-agent-zz.json"));
  EXPECT_THAT(path(identity, K::task, "tasks/" + kOld + "/1.json"), Optional("tasks/" + kNewId + "/1.json"));
  EXPECT_THAT(path(identity, K::session_env, "session-env/" + kOld), Optional("session-env/" + kNewId));
  EXPECT_THAT(path(identity, K::file_history, "file-history/" + kOld + "/0123@v1"),
              Optional("file-history/" + kNewId + "/0123@v1"));
  EXPECT_THAT(path(identity, K::debug_log, "debug/" + kOld + ".txt"), Optional("debug/" + kNewId + ".txt"));
}

TEST(Identity, Clone_5_LocksAndStrangersHaveNoPlace) {
  EXPECT_EQ(path(copy(), ArtifactKind::task_lock, "tasks/" + kOld + "/.lock"), std::nullopt);
  EXPECT_EQ(path(copy(), ArtifactKind::other, "tasks/" + kOld + "x/1.json"), std::nullopt);
  EXPECT_EQ(path(copy(), ArtifactKind::other, "settings.json"), std::nullopt);
}

TEST(Identity, Move_5_KeepsEveryIdAndChangesTheFolder) {
  const Identity identity = identity_of_move({kOld, "-home-u-p"}, "-srv-q");
  EXPECT_TRUE(identity.keeps_id());
  EXPECT_EQ(identity.suffix, "");
  EXPECT_THAT(path(identity, ArtifactKind::flat_agent, "projects/-home-u-p/agent-a1.jsonl"),
              Optional(std::string("projects/-srv-q/agent-a1.jsonl")));
  EXPECT_THAT(path(identity, ArtifactKind::plan, "plans/plan-x.md"), Optional(std::string("plans/plan-x.md")));
  EXPECT_THAT(path(identity, ArtifactKind::task, "tasks/" + kOld + "/1.json"), Optional("tasks/" + kOld + "/1.json"));
}

TEST(Identity, Codex_12_TheIdInTheNameOfTheRollout) {
  const Identity identity = identity_of_copy({kOld, ""}, kNewId, "", {}, {});
  EXPECT_THAT(path(identity, ArtifactKind::main_transcript, "sessions/2026/11/15/rollout-2026-11-15T03-06-52-" + kOld + ".jsonl"),
              Optional("sessions/2026/11/15/rollout-2026-11-15T03-06-52-" + kNewId + ".jsonl"));
}

}  // namespace
}  // namespace holdfast::transcripts
