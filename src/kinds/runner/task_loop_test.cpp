// persistent-client §7: the loop, its calls and their arguments.

#include "kinds/runner/task_loop.h"

#include "kinds/runner/result_text.h"
#include "kinds/runner/servers/toolbox.h"
#include "model/test_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <mutex>

namespace holdfast::runner {
namespace {

using model::ScriptedModels;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

Json json(std::string_view text) {
  return parse_json(text).value();
}

class FakeTools final : public Tools {
 public:
  using Answer = std::function<ToolOutcome(std::string_view, const JsonObject&)>;
  explicit FakeTools(Answer answer) : answer_(std::move(answer)) {
    tools_.push_back(
        {"read", "",
         json(R"({"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"}},"required":["path"]})")});
    tools_.push_back(
        {"write", "", json(R"({"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}})")});
  }
  void look_again() override {
    if (grows && !made_.empty()) tools_.push_back({"new", "", json(R"({"type":"object"})")});
    if (tools_.size() > 2) grows = false;
  }
  const std::vector<model::Tool>& list() const override { return tools_; }
  bool is_read_only(std::string_view name) const override { return name == "read"; }
  bool is_repeatable(std::string_view name) const override { return name == "read"; }
  ToolOutcome call(std::string_view name, const JsonObject& arguments, CallTime, std::stop_token) override {
    {
      const std::lock_guard lock(mutex_);
      made_.push_back(std::string(name) + holdfast::to_json(arguments));
    }
    return answer_(name, arguments);
  }
  std::vector<std::string> made() {
    const std::lock_guard lock(mutex_);
    return made_;
  }

  bool grows = false;  // a tool appears after the first call

 private:
  Answer answer_;
  std::vector<model::Tool> tools_;
  std::mutex mutex_;
  std::vector<std::string> made_;
};

struct TaskLoopTest : testing::Test {
  LoopResult run(std::vector<Result<model::Reply>> replies) {
    models.emplace(ScriptedModels::next_of(std::move(replies)));
    return run_task_loop(*models, tools, messages, limits, events, stop.get_token());
  }
  static model::ToolCall call(std::string id, std::string name, std::string arguments) {
    return {std::move(id), std::move(name), std::move(arguments)};
  }

  FakeTools tools{[](std::string_view, const JsonObject& arguments) {
    return ToolOutcome{"42 lines in " + std::string(find_string(arguments, "path").value_or("?")), false, true};
  }};
  std::optional<ScriptedModels> models;
  std::vector<model::Message> messages = {{"user", "count", {}, {}}};
  LoopLimits limits;
  LoopEvents events;
  std::stop_source stop;
};

TEST_F(TaskLoopTest, ResultsOfToolsReachTheModel) {  // §11.1: the original measured tokens, and lost the results
  const LoopResult result =
      run({ScriptedModels::calls({call("1", "read", R"({"path":"a"})")}), ScriptedModels::reply("a has 42 lines")});
  EXPECT_EQ(result.status, "ok");
  EXPECT_EQ(result.text, "a has 42 lines");
  EXPECT_EQ(result.rounds, 2);
  EXPECT_EQ(result.tool_calls, 1);
  EXPECT_EQ(result.usage.in, 20);
  const auto asks = models->asks();
  ASSERT_THAT(asks, SizeIs(2));
  ASSERT_THAT(asks[1].messages, SizeIs(3));
  EXPECT_EQ(asks[1].messages[1].role, "assistant");
  EXPECT_EQ(asks[1].messages[2].role, "tool");
  EXPECT_EQ(asks[1].messages[2].tool_call_id, "1");
  EXPECT_EQ(asks[1].messages[2].content, "42 lines in a");
}

TEST_F(TaskLoopTest, EveryCallGetsOneAnswerInOrderWhateverHappens) {
  const LoopResult result =
      run({ScriptedModels::calls({call("a", "read", R"({"path":"x"})"), call("b", "nothing", "{}"), call("c", "read", "{broken"),
                                  call("d", "read", "[1]"), call("e", "read", "{}"), call("f", "write", "")}),
           ScriptedModels::reply("done")});
  EXPECT_EQ(result.status, "ok");
  EXPECT_EQ(result.tool_calls, 6);
  EXPECT_EQ(result.tool_errors, 4);
  std::vector<std::string> ids, texts;
  for (const model::Message& message : messages)
    if (message.role == "tool") {
      ids.push_back(message.tool_call_id);
      texts.push_back(message.content);
    }
  EXPECT_THAT(ids, ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(texts[1], HasSubstr("there is no tool nothing"));
  EXPECT_THAT(texts[2], HasSubstr("not JSON"));
  EXPECT_THAT(texts[3], HasSubstr("must be a JSON object"));
  EXPECT_THAT(texts[4], HasSubstr("path"));
  EXPECT_THAT(tools.made(), SizeIs(2)) << "what is wrong is never run with {} instead";
}

TEST_F(TaskLoopTest, ReadOnlyCallsRunBesideEachOtherAndWritesAlone) {
  std::barrier together(4);
  std::atomic<int> writing{0}, most{0};
  FakeTools parallel([&](std::string_view name, const JsonObject&) {
    if (name == "read") {
      together.arrive_and_wait();  // would wait for ever if they came one by one
    } else {
      most = std::max(most.load(), ++writing);
      --writing;
    }
    return ToolOutcome{"ok", false, true};
  });
  std::vector<model::ToolCall> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(call("r" + std::to_string(i), "read", R"({"path":"p"})"));
  for (int i = 0; i < 3; ++i) calls.push_back(call("w" + std::to_string(i), "write", R"({"path":"p"})"));
  models.emplace(ScriptedModels::next_of({ScriptedModels::calls(calls), ScriptedModels::reply("done")}));
  const LoopResult result = run_task_loop(*models, parallel, messages, limits, events, stop.get_token());
  EXPECT_EQ(result.tool_calls, 7);
  EXPECT_EQ(most, 1);
}

TEST_F(TaskLoopTest, AnEmptyAnswerIsAskedForOnceMore) {
  EXPECT_EQ(run({ScriptedModels::reply(" "), ScriptedModels::reply("here")}).text, "here");
  messages = {{"user", "count", {}, {}}};
  EXPECT_EQ(run({ScriptedModels::reply(""), ScriptedModels::reply("")}).status, "empty");
}

TEST_F(TaskLoopTest, ACutAnswerIsTruncated) {
  model::Reply cut = ScriptedModels::reply("half of");
  cut.finish_reason = "length";
  const LoopResult result = run({cut});
  EXPECT_EQ(result.status, "truncated");
  EXPECT_EQ(result.text, "half of");
}

TEST_F(TaskLoopTest, TheSameCallWithTheSameResultIsHintedAtAndThenStopped) {
  std::vector<Result<model::Reply>> replies;
  for (int i = 0; i < 10; ++i) replies.push_back(ScriptedModels::calls({call(std::to_string(i), "read", R"({"path":"a"})")}));
  const LoopResult result = run(replies);
  EXPECT_EQ(result.status, "stuck");
  EXPECT_EQ(result.rounds, 6);
  int hints = 0;
  for (const model::Message& message : messages) hints += message.content.find("three times") != std::string::npos;
  EXPECT_EQ(hints, 1);
}

TEST_F(TaskLoopTest, AfterTheLastRoundTheBestAnswerIsAskedForWithoutTools) {
  limits.max_rounds = 2;
  const LoopResult result =
      run({ScriptedModels::calls({call("1", "read", R"({"path":"a"})")}),
           ScriptedModels::calls({call("2", "read", R"({"path":"b"})")}), ScriptedModels::reply("as far as I know")});
  EXPECT_EQ(result.status, "max_rounds");
  EXPECT_EQ(result.text, "as far as I know");
  EXPECT_THAT(models->asks().back().tools, IsEmpty());
}

TEST_F(TaskLoopTest, ErrorsOfTheModelAreTyped) {
  const LoopResult result = run({fail(ErrorKind::unavailable, "down", "", "PROVIDER_ERROR")});
  EXPECT_EQ(result.status, "error");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->word(), "PROVIDER_ERROR");
}

TEST_F(TaskLoopTest, TimeAndCancelEndIt) {
  limits.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(run({ScriptedModels::calls({call("1", "read", R"({"path":"a"})")})}).status, "timeout");
  EXPECT_THAT(tools.made(), IsEmpty()) << "nothing is called when the time is over";
  limits.deadline = std::chrono::steady_clock::time_point::max();
  messages = {{"user", "count", {}, {}}};
  stop.request_stop();
  EXPECT_EQ(run({ScriptedModels::calls({call("1", "read", R"({"path":"a"})")})}).status, "cancelled");
}

TEST_F(TaskLoopTest, TheNewestResultGetsTheRoomThereIs) {
  const std::string text = std::string(100'000, 'a') + "the end";
  FakeTools large([&](std::string_view, const JsonObject&) { return ToolOutcome{text, false, true}; });
  for (const std::size_t calls : {1U, 3U}) {
    messages = {{"user", "read", {}, {}}};
    std::vector<model::ToolCall> wanted;
    for (std::size_t i = 0; i < calls; ++i) wanted.push_back(call(std::to_string(i), "read", R"({"path": "x"})"));
    models.emplace(ScriptedModels::next_of({ScriptedModels::calls(wanted), ScriptedModels::reply("done")}));
    models->window = 8192;
    EXPECT_EQ(run_task_loop(*models, large, messages, limits, events, {}).status, "ok");
    const auto ask = models->asks().back();
    std::size_t shown = 0;
    for (const model::Message& message : ask.messages)
      if (message.role == "tool") {
        shown += message.content.size();
        EXPECT_THAT(message.content, AllOf(StartsWith("aaa"), HasSubstr("bytes cut here"), HasSubstr("the end\n")));
      }
    EXPECT_LE(model::estimate_prompt(ask), 8192 * 3 / 4);
    EXPECT_GT(shown, 8192U * 4 / 2) << "four bytes a token: half of the window at least";
  }
}

TEST_F(TaskLoopTest, OldResultsAreShortenedBeforeTheWindowIsFull) {
  FakeTools wordy([](std::string_view, const JsonObject& arguments) {
    return ToolOutcome{std::string(find_string(arguments, "path").value_or("")) + std::string(8000, 'x'), false, true};
  });
  std::vector<Result<model::Reply>> replies;
  for (int i = 0; i < 6; ++i)
    replies.push_back(ScriptedModels::calls({call(std::to_string(i), "read", R"({"path":")" + std::to_string(i) + R"("})")}));
  replies.push_back(ScriptedModels::reply("done"));
  models.emplace(ScriptedModels::next_of(replies));
  models->window = 4000;
  EXPECT_EQ(run_task_loop(*models, wordy, messages, limits, events, stop.get_token()).status, "ok");
  const auto asks = models->asks();
  const auto& last = asks.back();
  EXPECT_LE(model::estimate_prompt(last), 4000);
  EXPECT_THAT(last.messages[2].content, AllOf(StartsWith("0xxx"), HasSubstr("left out")));
  for (std::size_t i = 1; i + 1 < last.messages.size(); i += 2) {
    EXPECT_EQ(last.messages[i].role, "assistant");
    EXPECT_EQ(last.messages[i + 1].role, "tool") << "pairs stay together";
  }
}

TEST_F(TaskLoopTest, P23WhatIsKnownOfATaskIsNeitherAskedNorCalledAgain) {
  const auto write = [](std::string id, std::string path) {
    return call(std::move(id), "write", R"({"path":")" + path + R"("})");
  };
  const EarlierRound first{ScriptedModels::calls({write("1", "a"), call("2", "gone", "{}")}),
                           {{0, ToolOutcome{"wrote a", false, true}}, {1, std::nullopt}}};
  const EarlierRound second{ScriptedModels::calls({write("1", "b"), call("2", "read", R"({"path":"c"})"), write("3", "d")}),
                            {{0, std::nullopt}, {1, std::nullopt}}};
  std::vector<CallPlace> begun, told;
  std::vector<std::int64_t> replies;
  events.on_reply = [&](std::int64_t round, const model::Reply&) { replies.push_back(round); };
  events.on_call = [&](CallPlace place, const model::ToolCall&) { begun.push_back(place); };
  events.on_result = [&](CallPlace place, const model::ToolCall&, const ToolOutcome&) { told.push_back(place); };
  models.emplace(ScriptedModels::next_of({ScriptedModels::reply("done")}));
  const LoopResult result = run_task_loop(*models, tools, messages, limits, events, stop.get_token(), {first, second});
  EXPECT_EQ(result.text, "done");
  EXPECT_EQ(result.rounds, 3);
  EXPECT_EQ(result.tool_calls, 5);
  EXPECT_EQ(result.usage.in, 30);
  EXPECT_THAT(models->asks(), SizeIs(1));
  EXPECT_THAT(tools.made(), ElementsAre(R"(read{"path":"c"})", R"(write{"path":"d"})"));
  std::vector<std::string> shown;
  const auto asks = models->asks();
  for (const model::Message& message : asks.front().messages)
    if (message.role == "tool") shown.push_back(message.content);
  EXPECT_THAT(shown, ElementsAre("wrote a", HasSubstr("may have happened"), HasSubstr("may have happened"), "42 lines in c",
                                 "42 lines in d"));
  EXPECT_THAT(replies, ElementsAre(3)) << "what is written already is not told again";
  EXPECT_THAT(begun, ElementsAre(CallPlace{2, 1}, CallPlace{2, 2}));
  EXPECT_THAT(told, ElementsAre(CallPlace{1, 1}, CallPlace{2, 0}, CallPlace{2, 1}, CallPlace{2, 2}));
}

TEST_F(TaskLoopTest, P23AnAnswerThatWasGivenIsTheResult) {
  models.emplace();  // nobody to ask
  EXPECT_EQ(run_task_loop(*models, tools, messages, limits, events, {}, {EarlierRound{ScriptedModels::reply("here"), {}}}).text,
            "here");
  // Fewer rounds than were used: the best answer is asked for.
  limits.max_rounds = 1;
  messages = {{"user", "count", {}, {}}};
  const EarlierRound round{ScriptedModels::calls({call("1", "read", R"({"path":"a"})")}), {}};
  models.emplace(ScriptedModels::next_of({ScriptedModels::reply("so far")}));
  const LoopResult result = run_task_loop(*models, tools, messages, limits, events, {}, {round, round});
  EXPECT_EQ(result.status, "max_rounds");
  EXPECT_EQ(result.text, "so far");
}

TEST_F(TaskLoopTest, P23EachOutcomeIsToldBeforeTheNextCallIsMade) {
  std::vector<std::string> order;
  FakeTools writing([&](std::string_view, const JsonObject& arguments) {
    order.push_back("made " + std::string(find_string(arguments, "path").value_or("")));
    return ToolOutcome{"ok", false, true};
  });
  events.on_call = [&](CallPlace place, const model::ToolCall&) { order.push_back("begins " + std::to_string(place.position)); };
  events.on_result = [&](CallPlace place, const model::ToolCall&, const ToolOutcome&) {
    order.push_back("told " + std::to_string(place.position));
  };
  models.emplace(
      ScriptedModels::next_of({ScriptedModels::calls({call("1", "write", R"({"path":"a"})"), call("2", "nothing", "{}"),
                                                      call("3", "write", R"({"path":"b"})")}),
                               ScriptedModels::reply("done")}));
  run_task_loop(*models, writing, messages, limits, events, {});
  EXPECT_THAT(order, ElementsAre("begins 0", "made a", "told 0", "told 1", "begins 2", "made b", "told 2"));
}

TEST_F(TaskLoopTest, P29AToolThatAppearsIsUsableInTheSameTask) {
  tools.grows = true;
  const LoopResult result = run({ScriptedModels::calls({call("1", "write", "{}")}),
                                 ScriptedModels::calls({call("2", "new", "{}")}), ScriptedModels::reply("done")});
  EXPECT_EQ(result.tool_errors, 0);
  EXPECT_THAT(models->asks()[0].tools, SizeIs(2));
  EXPECT_THAT(models->asks()[1].tools, SizeIs(3));
  EXPECT_THAT(tools.made(), ElementsAre("write{}", "new{}"));
}

TEST_F(TaskLoopTest, P29NothingIsSentThatDoesNotFit) {
  std::string chinese;
  for (int i = 0; i < 3000; ++i) chinese += "文";
  FakeTools wordy([&](std::string_view, const JsonObject&) { return ToolOutcome{chinese, false, true}; });
  messages = {{"system", "you work", {}, {}},
              {"user", "before", {}, {}},
              {"assistant", std::string(3000, 'b'), {}, {}},
              {"user", "the task", {}, {}}};
  std::vector<Result<model::Reply>> replies;
  for (int i = 0; i < 40; ++i) {
    const std::string path = std::to_string(i);
    const std::string long_text(20'000, 'x');
    replies.push_back(
        ScriptedModels::calls({call(path, "write", R"({"path":")" + path + R"(","text":")" + long_text + R"("})")}));
  }
  replies.push_back(ScriptedModels::reply("done"));
  models.emplace(ScriptedModels::next_of(replies));
  models->window = 4000;
  EXPECT_EQ(run_task_loop(*models, wordy, messages, limits, events, {}).status, "ok");
  const auto asks = models->asks();
  ASSERT_THAT(asks, SizeIs(41));
  for (const model::Ask& ask : asks) {
    EXPECT_LE(model::estimate_prompt(ask) + ask.max_tokens.value_or(0), 4000);
    EXPECT_EQ(ask.messages.front().content, "you work");
    for (std::size_t i = 1; i < ask.messages.size(); ++i) {
      const std::string &role = ask.messages[i].role, &before = ask.messages[i - 1].role;
      EXPECT_TRUE(role == "user"        ? before != "user"
                  : role == "assistant" ? before != "assistant"
                                        : before != "system")
          << "turns alternate, and calls have their answers";
      if (role != "tool") continue;
      std::size_t calling = i;
      while (ask.messages[calling].role == "tool") --calling;
      EXPECT_EQ(
          holdfast::to_json(ask.messages[calling].tool_calls[0]).contains("\"id\":\"" + ask.messages[i].tool_call_id + "\""),
          true);
      const Json& arguments = ask.messages[calling].tool_calls[0].as_object().at("function").as_object().at("arguments");
      EXPECT_TRUE(parse_json(view(arguments.as_string()))) << "what is shortened is JSON still";
      EXPECT_THAT(std::string(view(arguments.as_string())), HasSubstr(R"("path":)"));
    }
  }
  std::vector<std::string> tasks;
  for (const model::Message& message : asks.back().messages)
    if (message.role == "user") tasks.push_back(message.content);
  EXPECT_THAT(tasks, ElementsAre(AllOf(StartsWith("the task"), HasSubstr("left out"))));
}

TEST_F(TaskLoopTest, P29WhatCannotFitIsSaidAndNotSent) {
  messages = {{"user", std::string(10'000, 'x'), {}, {}}};
  models.emplace(ScriptedModels::next_of({ScriptedModels::reply("never asked")}));
  models->window = 2000;
  const LoopResult result = run_task_loop(*models, tools, messages, limits, events, {});
  EXPECT_EQ(result.status, "error");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, "CONTEXT_TOO_LARGE");
  EXPECT_THAT(result.error->message, HasSubstr("2000"));
  EXPECT_THAT(models->asks(), IsEmpty());
}

TEST_F(TaskLoopTest, P29AfterAnOverflowLessIsSent) {
  FakeTools wordy([](std::string_view, const JsonObject&) { return ToolOutcome{std::string(20'000, 'x'), false, true}; });
  std::vector<std::int64_t> sent;
  models.emplace([&](const model::Ask& ask) -> Result<model::Reply> {
    sent.push_back(model::estimate_prompt(ask));
    if (ask.messages.size() == 1) return ScriptedModels::calls({call("1", "read", R"({"path":"a"})")});
    if (sent.back() > 3000) return fail(ErrorKind::too_large, "too long", {}, "CONTEXT_TOO_LARGE");
    return ScriptedModels::reply("done");
  });
  models->window = 100'000;  // it says
  EXPECT_EQ(run_task_loop(*models, wordy, messages, limits, events, {}).text, "done");
  EXPECT_TRUE(std::is_sorted(sent.begin() + 1, sent.end(), std::greater<>()));
  EXPECT_LE(sent.back(), 3000);
  EXPECT_GT(sent.size(), 2U);
}

TEST(Arguments, AreCoercedByTheSchemaAlone) {
  const Json schema = json(R"({"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"},"b":{"type":"boolean"},
      "text":{"type":"string"},"both":{"type":["string","integer"]},"list":{"type":"array","items":{"type":"integer"}}}})");
  EXPECT_EQ(holdfast::to_json(
                read_arguments(R"({"n":"10","x":"1.5","b":"true","text":"true","both":"7","list":["1",2]})", schema).value()),
            R"({"n":10,"x":1.5,"b":true,"text":"true","both":"7","list":[1,2]})");
  EXPECT_FALSE(read_arguments(R"({"n":"ten"})", schema));
  EXPECT_FALSE(read_arguments(R"({"n":"1.5"})", schema));
}

TEST(Arguments, FormsModelsSend) {
  const Json any = json(R"({"type":"object"})");
  for (const char* empty : {"", "  ", "null", "{}"}) EXPECT_TRUE(read_arguments(empty, any).value().empty()) << empty;
  EXPECT_EQ(read_arguments(R"("{\"a\":1}")", any).value().at("a"), 1);
  EXPECT_EQ(read_arguments(R"({"a":1})", Json()).value().at("a"), 1);
  for (const char* wrong : {"[1]", "7", "\"text\"", "{", "{} {}"}) EXPECT_FALSE(read_arguments(wrong, any)) << wrong;
}

TEST(ResultText, EveryItemIsShownAndBinaryDescribed) {
  const auto outcome =
      read_result(json(R"({"content":[{"type":"text","text":"one"},{"type":"image","mimeType":"image/png","data":"QUJD"},
      {"type":"resource","resource":{"uri":"file:///a","text":"inside"}},{"type":"text","text":"two"}]})")
                      .as_object());
  EXPECT_FALSE(outcome.is_error);
  EXPECT_EQ(outcome.text, "one\n[image: image/png, 3 bytes]\n[resource: file:///a]\ninside\ntwo");
  const auto error = read_result(json(R"({"isError":true,"content":[{"type":"text","text":"no"}]})").as_object());
  EXPECT_TRUE(error.is_error);
  EXPECT_EQ(error.text, "Error: no");
  EXPECT_EQ(read_result(json(R"({"structuredContent":{"a":1}})").as_object()).text, R"({"a":1})");
}

TEST(ResultText, LongOnesKeepHeadAndTail) {
  std::string text = "begin";
  text += std::string(200'000, '-');
  text += "end";
  const std::string shown = shown_result(text);
  EXPECT_LT(shown.size(), kShownResultBytes + 100);
  EXPECT_THAT(shown, AllOf(StartsWith("begin"), testing::EndsWith("end"), HasSubstr("bytes cut here")));
  EXPECT_EQ(shown_result("short"), "short");
}

TEST(FunctionNames, FitEveryModel) {
  EXPECT_EQ(function_name("fs", "read_file", false), "read_file");
  EXPECT_EQ(function_name("fs", "read_file", true), "fs__read_file");
  EXPECT_EQ(function_name("@scope/fs", "read.file", true), "_scope_fs__read_file");
  const std::string one = function_name("s", std::string(100, 'a') + "1", true),
                    two = function_name("s", std::string(100, 'a') + "2", true);
  EXPECT_EQ(one.size(), 64U);
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace holdfast::runner
