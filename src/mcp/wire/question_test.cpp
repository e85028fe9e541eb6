// Questions in the dialect of each version, and what counts as an answer (mcp-protocol §16).

#include "mcp/wire/question.h"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

Json json(std::string_view text) {
  return parse_json(text).value();
}

Caller caller(Version version, std::string_view capabilities) {
  Caller caller;
  caller.version = version;
  caller.capabilities = json(capabilities).as_object();
  return caller;
}

TEST(Question, IsPutOnlyToWhoCanAnswer) {
  Question form = Question::form("?", {}), url = Question::url("?", "https://x"), roots = Question::roots({});
  Question sampling = Question::sampling({{"maxTokens", 5}}), with_tools = Question::sampling({{"tools", JsonArray{}}});
  auto can = [](const Question& question, Version version, std::string_view capabilities) {
    return question.can_be_put_to(caller(version, capabilities));
  };
  EXPECT_TRUE(can(form, Version::v2025_06_18, R"({"elicitation":{}})"));
  EXPECT_FALSE(can(form, Version::v2025_03_26, R"({"elicitation":{}})")) << "the version does not know it";
  EXPECT_FALSE(can(form, Version::v2025_11_25, R"({"elicitation":{"url":{}}})"));
  EXPECT_FALSE(can(form, Version::v2025_11_25, R"({"elicitation":true})"));
  EXPECT_TRUE(can(url, Version::v2025_11_25, R"({"elicitation":{"url":{}}})"));
  EXPECT_FALSE(can(url, Version::v2025_11_25, R"({"elicitation":{}})")) << "empty means form";
  EXPECT_FALSE(can(url, Version::v2025_06_18, R"({"elicitation":{"url":{}}})"));
  EXPECT_TRUE(can(roots, Version::v2024_11_05, R"({"roots":{}})"));
  EXPECT_FALSE(can(roots, Version::v2026_07_28, "{}"));
  EXPECT_TRUE(can(sampling, Version::v2024_11_05, R"({"sampling":{}})"));
  EXPECT_FALSE(can(with_tools, Version::v2025_11_25, R"({"sampling":{}})"));
  EXPECT_FALSE(can(with_tools, Version::v2025_06_18, R"({"sampling":{"tools":{}}})"));
  EXPECT_TRUE(can(with_tools, Version::v2026_07_28, R"({"sampling":{"tools":{}}})"));
  EXPECT_EQ(Json(with_tools.required_capability()), json(R"({"sampling":{"tools":{}}})"));
  EXPECT_EQ(Json(url.required_capability()), json(R"({"elicitation":{"url":{}}})"));
}

TEST(Question, SpeaksTheDialectOfTheVersion) {
  Question form = Question::form(
      "?", json(R"({"type":"object","properties":{"c":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]}}})")
               .as_object());
  JsonObject old = form.params_for(caller(Version::v2025_06_18, "{}"));
  EXPECT_FALSE(old.contains("mode"));
  EXPECT_EQ(old["requestedSchema"].as_object()["properties"].as_object()["c"],
            json(R"({"type":"string","enum":["a","b"],"enumNames":["A","b"]})"));
  JsonObject recent = form.params_for(caller(Version::v2025_11_25, "{}"));
  EXPECT_EQ(recent["mode"], Json("form"));
  EXPECT_EQ(recent["requestedSchema"], form.params["requestedSchema"]);
  Question url = Question::url("?", "https://x");
  EXPECT_TRUE(url.params_for(caller(Version::v2025_11_25, "{}")).contains("elicitationId"));
  EXPECT_FALSE(url.params_for(caller(Version::v2026_07_28, "{}")).contains("elicitationId"));
}

TEST(Question, AnAnswerHasTheRightShape) {
  Question form = Question::form("?", json(R"({"type":"object","properties":{"m":{"type":"string","format":"email"},
      "n":{"type":"integer","minimum":1}},"required":["n"]})")
                                          .as_object());
  auto answers = [&](std::string_view answer) { return form.is_answered_by(json(answer)); };
  EXPECT_TRUE(answers(R"({"action":"accept","content":{"n":1,"m":"a@example.org"}})"));
  EXPECT_TRUE(answers(R"({"action":"decline"})"));
  EXPECT_TRUE(answers(R"({"action":"cancel","content":null})"));
  for (const char* bad : {"null", "5", "[]", "{}", R"({"action":"maybe"})", R"({"action":"accept"})",
                          R"({"action":"accept","content":{}})", R"({"action":"accept","content":{"n":0}})",
                          R"({"action":"accept","content":{"n":1,"m":"no address"}})", R"({"action":5,"content":{"n":1}})"})
    EXPECT_FALSE(answers(bad)) << bad;

  EXPECT_TRUE(Question::url("?", "u").is_answered_by(json(R"({"action":"accept"})")));
  EXPECT_TRUE(Question::roots({}).is_answered_by(json(R"({"roots":[]})")));
  EXPECT_FALSE(Question::roots({}).is_answered_by(json(R"({"roots":{}})")));
  Question sampling = Question::sampling({});
  EXPECT_TRUE(sampling.is_answered_by(json(R"({"role":"assistant","model":"m","content":{"type":"text","text":"x"}})")));
  EXPECT_FALSE(sampling.is_answered_by(json(R"({"role":"assistant","content":{}})")));
}

TEST(Answer, OnlyAnAcceptedFormHasContent) {
  Answer yes{json(R"({"action":"accept","content":{"a":1}})").as_object(), {}};
  EXPECT_TRUE(yes.accepted());
  EXPECT_NE(yes.content(), nullptr);
  Answer no{json(R"({"action":"decline","content":{"a":1}})").as_object(), {}};
  EXPECT_FALSE(no.accepted());
  EXPECT_EQ(no.content(), nullptr);
  yes.failure = make_error(ErrorKind::timeout, "late");
  EXPECT_FALSE(yes.accepted());
}

}  // namespace
}  // namespace holdfast::mcp
