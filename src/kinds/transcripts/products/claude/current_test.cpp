#include "kinds/transcripts/products/claude/current.h"

#include "base/run/process.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::HasSubstr;

const std::string kTool = "toolu_01b295b7c4f49bd0f2fb828c";

std::string tool_use(const std::string& id = kTool) {
  return R"({"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":")" + id +
         R"(","input":{}}]}})" + "\n";
}

class CurrentTest : public testing::Test {
 protected:
  CurrentTest() {
    std::filesystem::create_directories(test.outside() + "/here");
    hints.project_path = std::filesystem::canonical(test.outside() + "/here").string();
    folder = project_folder_name(hints.project_path);
    hints.wait = [this](std::chrono::milliseconds time) {
      waited += time;
      if (on_wait) on_wait();
      return true;
    };
  }
  std::string transcript(const std::string& short_id) const {
    return "projects/" + folder + "/" + TestHome::id(short_id) + ".jsonl";
  }
  void register_process(const Process& process, const std::string& short_id, Millis updated = 0) {
    test.write("sessions/" + std::to_string(process.pid) + ".json",
               "{\"pid\":" + std::to_string(process.pid) + ",\"sessionId\":\"" + TestHome::id(short_id) + "\",\"procStart\":\"" +
                   process.start + "\",\"updatedAt\":" + std::to_string(updated) + "}");
  }
  Result<CurrentSession> current() const { return current_session(test.home(), hints); }

  TestHome test;
  CallerHints hints;
  std::string folder;
  std::chrono::milliseconds waited{0};
  std::function<void()> on_wait;
};

TEST_F(CurrentTest, Current_3_1_ByTheToolUseNotByTheNewestFile) {
  test.write(transcript("01"), "{}\n" + tool_use() + "{}\n");
  test.write(transcript("02"), "{}\n");
  hints.tool_use_id = kTool;
  hints.environment = TestHome::id("02");
  const CurrentSession found = current().value();
  EXPECT_EQ(found.session.place, (SessionPlace{TestHome::id("01"), folder}));
  EXPECT_EQ(found.session.size, test.read(transcript("01")).size());
  EXPECT_EQ(found.found_by, "tool_use_id");
  EXPECT_EQ(found.agent_id, "");
  EXPECT_EQ(waited.count(), 0);
}

TEST_F(CurrentTest, Current_3_1_ACopyOfTheCallerIsNotTheCaller) {
  const std::string first = "01a1de8c-6e74-7650-a289-4a91d8d6ed0a", second = "01a1de8d-6e74-7650-a289-4a91d8d6ed0a";
  hints.tool_use_id = kTool;
  test.write("projects/" + folder + "/" + second + ".jsonl", tool_use());
  test.write("projects/" + folder + "/" + first + ".jsonl", tool_use());
  const auto set_age = [&](const std::string& path, int age) {
    std::filesystem::last_write_time(test / path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age));
  };
  set_age("projects/" + folder + "/" + first + ".jsonl", 10);
  EXPECT_EQ(current().value().session.place.session_id, first);
  test.write(transcript("01"), tool_use());
  set_age(transcript("01"), 20);
  EXPECT_EQ(current().value().session.place.session_id, TestHome::id("01"));
}

TEST_F(CurrentTest, Current_3_1_TextThatQuotesTheIdDoesNotCount) {
  test.write(transcript("01"), R"({"message":{"content":"id )" + kTool + R"("}})" + "\n" +
                                   R"({"message":{"content":[{"type":"tool_result","tool_use_id":")" + kTool + R"("}]}})" + "\n" +
                                   R"({"type":"tool_use","id":")" + kTool + R"("})" + "\n" + tool_use(kTool + "0"));
  hints.tool_use_id = kTool;
  EXPECT_EQ(current().error().kind, ErrorKind::not_found);
  test.append(transcript("01"), tool_use());
  EXPECT_EQ(current().value().found_by, "tool_use_id");
}

TEST_F(CurrentTest, OnDisk_10_ASubagentThatCallsIsNamed) {
  test.write(transcript("01"), "{}\n");
  test.write("projects/" + folder + "/" + TestHome::id("01") + "/subagents/workflows/wf_1/agent-a1b2.jsonl", tool_use());
  test.write("projects/" + folder + "/" + TestHome::id("02") + "/subagents/agent-a9.jsonl", tool_use());  // no transcript
  hints.tool_use_id = kTool;
  const CurrentSession found = current().value();
  EXPECT_EQ(found.session.place.session_id, TestHome::id("01"));
  EXPECT_EQ(found.session.size, 3U) << "of the session, not of the subagent";
  EXPECT_EQ(found.agent_id, "a1b2");
}

TEST_F(CurrentTest, Current_3_1_TheLineMayComeLater) {
  test.write(transcript("01"), "{}\n");
  hints.tool_use_id = kTool;
  int looks = 0;
  on_wait = [&] {
    ++looks;
    if (looks == 2) test.append(transcript("01"), tool_use().substr(0, 90));  // being written
    if (looks == 3) test.append(transcript("01"), tool_use().substr(90));
  };
  EXPECT_EQ(current().value().session.place.session_id, TestHome::id("01"));
  EXPECT_EQ(looks, 3);
}

TEST_F(CurrentTest, Current_3_1_TheSearchEndsAfterASecondOfWaits) {
  test.write(transcript("01"), "{}\n");
  hints.tool_use_id = kTool;
  EXPECT_EQ(current().error().kind, ErrorKind::not_found);
  EXPECT_EQ(waited, std::chrono::milliseconds{1000});
  int asked = 0;
  hints.wait = [&](std::chrono::milliseconds) {
    ++asked;
    return false;
  };
  EXPECT_FALSE(current());
  EXPECT_EQ(asked, 1);
  hints.wait = {};
  EXPECT_FALSE(current());
}

TEST_F(CurrentTest, ToolUseInAnotherProjectCountsOnlyWhenNoneIsNamed) {
  test.write("projects/-other/" + TestHome::id("01") + ".jsonl", tool_use());
  hints.tool_use_id = kTool;
  EXPECT_FALSE(current());
  hints.project_path.clear();
  EXPECT_EQ(current().value().session.place.project_folder, "-other");
}

TEST_F(CurrentTest, OnlyTheEndOfALargeFileIsSearched) {
  test.write(transcript("01"), tool_use() + std::string(5 * 1024 * 1024, ' ') + "\n");
  hints.tool_use_id = kTool;
  EXPECT_FALSE(current());
  test.append(transcript("01"), tool_use());
  EXPECT_TRUE(current());
}

TEST_F(CurrentTest, Current_3_1_ThenTheProcessAboveThenTheEnvironment) {
  test.write(transcript("01"), "{}\n");
  test.write(transcript("02"), "{}\n");
  EXPECT_EQ(current().error().kind, ErrorKind::not_found);
  EXPECT_THAT(current().error().hint, HasSubstr("id"));
  hints.environment = TestHome::id("01");
  EXPECT_EQ(current().value().found_by, "environment");
  register_process(processes_above().front(), "02", 9'999'999'999'999);
  EXPECT_EQ(current().value().found_by, "process");
  EXPECT_EQ(current().value().session.place.session_id, TestHome::id("02"));
}

TEST_F(CurrentTest, Current_3_1_AStaleRegistrationGivesWayToTheEnvironment) {
  test.write(transcript("01"), "{}\n");
  test.write(transcript("02"), "{}\n");
  hints.environment = TestHome::id("01");
  register_process(processes_above().front(), "02", 1000);
  EXPECT_EQ(current().value().found_by, "environment");
}

TEST_F(CurrentTest, Current_3_1_TheEnvironmentIsOnlyAHint) {
  test.write("projects/-other/" + TestHome::id("01") + ".jsonl", "{}\n");
  for (const std::string& id : {TestHome::id("01"), TestHome::id("02"), std::string("../x"), std::string("0")}) {
    hints.environment = id;
    EXPECT_FALSE(current()) << "not a session of this project: " << id;
  }
  hints.project_path.clear();
  hints.environment = TestHome::id("01");
  EXPECT_TRUE(current());
}

TEST_F(CurrentTest, P15WhoeverMayBeTheCallerIsNamed) {
  EXPECT_THAT(caller_sessions(test.home(), hints), testing::IsEmpty());
  hints.environment = TestHome::id("01");  // of no project, maybe of no file: it counts all the same
  EXPECT_THAT(caller_sessions(test.home(), hints), testing::ElementsAre(TestHome::id("01")));
  test.write(transcript("02"), "{}\n");
  register_process(processes_above().front(), "02", 1000);
  EXPECT_THAT(caller_sessions(test.home(), hints), testing::UnorderedElementsAre(TestHome::id("01"), TestHome::id("02")));
  test.write(transcript("03"), tool_use());
  hints.tool_use_id = kTool;
  EXPECT_THAT(caller_sessions(test.home(), hints), testing::ElementsAre(TestHome::id("03"))) << "exact";
  hints.environment = "../x";
  hints.tool_use_id = "other";
  EXPECT_THAT(caller_sessions(test.home(), hints), testing::ElementsAre(TestHome::id("02")));
}

TEST(ToolUse, OddLines) {
  for (const char* line :
       {"", "{", "[]", "{\"message\":1}", "{\"message\":{\"content\":{}}}", "{\"message\":{\"content\":[1,null]}}"})
    EXPECT_FALSE(has_tool_use(line, "x")) << line;
}

}  // namespace
}  // namespace holdfast::transcripts
