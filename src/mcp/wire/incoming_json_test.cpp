#include "base/text/text.h"
#include "mcp/wire/rpc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::mcp {
namespace {

TEST(IncomingJson, HalvesOfCharactersAreReplacedAndTheRestIsDelivered) {
  EXPECT_EQ(without_lone_surrogates(R"({"a":"xy\ud800"})"), R"({"a":"xy\ufffd"})");
  EXPECT_EQ(without_lone_surrogates(R"("\udc00\ud83d\ude00\ud83d")"), R"("\ufffd\ud83d\ude00\ufffd")");
  EXPECT_EQ(without_lone_surrogates(R"("\ud800\ud83d\ude00")"), R"("\ufffd\ud83d\ude00")");
  EXPECT_EQ(without_lone_surrogates(R"("\\ud800")"), R"("\\ud800")") << "a backslash and a word";
  EXPECT_EQ(without_lone_surrogates("\\"), "\\");
  EXPECT_EQ(without_lone_surrogates("\\u12"), "\\u12");
  const Json value = parse_incoming(R"({"result":{"text":"xy\uD800","nul":"\u0000"}})", "test").value();
  EXPECT_EQ(view(value.at("result").at("text").as_string()), "xy\xEF\xBF\xBD");
}

TEST(IncomingJson, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(view(parse_incoming("{\"a\":\"\xff!\"}", "test").value().at("a").as_string()), "\xEF\xBF\xBD!");
}

TEST(IncomingJson, WhatIsNoJsonStaysNone) {
  for (const char* text : {"Hello", "{\"a\":", "\"\\u12\"", "\"\\x\"", ""})
    EXPECT_EQ(parse_incoming(text, "test").error().kind, ErrorKind::invalid) << text;
}

RC_GTEST_PROP(IncomingJson, NothingChangesInWhatIsSound, (const std::string& text)) {
  const std::string json = to_json(Json(text));
  RC_ASSERT(without_lone_surrogates(json) == json);
}

}  // namespace
}  // namespace holdfast::mcp
