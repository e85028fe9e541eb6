#include "model/wire/tool_calls.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::model {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Ne;
using ::testing::SizeIs;

// Each text is the list of one event.
ToolCalls assemble(const std::vector<std::string>& events) {
  ToolCallAssembler assembler;
  for (const std::string& event : events) {
    const auto added = assembler.add(parse_json(event).value().as_array());
    EXPECT_TRUE(added) << added.error().message;
  }
  return assembler.take();
}

TEST(ToolCalls, R8_PiecesAreJoinedByTheirIndex) {
  const ToolCalls got = assemble({
      R"([{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}])",
      R"([{"index":1,"id":"b","type":"function","function":{"name":"write","arguments":"{\"p"}}])",
      R"([{"index":0,"function":{"arguments":"{\"path\":"}},{"index":1,"function":{"arguments":"\":1"}}])",
      R"([{"index":1,"function":{"arguments":"}"}}])",
      R"([{"index":0,"function":{"arguments":"\"x\"}"}}])",
  });
  ASSERT_THAT(got.calls, SizeIs(2));
  EXPECT_EQ(got.calls[0].id, "a");
  EXPECT_EQ(got.calls[0].name, "read");
  EXPECT_EQ(got.calls[0].arguments, R"({"path":"x"})");
  EXPECT_EQ(got.calls[1].id, "b");
  EXPECT_EQ(got.calls[1].name, "write");
  EXPECT_EQ(got.calls[1].arguments, R"({"p":1})");
  EXPECT_EQ(Json(got.wire), parse_json(R"([{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},
    {"id":"b","type":"function","function":{"name":"write","arguments":"{\"p\":1}"}}])")
                                .value());
}

TEST(ToolCalls, R8_CallsSentWholeNeedNoIndex) {
  const ToolCalls got = assemble({R"([{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}},
    {"id":"b","type":"function","function":{"name":"read","arguments":"{\"n\":2}"}}])"});
  ASSERT_THAT(got.calls, SizeIs(2));
  EXPECT_EQ(got.calls[0].arguments, "{}");
  EXPECT_EQ(got.calls[1].arguments, R"({"n":2})");
}

TEST(ToolCalls, R8_PiecesWithoutAnIndexGoToTheCallTheyBelongTo) {
  const ToolCalls by_id =
      assemble({R"([{"id":"a","function":{"name":"read","arguments":"{"}}])",
                R"([{"id":"b","function":{"name":"list","arguments":"["}}])", R"([{"id":"a","function":{"arguments":"}"}}])"});
  ASSERT_THAT(by_id.calls, SizeIs(2));
  EXPECT_EQ(by_id.calls[0].arguments, "{}");
  EXPECT_EQ(by_id.calls[1].arguments, "[");
  const ToolCalls bare = assemble({R"([{"function":{"name":"read","arguments":"{"}}])", R"([{"function":{"arguments":"}"}}])",
                                   R"([{"function":{"name":"read","arguments":"{}"}}])"});
  ASSERT_THAT(bare.calls, SizeIs(2));
  EXPECT_EQ(bare.calls[0].arguments, "{}");
  EXPECT_EQ(bare.calls[1].arguments, "{}");
}

TEST(ToolCalls, R8_CallsThatAreAllNumberedZeroAreToldApartByTheirIds) {
  const ToolCalls got = assemble({R"([{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}])",
                                  R"([{"index":0,"id":"b","function":{"name":"list","arguments":"{"}}])",
                                  R"([{"index":0,"function":{"arguments":"}"}}])"});
  ASSERT_THAT(got.calls, SizeIs(2));
  EXPECT_EQ(got.calls[1].name, "list");
  EXPECT_EQ(got.calls[1].arguments, "{}");
}

TEST(ToolCalls, R8_ANameThatIsRepeatedIsNotDoubledAndOneInPiecesIsJoined) {
  EXPECT_EQ(assemble({R"([{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}])",
                      R"([{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}])"})
                .calls.at(0)
                .name,
            "read");
  EXPECT_EQ(assemble({R"([{"index":0,"id":"a","function":{"name":"read_"}}])",
                      R"([{"index":0,"function":{"name":"file","arguments":"{}"}}])"})
                .calls.at(0)
                .name,
            "read_file");
}

TEST(ToolCalls, R8_ArgumentsMayBeAnObjectOrMissing) {
  const ToolCalls got = assemble({R"([{"id":"a","function":{"name":"read","arguments":{"path":"x"}}},
    {"id":"b","function":{"name":"list","arguments":null}},{"id":"c","function":{"name":"list"}}])"});
  ASSERT_THAT(got.calls, SizeIs(3));
  EXPECT_EQ(got.calls[0].arguments, R"({"path":"x"})");
  EXPECT_EQ(got.calls[1].arguments, "");
  EXPECT_EQ(got.calls[2].arguments, "");
  EXPECT_TRUE(find(*find(got.wire[0], "function"), "arguments")->is_object()) << "goes back as it came";
}

TEST(ToolCalls, R8_EmptyListsAndEmptyCallsAreNone) {
  EXPECT_THAT(assemble({"[]"}).calls, IsEmpty());
  EXPECT_THAT(assemble({R"([{"id":"","type":"function"}])"}).calls, IsEmpty());
  const ToolCalls got = assemble(
      {R"([{"id":"","type":"function"},{"index":1,"id":"a","function":{"name":"read","arguments":"{}"}},null,7,{"function":{}}])"});
  EXPECT_THAT(got.calls, SizeIs(1));
  EXPECT_THAT(got.wire, SizeIs(1));
}

TEST(ToolCalls, R8_EveryCallHasAnIdOfItsOwn) {
  const ToolCalls got = assemble({R"([{"index":0,"id":"","function":{"name":"read","arguments":"{}"}},
    {"index":1,"id":"same","function":{"name":"read","arguments":"{}"}},
    {"index":2,"id":"same","function":{"name":"list","arguments":"{}"}}])"});
  ASSERT_THAT(got.calls, SizeIs(3));
  EXPECT_THAT(got.calls[0].id, MatchesRegex("call_[0-9A-Za-z]{24}"));
  EXPECT_EQ(got.calls[1].id, "same");
  EXPECT_THAT(got.calls[2].id, Ne("same"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(find(got.wire[i], "id")->as_string(), got.calls[i].id);
}

TEST(ToolCalls, R7_WhatWeDoNotKnowGoesBackAsItCame) {
  const ToolCalls got = assemble({R"([{"index":0,"id":"a","type":"function","extra_content":{"signature":"s"},
    "function":{"name":"read","arguments":"{}"}}])"});
  EXPECT_EQ(to_json(*find(got.wire.at(0), "extra_content")), R"({"signature":"s"})");
  EXPECT_EQ(find(got.wire.at(0), "index"), nullptr);
}

TEST(ToolCalls, TooManyAndTooLongAreErrors) {
  ToolCallAssembler many;
  Result<void> last;
  for (std::size_t i = 0; i <= kMaxToolCalls; ++i)
    last = many.add(JsonArray{JsonObject{{"index", i}, {"function", JsonObject{{"name", "n"}}}}});
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().kind, ErrorKind::too_large);
  ToolCallAssembler endless;
  const JsonArray piece{JsonObject{{"index", 0}, {"function", JsonObject{{"arguments", std::string(1 << 20, 'x')}}}}};
  for (int i = 0; i < 9; ++i) last = endless.add(piece);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().kind, ErrorKind::too_large);
}

TEST(ToolCalls, R8_CallsInTextAreRecognisedWhenTheyNameATool) {
  const std::vector<Tool> tools = {{"read"}, {"list"}};
  std::string text =
      "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"x\"}}\n</tool_call>\n<tool_call>{\"name\":\"list\"}"
      "</tool_call>";
  const ToolCalls got = take_calls_in_text(text, tools);
  ASSERT_THAT(got.calls, SizeIs(2));
  EXPECT_EQ(got.calls[0].name, "read");
  EXPECT_EQ(got.calls[0].arguments, R"({"path":"x"})");
  EXPECT_EQ(got.calls[1].arguments, "");
  EXPECT_EQ(text, "I look.");
  EXPECT_THAT(got.wire, SizeIs(2));

  for (const char* other : {"<tool_call>{\"name\":\"rm\"}</tool_call>", "<tool_call>{broken</tool_call>",
                            "<tool_call>{\"name\":\"read\"}", "</tool_call><tool_call>", " text ", ""}) {
    std::string kept = other;
    EXPECT_THAT(take_calls_in_text(kept, tools).calls, IsEmpty());
    EXPECT_EQ(kept, other);
  }
}

RC_GTEST_PROP(ToolCalls, WhereArgumentsAreCutDoesNotMatter, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
  const auto portion = *rc::gen::inRange<std::size_t>(1, 9);
  ToolCallAssembler assembler;
  RC_ASSERT(assembler.add(parse_json(R"([{"index":3,"id":"a","function":{"name":"n"}}])").value().as_array()).has_value());
  for (std::size_t at = 0; at < text.size(); at += portion)
    RC_ASSERT(
        assembler.add(JsonArray{JsonObject{{"index", 3}, {"function", JsonObject{{"arguments", text.substr(at, portion)}}}}})
            .has_value());
  const ToolCalls got = assembler.take();
  RC_ASSERT(got.calls.size() == 1U);
  RC_ASSERT(got.calls[0].arguments == text);
}

}  // namespace
}  // namespace holdfast::model
