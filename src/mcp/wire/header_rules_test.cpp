// Arguments repeated in headers (mcp-protocol §5, §13).

#include "mcp/wire/header_rules.h"

#include "base/crypto/hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace holdfast::mcp {
namespace {

JsonObject object(std::string_view text) {
  return parse_json(text).value().as_object();
}

TEST(HeaderRules, AreReadFromPropertiesAlone) {
  auto rules = read_header_rules(object(R"({"type":"object","properties":{
      "region":{"type":"string","x-mcp-header":"Region"},
      "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"Deep-N"}}},
      "plain":{"type":"number"}}})"));
  ASSERT_TRUE(rules);
  ASSERT_EQ(rules->size(), 2U);
  EXPECT_EQ((*rules)[0].header, "Region");
  EXPECT_EQ((*rules)[1].path, (std::vector<std::string>{"deep", "n"}));
  EXPECT_TRUE(read_header_rules({})->empty());
}

TEST(HeaderRules, BrokenAnnotationsAreRefused) {
  for (const char* bad : {
           R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":"with blank"}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":5}}})",
           R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
           R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}})",
           R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
           R"({"allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
       })
    EXPECT_FALSE(read_header_rules(object(bad))) << bad;
}

TEST(HeaderRules, ValuesAreDecodedStrictly) {
  EXPECT_EQ(decode_header_value("plain").value(), "plain");
  EXPECT_EQ(decode_header_value("=?base64?w6Q=?=").value(), "ä");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?=")
                .value(),
            "");
  EXPECT_EQ(decode_header_value("=?base64?abc").value(), "=?base64?abc") << "only the beginning of the marker";
  EXPECT_EQ(decode_header_value("abc?=").value(), "abc?=");
  EXPECT_EQ(decode_header_value("=?base64?=").value(), "=?base64?=") << "the markers may not share a character";
  EXPECT_EQ(decode_header_value("=?BASE64?w6Q=?=").value(), "=?BASE64?w6Q=?=");
  for (const char* bad : {"=?base64?w6Q?=", "=?base64?w6Q==?=", "=?base64?w6*=?=", "=?base64? w6Q=?="})
    EXPECT_FALSE(decode_header_value(bad)) << bad;
}

TEST(HeaderRules, HeadersMustSayWhatTheBodySays) {
  auto rules = read_header_rules(object(R"({"properties":{"s":{"type":"string","x-mcp-header":"S"},
      "i":{"type":"integer","x-mcp-header":"I"},"b":{"type":"boolean","x-mcp-header":"B"}}})"))
                   .value();
  auto check = [&](std::string_view arguments, const std::map<std::string, std::string, std::less<>>& headers) {
    return !check_param_headers(rules, object(arguments), [&](std::string_view name) {
              auto found = headers.find(name);
              return found == headers.end() ? nullptr : &found->second;
            }).has_value();
  };
  EXPECT_TRUE(check("{}", {}));
  EXPECT_TRUE(check(R"({"s":"x","i":42,"b":true})", {{"Mcp-Param-S", "x"}, {"Mcp-Param-I", "42"}, {"Mcp-Param-B", "true"}}));
  EXPECT_TRUE(check(R"({"i":42.0})", {{"Mcp-Param-I", "42"}})) << "integers compare by value";
  EXPECT_TRUE(check(R"({"s":null})", {})) << "null is absent";
  EXPECT_FALSE(check(R"({"s":null})", {{"Mcp-Param-S", "null"}}));
  EXPECT_FALSE(check(R"({"s":"x"})", {}));
  EXPECT_FALSE(check("{}", {{"Mcp-Param-S", "x"}}));
  EXPECT_FALSE(check(R"({"s":"x"})", {{"Mcp-Param-S", "X"}}));
  EXPECT_FALSE(check(R"({"b":true})", {{"Mcp-Param-B", "True"}}));
  EXPECT_FALSE(check(R"({"i":42})", {{"Mcp-Param-I", "42x"}}));
  for (const char* huge : {"1e300", "-1e300", "9007199254740993", "18446744073709551615", "1.5", "[1]", "{}"})
    EXPECT_FALSE(check(R"({"i":)" + std::string(huge) + "}", {{"Mcp-Param-I", huge}})) << huge;
}

RC_GTEST_PROP(HeaderRulesProperty, EveryTextSurvivesTheEncoding, (const std::string& text)) {
  RC_ASSERT(decode_header_value("=?base64?" + to_base64(text) + "?=").value() == text);
}

TEST(HeaderRules, PlainTextStaysReadableAndTheRestIsEncoded) {
  EXPECT_EQ(encode_header_value("eu-west 1"), "eu-west 1");
  EXPECT_EQ(encode_header_value(" eu"), "=?base64?IGV1?=");
  EXPECT_EQ(encode_header_value("ä"), "=?base64?w6Q=?=");
  EXPECT_EQ(encode_header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=") << "what looks encoded is encoded";
  EXPECT_EQ(encode_header_value(""), "");
}

RC_GTEST_PROP(HeaderRulesProperty, WhatIsEncodedIsDecodedAgain, (const std::string& text)) {
  const std::string encoded = encode_header_value(text);
  RC_ASSERT(encoded.find_first_of("\r\n") == std::string::npos);
  RC_ASSERT(decode_header_value(encoded).value() == text);
}

}  // namespace
}  // namespace holdfast::mcp
