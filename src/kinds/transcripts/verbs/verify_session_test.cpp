#include "kinds/transcripts/lines/parent_links.h"
#include "kinds/transcripts/testing/test_home.h"
#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace holdfast::transcripts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const SessionPlace kVerifiedPlace{TestHome::id("c1"), "-p"};

VerifyReport verify(const TestHome& files, const SessionPlace& place = kVerifiedPlace) {
  const Home home = files.home();
  auto report = verify_session(*source_on_disk(home, place));
  EXPECT_TRUE(report);
  return report.value_or(VerifyReport{});
}

std::string linked_uuid(int number) {
  return fmt::format("{:08x}-0000-4000-8000-000000000000", number);
}
std::string linked_record(int id, int parent) {
  return fmt::format(R"({{"type":"user","uuid":"{}","parentUuid":{}}})", linked_uuid(id),
                     parent ? "\"" + linked_uuid(parent) + "\"" : "null") +
         "\n";
}

std::vector<std::string> shown_findings(const VerifyReport& report) {
  std::vector<std::string> out;
  for (const Finding& finding : report.findings) {
    const char* severities[] = {"note", "warning", "damage"};
    out.push_back(fmt::format("{} {}: {}", severities[static_cast<int>(finding.severity)], finding.line,
                              finding.what.substr(0, finding.what.find(':'))));
  }
  return out;
}

TEST(VerifySession, TheRealClientsSessionsAreWhole) {
  const TestHome files = TestHome::of_client();
  for (const char* name : {"a1", "a2", "a3", "a4", "a5", "a6"}) {
    const VerifyReport report = verify(files, {TestHome::id(name), TestHome::kDemo});
    EXPECT_TRUE(report.ok);
    EXPECT_THAT(shown_findings(report), IsEmpty()) << name;
    EXPECT_GT(report.records, 1U);
  }
}

TEST(VerifySession, NamesEveryKindOfOddLine) {
  const TestHome files;
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0) + "\n" + " " + linked_record(2, 1) + "[1]\n" +
                                               linked_record(3, 2).substr(0, linked_record(3, 2).size() - 1) +
                                               linked_record(4, 3) + std::string("\0\0\0\n", 4) + "{\"torn\":\n" +
                                               "{\"uuid\":\"\xff\"}\n" + "{\"torn");
  const VerifyReport report = verify(files);
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(shown_findings(report), ElementsAre("note 2: is blank", "note 3: has blanks or a byte order mark around its record",
                                                  "warning 4: is JSON, but not a record", "warning 5: holds several records",
                                                  "damage 6: holds NUL bytes in place of a record", "damage 7: is not JSON",
                                                  "warning 8: holds bytes that are not UTF-8", "warning 9: ends in the middle"));
  EXPECT_EQ(report.records, 5U);
}

TEST(VerifySession, ATornTailAloneIsNoDamage) {
  const TestHome files;
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0) + "{\"torn");
  EXPECT_TRUE(verify(files).ok);
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0).substr(0, linked_record(1, 0).size() - 1));
  EXPECT_THAT(shown_findings(verify(files)), ElementsAre("warning 1: has no newline behind it"));
  files.write(kVerifiedPlace.transcript(), "");
  EXPECT_THAT(shown_findings(verify(files)), ElementsAre("warning 0: holds no record"));
}

TEST(VerifySession, LinksThatGoNowhereOrInCircles) {
  const TestHome files;
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0) + linked_record(2, 1) + linked_record(2, 1) +
                                               linked_record(3, 99) + linked_record(5, 6) + linked_record(4, 5) +
                                               linked_record(6, 4) + linked_record(7, 6) + linked_record(8, 8));
  const VerifyReport report = verify(files);
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(shown_findings(report),
              ElementsAre("warning 3: repeats the uuid of a record before it", "warning 4: names a parent that is not there",
                          "damage 5: is its own ancestor", "damage 9: is its own ancestor"));
}

TEST(VerifySession, SubagentsHaveTreesOfTheirOwn) {
  const TestHome files;
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0));
  files.write(kVerifiedPlace.folder() + "/subagents/agent-a1.jsonl", linked_record(1, 0) + linked_record(2, 1));
  files.write(kVerifiedPlace.folder() + "/subagents/agent-a2.jsonl", linked_record(3, 1));
  const VerifyReport report = verify(files);
  EXPECT_THAT(shown_findings(report), ElementsAre("warning 1: names a parent that is not there"));
  EXPECT_EQ(report.findings.at(0).path, kVerifiedPlace.folder() + "/subagents/agent-a2.jsonl");
  EXPECT_EQ(report.files, 3U);
  EXPECT_EQ(report.records, 4U);
}

TEST(VerifySession, LinksOutOfTheSessionAreNamed) {
  const TestHome files;
  files.write(kVerifiedPlace.transcript(), linked_record(1, 0));
  files.write(kVerifiedPlace.folder() + "/tool-results/a.txt", "x");
  std::filesystem::create_symlink("/etc/passwd", files / (kVerifiedPlace.folder() + "/tool-results/b.txt"));
  EXPECT_THAT(shown_findings(verify(files)), ElementsAre("note 0: is not a plain file and was left out"));
}

TEST(VerifySession, FindingsAreLimitedAndCounted) {
  const TestHome files;
  std::string lines = linked_record(1, 0);
  for (int i = 0; i < 1000; ++i) lines += "broken\n";
  files.write(kVerifiedPlace.transcript(), lines);
  const VerifyReport report = verify(files);
  EXPECT_EQ(report.findings.size(), kMaxFindings);
  EXPECT_EQ(report.more, 1000 - kMaxFindings);
  const JsonObject json = to_json(report);
  EXPECT_EQ(json.at("ok"), Json(false));
  EXPECT_EQ(json.at("more").to_number<std::size_t>(), 1000 - kMaxFindings);
  EXPECT_EQ(json.at("findings").at(0).at("severity"), Json("damage"));
}

// Against the plain way: walk up from each record and see whether it comes back.
RC_GTEST_PROP(ParentLinks, AgreeWithWalkingUp, ()) {
  const int count = *rc::gen::inRange(1, 30);
  std::map<int, int> parents;
  ParentLinks links;
  for (int i = 1; i <= count; ++i) {
    parents[i] = *rc::gen::inRange(0, count + 3);
    links.add(linked_uuid(i), parents[i] ? linked_uuid(parents[i]) : "", static_cast<std::uint64_t>(i));
  }
  std::set<std::uint64_t> missing, circles, expected_missing, expected_circles;
  links.finish([&](LinkProblem problem, std::uint64_t line) {
    if (problem == LinkProblem::no_parent) missing.insert(line);
    if (problem == LinkProblem::circle) circles.insert(line);
    RC_ASSERT(problem != LinkProblem::same_uuid);
  });
  for (const auto& [id, parent] : parents) {
    if (parent > count) expected_missing.insert(static_cast<std::uint64_t>(id));
    int first = id, at = parent;
    for (int steps = 0; steps <= count && at != 0 && at <= count && at != id; ++steps)
      first = std::min(first, at), at = parents[at];
    if (at == id && first == id) expected_circles.insert(static_cast<std::uint64_t>(id));
  }
  RC_ASSERT(missing == expected_missing);
  RC_ASSERT(circles == expected_circles);
}

}  // namespace
}  // namespace holdfast::transcripts
