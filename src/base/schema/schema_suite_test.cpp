// The public JSON-Schema-Test-Suite (tests/data/json-schema-2020-12/README.md).
//
// Every mandatory case runs. Schemas that refer to other documents must be refused; bundled with
// those documents, as the specification recommends, they must give the right answers. What remains
// is listed by name with its reason.

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/schema/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace holdfast {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::string k2020 = test_data("json-schema-2020-12");
const std::string kDraft07 = test_data("json-schema-draft-07");

struct Suite {
  std::string folder;
  SchemaLimits limits;
  std::string dialect;  // added where a schema names none: the draft-07 files leave it to the runner
  JsonObject bundle;    // documents for schemas that were refused without them
};

struct Outcome {
  std::size_t executed = 0;            // cases run against a compiled schema
  std::set<std::string> bundled;       // "file: group" of schemas that needed the bundle
  std::set<std::string> not_compiled;  // not even then
  std::vector<std::string> wrong;      // cases with the wrong answer
};

Json read_json(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) throw std::runtime_error(text.error().message);
  auto value = parse_json(*text);
  if (!value) throw std::runtime_error(path.string() + ": " + value.error().message);
  return *std::move(value);
}

void run_group(const Json& group, const std::string& title, const Suite& suite, Outcome& outcome) {
  Json source = group.at("schema");
  if (!suite.dialect.empty() && source.is_object()) source.get_object().emplace("$schema", suite.dialect);
  auto schema = Schema::compile(source, suite.limits);
  if (!schema) {
    EXPECT_EQ(schema.error().kind, ErrorKind::refused) << title << ": " << schema.error().message;
    JsonObject& definitions = source.get_object()["$defs"].is_null() ? source.get_object()["$defs"].emplace_object()
                                                                     : source.get_object()["$defs"].get_object();
    for (const auto& document : suite.bundle) definitions.emplace(document.key(), document.value());
    schema = Schema::compile(source, suite.limits);
    if (!schema) {
      outcome.not_compiled.insert(title);
      return;
    }
    outcome.bundled.insert(title);
  }
  for (const Json& test : group.at("tests").as_array()) {
    ++outcome.executed;
    const Json& data = test.at("data");
    const bool valid = test.at("valid").as_bool();
    const auto violations = schema->validate(data);
    if (violations.empty() != valid || schema->accepts(data) != valid) {
      outcome.wrong.push_back(fmt::format("{}: {}: expected {}, got: {}", title, view(test.at("description").as_string()),
                                          valid ? "valid" : "invalid", describe(violations)));
    }
    for (const auto& violation : violations) EXPECT_NE(violation.keyword, "limit") << title;
  }
}

Outcome run(const Suite& suite) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(suite.folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Outcome outcome;
  for (const auto& file : files) {
    const Json groups = read_json(file);
    for (const Json& group : groups.as_array()) {
      run_group(group, fmt::format("{}: {}", file.stem().string(), view(group.at("description").as_string())), suite, outcome);
    }
  }
  return outcome;
}

// Every document below the folder, under the address where the suite would serve it.
JsonObject documents_of_2020_12() {
  JsonObject bundle;
  const fs::path remotes = k2020 + "/remotes";
  for (const auto& entry : fs::recursive_directory_iterator(remotes)) {
    if (entry.path().extension() != ".json") continue;
    Json document = read_json(entry.path());
    const std::string name = fs::relative(entry.path(), remotes);
    if (name.starts_with("localhost/")) {
      document.as_object().emplace("$id", "http://localhost:1234/" + name.substr(std::string_view("localhost/").size()));
    }
    bundle.emplace(name, std::move(document));
  }
  return bundle;
}

TEST(SchemaSuite, Mandatory2020_12) {
  const Outcome outcome = run({.folder = k2020, .limits = {}, .dialect = {}, .bundle = documents_of_2020_12()});
  EXPECT_THAT(outcome.wrong, IsEmpty());
  EXPECT_THAT(outcome.not_compiled,
              UnorderedElementsAre(
                  // The document calls itself something else than the address it was asked for at, so no bundle can hold it.
                  "refRemote: remote HTTP ref with different $id", "refRemote: remote HTTP ref with different URN $id",
                  "refRemote: remote HTTP ref with nested absolute ref",
                  // A dialect of its own, whose definition would have to be fetched.
                  "vocabulary: ignore unrecognized optional vocabulary",
                  "vocabulary: schema that uses custom metaschema with with no validation vocabulary"));
  EXPECT_EQ(outcome.bundled.size(), 19U);
  EXPECT_EQ(outcome.executed, 1246U);  // of 1257
}

TEST(SchemaSuite, Optional2020_12) {
  const Outcome outcome = run({.folder = k2020 + "/optional", .limits = {}, .dialect = {}, .bundle = {}});
  EXPECT_THAT(outcome.wrong, IsEmpty());
  EXPECT_THAT(outcome.not_compiled, IsEmpty());
  EXPECT_EQ(outcome.executed, 153U);
}

TEST(SchemaSuite, FormatsOfElicitation) {
  SchemaLimits limits;
  limits.assert_formats = true;
  const Outcome outcome = run({.folder = k2020 + "/optional/format", .limits = limits, .dialect = {}, .bundle = {}});
  EXPECT_THAT(outcome.wrong, IsEmpty());
  EXPECT_THAT(outcome.not_compiled, IsEmpty());
  EXPECT_EQ(outcome.executed, 120U);
}

TEST(SchemaSuite, MandatoryDraft07) {
  const Outcome outcome =
      run({.folder = kDraft07, .limits = {}, .dialect = "http://json-schema.org/draft-07/schema#", .bundle = {}});
  EXPECT_THAT(outcome.wrong, IsEmpty());
  // refRemote and the metaschema of draft-07: documents that would have to be fetched.
  EXPECT_THAT(
      outcome.not_compiled,
      UnorderedElementsAre(
          "definitions: validate definition against metaschema", "ref: remote ref, containing refs itself",
          "refRemote: $ref to $ref finds location-independent $id", "refRemote: Location-independent identifier in remote ref",
          "refRemote: base URI change", "refRemote: base URI change - change folder",
          "refRemote: base URI change - change folder in subschema", "refRemote: fragment within remote ref",
          "refRemote: ref within remote ref", "refRemote: remote ref", "refRemote: remote ref with ref to definitions",
          "refRemote: retrieved nested refs resolve relative to their URI not $id", "refRemote: root ref in remote ref"));
  EXPECT_EQ(outcome.executed, 886U);
}

}  // namespace
}  // namespace holdfast
