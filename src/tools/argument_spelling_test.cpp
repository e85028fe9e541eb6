#include "tools/argument_spelling.h"

#include <gtest/gtest.h>

namespace holdfast::tools {
namespace {

std::string settled(std::string_view arguments) {
  static const JsonObject kProperties{
      {"operation", JsonObject{}}, {"sessionId", JsonObject{}}, {"updated_since", JsonObject{}}, {"root", JsonObject{}}};
  static const Aliases kAliases = {{"action", "operation"}, {"mcpRootUri", "root"}};
  JsonObject object = parse_json(arguments).value().as_object();
  settle_spelling(object, kProperties, kAliases);
  return to_json(object);
}

TEST(ArgumentSpelling, RightSpellingsAndUnknownNamesStay) {
  EXPECT_EQ(settled(R"({"operation":"get","sessionId":"a","colour":1})"), R"({"operation":"get","sessionId":"a","colour":1})");
}

TEST(ArgumentSpelling, BothCasesAndAliasesAreUnderstood) {
  EXPECT_EQ(settled(R"({"action":"get","session_id":"a"})"), R"({"operation":"get","sessionId":"a"})");
  EXPECT_EQ(settled(R"({"updatedSince":1,"mcp_root_uri":"/x"})"), R"({"updated_since":1,"root":"/x"})");
}

TEST(ArgumentSpelling, NestedArgumentsAreLifted) {
  EXPECT_EQ(settled(R"({"operation":"get","args":{"session_id":"a","x":1}})"), R"({"operation":"get","sessionId":"a","x":1})");
  EXPECT_EQ(settled(R"({"operation":"get","args":{"operation":"list"}})"), R"({"operation":"get"})");
}

TEST(ArgumentSpelling, NullIsLeftOut) {
  EXPECT_EQ(settled(R"({"operation":"get","sessionId":null,"root":null})"), R"({"operation":"get"})");
}

TEST(ArgumentSpelling, OfTwoSpellingsTheRightOneCounts) {
  EXPECT_EQ(settled(R"({"session_id":"b","sessionId":"a"})"), R"({"session_id":"b","sessionId":"a"})");
}

TEST(ArgumentSpelling, ArgsThatAreNoObjectStay) {
  EXPECT_EQ(settled(R"({"args":[1]})"), R"({"args":[1]})");
}

TEST(ArgumentSpelling, ValuesAreSettledByTheirOwnSchema) {
  const JsonObject schema = parse_json(R"({"type":"object","properties":{"oldStatus":{"type":"string"},"match":{"type":"boolean"},
    "downstream":{"type":"array","items":{"type":"integer"}}}})")
                                .value()
                                .as_object();
  const auto value = [&](std::string_view text) {
    Json given = parse_json(text).value();
    settle_value(given, schema);
    return to_json(given);
  };
  EXPECT_EQ(value(R"({"old_status":"3","match":"true","downstream":["1","x"]})"),
            R"({"oldStatus":"3","match":true,"downstream":[1,"x"]})");
  EXPECT_EQ(value(R"("{\"match\":false}")"), R"({"match":false})");
  EXPECT_EQ(value(R"("words")"), R"("words")");
}

}  // namespace
}  // namespace holdfast::tools
