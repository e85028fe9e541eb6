#include "model/models.h"

#include <gmock/gmock.h>

namespace holdfast::model {
namespace {

using ::testing::HasSubstr;

TEST(Message, R7_WhatIsKeptReadsBackUnchanged) {
  for (
      const char* text :
      {R"({"role":"system","content":"s"})", R"({"role":"user","content":""})",
       R"({"role":"tool","content":"42","tool_call_id":"c"})",
       R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":{"a":1}},"x":7}]})"})
    EXPECT_EQ(to_json(to_json_object(read_message(parse_json(text).value()).value())), text);
}

TEST(Message, WhatIsNoMessageIsRefused) {
  for (const char* text :
       {"7", "{}", R"({"role":"robot","content":"x"})", R"({"role":"tool","content":"x"})", R"({"role":"user","content":[1]})"})
    EXPECT_EQ(read_message(parse_json(text).value()).error().kind, ErrorKind::invalid) << text;
  EXPECT_THAT(read_message(parse_json(R"({"role":"robot"})").value()).error().message,
              HasSubstr("system, user, assistant, tool"));
}

TEST(Tokens, R8_AnAutomaticLimitFitsTheWindow) {
  EXPECT_EQ(automatic_max_tokens(std::nullopt, 1'000'000), 8192);
  EXPECT_EQ(automatic_max_tokens(131'072, 1000), 8192);
  EXPECT_EQ(automatic_max_tokens(4096, 1000), 4096 - 1000 - 256);
  EXPECT_EQ(automatic_max_tokens(4096, 3584), 256);
  EXPECT_EQ(automatic_max_tokens(4096, 9000), 256);
}

TEST(Tokens, P29CharactersOfOtherScriptsAreNotCheap) {
  EXPECT_EQ(estimate_tokens("word word"), 3);
  EXPECT_EQ(estimate_tokens("слово"), 3);
  EXPECT_EQ(estimate_tokens("日本語の文章"), 6);
  EXPECT_EQ(estimate_tokens("한국어"), 3);
  EXPECT_EQ(estimate_tokens("\U0001F600"), 2);
  EXPECT_EQ(estimate_tokens(""), 0);
}

TEST(Tokens, APromptIsItsMessagesAndItsTools) {
  Ask ask;
  ask.messages = {{"user", "12345678"}};
  EXPECT_EQ(estimate_prompt(ask), 4 + 2) << "and what a template puts around it";
  ask.tools = {{"abcd", "12345678", parse_json(R"({"a":1})").value()}};
  EXPECT_EQ(estimate_prompt(ask), 4 + 2 + 12 + 1 + 2 + 2);
  Message call{"assistant"};
  call.tool_calls = parse_json("[[1,2,3,4,5]]").value().as_array();
  ask.messages.push_back(call);
  EXPECT_EQ(estimate_prompt(ask), 23 + 4 + 3);
}

}  // namespace
}  // namespace holdfast::model
