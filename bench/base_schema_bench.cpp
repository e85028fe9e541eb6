// What checking a call costs. Floor beside it: looking up the same three members by hand.

#include "base/schema/schema.h"

#include <benchmark/benchmark.h>

#include <string>

namespace holdfast {
namespace {

constexpr std::string_view kThreeStrings = R"({"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"},
  "text":{"type":"string"}},"required":["name","path"],"additionalProperties":false})";
constexpr std::string_view kThreeValues = R"({"name":"notes","path":"notes/plan.md","text":"a short text"})";

// The size of the largest schemas among our own tools.
constexpr std::string_view kTool = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
  "$defs":{"id":{"type":"string","minLength":1,"maxLength":64,"pattern":"^[A-Za-z0-9_-]+$"},
           "tags":{"type":"array","items":{"type":"string","maxLength":40},"maxItems":20,"uniqueItems":true}},
  "properties":{"operation":{"enum":["list","get","pin","unpin","archive","unarchive","delete","restore","search","export"]},
    "id":{"$ref":"#/$defs/id"},"type":{"type":["string","null"]},"limit":{"type":"integer","minimum":1,"maximum":200},
    "tags":{"$ref":"#/$defs/tags"},"query":{"type":"string","maxLength":2000},"since":{"type":"string","format":"date-time"},
    "allRoots":{"type":"boolean"}},
  "required":["operation"],"additionalProperties":false,
  "if":{"properties":{"operation":{"enum":["get","pin","unpin","delete"]}}},"then":{"required":["id"]}})";
constexpr std::string_view kToolCall =
    R"({"operation":"pin","id":"0191f2d4-7b1c","limit":20,"tags":["a","b","c"],"allRoots":false})";
constexpr std::string_view kWrongCall = R"({"operation":"pinn","limit":"20","tag":["a"]})";

Schema compiled(std::string_view text) {
  return *Schema::compile(*parse_json(text));
}

void three_strings_by_hand(benchmark::State& state) {
  const Json value = *parse_json(kThreeValues);
  for (auto _ : state) {
    const JsonObject& object = value.get_object();
    benchmark::DoNotOptimize(find_string(object, "name") && find_string(object, "path") && find_string(object, "text"));
  }
}
BENCHMARK(three_strings_by_hand);

void three_strings(benchmark::State& state) {
  const Schema schema = compiled(kThreeStrings);
  const Json value = *parse_json(kThreeValues);
  for (auto _ : state) benchmark::DoNotOptimize(schema.validate(value));
}
BENCHMARK(three_strings);

void tool_call(benchmark::State& state) {
  const Schema schema = compiled(kTool);
  const Json value = *parse_json(kToolCall);
  for (auto _ : state) benchmark::DoNotOptimize(schema.validate(value));
}
BENCHMARK(tool_call);

void wrong_tool_call_explained(benchmark::State& state) {
  const Schema schema = compiled(kTool);
  const Json value = *parse_json(kWrongCall);
  for (auto _ : state) benchmark::DoNotOptimize(describe(schema.validate(value)));
}
BENCHMARK(wrong_tool_call_explained);

void compile_tool_schema(benchmark::State& state) {
  const Json source = *parse_json(kTool);
  for (auto _ : state) benchmark::DoNotOptimize(Schema::compile(source));
}
BENCHMARK(compile_tool_schema);

// The worst a stranger can do: every step of the limit is spent.
void exponential_schema_until_the_limit(benchmark::State& state) {
  std::string text = R"({"$ref":"#/$defs/n0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    const std::string next = R"({"$ref":"#/$defs/n)" + std::to_string(i + 1) + R"("})";
    text += "\"n" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
  }
  const Schema schema = compiled(text + R"("n60":{"const":1}}})");
  const Json value(2);
  for (auto _ : state) benchmark::DoNotOptimize(schema.accepts(value));
}
BENCHMARK(exponential_schema_until_the_limit)->Unit(benchmark::kMillisecond);

void unique_strings(benchmark::State& state) {
  const Schema schema = compiled(R"({"uniqueItems":true})");
  JsonArray items;
  for (std::int64_t i = 0; i < state.range(0); ++i) items.emplace_back("item number " + std::to_string(i));
  const Json value(std::move(items));
  for (auto _ : state) benchmark::DoNotOptimize(schema.accepts(value));
}
BENCHMARK(unique_strings)->Range(64, 65536)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace holdfast

BENCHMARK_MAIN();
