#include "cli/transcripts/copy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using transcripts::ArtifactKind;

transcripts::CopyResult result() {
  transcripts::CopyResult result;
  result.new_session_id = "new";
  result.original_session_id = "old";
  result.project_path = "/srv/x";
  result.main_records = 7;
  result.files = {{ArtifactKind::main_transcript, 1}, {ArtifactKind::nested_agent, 2}};
  result.resume_command = "cd /srv/x && claude --resume new";
  result.rewritten.paths = 3;
  result.rewritten.samples = {"/a -> /b"};
  return result;
}

TEST(PartsText, CountsInWordsAndJoinsWhatAPersonTakesForOne) {
  EXPECT_EQ(parts_text({{ArtifactKind::main_transcript, 1}}), "");
  EXPECT_EQ(parts_text({{ArtifactKind::flat_agent, 1}, {ArtifactKind::nested_agent, 2}, {ArtifactKind::plan, 1}}),
            "3 subagents, 1 plan");
  EXPECT_EQ(parts_text({{ArtifactKind::task, 2}, {ArtifactKind::task_metadata, 1}}), "3 task files");
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
  dry.was_dry_run = true;
  const std::string text = copy_text(dry, {}, false);
  EXPECT_THAT(text, HasSubstr("would be  new\n"));
  EXPECT_THAT(text, HasSubstr("/a -> /b"));
  EXPECT_THAT(text, Not(HasSubstr("resume")));
}

TEST(CopyText, TextOfStrangersIsHarmless) {
  auto hostile = result();
  hostile.custom_title = "x\x1b[31m\ny";
  EXPECT_THAT(copy_text(hostile, {}, false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace holdfast::cli
