// persistent-client §7: the request.

#include "kinds/runner/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Result<RunRequest> request(std::string_view text) {
  return parse_run_request(parse_json(text).value());
}

TEST(RunRequest, TasksAreTextsOrObjects) {
  const auto run = request(R"({"tasks": ["  one ", {"task": "two", "working_directory": "/a", "max_rounds": 3.0, "id": "x",
      "max_tokens": "auto", "keep_context": true}, {"task": "three", "working_directory": ["/a", "/b"], "timeout_s": 5}],
      "max_rounds": 7, "max_tokens": 500, "on_error": "stop", "model": "m", "servers": ["fs"]})")
                       .value();
  ASSERT_THAT(run.tasks, SizeIs(3));
  EXPECT_EQ(run.tasks[0].text, "one");
  EXPECT_EQ(run.tasks[0].id, "task-1");
  EXPECT_FALSE(run.tasks[0].folders);
  EXPECT_EQ(run.rounds_of(run.tasks[0]), 7);
  EXPECT_EQ(run.rounds_of(run.tasks[1]), 3);
  EXPECT_EQ(run.tokens_of(run.tasks[0]), 500);
  EXPECT_TRUE(run.tasks[1].keep_context);
  EXPECT_THAT(*run.tasks[2].folders, ElementsAre("/a", "/b"));
  EXPECT_EQ(run.timeout_of(run.tasks[2]), 5);
  EXPECT_EQ(run.timeout_of(run.tasks[0]), 600);
  EXPECT_EQ(run.model_of(run.tasks[0]), "m");
  EXPECT_TRUE(run.stop_on_error);
  EXPECT_THAT(request(R"(["only", "tasks"])").value().tasks, SizeIs(2));
}

TEST(RunRequest, EverythingWrongIsSaidAtOnce) {
  const auto refused = request(R"({"tasks": ["ok", "", {"working_directory": "/a"}, 5, {"task": "x", "working_directory": []},
      {"task": "y", "max_rounds": 0}, {"task": "z", "max_tokens": "many"}, {"task": "w", "folder": "/a"}, {"task": "v", "id": "task-1"}],
      "on_error": "explode"})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("tasks[1]"), HasSubstr("tasks[2]"), HasSubstr("tasks[3]"), HasSubstr("tasks[4].working_directory"),
                    HasSubstr("tasks[5].max_rounds"), HasSubstr("tasks[6].max_tokens"), HasSubstr("tasks[7]: there is no folder"),
                    HasSubstr("tasks[8].id"), HasSubstr("on_error"), Not(HasSubstr("tasks[0]"))));
}

TEST(RunRequest, Bounds) {
  EXPECT_FALSE(request(R"({"tasks": []})"));
  EXPECT_FALSE(request(R"({})"));
  EXPECT_FALSE(request(R"("one")"));
  EXPECT_TRUE(request(R"([")" + std::string(kMaxTaskCharacters, 'x') + R"("])"));
  EXPECT_FALSE(request(R"([")" + std::string(kMaxTaskCharacters + 1, 'x') + R"("])"));
  std::string many = "[\"t\"";
  for (std::size_t i = 0; i < kMaxTasks; ++i) many += ",\"t\"";
  EXPECT_FALSE(request(many + "]"));
}

TEST(RunRequest, WhatIsJournaledReadsBackTheSame) {
  const auto run =
      request(R"({"tasks": ["one", {"task": "two", "working_directory": ["/a"], "max_rounds": 3, "keep_context": true}],
      "initial_directory": "/x", "servers": ["fs"], "timeout_s": 9, "call_timeout_s": 20, "max_result_bytes": 4096,
      "max_calls": 7, "on_error": "stop", "response_format": {"type": "json_object"}})")
          .value();
  const auto again = parse_run_request(request_json(run)).value();
  EXPECT_EQ(request_json(again), request_json(run));
  EXPECT_EQ(again.limits, run.limits);
}

}  // namespace
}  // namespace holdfast::runner
