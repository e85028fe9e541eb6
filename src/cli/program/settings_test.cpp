#include "cli/program/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Settings> load(const Flags& flags, std::map<std::string, std::string> variables, std::optional<std::string> config = {}) {
  return Settings::load(
      flags,
      [variables](const std::string& name) -> std::optional<std::string> {
        auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      config, "config.json");
}

TEST(Settings, EachPlaceStandsAboveTheNext) {
  const std::string config = R"({"port": 3, "host": "c", "root": "/c"})";
  auto settings = load({{"port", {"1"}}}, {{"HOLDFAST_PORT", "2"}, {"HOLDFAST_HOST", "e"}}, config);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->number("port"), 1);
  EXPECT_EQ(settings->text("host"), "e");
  EXPECT_EQ(settings->text("root"), "/c");
  EXPECT_EQ(settings->text("principal"), "local");
  EXPECT_TRUE(settings->is_set("root"));
  EXPECT_FALSE(settings->is_set("principal"));
}

TEST(Settings, DottedSettingsNestAndListsAreRead) {
  auto settings = load({}, {}, R"({"http": {"allowed_hosts": ["a", "b"]}, "no_auth": true})");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(settings->list("http.allowed_hosts"), ElementsAre("a", "b"));
  EXPECT_TRUE(settings->flag("no_auth"));
  settings = load({}, {{"HOLDFAST_HTTP_ALLOWED_HOSTS", "x, y,"}});
  EXPECT_THAT(settings->list("http.allowed_hosts"), ElementsAre("x", "y"));
  settings = load({{"tools", {"a,b", "c"}}}, {});
  EXPECT_THAT(settings->list("tools"), ElementsAre("a", "b", "c"));
}

TEST(Settings, NamesOfFoldersMayHaveCommas) {
  EXPECT_THAT(load({{"documents.roots", {"a,b", "c"}}}, {})->list("documents.roots"), ElementsAre("a,b", "c"));
  EXPECT_THAT(load({}, {}, R"({"documents": {"roots": ["a,b", "c"]}})")->list("documents.roots"), ElementsAre("a,b", "c"));
  const auto variable = [](const char* text) { return load({}, {{"HOLDFAST_DOCUMENTS_ROOTS", text}}); };
  EXPECT_THAT(variable(R"(["a,b", "c"])")->list("documents.roots"), ElementsAre("a,b", "c"));
  EXPECT_THAT(variable("a, b")->list("documents.roots"), ElementsAre("a", "b"));
  EXPECT_THAT(variable("[a],b")->list("documents.roots"), ElementsAre("[a]", "b")) << "no JSON: names";
}

TEST(Settings, AWrongValueNamesWhereItCameFrom) {
  EXPECT_THAT(load({}, {{"HOLDFAST_PORT", "x"}}).error().message, HasSubstr("HOLDFAST_PORT"));
  EXPECT_THAT(load({{"no_auth", {"maybe"}}}, {}).error().message, HasSubstr("--no-auth"));
  EXPECT_THAT(load({}, {}, R"({"port": []})").error().message, HasSubstr("config.json: port"));
  EXPECT_THAT(load({}, {}, R"({"http": {"allowed_hosts": [{}]}})").error().message, HasSubstr("http.allowed_hosts"));
  for (const char* broken : {"{", "[]", "1"}) {
    auto settings = load({}, {}, broken);
    ASSERT_FALSE(settings) << broken;
    EXPECT_EQ(settings.error().kind, ErrorKind::invalid);
  }
}

TEST(Settings, NumbersAreNeitherNegativeNorAbsurd) {
  for (const char* wrong : {"-1", "-100000000", "99999999999999999", "1.5", ""})
    EXPECT_FALSE(load({}, {{"HOLDFAST_GATE_TOKEN_TTL_S", wrong}})) << wrong;
  EXPECT_EQ(load({}, {{"HOLDFAST_GATE_TOKEN_TTL_S", "0"}})->number("gate.token_ttl_s"), 0);
}

TEST(Settings, P31EveryNumberSaysItsOwnRange) {
  for (const char* wrong : {"65536", "10000000000", "x", "-1"})
    EXPECT_THAT(load({{"port", {wrong}}}, {}).error().message, HasSubstr("a whole number from 0 to 65535")) << wrong;
  EXPECT_EQ(load({{"port", {"65535"}}}, {})->number("port"), 65'535);
  EXPECT_EQ(load({}, {{"HOLDFAST_GATE_TOKEN_TTL_S", "65536"}})->number("gate.token_ttl_s"), 65'536);
}

TEST(Settings, UnknownNamesInTheFileAreOnlyAWarning) {
  auto settings = load({}, {}, R"({"retention": {"diary_days": 3}, "port": 9})");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->number("port"), 9);
  EXPECT_THAT(settings->warnings(), ElementsAre(HasSubstr("retention.diary_days")));
}

TEST(Settings, DaysMayHaveFractionsAndWholeNumbersMayNot) {
  auto settings = load({}, {}, R"({"retention": {"thread_archive_days": 0.5, "research_archive_days": 3}})");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->decimal("retention.thread_archive_days"), 0.5);
  EXPECT_EQ(settings->decimal("retention.research_archive_days"), 3);
  EXPECT_EQ(settings->decimal("retention.purge_after_deleted_days"), 30);
  EXPECT_EQ(load({}, {{"HOLDFAST_RETENTION_THREAD_ARCHIVE_DAYS", "1.25"}})->decimal("retention.thread_archive_days"), 1.25);
  for (const char* wrong : {"-1", "x", "nan", "1e999", ""})
    EXPECT_FALSE(load({}, {{"HOLDFAST_RETENTION_THREAD_ARCHIVE_DAYS", wrong}})) << wrong;
  EXPECT_FALSE(load({}, {}, R"({"port": 1.5})"));
}

TEST(Settings, WhatHasPartsIsJsonEverywhere) {
  const std::string endpoint = R"([{"name":"here","base_url":"http://127.0.0.1:1/v1"}])";
  EXPECT_EQ(to_json(load({}, {}, R"({"llm": )" + endpoint + "}")->json("llm")), endpoint);
  EXPECT_EQ(to_json(load({}, {{"HOLDFAST_LLM", endpoint}})->json("llm")), endpoint);
  EXPECT_EQ(to_json(load({}, {})->json("llm_order")), "{}");
  EXPECT_THAT(load({}, {{"HOLDFAST_SEARCH", "[{"}}).error().message, HasSubstr("HOLDFAST_SEARCH"));
}

TEST(Settings, NamesInTheOtherPlaces) {
  EXPECT_EQ(environment_name("a.b_c"), "HOLDFAST_A_B_C");
  EXPECT_EQ(flag_name("no_auth"), "--no-auth");
  EXPECT_EQ(flag_name("http.allowed_hosts"), "--allowed-hosts");
  EXPECT_EQ(flag_name("documents.roots"), "--documents");
}

}  // namespace
}  // namespace holdfast::cli
