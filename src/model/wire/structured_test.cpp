#include "model/wire/structured.h"

#include "model/test_models.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string found(std::string_view text) {
  const auto object = object_in(text);
  return object ? to_json(*object) : "none";
}

TEST(Structured, P10_TheWholeText) {
  EXPECT_EQ(found(R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(found("\n  {\"a\": 1}\n"), R"({"a":1})");
}

TEST(Structured, P10_AFencedBlock) {
  EXPECT_EQ(found("Here it is:\n```json\n{\"a\": {\"b\": 2}}\n```\nI hope it helps {really}."), R"({"a":{"b":2}})");
  EXPECT_EQ(found("```\nnot this\n```\n```json\n{\"a\":1}\n```"), R"({"a":1})");
}

TEST(Structured, P10_TheFirstBalancedObject) {
  EXPECT_EQ(found(R"(Sure! {"a":1} and {"b":2})"), R"({"a":1})");
  EXPECT_EQ(found(R"(use {braces} like {"a":1})"), R"({"a":1})");
  EXPECT_EQ(found(R"({ oops {"a":1})"), R"({"a":1})");
}

TEST(Structured, P10_ABraceInsideAStringDoesNotEndIt) {
  EXPECT_EQ(found(R"(x {"a":"} \" } \\","b":1} y)"), R"({"a":"} \" } \\","b":1})");
}

TEST(Structured, P10_NothingIsNothing) {
  for (const char* text : {"", "no", "{", "}", "[1,2]", "{\"a\":}", "```json\n[1]\n```", "7"})
    EXPECT_EQ(found(text), "none") << text;
}

TEST(Structured, WhatAModelSaysToItselfIsSkipped) {
  EXPECT_EQ(found(R"(<think>maybe {"a":0}?</think>{"a":1})"), R"({"a":1})");
}

TEST(Structured, AThoughtInsideAStringIsText) {
  EXPECT_EQ(found(R"({"a":"</think>"})"), R"({"a":"</think>"})");
  EXPECT_EQ(found(R"(<think>x</think>{"a":"</think>"})"), R"({"a":"</think>"})");
}

TEST(Structured, ManyBracesCostNoMoreThanTheyMay) {
  EXPECT_EQ(found(std::string(1 << 20, '{')), "none");
  EXPECT_EQ(found(std::string(200'000, '{') + R"({"a":1})"), "none");
}

TEST(Structured, OnlyAnObjectThatFitsIsTaken) {
  const auto fits = [](const JsonObject& object) { return object.contains("b"); };
  EXPECT_EQ(to_json(*object_in(R"({"a":1} {"b":2})", fits)), R"({"b":2})");
  EXPECT_FALSE(object_in(R"({"a":1})", fits));
}

RC_GTEST_PROP(Structured, AnObjectIsFoundInsideAnyProse, ()) {
  const auto value = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab{}[]\"\\ ,:\n")));
  const auto before = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab []\n,:")));
  const JsonObject object{{"key", value}};
  const auto read = object_in(before + to_json(object) + " and more } prose {");
  RC_ASSERT(read.has_value());
  RC_ASSERT(to_json(*read) == to_json(object));
}

TEST(Structured, P10_OneRepairIsAsked) {
  int asked = 0;
  ScriptedModels models([&](const Ask& ask) -> Result<Reply> {
    if (++asked == 1) return ScriptedModels::reply("I would say yes");
    EXPECT_EQ(ask.messages.size(), 3U);
    EXPECT_EQ(ask.messages[1].content, "I would say yes");
    return ScriptedModels::reply(R"({"answer":"yes"})");
  });
  Ask ask;
  ask.messages = {{"user", "yes or no?"}};
  const auto reply = ask_object(models, ask).value();
  EXPECT_EQ(to_json(reply.object.value()), R"({"answer":"yes"})");
  EXPECT_EQ(reply.asks, 2);
  EXPECT_EQ(reply.tokens.in, 20);
  EXPECT_EQ(reply.reply.content, "I would say yes");
}

TEST(Structured, P10_AfterOneRepairTheCallerFallsBack) {
  ScriptedModels models([](const Ask&) { return ScriptedModels::reply("prose for ever"); });
  const auto reply = ask_object(models, {}).value();
  EXPECT_FALSE(reply.object);
  EXPECT_EQ(reply.reply.content, "prose for ever");
  EXPECT_EQ(models.asks().size(), 2U);
}

TEST(Structured, ARepairThatFailsLeavesTheFirstAnswer) {
  int asked = 0;
  ErrorKind kind = ErrorKind::unavailable;
  ScriptedModels models([&](const Ask&) -> Result<Reply> {
    if (++asked % 2 == 1) return ScriptedModels::reply("prose");
    return fail(kind, "gone");
  });
  EXPECT_FALSE(ask_object(models, {}).value().object);
  kind = ErrorKind::cancelled;
  EXPECT_FALSE(ask_object(models, {}).has_value());
}

TEST(Structured, P10_NumbersAsTextNullsAndWrongTypesAreTaken) {
  const JsonObject object =
      parse_json(R"({"n":"7.5","of_ten":"8/10","percent":"80 %","plus":"+3","i":4,"d":0.5,"null":null,"list":[1],
    "yes":"Yes","one":1,"no":"false","texts":["a"," ",null,3,{"x":1}],"text":" t ","objects":[{"id":1},"x",null],"object":{"id":2},
    "word":"seven","date":"7 days"})")
          .value()
          .as_object();
  EXPECT_EQ(number_member(object, "n"), 7.5);
  EXPECT_EQ(number_member(object, "of_ten"), 8);
  EXPECT_EQ(number_member(object, "percent"), 80);
  EXPECT_EQ(number_member(object, "plus"), 3);
  EXPECT_EQ(number_member(object, "i"), 4);
  EXPECT_EQ(number_member(object, "d"), 0.5);
  for (const char* none : {"null", "list", "word", "date", "absent"}) EXPECT_FALSE(number_member(object, none)) << none;
  EXPECT_EQ(bool_member(object, "yes"), true);
  EXPECT_EQ(bool_member(object, "one"), true);
  EXPECT_EQ(bool_member(object, "no"), false);
  for (const char* none : {"null", "list", "word", "i", "absent"}) EXPECT_FALSE(bool_member(object, none)) << none;
  EXPECT_EQ(text_member(object, "text"), "t");
  EXPECT_EQ(text_member(object, "i"), "4");
  EXPECT_EQ(text_member(object, "list"), "");
  EXPECT_THAT(texts_member(object, "texts"), ElementsAre("a", "3"));
  EXPECT_THAT(texts_member(object, "text"), ElementsAre("t"));
  EXPECT_THAT(texts_member(object, "null"), IsEmpty());
  EXPECT_EQ(objects_member(object, "objects").size(), 1U);
  EXPECT_EQ(objects_member(object, "object").size(), 1U);
  EXPECT_THAT(objects_member(object, "text"), IsEmpty());
}

}  // namespace
}  // namespace holdfast::model
