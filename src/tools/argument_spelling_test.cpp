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

TEST(ArgumentSpelling, OfTwoSpellingsTheRightOneCounts) {
  EXPECT_EQ(settled(R"({"session_id":"b","sessionId":"a"})"), R"({"session_id":"b","sessionId":"a"})");
}

TEST(ArgumentSpelling, ArgsThatAreNoObjectStay) {
  EXPECT_EQ(settled(R"({"args":[1]})"), R"({"args":[1]})");
}

}  // namespace
}  // namespace holdfast::tools
