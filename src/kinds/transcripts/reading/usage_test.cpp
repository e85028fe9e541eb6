#include "kinds/transcripts/reading/usage.h"

#include "base/files/file.h"
#include "kinds/transcripts/testing/test_home.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string usage_record(const std::string& id, const std::string& model, int input, int output,
                         const std::string& content = "[]") {
  return fmt::format(
             R"({{"type":"assistant","message":{{"id":"{}","model":"{}","content":{},"usage":{{"input_tokens":{},"output_tokens":{},)"
             R"("cache_creation_input_tokens":10,"cache_read_input_tokens":1000}}}}}})",
             id, model, content, input, output) +
         "\n";
}

Usage usage_of(const TestHome& files, const SessionPlace& place) {
  const auto source = source_on_disk(files.home(), place);
  return measure_usage(*source, source->inventory().value()).value();
}

TEST(Usage, CountsAMessageOfSeveralRecordsOnceByItsLastCounts) {
  const TestHome files;
  const SessionPlace place{TestHome::id("c1"), "-p"};
  const std::string call = R"([{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"echo \"tool_use\""}}])";
  files.write(place.transcript(), usage_record("m1", "claude-opus-5", 5, 1) + usage_record("m1", "claude-opus-5", 5, 20, call) +
                                      usage_record("m1", "claude-opus-5", 5, 20, call) + "torn {\n" +
                                      usage_record("m2", "claude-haiku-4-5-20251001", 7, 3) +
                                      usage_record("s", "<synthetic>", 9, 9) +
                                      "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n");
  files.write(place.folder() + "/subagents/agent-a1.jsonl",
              usage_record("m3", "claude-opus-5", 2, 2, R"([{"type":"tool_use","id":"toolu_2","name":"Bash"}])"));
  const Usage usage = usage_of(files, place);
  EXPECT_EQ(usage.messages, 3U);
  EXPECT_EQ(usage.subagents, 1U);
  EXPECT_EQ(usage.compactions, 1U);
  EXPECT_THAT(usage.tool_calls, ElementsAre(Pair("Bash", 2U)));
  ASSERT_EQ(usage.models.size(), 2U);
  const TokenCounts& opus = usage.models.at("claude-opus-5");
  EXPECT_EQ(opus.input, 7U);
  EXPECT_EQ(opus.output, 22U);
  EXPECT_EQ(opus.cache_written, 20U);
  EXPECT_EQ(opus.cache_read, 2000U);
}

TEST(Usage, ReadsWhatTheRealClientWrote) {
  const TestHome files = TestHome::of_client();
  const Usage usage = usage_of(files, {TestHome::id("a2"), TestHome::kDemo});
  EXPECT_GT(usage.messages, 2U);
  EXPECT_GE(usage.tool_calls.at("Bash"), 2U);
  EXPECT_EQ(usage_of(files, {TestHome::id("a4"), TestHome::kDemo}).subagents, 1U);
  const JsonObject json = to_json(usage);
  EXPECT_EQ(json.at("messages").to_number<std::uint64_t>(), usage.messages);
}

TEST(Usage, CostFollowsTheLongestFittingName) {
  Usage usage;
  usage.models["claude-opus-5-20260724"] = {1'000'000, 1'000'000, 1'000'000, 1'000'000};
  usage.models["claude-opus-5-5"] = {1'000'000, 0, 0, 0};
  usage.models["claude-opus-5-7"] = {1'000'000, 0, 0, 0};
  usage.models["someone-elses"] = {1, 1, 1, 1};
  const Cost cost = cost_of(usage, read_prices("/nowhere/prices.json").value());
  EXPECT_DOUBLE_EQ(cost.by_model.at("claude-opus-5-20260724"), 5 + 25 + 6.25 + 0.5);
  EXPECT_DOUBLE_EQ(cost.by_model.at("claude-opus-5-5"), 4);
  EXPECT_DOUBLE_EQ(cost.dollars, 5 + 25 + 6.25 + 0.5 + 4);
  EXPECT_THAT(cost.unpriced, ElementsAre("claude-opus-5-7", "someone-elses"));
  EXPECT_EQ(cost.as_of, "2026-10-10");
}

TEST(Usage, LongPromptsCostMoreWhereTheyDo) {
  const TestHome files;
  const SessionPlace place{TestHome::id("c1"), "-p"};
  files.write(place.transcript(),
              usage_record("m1", "claude-haiku-5-5", 200'000, 0) + usage_record("m2", "claude-haiku-5-5", 50'000, 0));
  const Usage usage = usage_of(files, place);
  EXPECT_EQ(usage.long_prompts.at("claude-haiku-5-5").input, 200'000U);
  const Cost cost = cost_of(usage, read_prices("/nowhere").value());
  const double cache = (10 * 0.125 + 1000 * 0.01) / 1e6;
  EXPECT_DOUBLE_EQ(cost.dollars, 0.05 * 0.1 + 0.2 * 0.5 + 6 * cache);
}

TEST(Usage, TheUsersPricesLieOverTheBuiltInOnes) {
  const TestHome files;
  files.write("prices.json",
              R"({"as_of":"2027-01-01","models":{"claude-opus-5":{"input":1,"output":2},"mine":{"input":0,"output":0}}})");
  const Prices prices = read_prices(files / "prices.json").value();
  EXPECT_EQ(prices.as_of, "2027-01-01");
  EXPECT_DOUBLE_EQ(prices.models.at("claude-opus-5").cache_written, 1.25);
  EXPECT_DOUBLE_EQ(prices.models.at("claude-opus-5").cache_read, 0.1);
  EXPECT_TRUE(prices.models.contains("mine"));
  EXPECT_TRUE(prices.models.contains("claude-haiku-4-5"));
}

TEST(Usage, WrongPricesAreNamed) {
  const TestHome files;
  const std::pair<const char*, const char*> cases[] = {
      {"{", "prices.json"},
      {"[]", "must be an object"},
      {R"({"models":{}})", "as_of"},
      {R"({"as_of":"x"})", "models must be"},
      {R"({"as_of":"x","models":{},"extra":1})", "extra is not known"},
      {R"({"as_of":"x","models":{"m":1}})", "models.m must be an object"},
      {R"({"as_of":"x","models":{"m":{"input":1}}})", "models.m.output is missing"},
      {R"({"as_of":"x","models":{"m":{"input":-1,"output":1}}})", "models.m.input must be a number"},
      {R"({"as_of":"x","models":{"m":{"input":"1","output":1}}})", "models.m.input must be a number"},
      {R"({"as_of":"x","models":{"m":{"input":1,"output":1,"inpt":1}}})", "no price called inpt"},
  };
  for (const auto& [text, expected] : cases) {
    files.write("prices.json", text);
    const auto prices = read_prices(files / "prices.json");
    ASSERT_FALSE(prices) << text;
    EXPECT_EQ(prices.error().kind, ErrorKind::invalid);
    EXPECT_THAT(prices.error().message, HasSubstr(expected));
  }
}

}  // namespace
}  // namespace holdfast::transcripts
