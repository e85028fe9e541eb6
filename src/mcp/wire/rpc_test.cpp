// Messages in and out (mcp-protocol §1).

#include "mcp/wire/rpc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::mcp {
namespace {

auto read(std::string_view text) {
  return read_message(parse_json(text).value());
}

TEST(Rpc, ThreeKindsOfMessages) {
  auto request = read(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, Message::Kind::request);
  EXPECT_EQ(request->id, Json("a"));
  EXPECT_EQ(request->method, "m");
  EXPECT_EQ(find_int(request->params, "x"), 1);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"m"})")->kind, Message::Kind::notification);
  auto result = read(R"({"jsonrpc":"2.0","id":-5,"result":{"y":[]}})");
  EXPECT_EQ(result->kind, Message::Kind::response);
  EXPECT_FALSE(result->is_error);
  auto error = read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{"z":1}}})");
  EXPECT_TRUE(error->is_error);
  EXPECT_EQ(error->error.code, -1);
  EXPECT_EQ(error->error.data, Json(JsonObject{{"z", 1}}));
  EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})")) << "an id that could not be read";
  EXPECT_TRUE(read(R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"m"})"));
}

TEST(Rpc, WhatIsNoMessageKeepsItsIdWhenThatCanBeRead) {
  struct Case {
    const char* text;
    Json id;
    bool is_notification;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"5", nullptr, false},
           {"null", nullptr, false},
           {R"({"jsonrpc":"2.0"})", nullptr, false},
           {R"({"jsonrpc":"2.0","id":1})", 1, false},
           {R"({"jsonrpc":"1.0","id":1,"method":"m"})", 1, false},
           {R"({"id":1,"method":"m"})", 1, false},
           {R"({"jsonrpc":"2.0","id":null,"method":"m"})", nullptr, false},
           {R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", nullptr, false},
           {R"({"jsonrpc":"2.0","id":{},"method":"m"})", nullptr, false},
           {R"({"jsonrpc":"2.0","id":1,"method":5})", 1, false},
           {R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})", 1, false},
           {R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})", 1, false},
           {R"({"jsonrpc":"2.0","result":{}})", nullptr, false},
           {R"({"jsonrpc":"2.0","id":1,"error":5})", 1, false},
           {R"({"jsonrpc":"2.0","method":"m","params":[1]})", nullptr, true},
           {R"({"method":"m"})", nullptr, true},
       }) {
    auto message = read(c.text);
    ASSERT_FALSE(message) << c.text;
    EXPECT_EQ(message.error().error.code, code::kInvalidRequest) << c.text;
    EXPECT_EQ(message.error().id, c.id) << c.text;
    EXPECT_EQ(message.error().is_notification, c.is_notification) << c.text;
  }
}

TEST(Rpc, Writing) {
  EXPECT_EQ(write_result(1, {{"a", true}}), R"({"jsonrpc":"2.0","id":1,"result":{"a":true}})");
  EXPECT_EQ(write_error(nullptr, {code::kParse, "a \"b\"", nullptr}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"a \"b\""}})");
  EXPECT_EQ(write_error(7, {-1, "m", JsonArray{1}}), R"({"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m","data":[1]}})");
  EXPECT_EQ(write_notification("n", {}), R"({"jsonrpc":"2.0","method":"n"})");
  EXPECT_EQ(write_request("hf-1", "m", {{"p", 1}}), R"({"jsonrpc":"2.0","id":"hf-1","method":"m","params":{"p":1}})");
}

TEST(Rpc, IdsOfDifferentTypesDiffer) {
  EXPECT_NE(id_key(Json("1")), id_key(Json(1)));
  EXPECT_EQ(id_key(Json(1)), id_key(Json(std::uint64_t{1})));
}

TEST(Rpc, ErrorsOfTheCallerAndOfTheServer) {
  EXPECT_EQ(to_rpc_error(make_error(ErrorKind::not_found, "x")).code, code::kInvalidParams);
  EXPECT_EQ(to_rpc_error(make_error(ErrorKind::io, "x")).code, code::kInternal);
  EXPECT_EQ(to_rpc_error(make_error(ErrorKind::refused, "x", "do y")).data, Json(JsonObject{{"hint", "do y"}}));
}

RC_GTEST_PROP(RpcProperty, WhatIsWrittenIsReadBack, (int number)) {
  auto text = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));  // control characters, too
  std::string id = *text, method = *text;
  JsonObject params{{"n", number}};
  auto message = read_message(parse_json(write_request(id, method, params)).value());
  RC_ASSERT(message.has_value());
  RC_ASSERT(view(message->id.as_string()) == id);
  RC_ASSERT(message->method == method);
  RC_ASSERT(message->params == params);
}

}  // namespace
}  // namespace holdfast::mcp
