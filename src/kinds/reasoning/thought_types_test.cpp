// T9: the table of types.

#include "base/schema/schema.h"
#include "kinds/reasoning/manifest.h"
#include "kinds/reasoning/thought.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::reasoning {
namespace {

using testing::HasSubstr;

Result<JsonObject> payload(const char* type, const char* arguments) {
  return read_payload(*find_type(type), parse_json(arguments).value().as_object());
}

std::string problem(const char* type, const char* arguments) {
  auto read = payload(type, arguments);
  return read ? "accepted" : read.error().message;
}

TEST(ThoughtTypes, T9_PlainTypesNeedNothing) {
  for (const char* type : {"reasoning", "finding", "synthesis", "question", "conclusion"})
    EXPECT_TRUE(payload(type, "{}")) << type;
}

TEST(ThoughtTypes, T9_WhatIsMissingIsNamed) {
  EXPECT_THAT(problem("decision_frame", "{}"), HasSubstr("confidence"));
  EXPECT_THAT(problem("decision_frame", R"({"confidence":"high"})"), HasSubstr("options"));
  EXPECT_THAT(problem("decision_frame", R"({"confidence":"high","options":[]})"), HasSubstr("options"));
  EXPECT_THAT(problem("decision_frame",
                      R"({"confidence":"high","options":[{"label":"a","selected":true},{"label":"b","selected":true}]})"),
              HasSubstr("exactly one selected"));
  EXPECT_THAT(problem("action_report", R"({"actionResult":{"success":true,"reversible":"yes","tool":"","target":"x"}})"),
              HasSubstr("tool"));
  EXPECT_THAT(problem("belief_snapshot", R"({"beliefs":{"entities":[]}})"), HasSubstr("entities"));
  EXPECT_THAT(problem("assumption_update", R"({"assumptionChange":{"text":"x","oldStatus":"believed","newStatus":"gone"}})"),
              HasSubstr("newStatus"));
  EXPECT_THAT(problem("progress", R"({"progressData":{"task":"","status":"done"}})"), HasSubstr("task"));
  EXPECT_THAT(problem("action_receipt", R"({"receiptData":{"toolName":"x"}})"), HasSubstr("match"));
}

TEST(ThoughtTypes, T9_WholePayloadsAreAccepted) {
  EXPECT_TRUE(payload("decision_frame", R"({"confidence":"low","options":[{"label":"a","selected":true,"reason":"r"}]})"));
  EXPECT_TRUE(
      payload("action_report",
              R"({"actionResult":{"success":false,"reversible":"partial","tool":"t","target":"x","sideEffects":["s"]}})"));
  EXPECT_TRUE(payload("context_snapshot", R"({"contextData":{}})"));
  EXPECT_TRUE(payload("action_receipt", R"({"receiptData":{"toolName":"x","match":true,"durationMs":1.5}})"));
}

TEST(ThoughtTypes, T9_ConfidenceIsLegalEverywhereAndChecked) {
  EXPECT_EQ(to_json(payload("finding", R"({"confidence":"medium"})").value()), R"({"confidence":"medium"})");
  EXPECT_FALSE(payload("finding", R"({"confidence":"certain"})"));
}

TEST(ThoughtTypes, EverySchemaCompiles) {
  for (const ThoughtType& type : thought_types())
    EXPECT_TRUE(type.schema.empty() || Schema::compile(parse_json(type.schema).value())) << type.name;
}

Thought of(std::int64_t number, const char* type, const char* arguments, std::string branch = {}) {
  Thought thought;
  thought.seq = number;
  thought.number = number;
  thought.type = type;
  thought.branch = std::move(branch);
  thought.payload = payload(type, arguments).value();
  return thought;
}

constexpr const char* kDecision = R"({"confidence":"high","options":[{"label":"a","selected":true}]})";
constexpr const char* kAction = R"({"actionResult":{"success":true,"reversible":"no","tool":"t","target":"x"}})";

TEST(Manifest, GapsAreDecisionsWithoutAnActionInTheirOwnChain) {
  ManifestBuilder builder;
  builder.add(of(1, "decision_frame", kDecision));
  builder.add(of(2, "action_report", kAction));
  builder.add(of(3, "decision_frame", kDecision));
  builder.add(of(4, "decision_frame", kDecision, "b"));
  builder.add(of(5, "action_report", kAction, "b"));
  for (int i = 6; i <= 10; ++i) builder.add(of(i, "reasoning", "{}"));
  builder.add(of(11, "action_report", kAction));
  const JsonObject manifest = builder.manifest("s", 0);
  EXPECT_EQ(find_object(manifest, "decisions")->at("total").as_int64(), 3);
  EXPECT_EQ(find_object(manifest, "actions")->at("irreversible").as_int64(), 3);
  ASSERT_EQ(find_array(manifest, "gaps")->size(), 1U);
  EXPECT_EQ(find_int(find_array(manifest, "gaps")->at(0).as_object(), "thoughtNumber"), 3);
}

TEST(Manifest, FlipsAreBetweenBelievedAndRefuted) {
  ManifestBuilder builder;
  builder.add(of(1, "assumption_update", R"({"assumptionChange":{"text":"x","oldStatus":"believed","newStatus":"refuted"}})"));
  builder.add(of(2, "assumption_update", R"({"assumptionChange":{"text":"x","oldStatus":"uncertain","newStatus":"refuted"}})"));
  EXPECT_EQ(find_int(builder.manifest("s", 0), "assumptionFlips"), 1);
}

}  // namespace
}  // namespace holdfast::reasoning
