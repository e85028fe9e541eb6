#include "kinds/transcripts/family/lineage.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Millis kLineageNow = 1'800'000'000'000;
constexpr std::string_view kArchiveHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

class LineageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::OpenOptions options;
    options.clock = std::make_shared<ManualClock>(kLineageNow);
    store_ = store::open_store("sqlite:" + (folder_ / "store.db"), options).value();
  }

  void copy(const std::string& parent, const std::string& child, Millis at, std::string_view how = "clone",
            const std::string& machine = {}, const ArchiveOrigin& origin = {}) {
    CopyResult result;
    result.original_session_id = parent;
    result.new_session_id = child;
    result.restored_at = at;
    result.project_path = "/home/u/target";
    result.paths_translated = true;
    result.source_machine_id = machine;
    result.was_in_place = parent == child;
    ASSERT_TRUE(record_copy(*store_, result, how, "/home/u/source", origin));
  }
  LineageTree tree(const std::string& id) {
    auto tree = lineage_tree(store_.get(), id, {});
    return tree && *tree ? **tree : LineageTree{};
  }
  std::string write(const std::string& name, std::string_view text) {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(replace_file(path, text));
    return path;
  }

  TestFolder folder_;
  std::unique_ptr<session::Store> store_;
};

TEST_F(LineageTest, Lineage_7_UnknownSessionHasNoTree) {
  EXPECT_EQ(lineage_tree(store_.get(), "nobody", {}).value(), std::nullopt);
}

TEST_F(LineageTest, Lineage_7_ForksOfTheClientJoinTheFamily) {
  copy("root", "clone", kLineageNow);
  copy("fork", "clone-of-fork", kLineageNow + 1);
  // The copy of the fork has the fork's records: the store knows better.
  const std::vector<NativeFork> forks{{"fork", "clone"}, {"clone-of-fork", "clone"}, {"stranger", "nobody"}};
  for (const char* asked : {"root", "fork", "clone-of-fork"}) {
    const LineageTree family = lineage_tree(store_.get(), asked, {}, forks).value().value();
    EXPECT_EQ(family.root_session_id, "root");
    ASSERT_EQ(family.nodes.size(), 4U) << asked;
    const LineageNode& fork = family.nodes.at("fork");
    EXPECT_EQ(fork.parent_id, "clone");
    EXPECT_EQ(fork.method, "fork");
    EXPECT_EQ(fork.depth, 2);
    EXPECT_TRUE(fork.events.empty());
    EXPECT_EQ(family.nodes.at("clone-of-fork").parent_id, "fork");
    EXPECT_EQ(family.nodes.at("clone-of-fork").method, "clone");
    const JsonObject json = to_json(family);
    EXPECT_EQ(find_string(*find_object(*find_object(json, "nodes"), "fork"), "method"), "fork");
  }
}

TEST_F(LineageTest, Lineage_7_ForksNeedNoStore) {
  const auto family = lineage_tree(nullptr, "fork", {}, {{"fork", "root"}}).value();
  ASSERT_TRUE(family);
  EXPECT_EQ(family->root_session_id, "root");
  EXPECT_EQ(lineage_tree(nullptr, "fork", {}).value(), std::nullopt);
}

TEST_F(LineageTest, Lineage_7_TheStartOfAnIdIsEnough) {
  copy("aaaa1111-parent", "bbbb2222-child", kLineageNow);
  copy("aaaa1111-parent", "bbbb3333-child", kLineageNow);
  EraseResult erased;
  erased.session_id = "cccc4444-native";
  erased.deleted_at = kLineageNow;
  ASSERT_TRUE(record_erase(*store_, erased));
  EXPECT_EQ(remembered_id(*store_, "aaaa").value(), "aaaa1111-parent");
  EXPECT_EQ(remembered_id(*store_, "BBBB2").value(), "bbbb2222-child");
  EXPECT_EQ(remembered_id(*store_, "cccc").value(), "cccc4444-native");
  EXPECT_EQ(remembered_id(*store_, "bbbb").error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(remembered_id(*store_, "bbbb").error().hint, HasSubstr("bbbb3333-child"));
  EXPECT_EQ(remembered_id(*store_, "dddd").error().kind, ErrorKind::not_found);
}

TEST_F(LineageTest, Lineage_7_TreeIsTheSameFromEveryMember) {
  copy("root", "late", kLineageNow + 2);
  copy("root", "b-same-time", kLineageNow + 1);
  copy("root", "a-same-time", kLineageNow + 1);
  copy("late", "grandchild", kLineageNow + 3);
  for (const std::string id : {"root", "late", "grandchild"}) {
    const LineageTree found = tree(id);
    EXPECT_EQ(found.root_session_id, "root");
    EXPECT_EQ(found.queried_session_id, id);
    ASSERT_EQ(found.nodes.size(), 5U);
    EXPECT_THAT(found.nodes.at("root").children, ElementsAre("a-same-time", "b-same-time", "late"));
    EXPECT_EQ(found.nodes.at("grandchild").depth, 2);
    EXPECT_EQ(found.nodes.at("grandchild").parent_id, "late");
  }
}

TEST_F(LineageTest, Lineage_7_CyclesAreCut) {
  copy("a", "b", kLineageNow);
  copy("b", "c", kLineageNow);
  copy("c", "a", kLineageNow);
  for (const std::string id : {"a", "b", "c"}) {
    const LineageTree found = tree(id);
    EXPECT_EQ(found.nodes.size(), 3U);
    EXPECT_TRUE(found.nodes.at(found.root_session_id).parent_id.empty());
  }
}

TEST_F(LineageTest, Lineage_7_CrossMachineIsNullWhenUnknown) {
  copy("root", "unknown", kLineageNow);
  copy("root", "same", kLineageNow, "restore", machine_id());
  copy("root", "other", kLineageNow, "restore", "somebody@elsewhere");
  const LineageTree found = tree("root");
  EXPECT_EQ(found.nodes.at("root").is_cross_machine, std::nullopt);
  EXPECT_EQ(found.nodes.at("unknown").is_cross_machine, std::nullopt);
  EXPECT_EQ(found.nodes.at("same").is_cross_machine, std::optional(false));
  EXPECT_EQ(found.nodes.at("other").is_cross_machine, std::optional(true));
}

TEST_F(LineageTest, Lineage_7_JsonHasTheFieldsOfTheContract) {
  copy("root", "child", kLineageNow, "restore", "u@h", {"/tmp/a.json.zst", std::string(kArchiveHash)});
  const JsonObject json = to_json(tree("child"));
  EXPECT_EQ(holdfast::to_json(json),
            R"({"root_session_id":"root","queried_session_id":"child","nodes":{"child":{"session_id":"child","parent_id":"root",)"
            R"("children":[],"depth":1,"cloned_at":"2027-01-15T08:00:00.000Z","method":"restore",)"
            R"("parent_project_path":"/home/u/source","parent_machine_id":"u@h","target_project_path":"/home/u/target",)"
            R"("target_machine_id":")" +
                machine_id() +
                R"(","paths_translated":true,"archive_path":"/tmp/a.json.zst","is_cross_machine":true,"custom_title":null},)"
                R"("root":{"session_id":"root","parent_id":null,"children":["child"],"depth":0,"cloned_at":null,"method":null,)"
                R"("parent_project_path":null,"parent_machine_id":null,"target_project_path":null,"target_machine_id":null,)"
                R"("paths_translated":null,"archive_path":null,"is_cross_machine":null,"custom_title":null}}})");
}

TEST_F(LineageTest, Lineage_7_MovesArchivesAndDeletesAreEventsOfTheirSession) {
  MoveResult moved;
  moved.session_id = "s";
  moved.source_project = "/a";
  moved.target_project = "/b";
  moved.moved_at = kLineageNow;
  moved.backup_sha256 = "feed";
  ASSERT_TRUE(record_move(*store_, moved));
  EraseResult erased;
  erased.session_id = "s";
  erased.backup_path = "/d/s.json";
  erased.backup_sha256 = "beef";
  erased.custom_title = "The title it had";
  erased.deleted_at = kLineageNow + 1;
  ASSERT_TRUE(record_erase(*store_, erased));
  copy("s", "s", kLineageNow + 2, "in-place", "", {"/d/s.json", "beef"});

  const LineageTree found = tree("s");
  ASSERT_EQ(found.nodes.size(), 1U);
  EXPECT_EQ(found.nodes.at("s").custom_title, "The title it had");
  const JsonObject json = to_json(found);
  const JsonArray& events = *find_array(*find_object(*find_object(json, "nodes"), "s"), "events");
  EXPECT_THAT(holdfast::to_json(events.at(0)), HasSubstr(R"("how":"move","at":"2027-01-15T08:00:00.000Z")"));
  EXPECT_THAT(holdfast::to_json(events.at(0)), HasSubstr(R"("source_project_path":"/a","target_project_path":"/b")"));
  EXPECT_THAT(holdfast::to_json(events.at(1)), HasSubstr(R"("how":"delete","at":"2027-01-15T08:00:00.001Z")"));
  EXPECT_THAT(holdfast::to_json(events.at(1)), HasSubstr(R"("backup_path":"/d/s.json")"));
  EXPECT_THAT(holdfast::to_json(events.at(2)), HasSubstr(R"("how":"in-place","at":"2027-01-15T08:00:00.002Z")"));
  // A backup is an archive we wrote: its undo is trusted.
  EXPECT_TRUE(wrote_archive(*store_, "feed").value());
  EXPECT_TRUE(wrote_archive(*store_, "beef").value());
}

TEST_F(LineageTest, Safety_3_OnlyArchivesWeWroteAreKnown) {
  ArchiveReport report;
  report.header.session_id = "s";
  report.header.archived_at = "2027-01-15T08:00:00.000Z";
  report.sha256 = kArchiveHash;
  ASSERT_TRUE(record_archive(*store_, report, "gist://abc123"));
  EXPECT_TRUE(wrote_archive(*store_, kArchiveHash).value());
  EXPECT_FALSE(wrote_archive(*store_, "0000").value());
  EXPECT_FALSE(wrote_archive(*store_, "").value());
  EXPECT_EQ(find_string(tree("s").nodes.at("s").events.at(0).details, "gist_id"), "abc123");
}

TEST_F(LineageTest, MadeByUsAreCopiesNotTheirParents) {
  copy("parent", "child", kLineageNow);
  copy("parent", "parent", kLineageNow, "in-place");
  EXPECT_TRUE(made_by_us(*store_, "child").value());
  EXPECT_FALSE(made_by_us(*store_, "parent").value());
  EXPECT_FALSE(made_by_us(*store_, "stranger").value());
}

TEST_F(LineageTest, DryRunsLeaveNoTrace) {
  CopyResult result;
  result.original_session_id = "a";
  result.new_session_id = "b";
  result.was_dry_run = true;
  ASSERT_TRUE(record_copy(*store_, result, "clone", "/p", {}));
  MoveResult moved;
  moved.session_id = "a";
  moved.was_dry_run = true;
  ASSERT_TRUE(record_move(*store_, moved));
  EXPECT_EQ(lineage_tree(store_.get(), "a", {}).value(), std::nullopt);
}

constexpr std::string_view kOriginal = R"({
  "schema_version": "1.0",
  "sessions": {
    "019b-child": {"child_session_id": "019b-child", "parent_session_id": "native", "cloned_at": "2025-12-01T10:00:00.123456+00:00",
      "method": "clone", "parent_project_path": "/p", "parent_machine_id": null, "target_project_path": "/t",
      "target_machine_id": "u@h", "paths_translated": true, "archive_path": null},
    "broken": 7
  }
})";

TEST_F(LineageTest, Lineage_7_ImportsTheOriginalsFileOncePerContent) {
  const std::string path = write("lineage.json", kOriginal);
  EXPECT_EQ(import_lineage(*store_, path).value(), 1U);
  EXPECT_EQ(import_lineage(*store_, path).value(), 0U);
  std::string grown(kOriginal);
  grown.replace(grown.find("\"broken\": 7"), 11, R"("second": {"parent_session_id": "019b-child", "method": "restore"})");
  EXPECT_EQ(import_lineage(*store_, write("lineage.json", grown)).value(), 1U);
  const LineageTree found = tree("native");
  ASSERT_EQ(found.nodes.size(), 3U);
  EXPECT_EQ(found.nodes.at("019b-child").cloned_at, "2025-12-01T10:00:00.123456+00:00");
  EXPECT_EQ(found.nodes.at("second").depth, 2);
}

TEST_F(LineageTest, Lineage_7_ExportIsWhatTheOriginalReads) {
  ASSERT_EQ(import_lineage(*store_, write("lineage.json", kOriginal)).value(), 1U);
  copy("other", "our-clone", kLineageNow);
  const JsonObject all = export_lineage(*store_, {}).value();
  ASSERT_EQ(all.size(), 2U);  // any other key makes its reader fail
  EXPECT_EQ(find_string(all, "schema_version"), "1.0");
  const JsonObject& sessions = *find_object(all, "sessions");
  ASSERT_EQ(sessions.size(), 2U);
  auto expected = parse_json(kOriginal).value();
  EXPECT_EQ(sessions.at("019b-child"), expected.at("sessions").at("019b-child"));
  EXPECT_EQ(sessions.at("our-clone").as_object().size(), 10U);

  const JsonObject one = export_lineage(*store_, {"other"}).value();
  EXPECT_EQ(find_object(one, "sessions")->size(), 1U);
}

TEST_F(LineageTest, Lineage_7_BothPlacesOfTheOriginalAreLookedAt) {
  EXPECT_EQ(import_original_lineage(*store_, folder_.path()), std::nullopt);
  write(".claude-session-mcp/lineage.json", kOriginal);
  std::string second(kOriginal);
  second.replace(second.find("native"), 6, "native2");
  second.replace(second.find("019b-child"), 10, "019b-other");
  second.replace(second.find("019b-child"), 10, "019b-other");
  write(".claude-workspace/claude-session/lineage.json", second);
  EXPECT_EQ(import_original_lineage(*store_, folder_.path()), std::nullopt);
  EXPECT_EQ(tree("native").nodes.size(), 2U);
  EXPECT_EQ(tree("native2").nodes.size(), 2U);
  write(".claude-session-mcp/lineage.json", "{}");
  EXPECT_THAT(import_original_lineage(*store_, folder_.path()).value_or(""), HasSubstr("is not a lineage file"));
}

}  // namespace
}  // namespace holdfast::transcripts
