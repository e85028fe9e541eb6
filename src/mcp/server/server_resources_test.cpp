// Resources, prompts and completion (mcp-protocol §14, §15).

#include "mcp/server/test_server.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {
namespace {

class ServerResourcesTest : public ::testing::Test {
 protected:
  ServerResourcesTest() {
    Server& server = server_.server;
    server.add_resource({{"test://a", "a", "A", "first", "text/plain"}, [](Call&) -> ResourceReply {
                           return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 5, true};
                         }});
    server.add_template({"test://t/{id}/data",
                         "t",
                         {},
                         "by id",
                         "text/plain",
                         [](Call&, const std::string& uri, const Variables& variables) -> std::optional<ResourceReply> {
                           if (variables.at("id") == "none") return std::nullopt;
                           return ResourceResult{{text_contents(uri, "text/plain", variables.at("id"))}, 0, false};
                         }});
    server.add_prompt(
        {"greet", {}, "greets", {{"who", "a name", true}, {"how", {}, false}}, Prompt::Eras::both, [](Call& call) -> PromptReply {
           PromptResult result;
           result.messages.push_back(
               PromptResult::message("user", text_block(find_string(call.arguments(), "who").value_or(""))));
           return result;
         }});
    server.add_prompt({"new", {}, "modern", {}, Prompt::Eras::modern_only, [](Call&) -> PromptReply { return PromptResult{}; }});
    server.complete_prompt("greet",
                           [](const Caller&, std::string_view argument, std::string_view value, const JsonObject& chosen) {
                             Completion completion;
                             if (argument == "how") completion = {{std::string(value) + to_json(chosen)}, 7};
                             if (argument == "who")
                               for (int i = 0; i < 130; ++i) completion.values.push_back(std::string(value) + std::to_string(i));
                             return completion;
                           });
  }

  Json ask(const std::string& method, const std::string& name, const std::string& members) {
    auto exchange = server_.modern(method, name, members);
    server_.turn_until([&] { return exchange->done; });
    EXPECT_EQ(exchange->response.status, 200);
    return exchange->body();
  }
  Json read(const std::string& uri) { return ask("resources/read", uri, R"("uri":")" + uri + R"(",)"); }
  Json get(const std::string& name, const std::string& arguments) {
    return ask("prompts/get", name, R"("name":")" + name + R"(","arguments":)" + arguments + ",");
  }
  Json complete(const std::string& ref, const std::string& argument, const std::string& more = {}) {
    return ask("completion/complete", {}, R"("ref":)" + ref + R"(,"argument":)" + argument + "," + more);
  }
  Json legacy(const std::string& body) {
    auto exchange = server_.post(body, server_.initialize());
    server_.turn_until([&] { return exchange->done; });
    return exchange->body();
  }

  SharedState shared_;
  TestServer server_{shared_};
};

TEST_F(ServerResourcesTest, ReadingWhatIsThereAndWhatIsNot) {
  Json fixed = at(read("test://a"), "result");
  EXPECT_EQ(at(fixed, "contents", 0, "text"), Json("A"));
  EXPECT_EQ(at(fixed, "ttlMs"), Json(5));
  EXPECT_EQ(at(fixed, "cacheScope"), Json("public"));
  EXPECT_EQ(at(read("test://t/a%20b/data"), "result", "contents", 0, "text"), Json("a b"));
  for (const char* uri : {"test://none", "test://t/none/data", "test://t//data", "test://t/x/y/data"}) {
    Json error = at(read(uri), "error");
    EXPECT_EQ(at(error, "code"), Json(-32602)) << uri;
    EXPECT_EQ(at(error, "data", "uri"), Json(uri));
  }
  Json old = legacy(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://none"}})");
  EXPECT_EQ(at(old, "error", "code"), Json(-32002));
}

TEST_F(ServerResourcesTest, PromptsTakeStringsAndNameWhatIsMissing) {
  EXPECT_EQ(at(get("greet", R"({"who":"Ada"})"), "result", "messages", 0, "content", "text"), Json("Ada"));
  for (const char* bad : {"{}", R"({"who":5})", "[]", R"({"how":"x"})"})
    EXPECT_EQ(at(get("greet", bad), "error", "code"), Json(-32602)) << bad;
  EXPECT_EQ(at(get("none", "{}"), "error", "code"), Json(-32602));
}

TEST_F(ServerResourcesTest, AModernPromptDoesNotExistInTheLegacyEra) {
  EXPECT_TRUE(at(get("new", "{}"), "result").is_object());
  EXPECT_EQ(at(ask("prompts/list", {}, {}), "result", "prompts").as_array().size(), 2U);
  Json listed = legacy(R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})");
  EXPECT_EQ(at(listed, "result", "prompts").as_array().size(), 1U);
  Json got = legacy(R"({"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"new"}})");
  EXPECT_EQ(at(got, "error", "code"), Json(-32602));
}

TEST_F(ServerResourcesTest, CompletionSaysHowMuchThereIs) {
  std::string greet = R"({"type":"ref/prompt","name":"greet"})";
  Json many = at(complete(greet, R"({"name":"who","value":"a"})"), "result", "completion");
  EXPECT_EQ(at(many, "values").as_array().size(), kMaxCompletions);
  EXPECT_EQ(at(many, "total"), Json(130));
  EXPECT_EQ(at(many, "hasMore"), Json(true));
  Json some =
      at(complete(greet, R"({"name":"how","value":"x"})", R"("context":{"arguments":{"who":"Ada"}},)"), "result", "completion");
  EXPECT_EQ(at(some, "values", 0), Json(R"(x{"who":"Ada"})"));
  EXPECT_EQ(at(some, "hasMore"), Json(true)) << "one of seven";
  Json none = at(complete(R"({"type":"ref/prompt","name":"new"})", R"({"name":"x","value":""})"), "result", "completion");
  EXPECT_TRUE(at(none, "values").as_array().empty()) << "known, but nothing to offer";
  EXPECT_EQ(at(none, "hasMore"), Json(false));
  EXPECT_EQ(at(complete(R"({"type":"ref/prompt","name":"?"})", R"({"name":"x","value":""})"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(complete(R"({"type":"ref/else","name":"new"})", R"({"name":"x","value":""})"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(complete(greet, R"({"name":"x"})"), "error", "code"), Json(-32602));
}

TEST_F(ServerResourcesTest, SubscriptionsAreBounded) {
  std::string session = server_.initialize();
  auto subscribe = [&](const std::string& uri) {
    auto exchange =
        server_.post(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" + uri + R"("}})", session);
    server_.turn_until([&] { return exchange->done; });
    return exchange->body();
  };
  EXPECT_EQ(at(subscribe(std::string(kMaxUriBytes + 1, 'x')), "error", "code"), Json(-32602));
  for (std::size_t i = 0; i < kMaxSubscriptionUris; ++i)
    ASSERT_TRUE(at(subscribe("test://" + std::to_string(i)), "result").is_object());
  EXPECT_EQ(at(subscribe("test://more"), "error", "code"), Json(-32602));
  EXPECT_TRUE(at(subscribe("test://0"), "result").is_object()) << "known already";
}

}  // namespace
}  // namespace holdfast::mcp
