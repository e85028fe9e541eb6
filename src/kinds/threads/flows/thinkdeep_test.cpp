// Thinkdeep (threads-and-research §9): hypotheses, evidence, convergence; every value of every enumeration is reached (lesson
// 10).

#include "kinds/threads/flows/investigation.h"
#include "kinds/threads/test_threads.h"

#include <rapidcheck/gtest.h>

namespace holdfast::threads {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

JsonObject update(const char* text) {
  return parse_json(text).value().as_object();
}

Hypothesis with(std::vector<Strength> supporting, std::vector<Strength> against = {}) {
  Hypothesis hypothesis;
  for (const Strength strength : supporting) hypothesis.evidence.push_back({"e", strength, true, 1});
  for (const Strength strength : against) hypothesis.evidence.push_back({"e", strength, false, 1});
  return hypothesis;
}

TEST(Investigation, P9_WeightsAndLevels) {
  using enum Strength;
  EXPECT_EQ(with({}).confidence(), Confidence::speculation);
  EXPECT_EQ(with({weak}).confidence(), Confidence::speculation);
  EXPECT_EQ(with({moderate}).confidence(), Confidence::low);
  EXPECT_EQ(with({moderate, weak}).confidence(), Confidence::low);
  EXPECT_EQ(with({strong}).confidence(), Confidence::medium);
  EXPECT_EQ(with({strong, moderate, weak}).confidence(), Confidence::medium);
  EXPECT_EQ(with({strong, strong}).confidence(), Confidence::high);
  EXPECT_EQ(with({strong, strong, moderate, weak}).confidence(), Confidence::high);
  EXPECT_EQ(with({strong, strong, strong}).confidence(), Confidence::confirmed);
  EXPECT_EQ(with({strong, strong, strong}, {weak}).confidence(), Confidence::high);
  EXPECT_EQ(with({}, {strong}).score(), -2);
  EXPECT_EQ(with({}, {strong}).confidence(), Confidence::speculation);
}

TEST(Investigation, P9_BoundariesBelongToTheHigherLevel) {
  const std::vector<std::pair<double, std::string_view>> rows = {
      {-3, "speculation"}, {0.5, "speculation"}, {1, "low"},    {1.5, "low"},     {2, "medium"},
      {3.5, "medium"},     {4, "high"},          {5.5, "high"}, {6, "confirmed"}, {60, "confirmed"}};
  for (const auto& [score, name] : rows) EXPECT_EQ(name_of(confidence_of(score)), name) << score;
}

TEST(Investigation, P9_ConvergesAtMaxDepthOrWhenAllAreConfident) {
  using enum Strength;
  Investigation investigation;
  investigation.max_depth = 2;
  EXPECT_EQ(investigation.convergence(), Convergence::none);
  investigation.hypotheses = {with({strong, strong}), with({strong})};
  EXPECT_EQ(investigation.convergence(), Convergence::none);
  investigation.depth = 2;
  EXPECT_EQ(investigation.convergence(), Convergence::max_depth);
  investigation.depth = 1;
  investigation.hypotheses.pop_back();
  EXPECT_EQ(investigation.convergence(), Convergence::confidence);
}

TEST(Investigation, P9_HypothesesAreKeyedByIdAndFoundByTheirStatement) {
  Investigation investigation;
  EXPECT_THAT(investigation.add(update(
                  R"({"hypotheses":[{"statement":"The cache is stale","evidence":[{"text":"old value","strength":"strong"}]},
    {"id":"h77","statement":"The clock is wrong"}]})")),
              IsEmpty());
  ASSERT_EQ(investigation.hypotheses.size(), 2U);
  EXPECT_EQ(investigation.hypotheses[1].id, "h2") << "ids are ours";
  investigation.add(update(
      R"({"hypotheses":[{"id":"h1","evidence":[{"text":"Old Value","strength":"strong"},{"text":"restart helps","strength":"MODERATE","supports":"true"}]},
    {"statement":"the clock is wrong","evidence":{"text":"NTP is fine","strength":"weak","supports":false}}]})"));
  ASSERT_EQ(investigation.hypotheses.size(), 2U);
  EXPECT_EQ(investigation.hypotheses[0].score(), 3) << "the same evidence does not count twice";
  EXPECT_EQ(investigation.hypotheses[1].score(), -0.5);
}

TEST(Investigation, P10_OddUpdatesAreSurvived) {
  Investigation investigation;
  EXPECT_THAT(
      investigation.add(update(
          R"({"hypotheses":[null,7,{"id":"h9"},{"statement":""},{"statement":"real","evidence":[null,{"text":""},{"text":"t","strength":12,"supports":null}]}]})")),
      Contains(HasSubstr("h9")));
  ASSERT_EQ(investigation.hypotheses.size(), 1U);
  EXPECT_EQ(investigation.hypotheses[0].score(), 0.5);
  investigation.add(update(R"({"hypotheses":"none"})"));
  investigation.add(update("{}"));
  EXPECT_EQ(investigation.hypotheses.size(), 1U);
}

TEST(Investigation, WhatIsKeptIsBounded) {
  Investigation investigation;
  for (int i = 0; i < 40; ++i) {
    JsonArray evidence;
    for (int k = 0; k < 100; ++k) evidence.push_back(JsonObject{{"text", std::to_string(k) + std::string(5000, '\x01')}});
    investigation.add({{"hypotheses", JsonArray{JsonObject{{"statement", std::to_string(i)}, {"evidence", evidence}}}}});
  }
  EXPECT_EQ(investigation.hypotheses.size(), 20U);
  EXPECT_LT(to_json(investigation.to_json()).size(), 4U << 20);
}

RC_GTEST_PROP(Investigation, IsTheSameAfterBeingKept, ()) {
  Investigation investigation;
  investigation.topic = "t";
  investigation.depth = *rc::gen::inRange(0, 9);
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    Hypothesis hypothesis{"h" + std::to_string(i), "s" + std::to_string(i), {}};
    for (int k = *rc::gen::inRange(0, 5); k > 0; --k)
      hypothesis.evidence.push_back(
          {"e" + std::to_string(k), static_cast<Strength>(*rc::gen::inRange(0, 3)), *rc::gen::arbitrary<bool>(), k});
    investigation.hypotheses.push_back(hypothesis);
  }
  RC_ASSERT(to_json(Investigation::from_json(investigation.to_json()).to_json()) == to_json(investigation.to_json()));
}

constexpr const char* kStrong =
    R"({"content":"Looked at it.","hypotheses":[{"statement":"It is the cache","evidence":[{"text":"a","strength":"strong"},{"text":"b","strength":"strong"}]}]})";

ThinkdeepRequest about(std::string topic) {
  ThinkdeepRequest request;
  request.topic = std::move(topic);
  return request;
}
ThinkdeepRequest further(std::string thread_id) {
  ThinkdeepRequest request;
  request.thread_id = std::move(thread_id);
  return request;
}

TEST_F(ThreadsTest, P9_ThinkdeepIsOneStepPerCall) {
  answer_in_turn(
      {R"({"content":"First look.","hypotheses":[{"statement":"cache","evidence":[{"text":"a","strength":"moderate"}]}]})",
       R"(Well: ```json
{"content":"Second look.","hypotheses":[{"id":"h1","evidence":[{"text":"b","strength":"weak"}]}]}
```)"});
  const auto first = must(threads->thinkdeep(who, about("Why is it slow?")));
  ASSERT_FALSE(first.failure);
  EXPECT_EQ(first.data.at("content"), "First look.");
  EXPECT_EQ(first.data.at("current_depth"), 1);
  EXPECT_EQ(first.data.at("max_depth"), 5);
  EXPECT_EQ(first.data.at("converged"), false);
  EXPECT_FALSE(first.data.contains("convergence_reason"));
  EXPECT_EQ(first.data.at("hypothesis_count"), 1);
  EXPECT_EQ(first.data.at("step_count"), 1);
  const auto second = must(threads->thinkdeep(who, further(first.thread_id)));
  EXPECT_EQ(second.data.at("content"), "Second look.");
  EXPECT_EQ(second.data.at("current_depth"), 2);
  EXPECT_EQ(second.data.at("step_count"), 2);
  EXPECT_EQ(second.data.at("hypotheses").at(0).at("score"), 1.5);
  EXPECT_THAT(models->asks().at(1).messages.front().content, HasSubstr("cache"));
  const auto kept = record(first.thread_id);
  EXPECT_EQ(kept.aspect, "thinkdeep");
  EXPECT_EQ(kept.title, "Why is it slow?");
  EXPECT_EQ(messages(first.thread_id).size(), 4U);
}

TEST_F(ThreadsTest, P9_ConvergedThinkdeepAnswersWithoutAModel) {
  answer_in_turn({kStrong});
  const auto outcome = must(threads->thinkdeep(who, about("Why?")));
  EXPECT_EQ(outcome.data.at("converged"), true);
  EXPECT_EQ(outcome.data.at("convergence_reason"), "hypotheses_confident");
  EXPECT_EQ(outcome.data.at("hypotheses").at(0).at("confidence"), "high");
  const auto rev = record(outcome.thread_id).rev;
  const auto again = must(threads->thinkdeep(who, further(outcome.thread_id)));
  EXPECT_THAT(std::string(again.data.at("content").as_string()), HasSubstr("It is the cache"));
  EXPECT_EQ(again.data.at("converged"), true);
  EXPECT_EQ(models->asks().size(), 1U);
  EXPECT_EQ(record(outcome.thread_id).rev, rev) << "a summary changes nothing";
}

TEST_F(ThreadsTest, P9_MaxDepthConverges) {
  answer_in_turn({R"({"content":"hm","hypotheses":[{"statement":"maybe"}]})"});
  ThinkdeepRequest request = about("Why?");
  request.max_depth = 1;
  const auto outcome = must(threads->thinkdeep(who, request));
  EXPECT_EQ(outcome.data.at("convergence_reason"), "max_depth_reached");
  EXPECT_EQ(outcome.data.at("hypotheses").at(0).at("confidence"), "speculation");
}

TEST_F(ThreadsTest, P10_AnAnswerThatIsNoJsonIsStillAStep) {
  answer_in_turn({"I think it is the cache."});
  const auto outcome = must(threads->thinkdeep(who, about("Why?")));
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.data.at("content"), "I think it is the cache.");
  EXPECT_EQ(outcome.data.at("step_count"), 1);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("form")));
  EXPECT_EQ(models->asks().size(), 2U) << "one repair was asked for";
}

TEST_F(ThreadsTest, P9_AFailedStepKeepsTheQuestionAndTheTopic) {
  answer_with([](const model::Ask&) -> Result<model::Reply> { return fail(ErrorKind::timeout, "slow", {}, "PROVIDER_TIMEOUT"); });
  ThinkdeepRequest request = about("Why is it slow?");
  request.query = "Look at the disk first";
  const auto failed = must(threads->thinkdeep(who, request));
  ASSERT_TRUE(failed.failure);
  EXPECT_EQ(failed.failure->code, "PROVIDER_TIMEOUT");
  EXPECT_EQ(failed.data.at("step_count"), 0);
  EXPECT_EQ(messages(failed.thread_id).at(0).content, "Look at the disk first");
  EXPECT_EQ(failed.data.at("message_id").as_string(), messages(failed.thread_id).at(0).id);
  answer_in_turn({kStrong});
  must(threads->thinkdeep(who, further(failed.thread_id)));
  EXPECT_THAT(models->asks().at(0).messages.front().content, HasSubstr("Why is it slow?"));
}

TEST_F(ThreadsTest, P1_BadThinkdeepCallsAreRefused) {
  EXPECT_EQ(code_of(threads->thinkdeep(who, {})), "MISSING_REQUIRED");
  ThinkdeepRequest request = about("x");
  request.max_depth = 0;
  EXPECT_EQ(code_of(threads->thinkdeep(who, request)), "VALIDATION_ERROR");
  const std::string chat_id = chat(saying("hello")).thread_id;
  const auto refused = threads->thinkdeep(who, further(chat_id));
  EXPECT_EQ(code_of(refused), "VALIDATION_ERROR");
  EXPECT_THAT(refused.error().message, HasSubstr("of kind chat"));
}

TEST_F(ThreadsTest, P9_AThreadMadeBeforehandCanBeInvestigated) {
  NewThread thread;
  thread.kind = "thinkdeep";
  thread.title = "Why is it slow?";
  const std::string id = must(threads->create(who, thread)).id;
  answer_in_turn({kStrong});
  EXPECT_EQ(must(threads->thinkdeep(who, further(id))).data.at("current_depth"), 1);
  EXPECT_THAT(models->asks().at(0).messages.front().content, HasSubstr("Why is it slow?"));
}

}  // namespace
}  // namespace holdfast::threads
