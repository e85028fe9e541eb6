#include "cli/transcripts/transcript_text.h"

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

}  // namespace
}  // namespace holdfast::cli
