#include "tools/argument_words.h"

#include "base/files/test_folder.h"
#include "base/result.h"
#include "kinds/transcripts/verbs/erase.h"
#include "kinds/transcripts/verbs/removal_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace holdfast::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

const transcripts::SessionPlace kPlace{"11111111-2222-4333-8444-555555555555", "-p"};

class ArgumentWordsTest : public testing::Test {
 protected:
  ArgumentWordsTest() {
    std::filesystem::create_directories(folder_ / ("projects/" + kPlace.project_folder));
    std::ofstream(folder_ / kPlace.transcript()) << "{}\n";
  }
  Error refusal(const transcripts::RemovalRules& rules, Millis now) {
    auto checked = transcripts::check_removal(transcripts::Home::open(folder_.path()).value(), kPlace.session_id,
                                              kPlace.transcript(), rules, now);
    EXPECT_FALSE(checked);
    Error error = checked ? Error{} : std::move(checked).error();
    put_in_words_of_arguments(error);
    return error;
  }

  TestFolder folder_;
};

TEST_F(ArgumentWordsTest, Tools_3_RefusalsNameTheArgumentThatAllowsIt) {
  const transcripts::RemovalRules native{"delete", false, false, false, false, {}};
  Error error = refusal(native, SystemClock().now() + 3'600'000);
  EXPECT_THAT(error.message, HasSubstr("needs force"));
  EXPECT_THAT(error.hint, HasSubstr("dry_run"));
  EXPECT_THAT(error.message + error.hint, Not(HasSubstr("--")));
  const transcripts::RemovalRules running{"delete", true, false, false, false, {}};
  error = refusal(running, SystemClock().now());
  EXPECT_THAT(error.hint, HasSubstr("terminate_running"));
  EXPECT_THAT(error.hint, Not(HasSubstr("--")));
}

TEST_F(ArgumentWordsTest, Tools_3_SoDoWarningsOfADryRun) {
  JsonObject result{{"warnings", JsonArray{"not made by holdfast: this needs --force"}}, {"undo_command", "x --force"}};
  put_in_words_of_arguments(result);
  EXPECT_EQ(result.at("warnings"), Json(JsonArray{"not made by holdfast: this needs force"}));
  EXPECT_EQ(result.at("undo_command"), Json("x --force"));
}

TEST_F(ArgumentWordsTest, EveryMentionIsPutRight) {
  EXPECT_EQ(in_words_of_arguments("--force and --force: --delete-cross-session-artifacts or --no-delete-cross-session-artifacts"),
            "force and force: delete_cross_session_artifacts true or false");
  EXPECT_EQ(in_words_of_arguments("start the server with --root DIR"), "start the server with --root DIR");
}

}  // namespace
}  // namespace holdfast::tools
