
#include "base/schema/schema.h"
#include "jsonl/line_reader.h"
#include "kinds/transcripts/lines/each_line.h"
#include "kinds/transcripts/reading/drift.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::transcripts {
namespace {

TEST(KnownRecords, NothingIsInTheTableTwice) {
  std::set<std::string_view> types;
  for (const KnownType& type : known_types()) EXPECT_TRUE(types.insert(type.type).second) << type.type;
  std::set<std::pair<std::string_view, std::string_view>> fields;
  for (const KnownField& field : known_fields()) {
    EXPECT_TRUE(field.type == "*" || types.contains(field.type)) << field.type;
    EXPECT_TRUE(fields.insert({field.type, field.field}).second) << field.type << "." << field.field;
    EXPECT_FALSE(field.type != "*" && fields.contains({"*", field.field})) << field.type << "." << field.field;
  }
}

TEST(KnownRecords, TheSchemaAcceptsEveryRecordOfTheRealClient) {
  const auto schema = Schema::compile(record_schema());
  ASSERT_TRUE(schema) << schema.error().message;
  const TestHome files = TestHome::of_client();
  const Home home = files.home();
  std::size_t records = 0;
  const auto sessions = all_sessions(home);
  ASSERT_TRUE(sessions);
  for (const FoundSession& session : *sessions) {
    const auto inventory = take_inventory(home, session.place).value();
    const auto read = each_line(*source_on_disk(home, session.place), inventory.artifacts, "test",
                                [&](const Artifact& artifact, const jsonl::Line& line) -> Result<void> {
                                  HF_TRY(const Json record, parse_json(line.text));
                                  const auto violations = schema->validate(record);
                                  EXPECT_TRUE(violations.empty())
                                      << artifact.path << ":" << line.number << ": " << describe(violations);
                                  ++records;
                                  return {};
                                },
                                {});
    EXPECT_TRUE(read);
  }
  EXPECT_GT(records, 100U);
}

TEST(KnownRecords, TheSchemaTakesTheUnknownAndRefusesTheWrong) {
  const auto schema = Schema::compile(record_schema());
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->accepts(parse_json(R"({"type":"brand-new","x":1})").value()));
  EXPECT_TRUE(schema->accepts(parse_json(R"({"type":"user","new":1})").value()));
  EXPECT_FALSE(schema->accepts(parse_json(R"({"type":"user","message":"text"})").value()));
  EXPECT_FALSE(schema->accepts(parse_json(R"({"type":"ai-title","aiTitle":7})").value()));
  EXPECT_FALSE(schema->accepts(parse_json(R"([])").value()));
}

}  // namespace
}  // namespace holdfast::transcripts
