// Consensus (threads-and-research §9): strategies, what is kept when, and a majority that is one (lesson 10).

#include "kinds/threads/flows/panel.h"
#include "kinds/threads/test_threads.h"

#include <atomic>
#include <latch>
#include <map>

namespace holdfast::threads {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(Vote, CasePunctuationAndSpaceDoNotMatter) {
  EXPECT_EQ(normalised("  Yes, 42!\n"), "yes 42");
  EXPECT_EQ(normalised("yes 42"), "yes 42");
  EXPECT_EQ(normalised("ÄPFEL."), normalised("äpfel"));
  EXPECT_EQ(normalised("+"), "+");
  EXPECT_NE(normalised("+"), normalised("-"));
}

TEST(Vote, AMajorityIsMoreThanHalf) {
  using Votes = std::vector<std::optional<std::size_t>>;
  EXPECT_EQ(majority(Votes{0, 1, 1}, 3), 1U);
  EXPECT_EQ(majority(Votes{0, 1}, 2), std::nullopt);
  EXPECT_EQ(majority(Votes{0, 0, 1, 1}, 4), std::nullopt);
  EXPECT_EQ(majority(Votes{0, std::nullopt, std::nullopt}, 3), std::nullopt) << "who does not vote is no support";
  EXPECT_EQ(majority(Votes{}, 0), std::nullopt);
}

struct ConsensusTest : ThreadsTest {
  // What each provider says, to the question and when asked to vote; an answer of "!" is a failure.
  void panel(std::map<std::string, std::string> answers, std::map<std::string, std::string> votes = {},
             std::string synthesis = "all in all") {
    std::vector<std::string> names;
    for (const auto& [name, text] : answers) names.push_back(name);
    answer_with(
        [=](const model::Ask& ask) -> Result<model::Reply> {
          const std::string& system = ask.messages.front().content;
          std::string text = system.starts_with("Several people") ? synthesis
                             : system.starts_with("Vote")         ? votes.at(ask.provider)
                                                                  : answers.at(ask.provider);
          if (text == "!") return fail(ErrorKind::unavailable, "down", {}, "PROVIDER_ERROR");
          auto reply = Models::reply(std::move(text));
          reply.provider = ask.provider.empty() ? names.front() : ask.provider;
          return reply;
        },
        names);
  }
  StepOutcome ask(const std::string& strategy) {
    ConsensusRequest request;
    request.prompt = "Is it safe?";
    request.strategy = strategy;
    return must(threads->consensus(who, request));
  }
  static std::string content(const StepOutcome& outcome) { return std::string(outcome.data.at("content").as_string()); }
};

TEST_F(ConsensusTest, P9_AllResponses) {
  panel({{"a", "yes"}, {"b", "no"}});
  const auto outcome = ask("all_responses");
  ASSERT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.data.at("outcome"), "all_responses");
  EXPECT_THAT(content(outcome), testing::AllOf(HasSubstr("## a\n\nyes"), HasSubstr("## b\n\nno")));
  EXPECT_EQ(outcome.data.at("response_count"), 2);
  EXPECT_EQ(record(outcome.thread_id).aspect, "consensus");
  EXPECT_EQ(messages(outcome.thread_id).size(), 3U);
}

TEST_F(ConsensusTest, P9_AnswersAreStoredBeforeTheSynthesis) {
  std::vector<std::string> before;
  panel({{"a", "yes"}, {"b", "no"}});
  answer_with(
      [&](const model::Ask& ask) {
        if (ask.messages.front().content.starts_with("Several people")) {
          EXPECT_EQ(ask.purpose, "synthesis");
          EXPECT_THAT(ask.messages.back().content, testing::AllOf(HasSubstr("yes from a"), HasSubstr("yes from b")));
          session::Query query;
          const std::string id = must(store->list(query)).items.at(0).id;
          for (const auto& entry : must(last_messages(*store, id, 10))) before.push_back(entry.text);
          return Models::reply("they agree");
        }
        return Models::reply("yes from " + ask.provider);
      },
      {"a", "b"});
  const auto outcome = ask("synthesize");
  EXPECT_THAT(before, UnorderedElementsAre("Is it safe?", "yes from a", "yes from b"));
  EXPECT_EQ(outcome.data.at("outcome"), "synthesized");
  EXPECT_EQ(content(outcome), "they agree");
  EXPECT_EQ(messages(outcome.thread_id).back().content, "they agree");
  EXPECT_EQ(outcome.data.at("message_count"), 4);
}

TEST_F(ConsensusTest, AFailedSynthesisKeepsTheAnswers) {
  panel({{"a", "yes"}, {"b", "no"}}, {}, "!");
  const auto outcome = ask("synthesize");
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "PROVIDER_ERROR");
  EXPECT_EQ(outcome.data.at("responses").as_array().size(), 2U);
  EXPECT_EQ(messages(outcome.thread_id).size(), 3U);
}

TEST_F(ConsensusTest, P9_MajorityOfEqualAnswers) {
  panel({{"a", "Yes."}, {"b", "no"}, {"c", "yes"}});
  const auto outcome = ask("majority");
  EXPECT_EQ(outcome.data.at("outcome"), "majority");
  EXPECT_EQ(outcome.data.at("decided_by"), "answers");
  EXPECT_EQ(content(outcome), "Yes.");
  EXPECT_EQ(models->asks().size(), 3U) << "nobody had to vote";
}

TEST_F(ConsensusTest, P9_MajorityByVote) {
  panel({{"a", "use a lock"}, {"b", "use a queue"}, {"c", "do nothing"}},
        {{"a", R"({"vote":2})"}, {"b", R"(I vote {"vote":"2"})"}, {"c", R"({"vote":3})"}});
  const auto outcome = ask("majority");
  EXPECT_EQ(outcome.data.at("outcome"), "majority");
  EXPECT_EQ(outcome.data.at("decided_by"), "votes");
  EXPECT_EQ(outcome.data.at("winner"), "b");
  EXPECT_EQ(content(outcome), "use a queue");
  EXPECT_EQ(outcome.data.at("votes").at("c"), "c");
}

TEST_F(ConsensusTest, P9_NoMajorityGivesAllAnswers) {
  panel({{"a", "one"}, {"b", "two"}, {"c", "three"}}, {{"a", R"({"vote":1})"}, {"b", R"({"vote":9})"}, {"c", "!"}});
  const auto outcome = ask("majority");
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.data.at("outcome"), "no_majority");
  EXPECT_FALSE(outcome.data.contains("winner"));
  EXPECT_THAT(content(outcome), testing::AllOf(HasSubstr("one"), HasSubstr("two"), HasSubstr("three")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("b cast no vote")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("c cast no vote")));
}

TEST_F(ConsensusTest, P9_FirstValidStopsTheOthers) {
  std::latch waiting(1);
  answer_with(
      [&](const model::Ask& ask) -> Result<model::Reply> {
        if (ask.provider == "fast") {
          waiting.wait();
          auto reply = Models::reply("quick");
          reply.provider = ask.provider;
          return reply;
        }
        waiting.count_down();
        while (!ask.cancelled()) std::this_thread::yield();
        return fail(ErrorKind::cancelled, "stopped");
      },
      {"slow", "fast"});
  const auto outcome = ask("first_valid");
  EXPECT_EQ(outcome.data.at("outcome"), "first_valid");
  EXPECT_EQ(outcome.data.at("winner"), "fast");
  EXPECT_EQ(content(outcome), "quick");
  EXPECT_TRUE(outcome.data.at("failed_providers").as_array().empty());
}

TEST_F(ConsensusTest, P9_TooFewAnswersAreKeptAndSaidSo) {
  panel({{"a", "yes"}, {"b", "!"}});
  ConsensusRequest request;
  request.prompt = "Is it safe?";
  request.require_all = true;
  auto outcome = must(threads->consensus(who, request));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "PROVIDER_ERROR");
  EXPECT_EQ(outcome.data.at("outcome"), "insufficient");
  EXPECT_EQ(outcome.data.at("failed_providers").at(0).at("provider"), "b");
  EXPECT_EQ(messages(outcome.thread_id).size(), 2U);
  request.require_all = false;
  request.min_responses = 2;
  outcome = must(threads->consensus(who, request));
  ASSERT_TRUE(outcome.failure);
  EXPECT_THAT(outcome.failure->message, HasSubstr("1 of 2"));
  request.min_responses = 1;
  outcome = must(threads->consensus(who, request));
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(content(outcome), "yes");
}

TEST_F(ConsensusTest, P10_WithoutAModelThePromptIsKept) {
  use(std::make_unique<Models>());
  ConsensusRequest request;
  request.prompt = "Is it safe?";
  const auto outcome = must(threads->consensus(who, request));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "NO_LLM_PROVIDER");
  EXPECT_EQ(messages(outcome.thread_id).size(), 1U);
}

TEST_F(ConsensusTest, P9_NoMoreAreAskedAtOnceThanAllowed) {
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::string> names;
  for (char c = 'a'; c < 'i'; ++c) names.emplace_back(1, c);
  answer_with(
      [&](const model::Ask& ask) {
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        return Models::reply(ask.provider);
      },
      names);
  ConsensusRequest request;
  request.prompt = "x";
  request.strategy = "all_responses";
  request.max_concurrent = 2;
  const auto outcome = must(threads->consensus(who, request));
  EXPECT_EQ(outcome.data.at("response_count"), 8);
  EXPECT_LE(most, 2);
  EXPECT_EQ(messages(outcome.thread_id).size(), 9U);
}

TEST_F(ConsensusTest, P9_AProviderHasItsOwnTime) {
  answer_with(
      [](const model::Ask& ask) -> Result<model::Reply> {
        if (ask.provider == "quick") return Models::reply("yes");
        EXPECT_EQ(ask.timeout, std::chrono::seconds(1));
        while (!ask.cancelled()) std::this_thread::yield();
        return fail(ErrorKind::cancelled, "stopped");
      },
      {"quick", "stuck"});
  ConsensusRequest request;
  request.prompt = "x";
  request.strategy = "all_responses";
  request.timeout_per_provider_s = 1;
  const auto outcome = must(threads->consensus(who, request));
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.data.at("failed_providers").at(0).at("code"), "PROVIDER_TIMEOUT");
}

TEST_F(ConsensusTest, P1_BadConsensusCallsAreRefusedBeforeAnythingIsKept) {
  panel({{"a", "yes"}});
  ConsensusRequest request;
  request.strategy = "dictate";
  request.providers = {"a", "a", "nobody"};
  request.min_responses = 5;
  request.max_concurrent = 0;
  request.timeout_per_provider_s = 0;
  const auto refused = threads->consensus(who, request);
  EXPECT_EQ(code_of(refused), "MISSING_REQUIRED");
  for (const char* part : {"prompt", "strategy", "nobody", "min_responses", "max_concurrent", "timeout_per_provider"})
    EXPECT_THAT(refused.error().message, HasSubstr(part));
  EXPECT_EQ(must(store->list({})).total, 0);
}

TEST_F(ConsensusTest, AFurtherQuestionGoesToTheSameThread) {
  panel({{"a", "yes"}, {"b", "yes"}});
  const auto first = ask("majority");
  ConsensusRequest request;
  request.prompt = "Sure?";
  request.thread_id = first.thread_id;
  request.strategy = "majority";
  const auto second = must(threads->consensus(who, request));
  EXPECT_EQ(second.thread_id, first.thread_id);
  EXPECT_EQ(messages(first.thread_id).size(), 6U);
  EXPECT_EQ(models->asks().back().messages.size(), 4U);
  EXPECT_THAT(second.warnings, testing::IsEmpty());
  request.system_prompt = "Doubt.";
  EXPECT_THAT(must(threads->consensus(who, request)).warnings, testing::Contains(HasSubstr("counts for this call alone")));
}

}  // namespace
}  // namespace holdfast::threads
