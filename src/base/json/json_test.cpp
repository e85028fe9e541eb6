#include "base/json/json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace holdfast {
namespace {

using testing::HasSubstr;

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *value : Json();
}

Error rejected(std::string_view text, const JsonLimits& limits = {}) {
  auto value = parse_json(text, limits);
  EXPECT_FALSE(value) << text;
  return value ? Error{} : value.error();
}

std::string rewritten(std::string_view text) {
  return to_json(parsed(text));
}

TEST(JsonWrite, BytesThatAreNotUtf8DoNotMakeItUnreadable) {
  EXPECT_EQ(to_json(JsonObject{{"k\xFF", "a\xC3"}}), "{\"k\xEF\xBF\xBD\":\"a\xEF\xBF\xBD\"}");
}

TEST(JsonParse, SaysWhereItWentWrong) {
  EXPECT_THAT(rejected(R"({"a":1,)").message, HasSubstr("at byte 7"));
  EXPECT_THAT(rejected(R"([1,x])").message, HasSubstr("at byte 3"));
  EXPECT_THAT(rejected("\xEF\xBB\xBF[1,x]").message, HasSubstr("at byte 6"));
  EXPECT_THAT(rejected("1 2").message, HasSubstr("at byte 2"));
  EXPECT_EQ(rejected("").kind, ErrorKind::invalid);
  EXPECT_EQ(rejected("  ").kind, ErrorKind::invalid);
}

TEST(JsonParse, RefusesWhatIsNotJson) {
  for (const char* text : {"{'a':1}",     "[1,]",        "{\"a\":1,}",  "01",       "+1",           ".5",
                           "1.",          "1e",          "NaN",         "Infinity", "tru",          "// c\n1",
                           "\"\t\"",      "\"\\x41\"",   "\"\\u12g4\"", "\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"",
                           "\"\\ud83d\"", "\"\\udc00\"", "\"open"}) {
    EXPECT_EQ(rejected(text).kind, ErrorKind::invalid) << text;
  }
  EXPECT_EQ(rejected(std::string_view("1\0", 2)).kind, ErrorKind::invalid);
}

TEST(JsonParse, SkipsOneByteOrderMark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF{}"), Json(JsonObject()));
  rejected("\xEF\xBB\xBF\xEF\xBB\xBF{}");
}

TEST(JsonParse, RefusesNumbersThatOverflow) {
  for (const char* text : {"1e400", "-1e400", "[1e999999999999]", "{\"a\":2e308}"}) {
    EXPECT_EQ(rejected(text).kind, ErrorKind::invalid) << text;
  }
  EXPECT_EQ(rejected(std::string(400, '9')).kind, ErrorKind::invalid);
  EXPECT_EQ(rewritten("1e-400"), "0.0");
  EXPECT_EQ(rewritten("-1e-400"), "-0.0");
}

TEST(JsonParse, ReadsEveryDoubleExactly) {
  EXPECT_EQ(parsed("-0.1").as_double(), -0.1);
  EXPECT_EQ(parsed("1.7976931348623157e308").as_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(parsed("5e-324").as_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parsed("[123456789012345678901234567890.5]").at(0).as_double(), 123456789012345678901234567890.5);
  EXPECT_EQ(parsed("0." + std::string(400, '0') + "1e401").as_double(), 1.0);
}

TEST(JsonParse, KeepsIntegersOf64Bits) {
  EXPECT_EQ(rewritten("[9223372036854775807,-9223372036854775808,18446744073709551615]"),
            "[9223372036854775807,-9223372036854775808,18446744073709551615]");
  EXPECT_TRUE(parsed("18446744073709551616").is_double());
}

TEST(JsonParse, HoldsItsLimits) {
  const std::string deep = std::string(128, '[') + std::string(128, ']');
  EXPECT_TRUE(parse_json(deep));
  EXPECT_EQ(rejected("[" + deep + "]").kind, ErrorKind::too_large);
  EXPECT_THAT(rejected("[" + deep + "]").message, HasSubstr("128 levels"));
  EXPECT_EQ(rejected("[[1]]", {.max_depth = 1}).kind, ErrorKind::too_large);
  EXPECT_EQ(rejected("[1,2]", {.max_bytes = 4}).kind, ErrorKind::too_large);
  EXPECT_TRUE(parse_json("[1,2]", {.max_bytes = 5}));
}

TEST(JsonParse, LastOfDuplicateKeysWinsAndOrderIsKept) {
  EXPECT_EQ(rewritten(R"({"b":1,"a":2,"b":3})"), R"({"b":3,"a":2})");
}

TEST(JsonWrite, WritesDoublesAsDoubles) {
  EXPECT_EQ(rewritten("[1.0,-0.0,653.5,100000.0,1e300,0.1,1e-7]"), "[1.0,-0.0,653.5,100000.0,1e+300,0.1,1e-07]");
  EXPECT_EQ(to_json(Json(9007199254740991.0)), "9007199254740991.0");
  EXPECT_EQ(to_json(Json(std::nan(""))), "null");
  EXPECT_EQ(to_json(Json(-std::numeric_limits<double>::infinity())), "null");
}

TEST(JsonWrite, EscapesWhatMustBeEscapedAndNothingElse) {
  std::string out;
  append_json_string(out, std::string_view("\"\\/\b\f\n\r\t\0\x1F\x7F\xE2\x80\xA8\xC3\xA9", 16));
  EXPECT_EQ(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\xE2\x80\xA8\xC3\xA9\"");
  EXPECT_EQ(rewritten(R"("\u00e9\ud83d\ude00\/")"), "\"\xC3\xA9\xF0\x9F\x98\x80/\"");
}

TEST(JsonWrite, AppendsBehindWhatIsThere) {
  std::string out = "x";
  append_json(out, parsed(R"({"a":[true,false,null,{}],"b":[]})"));
  EXPECT_EQ(out, R"(x{"a":[true,false,null,{}],"b":[]})");
}

TEST(JsonWrite, PrettyFormIsForPeople) {
  EXPECT_EQ(to_json_pretty(parsed(R"({"a":[1,{"b":{}}],"c":[]})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": []\n}");
}

TEST(JsonFind, FindsMembersOfTheRightType) {
  const Json value = parsed(R"({"s":"x","i":7,"u":18446744073709551615,"d":3.0,"h":3.5,"b":true,"o":{"k":1},"a":[1],"n":null})");
  const JsonObject& object = value.get_object();
  EXPECT_EQ(find_string(object, "s"), "x");
  EXPECT_EQ(find_string(object, "i"), std::nullopt);
  EXPECT_EQ(find_int(object, "i"), 7);
  EXPECT_EQ(find_int(object, "d"), 3);
  EXPECT_EQ(find_int(object, "h"), std::nullopt);
  EXPECT_EQ(find_int(object, "u"), std::nullopt);
  EXPECT_EQ(find_int(object, "absent"), std::nullopt);
  EXPECT_EQ(find_bool(object, "b"), true);
  EXPECT_EQ(find_bool(object, "n"), std::nullopt);
  ASSERT_NE(find_object(object, "o"), nullptr);
  EXPECT_EQ(find_int(*find_object(object, "o"), "k"), 1);
  EXPECT_EQ(find_object(object, "a"), nullptr);
  ASSERT_NE(find_array(object, "a"), nullptr);
  EXPECT_NE(find(value, "n"), nullptr);
  EXPECT_EQ(find(Json(1), "n"), nullptr);
}

// Any text that is UTF-8, with the troublesome characters often.
rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(0, 0x80), [](int byte) { return std::string(1, static_cast<char>(byte)); }),
      rc::gen::element<std::string>("\"", "\\", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xF0\x9F\x98\x80", "\xC3\xA9", "\\u0041", "\n"));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& each : pieces) text += each;
    return text;
  });
}

double any_finite_double() {
  const double number = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  return std::isfinite(number) ? number : 0.5;
}

Json any_value(int levels) {
  switch (*rc::gen::inRange(0, levels > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return std::numeric_limits<std::uint64_t>::max() - *rc::gen::inRange(0, 1000);
    case 4:
      return any_finite_double();
    case 5:
      return boost::json::string(*any_text());
    case 6: {
      JsonArray items;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) items.push_back(any_value(levels - 1));
      return items;
    }
    default: {
      JsonObject members;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) members[*any_text()] = any_value(levels - 1);
      return members;
    }
  }
}

RC_GTEST_PROP(JsonProperty, WhatIsWrittenReadsBackEqual, ()) {
  const Json value = any_value(4);
  const std::string text = to_json(value);
  const auto again = parse_json(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == value);
  RC_ASSERT(to_json(*again) == text);
  const auto pretty = parse_json(to_json_pretty(value));
  RC_ASSERT(pretty.has_value());
  RC_ASSERT(*pretty == value);
}

}  // namespace
}  // namespace holdfast
