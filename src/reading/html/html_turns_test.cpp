#include "reading/html/html_turns.h"

#include "reading/html/markdown_turns.h"
#include "reading/html/test_markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::reading {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string html_of_turn(const Turn& turn, const TurnLinks& links = {}) {
  Html html;
  write_turn(html, turn, links);
  std::string made = std::move(html).finish();
  EXPECT_EQ(wrong_markup(made), "") << made;
  return made;
}

std::string markdown_of(const Turn& turn, bool detailed) {
  std::string out;
  append_turn(out, turn, {detailed});
  return out;
}

Turn turn_with(Part part) {
  Turn turn;
  turn.line = 7;
  turn.role = Role::assistant;
  turn.author = "claude-opus";
  part.line = 7;
  turn.parts.push_back(std::move(part));
  return turn;
}

Part call(std::string name, JsonObject arguments, std::string output = "out", bool error = false) {
  Part part;
  part.kind = Part::Kind::tool_call;
  part.name = std::move(name);
  part.id = "toolu_1";
  part.arguments = std::move(arguments);
  ToolResult result;
  result.output.text = std::move(output);
  result.error = error;
  part.result = std::move(result);
  return part;
}

TEST(HtmlTurns, HasAnchorsForEveryLine) {
  Turn turn = turn_with({});
  turn.parts[0].text.text = "one";
  Part second;
  second.line = 9;
  second.text.text = "two";
  turn.parts.push_back(second);
  const std::string html = html_of_turn(turn);
  EXPECT_THAT(html, HasSubstr("<article class=\"turn assistant\" id=\"msg-7\">"));
  EXPECT_THAT(html, HasSubstr("<div id=\"msg-9\">"));
}

TEST(HtmlTurns, NoTextOfASessionBecomesMarkup) {
  const std::string hostile = "<script>alert(1)</script><svg onload=x>\" ' \u202E \x1b[31m";
  for (const Part::Kind kind : {Part::Kind::text, Part::Kind::thinking, Part::Kind::tool_call, Part::Kind::tool_result,
                                Part::Kind::notice, Part::Kind::raw, Part::Kind::diff, Part::Kind::image}) {
    Part part = call(hostile, {{hostile, hostile}, {"command", hostile}}, hostile, true);
    part.kind = kind;
    part.text.text = hostile;
    part.images.push_back({"image/svg+xml", hostile, hostile});
    part.diffs.push_back({hostile, hostile, hostile + "\n+", {}});
    part.subagent = Subagent{hostile, hostile, hostile};
    part.result->saved_output = hostile;
    part.result->patch = "-" + hostile;
    Turn turn = turn_with(std::move(part));
    turn.author = turn.lane = hostile;
    turn.forks.push_back({3, hostile});
    const std::string html = html_of_turn(turn);
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("\u202E")));
    EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  }
}

TEST(HtmlTurns, ToolsAreShownByWhatTheyDo) {
  EXPECT_THAT(html_of_turn(turn_with(call("Bash", {{"command", "ls -la"}}))), HasSubstr("<code>ls -la</code>"));
  EXPECT_THAT(html_of_turn(turn_with(call("Edit", {{"file_path", "/a"}, {"old_string", "x\ny"}, {"new_string", "x\nz"}}))),
              HasSubstr("<pre> x\n<del>-y\n</del><ins>+z\n</ins></pre>"));
  EXPECT_THAT(html_of_turn(turn_with(call("Write", {{"file_path", "/a"}, {"content", "<b>"}}))),
              HasSubstr("<pre dir=\"auto\">&lt;b&gt;</pre>"));
  JsonArray todos{JsonObject{{"content", "one"}, {"status", "completed"}}, JsonObject{{"content", "two"}, {"status", "pending"}}};
  const std::string list = html_of_turn(turn_with(call("TodoWrite", {{"todos", todos}})));
  EXPECT_THAT(list, HasSubstr("☑ one"));
  EXPECT_THAT(list, HasSubstr("☐ two"));
  const std::string mcp = html_of_turn(turn_with(call("mcp__files__list", {{"depth", 3}})));
  EXPECT_THAT(mcp, HasSubstr("<b>files · list</b>"));
  EXPECT_THAT(mcp, HasSubstr("&quot;depth&quot;: 3"));
}

TEST(HtmlTurns, FailedCallsStandOpenAndAreMarked) {
  const std::string html = html_of_turn(turn_with(call("Bash", {{"command", "false"}}, "Exit code 1", true)));
  EXPECT_THAT(html, HasSubstr("<details class=\"tool failed\" open=\"\">"));
  EXPECT_THAT(html, HasSubstr("turn assistant error"));
}

TEST(HtmlTurns, WhatWasCutCanBeOpened) {
  Turn turn = turn_with({});
  turn.parts[0].text = {"beginning", 3 * 1024 * 1024};
  TurnLinks links;
  links.whole_record = [](std::uint64_t line) { return "/raw/" + std::to_string(line); };
  EXPECT_THAT(html_of_turn(turn, links), HasSubstr("3.0 MiB more. <a href=\"/raw/7\">Show all</a>"));
}

TEST(HtmlTurns, OnlyImagesOfTheListAreShown) {
  Turn turn = turn_with({});
  turn.parts[0].kind = Part::Kind::image;
  turn.parts[0].images = {{"image/png", "7/0", ""}, {"image/svg+xml", "7/1", ""}, {"text/html", "7/2", ""}};
  TurnLinks links;
  links.image = [](const Image& image) { return "/image/" + image.reference; };
  const std::string html = html_of_turn(turn, links);
  EXPECT_THAT(html, HasSubstr("<img src=\"/image/7/0\""));
  EXPECT_THAT(html, Not(HasSubstr("7/1")));
  EXPECT_THAT(html, HasSubstr("[an image, text/html]"));
}

TEST(MarkdownTurns, AnswersAloneUnlessAskedForMore) {
  Turn turn = turn_with(call("Bash", {{"command", "ls"}}, "a ``` b"));
  Part answer;
  answer.text.text = "# Heading\n\ntext";
  turn.parts.push_back(answer);
  const std::string plain = markdown_of(turn, false), detailed = markdown_of(turn, true);
  EXPECT_EQ(plain, "## Assistant · claude-opus\n\n### Heading\n\ntext\n\n");
  EXPECT_THAT(detailed, HasSubstr("**Bash** `ls`"));
  EXPECT_THAT(detailed, HasSubstr("````\na ``` b\n````"));
}

TEST(MarkdownTurns, ATurnOfToolsAloneIsLeftOut) {
  EXPECT_EQ(markdown_of(turn_with(call("Bash", {{"command", "ls"}})), false), "");
}

}  // namespace
}  // namespace holdfast::reading
