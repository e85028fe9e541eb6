#include "cli/transcripts/transcript_text.h"

#include "kinds/transcripts/family/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
operations::Facts result() {
  return {{"new_session_id", "new"},
          {"original_session_id", "old"},
          {"project_path", "/srv/x"},
          {"main_records_restored", 7},
          {"agent_files_restored", 2},
          {"resume_command", "cd /srv/x && claude --resume new"},
          {"rewritten", JsonObject{{"paths", 3}, {"samples", JsonArray{"/a -> /b"}}}}};
}

TEST(PartsText, CountsInWords) {
  EXPECT_EQ(parts_text({{"plan_files_moved", 0}}, "_moved"), "");
  EXPECT_EQ(parts_text({{"agent_files_moved", 3}, {"plan_files_moved", 1}, {"debug_log_moved", true}}, "_moved"),
            "3 subagents, 1 plan, 1 debug log");
}

TEST(CopyText, SaysWhatIsThereAndHowToGoOn) {
  const std::string text = copy_text(result(), {}, false);
  EXPECT_THAT(text, HasSubstr("session   new\ncopy of   old\n"));
  EXPECT_THAT(text, HasSubstr("records   7\n"));
  EXPECT_THAT(text, HasSubstr("with      2 subagents\n"));
  EXPECT_THAT(text, HasSubstr("resume    cd /srv/x && claude --resume new\n"));
  EXPECT_THAT(text, Not(HasSubstr("/a -> /b")));
}

TEST(CopyText, ADryRunShowsSamplesAndPromisesNothing) {
  auto dry = result();
  dry["was_dry_run"] = true;
  const std::string text = copy_text(dry, {}, false);
  EXPECT_THAT(text, HasSubstr("would be  new\n"));
  EXPECT_THAT(text, HasSubstr("/a -> /b"));
  EXPECT_THAT(text, Not(HasSubstr("resume")));
}

TEST(CopyText, TextOfStrangersIsHarmless) {
  auto hostile = result();
  hostile["custom_title"] = "x\x1b[31m\ny";
  EXPECT_THAT(copy_text(hostile, {}, false), Not(HasSubstr("\x1b")));
}

// Each behind the one before it; the second was restored from elsewhere.
transcripts::LineageTree chain(const std::vector<std::string>& ids) {
  transcripts::LineageTree tree;
  tree.root_session_id = ids.front();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    transcripts::LineageNode& node = tree.nodes[ids[i]];
    node.session_id = ids[i];
    node.depth = static_cast<int>(i);
    if (i + 1 < ids.size()) node.children = {ids[i + 1]};
    if (i == 0) continue;
    node.parent_id = ids[i - 1];
    node.method = i == 1 ? "restore" : "clone";
    node.cloned_at = "2027-01-15T08:00:00.000Z";
    if (i == 1) node.is_cross_machine = true;
    if (i == 1) node.parent_machine_id = "u@h";
  }
  tree.queried_session_id = ids.back();
  return tree;
}

TEST(LineageText, TellsWhereASessionCameFromAndWhatHappenedToIt) {
  auto tree = chain({"root", "child", "grandchild"});
  tree.queried_session_id = "child";
  tree.nodes["child"].archive_path = "/tmp/a.json.zst";
  session::LineageEvent moved;
  moved.how = "move";
  moved.when = 1'800'000'000'000;
  moved.details = {{"source_project_path", "/a"}, {"target_project_path", "/b"}};
  tree.nodes["child"].events = {moved};
  EXPECT_EQ(lineage_text(to_json(tree)),
            "Session: child\nParent: root\nCloned: 2027-01-15T08:00:00.000Z\nMethod: restore\nSource Machine: u@h\n"
            "Archive: /tmp/a.json.zst\nMoved: 2027-01-15T08:00:00.000Z from /a to /b\nClones: 1\n"
            "  grandchild clone 2027-01-15T08:00:00.000Z\n");
  tree.queried_session_id = "root";
  EXPECT_THAT(lineage_text(to_json(tree)), HasSubstr("Parent: none (root)\nClones: 1\n  child restore"));
}

TEST(LineageText, IsDrawnWithLines) {
  auto tree = chain({"root", "child", "grandchild"});
  tree.nodes["root"].children.emplace_back("second");
  tree.nodes["second"].session_id = "second";
  tree.nodes["second"].method = "fork";
  EXPECT_EQ(lineage_drawing(to_json(tree)),
            "root\n"
            "├── child (restore 2027-01-15T08:00:00.000Z) from u@h\n"
            "│   └── grandchild (clone 2027-01-15T08:00:00.000Z) <- this session\n"
            "└── second (fork)\n");
}

TEST(LineageText, LongChainsAreDrawnInBoundedSpace) {
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) ids.push_back("s" + std::to_string(i));
  const std::string drawing = lineage_drawing(to_json(chain(ids)));
  EXPECT_THAT(drawing, HasSubstr("..."));
  EXPECT_LT(drawing.size(), 100'000U);
}

}  // namespace
}  // namespace holdfast::cli
