// The gate as modern clients meet it (threads-and-research §7). Legacy clients: tests/e2e/app/lifecycle.mjs.

#include "tools/session/confirmation.h"

#include "session/kinds.h"
#include "session/life/sweep.h"
#include "tools/session/notices.h"
#include "tools/session/session_tools.h"
#include "tools/test_tool_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::tools {
namespace {

using session::Visibility;
using testing::HasSubstr;

struct GateTest : testing::Test, ToolServer {
  GateTest() {
    add_core_operations();
    EXPECT_TRUE(server.open());
    EXPECT_TRUE(add_session_tool(server, stores, operations, calls));
    add_notice_resource(server, stores, calls);
  }

  void create(const std::string& id, std::string_view kind = session::kThread) {
    session::SessionRecord record;
    record.id = id;
    record.kind = kind;
    record.title = "Retries";
    record.aspect = "chat";
    record.status = kind == session::kResearch ? "completed" : "active";
    EXPECT_TRUE(store->write([&](session::Transaction& t) { return t.create(record); }));
    say(id, "the secret is walrus");
  }
  void say(const std::string& id, std::string text) {
    EXPECT_TRUE(store->write([&](session::Transaction& t) -> Result<session::Appended> {
      session::NewEntry entry;
      entry.type = "message";
      entry.text = text;
      HF_TRY(const auto record, t.get(id));
      entry.number = record.highest_number("") + 1;
      entry.data = to_json(JsonObject{{"id", fmt::format("msg-{:08}", entry.number)}, {"role", "user"}});
      return t.append(id, entry);
    }));
  }

  JsonObject state_of(const JsonObject& result) {
    if (!find_object(result, "structuredContent")) ADD_FAILURE() << to_json(result);
    return find_object(result, "structuredContent") ? *find_object(result, "structuredContent") : JsonObject{};
  }
  JsonObject plain(JsonObject arguments, const mcp::Caller& from = caller_of()) {
    return state_of(call_tool("session", arguments, from));
  }
  // Asks, then answers as the user would.
  JsonObject asked(const JsonObject& arguments) {
    JsonObject result = call_tool("session", arguments, form_caller());
    EXPECT_EQ(find_string(result, "resultType"), "input_required") << to_json(result);
    return result;
  }
  JsonObject answered(const JsonObject& arguments, const JsonObject& question, JsonObject response) {
    JsonObject responses;
    for (const auto& each : *find_object(question, "inputRequests")) responses[each.key()] = response;
    return call_tool("session", arguments, form_caller(),
                     {{"requestState", *find(question, "requestState")}, {"inputResponses", std::move(responses)}});
  }
  static JsonObject accept(JsonObject content) { return {{"action", "accept"}, {"content", std::move(content)}}; }
  Visibility visibility(const std::string& id) { return store->get(id)->visibility; }

  const JsonObject delete_thread{{"operation", "delete"}, {"sessionId", "thread-aaaaaaaa"}};
};

TEST_F(GateTest, S7EveryOutcomeOfAForm) {
  const std::vector<std::tuple<JsonObject, std::string, Visibility>> answers = {
      {accept({{"choice", "keep"}}), "kept", Visibility::live},
      {{{"action", "decline"}}, "declined", Visibility::live},
      {{{"action", "cancel"}}, "cancelled", Visibility::live},
      {accept({{"choice", "archive"}}), "archived", Visibility::archived},
      {accept({{"choice", "delete"}}), "deleted", Visibility::deleted}};
  create("thread-aaaaaaaa");
  for (const auto& [response, outcome, after] : answers) {
    const JsonObject question = asked(delete_thread);
    const JsonObject state = state_of(answered(delete_thread, question, response));
    EXPECT_EQ(find_string(state, "outcome"), outcome);
    EXPECT_EQ(find_bool(state, "deleted"), outcome == "deleted");
    EXPECT_EQ(find_string(state, "sessionId"), "thread-aaaaaaaa");
    EXPECT_EQ(visibility("thread-aaaaaaaa"), after) << outcome;
    const auto until = find_string(state, "restorable_until");
    EXPECT_EQ(until.value_or(""), outcome == "deleted" ? iso8601(kStart + 30 * session::kDay) : "");
  }
}

TEST_F(GateTest, S7TheQuestionNamesWhatGoesAndUntilWhenItCanComeBack) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  const JsonObject& form = find_object(*find_object(question, "inputRequests"), "confirm")->at("params").as_object();
  EXPECT_EQ(find_string(form, "mode"), "form");
  EXPECT_THAT(std::string(*find_string(form, "message")),
              testing::AllOf(HasSubstr("thread-aaaaaaaa"), HasSubstr("Retries"), HasSubstr("1 message"),
                             HasSubstr(iso8601(kStart + 30 * session::kDay))));
  const JsonObject& schema = form.at("requestedSchema").as_object();
  EXPECT_EQ(find_string(schema.at("properties").at("choice").as_object(), "default"), "keep");
  EXPECT_EQ(schema.at("properties").at("choice").at("oneOf").as_array().size(), 3U);
  EXPECT_EQ(to_json(schema.at("required")), R"(["choice"])");
}

TEST_F(GateTest, S7AnAnswerThatDoesNotFitOrNoneIsAskedAgain) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  for (JsonObject response : {accept({{"choice", "burn"}}), accept({}), JsonObject{{"action", "perhaps"}}})
    EXPECT_EQ(find_string(answered(delete_thread, question, response), "resultType"), "input_required");
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);
}

TEST_F(GateTest, S7AnAnswerPassesOnce) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  const JsonObject yes = accept({{"choice", "delete"}});
  EXPECT_EQ(find_string(state_of(answered(delete_thread, question, yes)), "outcome"), "deleted");
  plain({{"operation", "restore"}, {"sessionId", "thread-aaaaaaaa"}});
  EXPECT_EQ(find_string(state_of(answered(delete_thread, question, yes)), "error"), "CONFIRMATION_INVALID");
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);

  const JsonObject again = asked(delete_thread);
  EXPECT_EQ(find_string(state_of(answered(delete_thread, again, {{"action", "decline"}})), "outcome"), "declined");
  EXPECT_EQ(find_string(state_of(answered(delete_thread, again, yes)), "error"), "CONFIRMATION_INVALID");
}

TEST_F(GateTest, S7WhatHasChangedIsAskedAgainWithFreshCounts) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  say("thread-aaaaaaaa", "one more");
  const JsonObject once_more = answered(delete_thread, question, accept({{"choice", "delete"}}));
  ASSERT_EQ(find_string(once_more, "resultType"), "input_required");
  EXPECT_THAT(to_json(once_more), testing::AllOf(HasSubstr("2 messages"), HasSubstr("has changed")));
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);
  EXPECT_EQ(find_string(state_of(answered(delete_thread, once_more, accept({{"choice", "delete"}}))), "outcome"), "deleted");
}

TEST_F(GateTest, S7AnAnswerThatComesTooLateIsExpired) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  clock->advance(session::kGateTokenTtl);
  EXPECT_EQ(find_string(state_of(answered(delete_thread, question, accept({{"choice", "delete"}}))), "error"),
            "CONFIRMATION_EXPIRED");
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);
}

TEST_F(GateTest, S7PurgeWantsTheIdTyped) {
  create("thread-aaaaaaaa");
  plain({{"operation", "pin"}, {"sessionId", "thread-aaaaaaaa"}});
  const JsonObject remove = asked(delete_thread);
  answered(delete_thread, remove, accept({{"choice", "delete"}}));
  const JsonObject purge{{"operation", "purge"}, {"sessionId", "thread-aaaaaaaa"}};
  JsonObject question = asked(purge);
  question = answered(purge, question, accept({{"choice", "purge"}, {"confirm_id", "thread-bbbbbbbb"}}));
  ASSERT_EQ(find_string(question, "resultType"), "input_required");
  EXPECT_THAT(to_json(question), HasSubstr("not this session's"));
  const JsonObject done = state_of(answered(purge, question, accept({{"choice", "purge"}, {"confirm_id", "thread-aaaaaaaa"}})));
  EXPECT_EQ(find_string(done, "outcome"), "purged");
  EXPECT_EQ(find_string(plain({{"operation", "get"}, {"sessionId", "thread-aaaaaaaa"}}), "error"), "GONE");
}

TEST_F(GateTest, S7AClientWithoutFormsNeedsTwoSteps) {
  create("thread-aaaaaaaa");
  const JsonObject first = plain({{"operation", "delete"}, {"sessionId", "thread-aaaaaaaa"}, {"confirm", true}});
  EXPECT_EQ(find_string(first, "outcome"), "confirmation_required");
  EXPECT_EQ(find_bool(first, "deleted"), false);
  EXPECT_EQ(to_json(*find(first, "choices")), R"(["delete","keep","archive"])");
  EXPECT_EQ(find_string(first, "expires_at"), iso8601(kStart + session::kGateTokenTtl));
  EXPECT_THAT(std::string(*find_string(first, "summary")), HasSubstr("user must decide"));
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);

  JsonObject second = delete_thread;
  second["confirmation_token"] = *find(first, "confirmation_token");
  EXPECT_EQ(find_string(plain(second), "error"), "invalid_argument") << "no choice";
  second["choice"] = "burn";
  EXPECT_EQ(find_string(plain(second), "error"), "invalid_argument");
  second["choice"] = "delete";
  mcp::Caller ann = caller_of("ann");
  ann.principal = "ann";
  EXPECT_EQ(find_string(plain(second, ann), "error"), "not_found");
  create("thread-bbbbbbbb");
  JsonObject other = second;
  other["sessionId"] = "thread-bbbbbbbb";
  EXPECT_EQ(find_string(plain(other), "error"), "CONFIRMATION_INVALID");
  other = second;
  other["operation"] = "purge";
  other["choice"] = "keep";
  EXPECT_NE(find_string(plain(other), "outcome"), "purged");
  EXPECT_EQ(find_string(plain(second), "outcome"), "deleted");
  EXPECT_EQ(find_string(plain(second), "error"), "CONFIRMATION_INVALID") << "used before";
  EXPECT_EQ(visibility("thread-bbbbbbbb"), Visibility::live);
}

TEST_F(GateTest, S7ATokenAsksAgainAfterAChangeAndExpires) {
  create("thread-aaaaaaaa");
  JsonObject second = delete_thread;
  second["confirmation_token"] = *find(plain(delete_thread), "confirmation_token");
  second["choice"] = "delete";
  say("thread-aaaaaaaa", "one more");
  const JsonObject again = plain(second);
  EXPECT_EQ(find_string(again, "outcome"), "confirmation_required");
  EXPECT_EQ(find_bool(again, "changed"), true);
  EXPECT_THAT(std::string(*find_string(again, "prompt")), HasSubstr("2 messages"));
  second["confirmation_token"] = *find(again, "confirmation_token");
  clock->advance(session::kGateTokenTtl);
  EXPECT_EQ(find_string(plain(second), "error"), "CONFIRMATION_EXPIRED");
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);
}

TEST_F(GateTest, S7TheTokenOfAFormIsNoArgument) {
  create("thread-aaaaaaaa");
  const JsonObject question = asked(delete_thread);
  const std::string carried(*find_string(question, "requestState"));
  JsonObject second = delete_thread;
  second["confirmation_token"] = carried;
  second["choice"] = "delete";
  EXPECT_EQ(find_string(plain(second), "error"), "CONFIRMATION_INVALID");
  EXPECT_EQ(visibility("thread-aaaaaaaa"), Visibility::live);
}

TEST_F(GateTest, S7TheTwoStepsCanBeForbidden) {
  create("thread-aaaaaaaa");
  GateSettings strict;
  strict.token_fallback = false;
  const Confirmation refusing(stores, policy, strict);
  CallRoom strict_calls = calls;
  strict_calls.confirmation = &refusing;
  mcp::Server other{{}, loop, pool, *clock, protocol_state};
  ASSERT_TRUE(other.open());
  ASSERT_TRUE(add_session_tool(other, stores, operations, strict_calls));
  mcp::Message message;
  message.kind = mcp::Message::Kind::request;
  message.id = 1;
  message.method = "tools/call";
  message.params = {{"name", "session"}, {"arguments", delete_thread}};
  auto caught = std::make_shared<CaughtAnswer>(loop);
  other.handle_modern(std::move(message), std::make_shared<mcp::Caller>(caller_of()), nullptr, caught);
  while (caught->answer.empty()) loop.run();
  EXPECT_THAT(to_json(caught->answer),
              testing::AllOf(HasSubstr("CONFIRMATION_UNAVAILABLE"), HasSubstr("holdfast sessions delete thread-aaaaaaaa")));
}

TEST_F(GateTest, S7SeveralAreOneItemisedQuestion) {
  create("thread-aaaaaaaa");
  create("thread-bbbbbbbb");
  const JsonObject both{{"operation", "delete"}, {"sessionIds", JsonArray{"thread-aaaaaaaa", "thread-bbbbbbbb"}}};
  const JsonObject question = asked(both);
  EXPECT_THAT(to_json(question), testing::AllOf(HasSubstr("thread-aaaaaaaa"), HasSubstr("thread-bbbbbbbb")));
  const JsonObject done = state_of(answered(both, question, accept({{"choice", "delete"}})));
  EXPECT_EQ(find_string(done, "outcome"), "deleted");
  EXPECT_EQ(find_array(done, "ids")->size(), 2U);
  EXPECT_EQ(visibility("thread-bbbbbbbb"), Visibility::deleted);
}

TEST_F(GateTest, S13RedactAsksAndTakesTheTextAway) {
  create("thread-aaaaaaaa");
  const JsonObject redact{{"operation", "redact"}, {"sessionId", "thread-aaaaaaaa"}, {"pattern", "walrus"}};
  const JsonObject question = asked(redact);
  EXPECT_THAT(to_json(question), HasSubstr("walrus"));
  const JsonObject done = state_of(answered(redact, question, accept({{"choice", "redact"}})));
  EXPECT_EQ(find_string(done, "outcome"), "redacted");
  EXPECT_EQ(find_int(*find_object(done, "counts"), "message"), 1);
  EXPECT_THAT(to_json(plain({{"operation", "get"}, {"sessionId", "thread-aaaaaaaa"}})), testing::Not(HasSubstr("walrus")));
  EXPECT_EQ(find_string(plain({{"operation", "redact"}, {"sessionId", "thread-aaaaaaaa"}}), "error"), "invalid_argument");
  EXPECT_EQ(
      find_string(plain({{"operation", "redact"}, {"sessionId", "thread-aaaaaaaa"}, {"message_ids", JsonArray{"msg-00000009"}}}),
                  "error"),
      "NOT_FOUND")
      << "nobody is asked about what is not there";
}

TEST_F(GateTest, S3DeletingWhatIsDeletedChangesNothingAndOthersMovesAreRefused) {
  create("thread-aaaaaaaa");
  answered(delete_thread, asked(delete_thread), accept({{"choice", "delete"}}));
  const JsonObject again = plain(delete_thread);
  EXPECT_EQ(find_string(again, "outcome"), "deleted");
  EXPECT_EQ(find_bool(again, "changed"), false);
  const JsonObject refused = plain({{"operation", "archive"}, {"sessionId", "thread-aaaaaaaa"}});
  EXPECT_THAT(std::string(find_string(refused, "error").value_or("")), testing::AnyOf("INVALID_STATE_TRANSITION", "DELETED"));
  EXPECT_EQ(find_bool(plain({{"operation", "restore"}, {"sessionId", "thread-aaaaaaaa"}}), "changed"), true);
  EXPECT_EQ(find_bool(plain({{"operation", "restore"}, {"sessionId", "thread-aaaaaaaa"}}), "changed"), false);
}

TEST_F(GateTest, S6NoticesComeWithTheNextResultOnceADayUntilAcknowledged) {
  create("thread-aaaaaaaa");
  clock->advance(5 * session::kDay);
  ASSERT_EQ(session::sweep(*store, policy)->notices_created, 1U);
  const JsonObject result = call_tool("session", {{"operation", "list"}});
  const JsonObject state = state_of(result);
  ASSERT_EQ(find_array(state, "notices")->size(), 1U);
  const JsonObject& notice = find_array(state, "notices")->front().as_object();
  EXPECT_EQ(find_string(notice, "action"), "archive");
  EXPECT_EQ(find_string(notice, "session_id"), "thread-aaaaaaaa");
  const JsonObject& block = find_array(result, "content")->front().as_object();
  EXPECT_EQ(to_json(block.at("annotations")), R"({"audience":["user"]})");
  EXPECT_THAT(std::string(*find_string(block, "text")), HasSubstr("Retries"));

  EXPECT_FALSE(plain({{"operation", "list"}}).contains("notices")) << "not twice a day";
  clock->advance(session::kDay);
  EXPECT_TRUE(plain({{"operation", "list"}}).contains("notices"));
  clock->advance(session::kDay);
  EXPECT_EQ(find_int(plain({{"operation", "notices-ack"}, {"notice_ids", JsonArray{*find(notice, "id")}}}), "acknowledged"), 1);
  EXPECT_FALSE(plain({{"operation", "list"}}).contains("notices"));
  EXPECT_EQ(find_int(plain({{"operation", "notices"}}), "count"), 0);
  EXPECT_EQ(find_int(plain({{"operation", "notices"}, {"all", true}}), "count"), 1);
}

TEST_F(GateTest, S6NoticesAreAResourceOfTheirOwner) {
  create("thread-aaaaaaaa");
  clock->advance(5 * session::kDay);
  ASSERT_TRUE(session::sweep(*store, policy));
  const auto read = [&](const std::string& principal) {
    mcp::Caller caller = caller_of();
    caller.principal = principal;
    return to_json(request("resources/read", {{"uri", kNoticesUri}}, caller));
  };
  EXPECT_THAT(read("local"), HasSubstr("thread-aaaaaaaa"));
  EXPECT_THAT(read("ann"), testing::Not(HasSubstr("thread-aaaaaaaa")));
}

TEST_F(GateTest, S8PickLetsTheUserChoose) {
  create("thread-aaaaaaaa");
  const JsonObject pick{{"operation", "pick"}};
  const JsonObject question = asked(pick);
  EXPECT_THAT(to_json(question), HasSubstr("thread-aaaaaaaa: 'Retries' (chat, 1 message, just now)"));
  EXPECT_EQ(find_string(state_of(answered(pick, question, accept({{"session", "thread-aaaaaaaa"}}))), "outcome"), "picked");
  EXPECT_EQ(find_string(state_of(answered(pick, asked(pick), accept({{"session", "new"}}))), "outcome"), "new");
  EXPECT_EQ(find_int(plain(pick), "count"), 1) << "without forms it is the list";
}

TEST_F(GateTest, S8FiltersThatCannotBeAreRefused) {
  create("thread-aaaaaaaa");
  create("research-aaaaaaaa", session::kResearch);
  const auto error = [&](JsonObject filters) {
    filters["operation"] = "list";
    return std::string(find_string(plain(std::move(filters)), "error").value_or("none"));
  };
  EXPECT_EQ(error({{"type", "threads"}, {"completed", true}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"kind", "novel"}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"type", "research"}, {"kind", "chat"}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"status", "failed"}, {"completed", true}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"status", "finished"}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"type", "threads"}, {"status", JsonArray{"active", "cancelled"}}}), "INVALID_FILTER");
  EXPECT_EQ(error({{"status", JsonArray{"created", "cancelled", "archived", "deleted"}}}), "none");
  const auto listed = [&](JsonObject filters) {
    filters["operation"] = "list";
    return to_json(plain(std::move(filters)));
  };
  EXPECT_THAT(listed({{"completed", true}}),
              testing::AllOf(HasSubstr("research-aaaaaaaa"), testing::Not(HasSubstr("thread-aaaaaaaa"))));
  EXPECT_THAT(listed({{"completed", false}}), HasSubstr("\"count\":0"));
  EXPECT_THAT(listed({{"kind", JsonArray{"chat", "ideate"}}}),
              testing::AllOf(HasSubstr("thread-aaaaaaaa"), testing::Not(HasSubstr("research-aaaaaaaa"))));
}

}  // namespace
}  // namespace holdfast::tools
