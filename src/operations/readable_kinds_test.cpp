#include "operations/readable_kinds.h"

#include "session/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::operations {
namespace {

using reading::Part;
using reading::Role;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

reading::Turn turn_of(std::string_view kind, std::string type, std::string text, std::string data) {
  session::Entry entry;
  entry.type = std::move(type);
  entry.text = std::move(text);
  entry.data = std::move(data);
  entry.number = 3;
  reading::Turn turn;
  turn.line = 7;
  readable_kinds().find(kind)->second(entry, {}, turn);
  return turn;
}

TEST(ReadableKinds, EveryKindOfTheStoreIsThere) {
  for (const std::string_view kind : session::kKinds)
    EXPECT_EQ(readable_kinds().contains(kind), kind != session::kTranscript) << kind;
}

TEST(ReadableKinds, Thoughts) {
  const auto turn = turn_of(session::kReasoning, "reasoning", "because", R"({"total":5,"revises":1})");
  EXPECT_THAT(turn.parts[0].name, HasSubstr("thought 3 of 5"));
  EXPECT_THAT(turn.parts[0].name, HasSubstr("revises 1"));
  EXPECT_EQ(turn.parts[1].text.text, "because");
  EXPECT_TRUE(turn_of(session::kReasoning, "manifest", "", "{}").meta);
}

TEST(ReadableKinds, Messages) {
  const auto turn = turn_of(session::kThread, "message", "hello", R"({"id":"msg-1","role":"user"})");
  EXPECT_TRUE(turn.prompt);
  EXPECT_EQ(turn.role, Role::user);
  EXPECT_EQ(turn.id, "msg-1");
  EXPECT_TRUE(turn_of(session::kThread, "notice", "soon", "{}").meta);
}

TEST(ReadableKinds, Research) {
  EXPECT_THAT(turn_of(session::kResearch, "plan", "brief", R"({"sub_queries":[{"query":"how often?"}]})").parts[0].text.text,
              HasSubstr("- how often?"));
  EXPECT_THAT(turn_of(session::kResearch, "finding", "three times", R"({"quotes":[{"text":"we retry"}]})").parts[0].text.text,
              HasSubstr("> we retry"));
  EXPECT_EQ(turn_of(session::kResearch, "report", "# R", "{}").parts[0].kind, Part::Kind::text);
  EXPECT_TRUE(turn_of(session::kResearch, "unit", "", R"({"key":"1/plan"})").meta);
}

TEST(ReadableKinds, Documents) {
  const auto turn = turn_of(session::kDocument, "proposed", "edit of a.md", R"({"change":"c1"})");
  EXPECT_EQ(turn.parts[0].name, "proposed");
  EXPECT_EQ(turn_of(session::kDocument, "decided", "c1 accepted", "{}").role, Role::user);
}

TEST(ReadableKinds, Runs) {
  EXPECT_TRUE(turn_of(session::kRun, "task", "count the files", R"({"id":"t1"})").prompt);
  const auto call =
      turn_of(session::kRun, "tool_call", "boom", R"({"name":"list","arguments":"{\"path\":\"/\"}","is_error":true})");
  EXPECT_TRUE(call.has_error());
  EXPECT_EQ(call.parts[0].arguments.at("path"), "/");
  EXPECT_EQ(turn_of(session::kRun, "round", "done", R"({"reasoning":"hm","model":"m"})").parts[0].kind, Part::Kind::thinking);
  EXPECT_TRUE(turn_of(session::kRun, "problem", "no server", "{}").error);
}

// Whatever stands in the store: never an error, never nothing.
TEST(ReadableKinds, DataThatCannotBeRead) {
  for (const auto& [kind, turn_of_entry] : readable_kinds())
    for (const char* data : {"", "not JSON", "[1]", R"({"quotes":7,"sub_queries":{},"arguments":3,"role":[]})"})
      for (const char* type : {"x", "message", "plan", "finding", "tool_call", "task", "result", "read", "manifest"})
        EXPECT_THAT(turn_of(kind, type, "words", data).parts, Not(IsEmpty())) << kind << " " << type << " " << data;
}

}  // namespace
}  // namespace holdfast::operations
