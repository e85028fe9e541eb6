#include "base/schema/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Json json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *std::move(value) : Json();
}

Schema compiled(std::string_view text, const SchemaLimits& limits = {}) {
  auto schema = Schema::compile(json(text), limits);
  if (!schema) throw std::runtime_error(schema.error().message);
  return *std::move(schema);
}

// What a model would be told about the value; empty when it fits.
std::string complaint(std::string_view schema, std::string_view value, const SchemaLimits& limits = {}) {
  return describe(compiled(schema, limits).validate(json(value)));
}

Error refusal(std::string_view schema, const SchemaLimits& limits = {}) {
  auto result = Schema::compile(json(schema), limits);
  EXPECT_FALSE(result) << schema;
  return result ? Error{} : result.error();
}

// --- what it says

TEST(SchemaMessages, NamePlaceExpectationAndValue) {
  constexpr auto kSchema = R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","minimum":0},
    "options":{"type":"array","minItems":1,"items":{"type":"object","required":["label"]}}},"required":["name"]})";
  EXPECT_EQ(complaint(kSchema, R"({"name":"a","age":3})"), "");
  EXPECT_EQ(complaint(kSchema, R"({"age":"x"})"), "name: is required; age: must be an integer, got \"x\"");
  EXPECT_EQ(complaint(kSchema, R"({"name":"a","age":-1})"), "age: must be at least 0, got -1");
  EXPECT_EQ(complaint(kSchema, R"({"name":"a","options":[]})"), "options: must have at least 1 item");
  EXPECT_EQ(complaint(kSchema, R"({"name":"a","options":[{}]})"), "options/0/label: is required");
  EXPECT_EQ(complaint(kSchema, "[]"), "must be an object, got an array");
}

TEST(SchemaMessages, PathsArePointers) {
  const auto violations = compiled(R"({"additionalProperties":{"type":"null"}})").validate(json(R"({"a/b~c":1})"));
  EXPECT_THAT(violations,
              ElementsAre(AllOf(Field(&SchemaViolation::path, "/a~1b~0c"), Field(&SchemaViolation::keyword, "type"))));
  EXPECT_EQ(describe(violations), "a/b~c: must be null, got 1");
}

TEST(SchemaMessages, UnknownArgumentsComeWithTheNearestName) {
  constexpr auto kSchema = R"({"properties":{"foo":{},"session_id":{},"limit":{}},"additionalProperties":false})";
  EXPECT_EQ(complaint(kSchema, R"({"fo":1})"), "unknown argument \"fo\" (did you mean \"foo\"?)");
  EXPECT_EQ(complaint(kSchema, R"({"sessionId":1})"), "unknown argument \"sessionId\" (did you mean \"session_id\"?)");
  EXPECT_EQ(complaint(kSchema, R"({"lmiit":1})"), "unknown argument \"lmiit\" (did you mean \"limit\"?)");
  EXPECT_EQ(complaint(kSchema, R"({"fo":1,"foo":2})"), "unknown argument \"fo\"") << "foo is there already";
  EXPECT_EQ(complaint(kSchema, R"({"completely_else":1})"), "unknown argument \"completely_else\"");
  EXPECT_EQ(complaint(R"({"properties":{"o":{"additionalProperties":false}}})", R"({"o":{"x":1}})"), "o: unknown property \"x\"");
  EXPECT_EQ(complaint(R"({"properties":{"foo":{}},"unevaluatedProperties":false})", R"({"fo":1})"),
            "unknown argument \"fo\" (did you mean \"foo\"?)");
}

TEST(SchemaMessages, EnumsAreListedAndCut) {
  EXPECT_EQ(complaint(R"({"enum":["a","b"]})", "\"c\""), "must be one of \"a\", \"b\"; got \"c\"");
  EXPECT_EQ(complaint(R"({"const":{"k":[1,null]}})", "3"), "must be {\"k\":[1,null]}; got 3");
  std::string many = R"({"enum":["archive")";
  for (int i = 0; i < 40; ++i) many += fmt::format(",\"value{}\"", i);
  const std::string said = complaint(many + "]}", "\"archve\"");
  EXPECT_THAT(said, HasSubstr("(41 in all)"));
  EXPECT_THAT(said, HasSubstr("did you mean \"archive\"?"));
  EXPECT_LT(said.size(), 400U);
}

TEST(SchemaMessages, ChoicesAreSaidBriefly) {
  EXPECT_EQ(complaint(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "3"), "must be a string or null, got 3");
  EXPECT_EQ(complaint(R"({"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]})", "\"c\""),
            "must be one of \"a\", \"b\"; got \"c\"");
  // The form whose mark fits is the one meant, though the other lacks less.
  EXPECT_EQ(complaint(R"({"oneOf":[
      {"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
      {"properties":{"kind":{"const":"box"}},"required":["kind","w","h"]}]})",
                      R"({"kind":"box"})"),
            "w: is required (in the nearest of 2 allowed forms); h: is required");
  EXPECT_EQ(complaint(R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "3"),
            "must fit exactly one of 2 forms, fits the forms 1 and 2");
  EXPECT_EQ(complaint(R"({"not":{"type":"string"}})", "\"x\""), "must not be like {\"type\":\"string\"}");
}

TEST(SchemaMessages, OtherKeywords) {
  EXPECT_EQ(complaint(R"({"dependentRequired":{"card":["address"]}})", R"({"card":1})"),
            "address: is required when \"card\" is given");
  EXPECT_EQ(complaint(R"({"propertyNames":{"minLength":3}})", R"({"ab":1})"),
            "the property name \"ab\" must have at least 3 characters, got \"ab\"");
  EXPECT_EQ(complaint(R"({"minLength":1})", "\"\""), "must not be empty");
  EXPECT_EQ(complaint(R"({"maxLength":1})", "\"日本\""), "must have at most 1 character, has 2");
  EXPECT_EQ(complaint(R"({"pattern":"^a"})", "\"b\""), "must match the pattern ^a, got \"b\"");
  EXPECT_EQ(complaint(R"({"uniqueItems":true})", "[1,2,1.0]"), "must not have equal items; 1 is there twice (items 0 and 2)");
  EXPECT_EQ(complaint(R"({"prefixItems":[{}],"items":false})", "[1,2]"), "must have at most 1 item, has 2");
  EXPECT_EQ(complaint(R"({"properties":{"a":false}})", R"({"a":1})"), "a: is not allowed");
  EXPECT_EQ(complaint(R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})"), "b: is required");
  EXPECT_EQ(complaint(R"({"contains":{"const":1}})", "[2]"), "must have at least 1 item like {\"const\":1}, has 0");
  EXPECT_EQ(complaint(R"({"multipleOf":0.5})", "0.7"), "must be a multiple of 0.5, got 0.7");
}

TEST(SchemaMessages, AreBounded) {
  const std::string long_text(100'000, 'x');
  EXPECT_LT(complaint(R"({"type":"integer"})", "\"" + long_text + "\"").size(), 200U);
  EXPECT_LT(complaint(R"({"additionalProperties":false})", "{\"" + long_text + "\":1}").size(), 200U);
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += fmt::format("{}\"k{}\":1", i ? "," : "", i);
  EXPECT_THAT(compiled(R"({"additionalProperties":{"type":"string"}})").validate(json(many + "}")), SizeIs(20));
  SchemaLimits none;
  none.max_violations = 0;
  EXPECT_THAT(compiled(R"({"type":"string"})", none).validate(Json(1)), SizeIs(1)) << "an empty list would mean that it fits";
}

TEST(SchemaMessages, FormThatFailedDoesNotMakeItsMembersUnknown) {
  EXPECT_EQ(complaint(R"({"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}],"unevaluatedProperties":false})",
                      R"({"a":1})"),
            "a: must be a string, got 1 (in the nearest of 1 allowed forms)");
}

// --- what it refuses

TEST(SchemaRefuses, OtherDialectsByName) {
  const Error error = refusal(R"({"$schema":"http://json-schema.org/draft-04/schema#"})");
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_THAT(error.message, HasSubstr("http://json-schema.org/draft-04/schema#"));
  EXPECT_THAT(error.hint, HasSubstr("2020-12"));
  EXPECT_EQ(refusal(R"({"$defs":{"a":{"$schema":"http://json-schema.org/draft-07/schema#"}}})").kind, ErrorKind::refused);
}

TEST(SchemaRefuses, ReferencesThatLeaveTheDocument) {
  for (const auto* reference :
       {"https://example.org/x.json", "other.json", "file:///etc/passwd", "https://json-schema.org/draft/2020-12/schema"}) {
    const Error error = refusal(fmt::format(R"({{"properties":{{"a":{{"$ref":"{}"}}}}}})", reference));
    EXPECT_EQ(error.kind, ErrorKind::refused) << reference;
    EXPECT_THAT(error.message, AllOf(HasSubstr("#/properties/a"), HasSubstr(reference)));
  }
}

TEST(SchemaRefuses, BrokenSchemasAndSaysWhere) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"({"properties":{"a":{"type":"text"}}})", "#/properties/a: \"type\" must be one of"},
      {R"({"minLength":-1})", "\"minLength\" must be a whole number"},
      {R"({"minLength":1.5})", "\"minLength\" must be a whole number"},
      {R"({"multipleOf":0})", "greater than 0"},
      {R"({"required":"a"})", "array of names"},
      {R"({"required":[1]})", "array of names"},
      {R"({"allOf":[]})", "at least one"},
      {R"({"anyOf":[{},3]})", "#/anyOf/1 must be an object or a boolean"},
      {R"({"properties":[]})", "#/properties must be an object"},
      {R"({"items":[{}]})", "prefixItems"},
      {R"({"enum":"a"})", "\"enum\" must be an array"},
      {R"({"$ref":"#/$defs/x"})", "points at nothing"},
      {R"({"$ref":"#x"})", "names no anchor"},
      {R"({"$ref":1})", "\"$ref\" must be a string"},
      {R"({"$id":"a#b"})", "not a usable URI"},
      {R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})", "used twice"},
      {R"({"pattern":"("})", "pattern \"(\""},
      {R"("text")", "must be an object or a boolean"},
  };
  for (const auto& [schema, message] : cases) {
    const Error error = refusal(schema);
    EXPECT_EQ(error.kind, ErrorKind::invalid) << schema;
    EXPECT_THAT(error.message, HasSubstr(message)) << schema;
  }
}

TEST(SchemaRefuses, ReferencesWithoutEnd) {
  for (const auto* schema :
       {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})",
        R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{},{"$ref":"#/$defs/a"}]}}})"}) {
    const Error error = refusal(schema);
    EXPECT_EQ(error.kind, ErrorKind::invalid) << schema;
    EXPECT_THAT(error.message, HasSubstr("without end")) << schema;
  }
}

TEST(SchemaRefuses, TooManyAndTooDeep) {
  SchemaLimits small;
  small.max_subschemas = 10;
  EXPECT_EQ(refusal(R"({"prefixItems":[{},{},{},{},{},{},{},{},{},{}]})", small).kind, ErrorKind::too_large);
  Json deep = json("{}");
  for (int i = 0; i < 140; ++i) {
    JsonObject outer;
    outer.emplace("not", std::move(deep));
    deep = std::move(outer);
  }
  const auto result = Schema::compile(deep);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::too_large);
}

TEST(SchemaRefuses, PatternsThatAreTooLarge) {
  EXPECT_EQ(refusal(fmt::format(R"({{"pattern":"{}"}})", std::string(20'000, 'a'))).kind, ErrorKind::too_large);
  std::string many = R"({"patternProperties":{)";
  for (int i = 0; i < 2000; ++i) many += fmt::format("{}\"(a{{1,900}}){}\":{{}}", i ? "," : "", i);
  EXPECT_EQ(refusal(many + "}}").kind, ErrorKind::too_large);
}

// --- what it withstands

TEST(SchemaWithstands, LoopsThatSomeValuesEnter) {
  const Schema schema = compiled(R"({"anyOf":[{"type":"string"},{"$ref":"#"}]})");
  EXPECT_THAT(schema.validate(Json("x")), IsEmpty());
  const auto violations = schema.validate(Json(1));
  ASSERT_THAT(violations, SizeIs(1));
  EXPECT_EQ(violations[0].keyword, "limit");
  EXPECT_FALSE(compiled(R"({"not":{"anyOf":[{"type":"string"},{"$ref":"#/not"}]}})").accepts(Json(1)))
      << "a limit inside not must not pass";
}

TEST(SchemaWithstands, ExponentialSchemas) {
  for (const auto* keyword : {"allOf", "anyOf", "oneOf"}) {
    std::string text = "{\"$ref\":\"#/$defs/n0\",\"$defs\":{";
    for (int i = 0; i < 60; ++i) {
      text += fmt::format(R"("n{}":{{"{}":[{{"$ref":"#/$defs/n{}"}},{{"$ref":"#/$defs/n{}"}}]}},)", i, keyword, i + 1, i + 1);
    }
    text += R"("n60":{"const":1}}})";
    const auto violations = compiled(text).validate(Json(keyword == std::string_view("allOf") ? 1 : 2));
    ASSERT_FALSE(violations.empty()) << keyword;
    EXPECT_EQ(violations.back().keyword, "limit") << keyword;
  }
}

TEST(SchemaWithstands, DeepValues) {
  const Schema schema = compiled(R"({"items":{"$ref":"#"}})");
  Json deep = JsonArray();
  for (int i = 0; i < 100; ++i) deep = JsonArray{std::move(deep)};
  EXPECT_TRUE(schema.accepts(deep));
  for (int i = 0; i < 100; ++i) deep = JsonArray{std::move(deep)};
  EXPECT_EQ(schema.validate(deep).back().keyword, "limit");
}

TEST(SchemaWithstands, PatternsThatHangBacktrackers) {
  const Schema schema = compiled(R"({"pattern":"^(a+)+$"})");
  EXPECT_FALSE(schema.accepts(Json(std::string(50'000, 'a') + "b")));
  EXPECT_TRUE(schema.accepts(Json(std::string(50'000, 'a'))));
}

TEST(SchemaWithstands, HugeEnumsAndArrays) {
  JsonArray values;
  for (int i = 0; i < 100'000; ++i) values.emplace_back(fmt::format("v{}", i));
  JsonObject source;
  source.emplace("enum", values);
  const auto schema = Schema::compile(Json(source));
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->accepts(Json("v99999")));
  EXPECT_FALSE(schema->accepts(Json("v100000")));
  const Schema unique = compiled(R"({"uniqueItems":true})");
  EXPECT_TRUE(unique.accepts(Json(values)));
  values.emplace_back("v5");
  EXPECT_FALSE(unique.accepts(Json(values)));
}

// --- numbers and threads

TEST(SchemaNumbers, AreExact) {
  EXPECT_EQ(complaint(R"({"multipleOf":0.0001})", "0.0075"), "");
  EXPECT_NE(complaint(R"({"multipleOf":0.0001})", "0.00751"), "");
  EXPECT_EQ(complaint(R"({"multipleOf":0.01})", "4.35"), "");
  EXPECT_EQ(complaint(R"({"multipleOf":1e-8})", "12391239123"), "");
  EXPECT_EQ(complaint(R"({"multipleOf":0.5})", "1e308"), "");
  EXPECT_NE(complaint(R"({"maximum":9223372036854775807})", "9223372036854775808"), "");
  EXPECT_NE(complaint(R"({"maximum":9007199254740992.0})", "9007199254740993"), "");
  EXPECT_EQ(complaint(R"({"const":1})", "1.0"), "");
  EXPECT_EQ(complaint(R"({"type":"integer"})", "1e3"), "");
  EXPECT_EQ(complaint(R"({"minimum":-0.5})", "0"), "");
  EXPECT_NE(complaint(R"({"exclusiveMinimum":18446744073709551615})", "18446744073709551615"), "");
}

TEST(Schema, IsSharedByThreads) {
  const Schema schema =
      compiled(R"({"properties":{"a":{"pattern":"^[a-z]+\\d*$"}},"required":["a"],"unevaluatedProperties":false})");
  const Json good = json(R"({"a":"abc12"})");
  const Json bad = json(R"({"a":"12","b":1})");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        EXPECT_THAT(schema.validate(good), IsEmpty());
        EXPECT_FALSE(schema.validate(bad).empty());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Schema, KeepsNoPointerIntoTheCallersDocument) {
  auto source = std::make_unique<Json>(json(R"({"properties":{"name":{"enum":["a"]}},"required":["name"]})"));
  auto schema = Schema::compile(*source);
  ASSERT_TRUE(schema);
  source.reset();
  const Schema moved = *std::move(schema);
  EXPECT_EQ(describe(moved.validate(json(R"({"name":"b"})"))), "name: must be \"a\"; got \"b\"");
}

TEST(Schema, ReadsDraft07) {
  constexpr auto kSchema = R"({"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},
    "properties":{"pair":{"items":[{"$ref":"#/definitions/s"},{"type":"integer"}],"additionalItems":false}},
    "dependencies":{"a":["pair"]}})";
  EXPECT_EQ(complaint(kSchema, R"({"pair":["x",1]})"), "");
  EXPECT_EQ(complaint(kSchema, R"({"pair":[1,1,2]})"), "pair/0: must be a string, got 1; pair: must have at most 2 items, has 3");
  EXPECT_EQ(complaint(kSchema, R"({"a":1})"), "pair: is required when \"a\" is given");
}

TEST(Schema, FormatsAreRemarksUnlessAsserted) {
  constexpr auto kSchema = R"({"format":"email"})";
  EXPECT_EQ(complaint(kSchema, "\"nobody\""), "");
  SchemaLimits strict;
  strict.assert_formats = true;
  EXPECT_EQ(complaint(kSchema, "\"nobody\"", strict), "must be an e-mail address such as ann@example.org, got \"nobody\"");
  EXPECT_EQ(complaint(kSchema, "\"a@b.org\"", strict), "");
  EXPECT_EQ(complaint(R"({"format":"made-up"})", "\"x\"", strict), "");
}

}  // namespace
}  // namespace holdfast
