#include "model/wire/answer_reader.h"

#include "base/text/text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::model {
namespace {

using ::testing::HasSubstr;

// Fed in portions of that size.
Result<Answer> read_answer(std::string_view bytes, std::size_t portion = 1 << 20) {
  AnswerReader reader({});
  for (; !bytes.empty(); bytes.remove_prefix(std::min(portion, bytes.size()))) HF_CHECK(reader.feed(bytes.substr(0, portion)));
  return reader.finish();
}

std::string stream_of(std::string_view text) {
  std::string out = ": comment\r\n\r\n";
  for (std::size_t at = 0; at < text.size(); at += 3) {
    JsonObject delta{{"content", text.substr(at, 3)}};
    out += "data: " + to_json(JsonObject{{"choices", JsonArray{JsonObject{{"index", 0}, {"delta", std::move(delta)}}}}}) + "\n\n";
  }
  return out + "data: [DONE]\n\n";
}

TEST(AnswerReader, PartsOfContentAreJoinedAndOtherChoicesIgnored) {
  const auto parts = read_answer(R"({"choices":[{"index":1,"message":{"content":"other"}},
    {"index":0,"message":{"content":[{"type":"text","text":"one "},{"type":"image"},{"type":"text","text":"two"}]}}]})");
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ(parts->content, "one two");
  EXPECT_EQ(parts->finish_reason, "stop");
}

TEST(AnswerReader, OddMembersAreIgnored) {
  const auto odd =
      read_answer(R"(data: {"model":7,"choices":[null,3,{"delta":{"content":null,"reasoning_content":"hm"}}],"usage":null}

data: {"choices":[{"delta":{"content":"text"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"4","completion_tokens":-2}}

)");
  ASSERT_TRUE(odd) << odd.error().message;
  EXPECT_EQ(odd->content, "text");
  EXPECT_EQ(odd->model, "");
  EXPECT_FALSE(odd->tokens_in || odd->tokens_out);
}

TEST(AnswerReader, TheLastEventNeedsNoBlankLine) {
  const auto answer = read_answer("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->content, "x");
}

TEST(AnswerReader, HalfAnEventBehindTheLastWordIsForgotten) {
  const auto answer =
      read_answer("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"usa");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->content, "x");
}

TEST(AnswerReader, ABomAndWhiteSpaceDoNotHideTheForm) {
  EXPECT_EQ(read_answer("\xEF\xBB\xBF\n {\"choices\":[{\"message\":{\"content\":\"x\"}}]}", 1).value().content, "x");
  EXPECT_EQ(read_answer("\n\n" + stream_of("abc"), 1).value().content, "abc");
}

TEST(AnswerReader, AThinkerThatRanOutOfTokensIsToldApart) {
  const auto thought = read_answer(R"({"choices":[{"message":{"content":""},"finish_reason":"length"}]})");
  ASSERT_FALSE(thought);
  EXPECT_EQ(thought.error().kind, ErrorKind::too_large);
  EXPECT_THAT(thought.error().hint, testing::HasSubstr("max_output_tokens"));
}

TEST(AnswerReader, ErrorsOfAllShapesAreReported) {
  for (const char* body :
       {R"({"error":{"message":"m1","code":"c"}})", R"({"error":{"message":"m1","type":"c"}})", R"({"error":"m1","code":"c"})",
        R"([{"error":{"message":"m1","code":"c"}}])", R"({"message":"m1","code":"c"})"}) {
    const auto error = reported_error(parse_json(body).value());
    ASSERT_TRUE(error) << body;
    EXPECT_EQ(error->message, "m1");
    EXPECT_EQ(error->code, "c");
  }
  for (const char* body : {"{}", "[]", "7", R"({"choices":[],"message":"x"})", R"([{"error":"a"},{"error":"b"}])"})
    EXPECT_FALSE(reported_error(parse_json(body).value())) << body;
}

TEST(AnswerReader, R8_CallsOfAStreamSurviveItsFraming) {
  // Comments, CRLF, data over several lines, a character cut by the portions, no [DONE]; the reason says "stop".
  const std::string bytes =
      ": ping\r\n\r\nevent: message\r\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\r\ndata: "
      "\"function\":{\"name\":\"lesen\",\"arguments\":\"{\\\"pfad\\\":\"}}]}}]}\r\n\r\n"
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"gr\u00fc\u00df "
      "€\\\"}\"}}]},"
      "\"finish_reason\":\"stop\"}]}\n\n";
  for (std::size_t portion = 1; portion < 40; ++portion) {
    const auto answer = read_answer(bytes, portion);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->tools.calls.size(), 1U);
    EXPECT_EQ(answer->tools.calls[0].arguments, "{\"pfad\":\"gr\u00fc\u00df €\"}");
    EXPECT_EQ(answer->content, "");
    EXPECT_EQ(answer->finish_reason, "stop");
  }
}

TEST(AnswerReader, R8_ABrokenCharacterCostsThatCharacterAlone) {
  const auto answer = read_answer("data: {\"choices\":[{\"delta\":{\"content\":\"a\xC3\"},\"finish_reason\":\"stop\"}]}\n\n");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->content, "a\uFFFD");
}

TEST(AnswerReader, R8_ReasoningIsLimitedAndAloneItIsNoAnswer) {
  const std::string thought(30'000, 'x');
  const auto event = [&](const char* key) {
    return "data: {\"choices\":[{\"delta\":{\"" + std::string(key) + "\":\"" + thought + "\"}}]}\n\n";
  };
  const std::string end = "data: {\"choices\":[{\"delta\":{\"content\":\"42\"},\"finish_reason\":\"stop\"}]}\n\n";
  for (const char* key : {"reasoning_content", "reasoning"}) {
    const auto answer = read_answer(event(key) + event(key) + event(key) + event(key) + end);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(utf8_length(answer->reasoning), kMaxReasoningCharacters);
    EXPECT_EQ(answer->content, "42");
  }
  EXPECT_FALSE(read_answer(event("reasoning") + "data: [DONE]\n\n"));
}

TEST(AnswerReader, R8_AnErrorBehindACallIsTheErrorNotTheCall) {
  AnswerReader reader({});
  const auto fed = reader.feed(
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"n\"}}]}}]}\n\n"
      "data: {\"error\":{\"message\":\"the model crashed\",\"code\":500}}\n\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(reader.reported().value().message, "the model crashed");
}

TEST(AnswerReader, P21WhatComesInsteadOfAnAnswerIsARefusal) {
  const auto read = [](const std::string& message, std::string_view finish, AnswerReader::Options options) {
    const std::string choice = R"({"choices":[{"message":)" + message + R"(,"finish_reason":")" + std::string(finish) + "\"}]}";
    AnswerReader reader({}, options);
    Result<Answer> answer = fail(ErrorKind::internal, "not read");
    if (auto fed = reader.feed(choice); fed) answer = reader.finish();
    return answer ? "answered: " + answer->content : std::string(name_of(answer.error().kind)) + ": " + answer.error().message;
  };
  constexpr AnswerReader::Options kPlain{.tools = false}, kWithTools{}, kMayBeEmpty{.may_be_empty = true, .tools = false};
  const std::string call = R"({"content":null,"tool_calls":[{"id":"a","function":{"name":"rm","arguments":"{}"}}]})";
  EXPECT_THAT(read(call, "tool_calls", kPlain), testing::HasSubstr("refused: the model called the tool rm"));
  EXPECT_EQ(read(call, "tool_calls", kWithTools), "answered: ");
  const std::string refusal = R"({"content":null,"refusal":"I will not."})";
  for (const AnswerReader::Options& options : {kPlain, kWithTools, kMayBeEmpty}) {
    EXPECT_THAT(read(refusal, "stop", options), testing::HasSubstr("refused: the model refused to answer: I will not."));
    EXPECT_THAT(read(R"({"content":[{"type":"refusal","refusal":"No."}]})", "stop", options), testing::HasSubstr("answer: No."));
    EXPECT_THAT(read(R"({"content":" \n"})", "content_filter", options), testing::HasSubstr("refused: a content filter"));
  }
  EXPECT_EQ(read(R"({"content":"half","refusal":null})", "content_filter", kPlain), "answered: half");
  EXPECT_THAT(read(R"({"content":" \n "})", "stop", kPlain), testing::HasSubstr("the answer holds no text"));
}

TEST(AnswerReader, P21ARefusalOfTheOtherInterfaceIsOne) {
  AnswerReader reader({}, {.api = Api::responses});
  ASSERT_TRUE(reader.feed(
      R"({"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})"));
  const auto answer = reader.finish();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::refused);
}

RC_GTEST_PROP(AnswerReader, PortionsDoNotMatter, ()) {
  const auto text = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~')));
  RC_PRE(!trim(text).empty());  // blanks are no answer
  const auto portion = *rc::gen::inRange<std::size_t>(1, 40);
  const auto answer = read_answer(stream_of(text), portion);
  RC_ASSERT(answer.has_value());
  RC_ASSERT(answer.value().content == text);
}

RC_GTEST_PROP(AnswerReader, AnyBytesAreAnAnswerOrAnError, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\":,data \n\r\\u0ax[DONE]")));
  const auto whole = read_answer(bytes), parts = read_answer(bytes, 1);
  RC_ASSERT(whole.has_value() == parts.has_value());
}

}  // namespace
}  // namespace holdfast::model
