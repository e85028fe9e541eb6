#include "mcp/server/test_server.h"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

Identity with(Scopes scopes) {
  Identity identity = full_identity("ann");
  identity.scopes = scopes;
  return identity;
}

std::string header_of(const FakeExchange& exchange, std::string_view wanted) {
  for (const auto& [name, value] : exchange.response.headers)
    if (name == wanted) return value;
  return {};
}

class ScopesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto answer = [](Call& call) -> ToolReply { return ToolResult::text(call.caller().scopes.text()); };
    Tool look = simple_tool("look", answer);
    look.annotations = {{"readOnlyHint", true}};
    Tool both = simple_tool("both", answer);
    both.normalise = [](JsonObject& arguments) {
      if (const Json* alias = find(arguments, "action")) arguments.insert_or_assign("operation", Json(*alias));
    };
    both.scope_of = [](const JsonObject& arguments) {
      return find_string(arguments, "operation") == "list" ? Scope::read : Scope::write;
    };
    for (Tool& tool : std::vector<Tool>{look, simple_tool("change", answer), both})
      ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  }

  std::shared_ptr<FakeExchange> modern(const std::string& tool, const Identity& identity, const std::string& arguments = "{}") {
    auto exchange =
        server_.modern("tools/call", tool, R"("name":")" + tool + R"(","arguments":)" + arguments + ",", "{}", identity);
    server_.turn_until([&] { return exchange->done; });
    return exchange;
  }

  std::shared_ptr<FakeExchange> legacy(const std::string& session, const std::string& tool, const Identity& identity) {
    auto exchange =
        server_.post(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":{}}})",
                     session, identity);
    server_.turn_until([&] { return exchange->done; });
    return exchange;
  }

  SharedState shared_;
  TestServer server_{shared_};
};

TEST_F(ScopesTest, AModernCallThatMayNotIsRefusedWithAChallenge) {
  const Identity reader = with({Scope::read});
  EXPECT_EQ(modern("look", reader)->response.status, 200);
  const auto refused = modern("change", reader);
  EXPECT_EQ(refused->response.status, 403);
  EXPECT_EQ(header_of(*refused, "WWW-Authenticate"), "Bearer error=\"insufficient_scope\", scope=\"write\"");
  EXPECT_EQ(at(refused->body(), "id"), Json(1));
  EXPECT_EQ(modern("change", with({Scope::write}))->response.status, 200);
}

TEST_F(ScopesTest, TheArgumentsDecideWhereTheyDo) {
  const Identity reader = with({Scope::read});
  EXPECT_EQ(modern("both", reader, R"({"operation":"list"})")->response.status, 200);
  EXPECT_EQ(modern("both", reader, R"({"action":"list"})")->response.status, 200) << "in every spelling";
  EXPECT_EQ(modern("both", reader, R"({"operation":"delete"})")->response.status, 403);
  EXPECT_EQ(modern("both", reader)->response.status, 403);
}

TEST_F(ScopesTest, WhoMayNothingIsToldBeforeAnythingIsLookedAt) {
  server_.http.challenge_with([](Scope scope) { return "Bearer for " + std::string(name_of(scope)); });
  for (const char* method : {"POST", "GET", "DELETE"}) {
    const auto refused = server_.http_request(method, {}, {}, with({}));
    EXPECT_EQ(refused->response.status, 403) << method;
    EXPECT_EQ(header_of(*refused, "WWW-Authenticate"), "Bearer for read");
  }
}

TEST_F(ScopesTest, LegacyCallsAreJudgedByTheTokenOfTheRequestNotOfTheHandshake) {
  const std::string hello =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";
  const auto opened = server_.post(hello, {}, with({Scope::write}));
  server_.turn_until([&] { return opened->done; });
  const std::string session = header_of(*opened, "Mcp-Session-Id");
  EXPECT_EQ(legacy(session, "change", with({Scope::write}))->response.status, 200);
  EXPECT_EQ(legacy(session, "change", with({Scope::read}))->response.status, 403);
  const auto seen = legacy(session, "look", with({Scope::review}));
  EXPECT_EQ(at(seen->body(), "result", "content", 0, "text"), Json("read review"));

  // A batch has one status for all; what may not is an error of its own.
  auto batch = server_.post(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change","arguments":{}}}])",
                            session, with({Scope::read}));
  server_.turn_until([&] { return batch->done; });
  EXPECT_EQ(batch->response.status, 200);
  EXPECT_TRUE(batch->response.body.contains("lacks the scope write")) << batch->response.body;
}

TEST_F(ScopesTest, ASessionOfATeamBelongsToOnePerson) {
  Identity ann = with({Scope::write}), bob = ann;
  ann.principal = bob.principal = "team:red";
  bob.person = "bob";
  const auto opened = server_.post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
      {}, ann);
  server_.turn_until([&] { return opened->done; });
  const std::string session = header_of(*opened, "Mcp-Session-Id");
  EXPECT_EQ(legacy(session, "look", ann)->response.status, 200);
  EXPECT_EQ(legacy(session, "look", bob)->response.status, 404);
}

TEST_F(ScopesTest, NewsReachTheAudienceAlone) {
  FixedResource resource;
  resource.resource = {"holdfast://sessions", "s", "", "", ""};
  resource.read = [](Call&) -> ResourceReply { return ResourceResult{}; };
  server_.server.add_resource(resource);
  const auto listen = [&](const Identity& identity) {
    return server_.modern("subscriptions/listen", {}, R"("notifications":{"resourceSubscriptions":["holdfast://sessions"]},)",
                          "{}", identity);
  };
  Identity scoped = with({Scope::read});
  scoped.projects = {"file:///a"};
  const auto inside = listen(scoped), all = listen(with({Scope::read})), other = listen(full_identity("bob"));
  const auto told = [](const FakeExchange& exchange) {
    return std::ranges::any_of(exchange.events, [](const auto& event) { return event.data.contains("resources/updated"); });
  };
  server_.server.resource_updated("holdfast://sessions", Audience{"ann", {"file:///b"}});
  server_.turn_until([&] { return told(*all); });
  EXPECT_FALSE(told(*inside));
  EXPECT_FALSE(told(*other));
  server_.server.resource_updated("holdfast://sessions", Audience{"ann", {"file:///a"}});
  server_.turn_until([&] { return told(*inside); });
  EXPECT_FALSE(told(*other));
}

}  // namespace
}  // namespace holdfast::mcp
