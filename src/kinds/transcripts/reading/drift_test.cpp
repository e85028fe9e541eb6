#include "kinds/transcripts/reading/drift.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

DriftReport drift_of(const TestHome& files) {
  const Home home = files.home();
  auto report = find_drift(home, all_sessions(home).value());
  EXPECT_TRUE(report);
  return report.value_or(DriftReport{});
}

TEST(Drift, TheRealClientsHomeHasNone) {
  const DriftReport report = drift_of(TestHome::of_client());
  EXPECT_TRUE(report.none()) << holdfast::to_json(to_json(report));
  EXPECT_EQ(report.sessions, 7U);
  EXPECT_GT(report.records, 100U);
}

TEST(Drift, NamesWhatIsNewAndWhere) {
  const TestHome files = TestHome::of_client();
  const std::string transcript = std::string("projects/") + TestHome::kDemo + "/" + TestHome::id("a1") + ".jsonl";
  files.write(transcript, R"({"type":"user","version":"2.1.197","message":{}})"
                          "\n"
                          R"({"type":"user","version":"9.9.9","message":{},"shiny":1,"message":{}})"
                          "\n"
                          R"({"type":"hologram","beam":1})"
                          "\n"
                          "not JSON\n"
                          R"({"type":"user","version":"9.9.10","shiny":2})"
                          "\n"
                          R"({"kind":"untyped"})"
                          "\n"
                          R"([{"type":"list"}])"
                          "\n");
  files.write(std::string("projects/") + TestHome::kDemo + "/" + TestHome::id("a1") + "/dreams/dream-12.bin", "x");
  files.write(std::string("projects/") + TestHome::kDemo + "/" + TestHome::id("a1") + "/dreams/dream-13.bin", "x");
  const DriftReport report = drift_of(files);
  EXPECT_FALSE(report.none());
  EXPECT_THAT(report.types, ElementsAre(Key("(none)"), Key("hologram")));
  EXPECT_EQ(report.types.at("hologram").example, transcript + ":3");
  EXPECT_EQ(report.types.at("hologram").versions, "9.9.9");
  EXPECT_THAT(report.fields, ElementsAre(Key("user.shiny")));
  EXPECT_EQ(report.fields.at("user.shiny").count, 2U);
  EXPECT_EQ(report.fields.at("user.shiny").example, transcript + ":2");
  EXPECT_EQ(report.fields.at("user.shiny").versions, "9.9.9, 9.9.10");
  EXPECT_THAT(report.versions, ElementsAre(Key("9.9.10"), Key("9.9.9")));
  EXPECT_THAT(report.files, ElementsAre(Key("projects/*/SESSION/dreams/dream-N.bin")));
  EXPECT_EQ(report.files.at("projects/*/SESSION/dreams/dream-N.bin").count, 2U);
  const JsonObject json = to_json(report);
  EXPECT_EQ(json.at("fields").at("user.shiny").at("count").to_number<int>(), 2);
  EXPECT_EQ(json.at("none"), Json(false));
}

TEST(Drift, SubagentsAreLookedAtToo) {
  const TestHome files = TestHome::of_client();
  files.append(std::string("projects/") + TestHome::kDemo + "/" + TestHome::id("a4") + "/subagents/agent-a19cecce4a9a1d58e.jsonl",
               "{\"type\":\"dreamed\"}\n");
  EXPECT_THAT(drift_of(files).types, ElementsAre(Key("dreamed")));
}

TEST(Drift, MadeUpNamesDoNotFillMemory) {
  const TestHome files;
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "{\"type\":\"" + std::string(200, 'x') + std::to_string(i) + "\"}\n";
  for (int i = 0; i < 2000; ++i) lines += "{\"type\":\"t" + std::to_string(i) + "\"}\n";
  files.write("projects/-p/" + TestHome::id("c1") + ".jsonl", lines);
  const DriftReport report = drift_of(files);
  EXPECT_LE(report.types.size(), 501U);
  EXPECT_GT(report.types.at("(more)").count, 1000U);
}

TEST(Drift, StopsWhenAsked) {
  const TestHome files;
  std::string lines;
  while (lines.size() < 1'000'000) lines += "{\"type\":\"user\"}\n";
  files.write("projects/-p/" + TestHome::id("c1") + ".jsonl", lines);
  const Home home = files.home();
  const auto stopped =
      find_drift(home, all_sessions(home).value(), [](std::string_view, std::uint64_t, std::uint64_t) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST(PathShape, KeepsWordsAndDropsNames) {
  const SessionPlace place{TestHome::id("a1"), "-p"};
  EXPECT_EQ(path_shape("projects/-p/" + place.session_id + "/x/" + TestHome::id("b2") + ".json", place),
            "projects/*/SESSION/x/UUID.json");
  EXPECT_EQ(path_shape("tasks/" + place.session_id + "/facade/wf_12ab34cd-9f0/3", place), "tasks/SESSION/facade/wf_HEX-NfN/N");
  EXPECT_THAT(path_shape("", place), IsEmpty());
}

}  // namespace
}  // namespace holdfast::transcripts
