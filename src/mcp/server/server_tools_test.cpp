// What happens to a tool's arguments and results on their way.

#include "mcp/server/test_server.h"

namespace holdfast::mcp {
namespace {

class ServerToolsTest : public ::testing::Test {
 protected:
  Json call(const std::string& tool, const std::string& arguments) {
    auto exchange = server_.modern("tools/call", tool, R"("name":")" + tool + R"(","arguments":)" + arguments + ",");
    server_.turn_until([&] { return exchange->done; });
    return exchange->body();
  }
  Json legacy(const std::string& version, const std::string& method, const std::string& params) {
    auto exchange = server_.post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}",
                                 server_.initialize(version));
    server_.turn_until([&] { return exchange->done; });
    return exchange->body();
  }

  SharedState shared_;
  TestServer server_{shared_};
};

TEST_F(ServerToolsTest, StringsBecomeNumbersWhereTheSchemaWantsThem) {
  Tool tool = simple_tool("t", [](Call& call) -> ToolReply { return ToolResult::text(to_json(call.arguments())); });
  tool.input_schema = *parse_json(
                           R"({"type":"object","properties":{"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},
                               "s":{"type":"string"}}})")
                           ->if_object();
  tool.coerce_strings = true;
  ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  EXPECT_EQ(at(call("t", R"({"n":"1.5","i":"-3","b":"true","s":"4"})"), "result", "content", 0, "text"),
            Json(R"({"n":1.5,"i":-3,"b":true,"s":"4"})"));
  for (const char* bad :
       {R"({"n":"nan"})", R"({"n":"inf"})", R"({"n":"1e999"})", R"({"i":"3.5"})", R"({"b":"yes"})", R"({"n":""})"})
    EXPECT_EQ(at(call("t", bad), "result", "isError"), Json(true)) << bad;
}

TEST_F(ServerToolsTest, UnknownArgumentsAreReportedOrRefused) {
  Tool reports = simple_tool("reports", [](Call& call) -> ToolReply {
    return ToolResult::text(to_json(call.arguments()) + std::to_string(call.ignored_arguments().size()));
  });
  reports.input_schema = {{"type", "object"}, {"properties", JsonObject{{"a", JsonObject{}}}}};
  reports.unknown = Tool::Unknown::report;
  Tool refuses = simple_tool("refuses", [](Call&) -> ToolReply { return ToolResult::text("ran"); });
  refuses.unknown = Tool::Unknown::refuse;
  ASSERT_TRUE(server_.server.add_tool(std::move(reports)));
  ASSERT_TRUE(server_.server.add_tool(std::move(refuses)));
  EXPECT_EQ(at(call("reports", R"({"a":1,"b":2,"c":3})"), "result", "content", 0, "text"), Json(R"({"a":1}2)"));
  EXPECT_EQ(at(call("refuses", R"({"b":2})"), "result", "isError"), Json(true));
}

TEST_F(ServerToolsTest, BadArgumentsAreAToolErrorSince20251125) {
  Tool tool = simple_tool("t", [](Call&) -> ToolReply { return ToolResult::text("ran"); });
  tool.input_schema["required"] = JsonArray{"x"};
  ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  EXPECT_EQ(at(legacy("2025-06-18", "tools/call", R"({"name":"t"})"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(legacy("2025-11-25", "tools/call", R"({"name":"t"})"), "result", "isError"), Json(true));
  EXPECT_EQ(at(legacy("2025-11-25", "tools/call", R"({"name":"none"})"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(legacy("2025-11-25", "tools/call", R"({"name":"t","arguments":[]})"), "error", "code"), Json(-32602));
  EXPECT_EQ(at(legacy("2025-11-25", "tools/call", R"({})"), "error", "code"), Json(-32602));
}

TEST_F(ServerToolsTest, AToolThatReportsUnknownArgumentsHasOneFormForItsErrors) {
  Tool tool = simple_tool("t", [](Call&) -> ToolReply { return ToolResult::text("ran"); });
  tool.input_schema["required"] = JsonArray{"x"};
  tool.unknown = Tool::Unknown::report;
  ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  for (const char* version : {"2025-06-18", "2025-11-25"})
    EXPECT_EQ(at(legacy(version, "tools/call", R"({"name":"t"})"), "result", "structuredContent", "error"),
              Json("invalid_argument"));
}

TEST_F(ServerToolsTest, AToolMayHaveItsOwnWordForBadArguments) {
  Tool tool = simple_tool("t", [](Call&) -> ToolReply { return ToolResult::text("ran"); });
  tool.input_schema["properties"] = JsonObject{{"x", JsonObject{{"type", "string"}}}};
  tool.unknown = Tool::Unknown::refuse;
  tool.argument_error = "usage";
  ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  for (const char* arguments : {R"({"x":1})", R"({"y":"1"})"})
    for (const char* version : {"2025-06-18", "2025-11-25"}) {
      const Json result =
          at(legacy(version, "tools/call", R"({"name":"t","arguments":)" + std::string(arguments) + "}"), "result");
      EXPECT_EQ(at(result, "isError"), Json(true));
      EXPECT_EQ(at(result, "structuredContent", "error"), Json("usage"));
      EXPECT_TRUE(at(result, "structuredContent", "message").is_string());
    }
}

TEST_F(ServerToolsTest, AResultThatBreaksItsOutputSchemaIsNotSent) {
  Tool tool = simple_tool("t", [](Call& call) -> ToolReply {
    auto mode = find_string(call.arguments(), "mode");
    if (mode == "fits") return ToolResult::state({{"n", 1}});
    if (mode == "breaks") return ToolResult::state({{"n", "one"}});
    if (mode == "fails") return ToolResult::failure("no");
    return ToolResult::text("nothing structured");
  });
  tool.output_schema = *parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})")->if_object();
  ASSERT_TRUE(server_.server.add_tool(std::move(tool)));
  EXPECT_EQ(at(call("t", R"({"mode":"fits"})"), "result", "structuredContent", "n"), Json(1));
  EXPECT_EQ(at(call("t", R"({"mode":"breaks"})"), "error", "code"), Json(-32603));
  EXPECT_EQ(at(call("t", R"({})"), "error", "code"), Json(-32603));
  EXPECT_EQ(at(call("t", R"({"mode":"fails"})"), "result", "isError"), Json(true));
  Tool broken = simple_tool("u", nullptr);
  broken.output_schema = JsonObject{{"type", 5}};
  EXPECT_FALSE(server_.server.add_tool(std::move(broken)));
}

TEST_F(ServerToolsTest, StructuredContentIsForThoseWhoKnowIt) {
  ASSERT_TRUE(server_.server.add_tool(simple_tool("t", [](Call&) -> ToolReply { return ToolResult::state({{"a", 1}}, "one"); })));
  Json old = at(legacy("2025-03-26", "tools/call", R"({"name":"t"})"), "result");
  EXPECT_TRUE(at(old, "structuredContent").is_null());
  EXPECT_EQ(at(old, "content", 1, "text"), Json(R"({"a":1,"summary":"one"})"));
  EXPECT_EQ(at(legacy("2025-06-18", "tools/call", R"({"name":"t"})"), "result", "structuredContent", "summary"), Json("one"));
}

TEST_F(ServerToolsTest, AToolThatIsNotListedStillAnswers) {
  Tool hidden = simple_tool("hidden", [](Call&) -> ToolReply { return ToolResult::failure("read_only: not here"); });
  hidden.listed = false;
  ASSERT_TRUE(server_.server.add_tool(std::move(hidden)));
  const Json listed = legacy("2025-11-25", "tools/list", "{}");
  EXPECT_EQ(to_json(listed).find("hidden"), std::string::npos) << to_json(listed);
  EXPECT_EQ(at(call("hidden", "{}"), "result", "content", 0, "text"), Json("read_only: not here"));
}

TEST_F(ServerToolsTest, ManyToolsAreListedInPages) {
  for (int i = 0; i < 250; ++i)
    ASSERT_TRUE(
        server_.server.add_tool(simple_tool("t" + std::to_string(i), [](Call&) -> ToolReply { return InputRequired{}; })));
  std::size_t seen = 0;
  int pages = 0;
  std::string cursor;
  do {
    Json page = at(server_.modern("tools/list", {}, cursor)->body(), "result");
    seen += at(page, "tools").as_array().size();
    ++pages;
    Json next = at(page, "nextCursor");
    cursor = next.is_null() ? std::string() : R"("cursor":)" + to_json(next) + ",";
    if (pages == 1) {
      auto foreign = server_.modern("tools/list", {}, cursor, "{}", full_identity("mallory"));
      EXPECT_EQ(at(foreign->body(), "error", "code"), Json(-32602)) << "a cursor belongs to its principal";
      auto other = server_.modern("prompts/list", {}, cursor);
      EXPECT_FALSE(at(other->body(), "error").is_null());
    }
  } while (!cursor.empty());
  EXPECT_EQ(seen, 250U);
  EXPECT_EQ(pages, 3);
  for (const char* bad : {R"("cursor":"",)", R"("cursor":5,)", R"("cursor":"v1.e30.AAAA",)"})
    EXPECT_EQ(at(server_.modern("tools/list", {}, bad)->body(), "error", "code"), Json(-32602)) << bad;
}

TEST_F(ServerToolsTest, NamesSchemasAndDuplicatesAreChecked) {
  auto nothing = [](Call&) -> ToolReply { return ToolResult::text(""); };
  EXPECT_TRUE(server_.server.add_tool(simple_tool("a/b.c-d_E9", nothing)));
  EXPECT_FALSE(server_.server.add_tool(simple_tool("a/b.c-d_E9", nothing)));
  EXPECT_FALSE(server_.server.add_tool(simple_tool("", nothing)));
  EXPECT_FALSE(server_.server.add_tool(simple_tool("with blank", nothing)));
  EXPECT_FALSE(server_.server.add_tool(simple_tool(std::string(65, 'x'), nothing)));
  Tool external = simple_tool("x", nothing);
  external.input_schema["$ref"] = "https://example.org/schema";
  EXPECT_FALSE(server_.server.add_tool(std::move(external)));
}

}  // namespace
}  // namespace holdfast::mcp
