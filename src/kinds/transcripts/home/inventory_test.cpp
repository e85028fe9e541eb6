#include "kinds/transcripts/home/inventory.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace std::string_literals;

constexpr const char* kOwnSid = "11111111-2222-4333-8444-555555555555";
constexpr const char* kOtherSid = "99999999-2222-4333-8444-555555555555";
const SessionPlace kInventoryPlace = {kOwnSid, "-p"};

std::string session_record(const std::string& session, const std::string& more = "") {
  return R"({"type":"user","sessionId":")" + session + '"' + more + "}\n";
}

std::vector<std::string> paths_of(const Inventory& inventory, ArtifactKind kind) {
  std::vector<std::string> paths;
  for (const Artifact& artifact : inventory.artifacts)
    if (artifact.kind == kind) paths.push_back(artifact.path);
  return paths;
}

std::string session_file(const std::string& below) {
  return kInventoryPlace.folder() + "/" + below;
}

class InventoryTest : public testing::Test {
 protected:
  InventoryTest() { home.write(kInventoryPlace.transcript(), session_record(kOwnSid)); }
  Inventory take() const { return take_inventory(home.home(), kInventoryPlace).value(); }
  std::vector<std::string> take(ArtifactKind kind) const { return paths_of(take(), kind); }

  TestHome home;
};

TEST(Inventory, Inventory_1_3_EverySessionOfTheRealClient) {
  const TestHome test = TestHome::of_client();
  const Home home = test.home();
  const auto kinds_of = [&](const std::string& id, const std::string& folder = TestHome::kDemo) {
    std::vector<std::string> kinds;
    const Inventory inventory = take_inventory(home, {TestHome::id(id), folder}).value();
    EXPECT_THAT(inventory.left_out, IsEmpty());
    for (const Artifact& artifact : inventory.artifacts) kinds.emplace_back(name_of(artifact.kind));
    return kinds;
  };
  EXPECT_THAT(kinds_of("a1"), ElementsAre("main_transcript"));
  EXPECT_THAT(kinds_of("a3"), ElementsAre("main_transcript", "task", "task", "task_lock"));
  EXPECT_THAT(kinds_of("a4"), ElementsAre("main_transcript", "nested_agent", "agent_metadata"));
  EXPECT_THAT(kinds_of("a5"), ElementsAre("main_transcript", "plan", "file_history", "file_history", "file_history"));
  EXPECT_THAT(kinds_of("a6"), ElementsAre("main_transcript", "tool_result"));
  EXPECT_THAT(kinds_of("b1", "-home-dev-work-second"), ElementsAre("main_transcript"));

  const Inventory a5 = take_inventory(home, {TestHome::id("a5"), TestHome::kDemo}).value();
  EXPECT_THAT(a5.slugs, ElementsAre("plan-something-script-plan-curious-russell"));
  EXPECT_EQ(a5.bytes(), [&] {
    std::uint64_t sum = 0;
    for (const Artifact& artifact : a5.artifacts) sum += test.read(artifact.path).size();
    return sum;
  }());
  ASSERT_NE(a5.find("plans/plan-something-script-plan-curious-russell.md"), nullptr);
  EXPECT_EQ(a5.find("plans/none.md"), nullptr);
}

TEST_F(InventoryTest, SessionThatIsNotThere) {
  EXPECT_EQ(take_inventory(home.home(), {kOtherSid, "-p"}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(take_inventory(home.home(), {kOwnSid, "-q"}).error().kind, ErrorKind::not_found);
  std::filesystem::create_symlink(home / kInventoryPlace.transcript(),
                                  home / (std::string("projects/-p/") + kOtherSid + ".jsonl"));
  EXPECT_EQ(take_inventory(home.home(), {kOtherSid, "-p"}).error().kind, ErrorKind::not_found) << "a link is no transcript";
  EXPECT_FALSE(take_inventory(home.home(), {"../../x", "-p"}));
}

TEST_F(InventoryTest, Inventory_1_3_FlatAgentsByTheirFirstRecordNotByText) {
  home.write("projects/-p/agent-a1.jsonl", session_record(kOwnSid));
  home.write("projects/-p/agent-a2.jsonl", session_record(kOtherSid));
  // A fork of this session: its records name the parent in forkedFrom, and quote it in text.
  home.write("projects/-p/agent-a3.jsonl", session_record(kOtherSid, std::string(R"(,"forkedFrom":{"sessionId":")") + kOwnSid +
                                                                         R"("},"text":"\"sessionId\":\")" + kOwnSid + "\\\"\""));
  home.write("projects/-p/agent-a4.jsonl", "\n\0\0\0\n{torn\n"s + session_record(kOwnSid) + session_record(kOtherSid));
  home.write("projects/-p/agent-a5.jsonl", "");
  home.write("projects/-p/agent-a6.jsonl", R"({"forkedFrom":{"sessionId":")" + std::string(kOwnSid) + "\"}}\n");
  home.write("projects/-p/agent-a7.txt", session_record(kOwnSid));
  EXPECT_THAT(take(ArtifactKind::flat_agent), ElementsAre("projects/-p/agent-a1.jsonl", "projects/-p/agent-a4.jsonl"));
}

TEST_F(InventoryTest, Inventory_1_3_FlatAgentThatCannotBeReadIsNamed) {
  home.write("../outside.jsonl", session_record(kOwnSid));
  std::filesystem::create_symlink(home.outside() + "/outside.jsonl", home / "projects/-p/agent-a1.jsonl");
  const Inventory inventory = take();
  EXPECT_THAT(inventory.left_out, ElementsAre("projects/-p/agent-a1.jsonl"));
  EXPECT_EQ(inventory.artifacts.size(), 1U);
}

TEST_F(InventoryTest, Inventory_1_3_NestedAgentsAreKeyedByPath) {
  for (const char* below :
       {"subagents/agent-a1.jsonl", "subagents/workflows/wf_1-2/agent-a1.jsonl", "subagents/x/y/z/agent-a1.jsonl"})
    home.write(session_file(below), session_record(kOtherSid));
  home.write(session_file("subagents/agent-gone.meta.json"), "{}");
  home.write(session_file("subagents/workflows/wf_1-2/journal.jsonl"), "{}\n");
  home.write(session_file("subagents/journal.jsonl"), "{}\n");
  home.write(session_file("subagents/agent-.jsonl"), "{}\n");
  const Inventory inventory = take();
  EXPECT_THAT(paths_of(inventory, ArtifactKind::nested_agent),
              ElementsAre(session_file("subagents/agent-a1.jsonl"), session_file("subagents/workflows/wf_1-2/agent-a1.jsonl"),
                          session_file("subagents/x/y/z/agent-a1.jsonl")));
  EXPECT_THAT(paths_of(inventory, ArtifactKind::agent_metadata), ElementsAre(session_file("subagents/agent-gone.meta.json")));
  EXPECT_THAT(paths_of(inventory, ArtifactKind::workflow_journal),
              ElementsAre(session_file("subagents/workflows/wf_1-2/journal.jsonl")));
  EXPECT_THAT(paths_of(inventory, ArtifactKind::other),
              ElementsAre(session_file("subagents/agent-.jsonl"), session_file("subagents/journal.jsonl")));
}

TEST_F(InventoryTest, Inventory_1_3_EveryOtherKindAndTheUnknown) {
  const std::vector<std::pair<std::string, ArtifactKind>> files = {
      {session_file("workflows/wf_1-2.json"), ArtifactKind::workflow_run},
      {session_file("workflows/scripts/n-wf_1.js"), ArtifactKind::workflow_run},
      {session_file("workflows/notes.txt"), ArtifactKind::other},
      {session_file("tool-results/b1.txt"), ArtifactKind::tool_result},
      {session_file("tool-results/no-extension"), ArtifactKind::tool_result},
      {session_file("tool-results/pdf-1/page-01.jpg"), ArtifactKind::tool_result},
      {session_file("tool-results/pdf-1/deep/page-01.jpg"), ArtifactKind::other},
      {session_file("session-memory/summary.md"), ArtifactKind::session_memory},
      {session_file("session-memory/more.md"), ArtifactKind::other},
      {session_file("new-thing"), ArtifactKind::other},
      {session_file("new/thing\xFF"), ArtifactKind::other},
      {std::string("todos/") + kOwnSid + "-agent-" + kOwnSid + ".json", ArtifactKind::todo},
      {std::string("todos/") + kOwnSid + "-agent-a1.json", ArtifactKind::todo},
      {std::string("tasks/") + kOwnSid + "/1.json", ArtifactKind::task},
      {std::string("tasks/") + kOwnSid + "/.highwatermark", ArtifactKind::task_metadata},
      {std::string("tasks/") + kOwnSid + "/.lock", ArtifactKind::task_lock},
      {std::string("tasks/") + kOwnSid + "/x.tmp", ArtifactKind::other},
      {std::string("session-env/") + kOwnSid + "/hook-1.sh", ArtifactKind::session_env},
      {std::string("file-history/") + kOwnSid + "/0123456789abcdef@v1", ArtifactKind::file_history},
      {std::string("debug/") + kOwnSid + ".txt", ArtifactKind::debug_log},
  };
  for (const auto& [path, kind] : files) home.write(path, "x");
  // Not of this session.
  home.write(std::string("todos/") + kOtherSid + "-agent-" + kOwnSid + ".json", "x");
  home.write(std::string("tasks/") + kOtherSid + "/1.json", "x");
  home.write("projects/-p/sessions-index.json", "{}");
  home.write("projects/-p/memory/note.md", "x");
  home.write("settings.json", "{}");
  const Inventory inventory = take();
  EXPECT_EQ(inventory.artifacts.size(), files.size() + 1);
  for (const auto& [path, kind] : files) {
    const Artifact* artifact = inventory.find(path);
    ASSERT_NE(artifact, nullptr) << path;
    EXPECT_EQ(artifact->kind, kind) << path << " " << name_of(artifact->kind);
    EXPECT_EQ(artifact->size, 1U);
  }
  EXPECT_EQ(inventory.artifacts.front().kind, ArtifactKind::main_transcript);
  EXPECT_TRUE(std::ranges::is_sorted(inventory.artifacts, {}, [](const Artifact& a) { return std::pair(a.kind, a.path); }));
}

TEST_F(InventoryTest, FoldersOfTheSessionAloneParentsFirstAndEmptyOnes) {
  std::filesystem::create_directories(home / session_file("subagents/empty"));
  std::filesystem::create_directories(home / (std::string("session-env/") + kOwnSid));
  std::filesystem::permissions(home / session_file("subagents"), std::filesystem::perms(0711));
  home.write("projects/-p/memory/note.md", "x");
  const Inventory inventory = take();
  std::vector<std::string> folders;
  for (const ArtifactFolder& folder : inventory.folders) folders.push_back(folder.path);
  EXPECT_THAT(folders, ElementsAre(kInventoryPlace.folder(), session_file("subagents"), session_file("subagents/empty"),
                                   std::string("session-env/") + kOwnSid));
  EXPECT_EQ(inventory.folders[1].mode, 0711U);
}

TEST_F(InventoryTest, ModesAndTimesAreReported) {
  std::filesystem::permissions(home / kInventoryPlace.transcript(), std::filesystem::perms(0640));
  const timespec times[2] = {{1'700'000'000, 0}, {1'700'000'000, 123'000'000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (home / kInventoryPlace.transcript()).c_str(), times, 0), 0);
  const Artifact main = take().artifacts.front();
  EXPECT_EQ(main.mode, 0640U);
  EXPECT_EQ(main.mtime, 1'700'000'000'123);
}

TEST_F(InventoryTest, Safety_8_1_LinksAndPipesAreNamedNeverFollowed) {
  home.write("../secret/key", "x");
  std::filesystem::create_directories(home / kInventoryPlace.folder());
  std::filesystem::create_directory_symlink(home.outside() + "/secret", home / session_file("subagents"));
  std::filesystem::create_directories(home / "tasks");
  std::filesystem::create_directory_symlink(home.outside() + "/secret", home / (std::string("tasks/") + kOwnSid));
  std::filesystem::create_directory_symlink("..", home / session_file("loop"));
  ASSERT_EQ(::mkfifo((home / session_file("pipe")).c_str(), 0600), 0);
  const Inventory inventory = take();
  EXPECT_THAT(inventory.left_out, UnorderedElementsAre(session_file("subagents"), session_file("loop"), session_file("pipe"),
                                                       std::string("tasks/") + kOwnSid));
  EXPECT_EQ(inventory.artifacts.size(), 1U);
}

TEST_F(InventoryTest, Inventory_1_3_SlugsOfAllTranscriptsPlansThatExist) {
  home.append(kInventoryPlace.transcript(),
              session_record(kOwnSid, R"(,"slug":"one")") + session_record(kOwnSid, R"(,"slug":null)") +
                  session_record(kOwnSid, R"(,"slug":"one")") + session_record(kOwnSid, R"(, "slug" : "two")") +
                  session_record(kOwnSid, R"(,"message":{"slug":"nested"})") +
                  session_record(kOwnSid, R"(,"text":"\"slug\":\"quoted\"")") +
                  session_record(kOwnSid, R"(,"input":{"slug":"one"},"slug":"three")"));
  home.write("projects/-p/agent-a1.jsonl", session_record(kOwnSid, R"(,"slug":"flat")"));
  home.write(session_file("subagents/agent-a2.jsonl"), session_record(kOwnSid, R"(,"slug":"deep")"));
  for (const char* slug : {"one", "flat", "nested", "quoted"}) home.write(std::string("plans/") + slug + ".md", "plan");
  const Inventory inventory = take();
  EXPECT_THAT(inventory.slugs, ElementsAre("deep", "flat", "one", "three", "two"));
  EXPECT_THAT(paths_of(inventory, ArtifactKind::plan), ElementsAre("plans/flat.md", "plans/one.md"));
}

TEST_F(InventoryTest, Safety_8_1_HostileSlugsAreIgnoredAndNoted) {
  home.write("../secret.md", "x");
  home.append(kInventoryPlace.transcript(),
              session_record(kOwnSid, R"(,"slug":"../../secret")") + session_record(kOwnSid, R"(,"slug":"")") +
                  session_record(kOwnSid, R"(,"slug":"..")") + session_record(kOwnSid, R"(,"slug":"a\u0000b")") +
                  session_record(kOwnSid, R"(,"slug":")" + std::string(5000, 'x') + '"') +
                  session_record(kOwnSid, R"(,"slug":"good")"));
  const Inventory inventory = take();
  EXPECT_THAT(inventory.slugs, ElementsAre("good"));
  EXPECT_EQ(inventory.left_out.size(), 5U);
  EXPECT_THAT(inventory.left_out, Contains(HasSubstr("../../secret")));
  EXPECT_THAT(paths_of(inventory, ArtifactKind::plan), IsEmpty());
}

TEST(KindOfPath, OfAnySessionWhenNoneIsNamed) {
  const std::string sid = kOwnSid;
  EXPECT_EQ(kind_of_path("projects/-x/" + sid + ".jsonl", {}), ArtifactKind::main_transcript);
  EXPECT_EQ(kind_of_path("projects/-x/name.jsonl", {}), std::nullopt);
  EXPECT_EQ(kind_of_path("tasks/" + sid + "/1.json", {}), ArtifactKind::task);
  EXPECT_EQ(kind_of_path("todos/" + sid + "-agent-a.json", {}), ArtifactKind::todo);
  EXPECT_EQ(kind_of_path("debug/latest", {}), std::nullopt);
  EXPECT_EQ(kind_of_path("sessions/2026/11/15/rollout-2026-11-15T01-02-03-" + sid + ".jsonl", {}), ArtifactKind::main_transcript);
}

TEST(KindOfPath, WhatIsNoPartOfASession) {
  const std::string sid = kOwnSid;
  for (const std::string& path :
       {"settings.json"s, "history.jsonl"s, "projects/-p/sessions-index.json"s, "projects/-p/memory/x.md"s,
        "projects/-q/" + sid + ".jsonl", "projects/-p/" + std::string(kOtherSid) + ".jsonl", "sessions/123.json"s,
        "plans/sub/x.md"s, "plans/.md"s, "plans/../x.md"s, "projects/-p/" + sid + "/../../x", "projects/-p/" + sid + "//x",
        "/projects/-p/" + sid + ".jsonl", ""s, "session-env/" + std::string(kOtherSid) + "/x.sh",
        "archived_sessions/rollout-" + sid + ".jsonl", "projects/-p/" + sid})
    EXPECT_EQ(kind_of_path(path, kInventoryPlace), std::nullopt) << path;
}

}  // namespace
}  // namespace holdfast::transcripts
