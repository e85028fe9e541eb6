#include "kinds/transcripts/verbs/doctor.h"

#include "kinds/transcripts/testing/test_home.h"
#include "kinds/transcripts/verbs/erase.h"
#include "session/life/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kHelloRecord =
    "{\"type\":\"user\",\"sessionId\":\"x\",\"message\":{\"role\":\"user\",\"content\":\"Hello there\"}}\n";

std::string transcript(const std::string& name, const std::string& folder = "-p") {
  return "projects/" + folder + "/" + TestHome::id(name) + ".jsonl";
}

void set_mtime(const TestHome& files, const std::string& path, Millis time) {
  const struct timespec times[2] = {{time / 1000, 0}, {time / 1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (files / path).c_str(), times, 0), 0);
}

class DoctorTest : public ::testing::Test {
 protected:
  void session(const std::string& name, Millis mtime = TestHome::kNow, const std::string& folder = "-p",
               const std::string& text = kHelloRecord) {
    files_.write(transcript(name, folder), text);
    set_mtime(files_, transcript(name, folder), mtime);
  }
  DoctorReport examined() {
    DoctorOptions options;
    options.now = TestHome::kNow;
    auto report = examine(files_.home(), options);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(DoctorReport{});
  }

  TestHome files_;
};

TEST_F(DoctorTest, Retention_UnsetMeansThirtyDaysAndAdvice) {
  session("c1");
  const DoctorReport report = examined();
  EXPECT_TRUE(report.healthy());
  EXPECT_EQ(report.cleanup_days, 30);
  EXPECT_TRUE(report.cleanup_is_default);
  EXPECT_THAT(report.advice, ElementsAre(HasSubstr("30 days after their last use")));
  EXPECT_EQ(report.sessions, 1U);
  EXPECT_EQ(report.bytes, kHelloRecord.size());
}

TEST_F(DoctorTest, Retention_IsReadFromBothFilesAndTheLocalOneWins) {
  session("c1");
  files_.write("settings.json", R"({"cleanupPeriodDays": 3650})");
  EXPECT_THAT(examined().advice, IsEmpty());
  EXPECT_THAT(examined().cleanup_source, HasSubstr("settings.json"));
  files_.write("settings.local.json", R"({"cleanupPeriodDays": 5})");
  const DoctorReport report = examined();
  EXPECT_EQ(report.cleanup_days, 5);
  EXPECT_THAT(report.cleanup_source, HasSubstr("settings.local.json"));
  EXPECT_THAT(report.advice, Contains(HasSubstr("cleanupPeriodDays is 5")));
}

TEST_F(DoctorTest, Retention_ZeroIsWarnedOfAndNeverSuggested) {
  session("c1");
  files_.write("settings.json", R"({"cleanupPeriodDays": 0})");
  EXPECT_THAT(examined().advice, Contains(HasSubstr("Set it to a large number")));
  for (const char* settings : {"{}", R"({"cleanupPeriodDays": 0})", R"({"cleanupPeriodDays": 3})"}) {
    files_.write("settings.json", settings);
    for (const std::string& sentence : examined().advice) EXPECT_THAT(sentence, Not(HasSubstr("\"cleanupPeriodDays\": 0")));
  }
}

TEST_F(DoctorTest, Retention_SettingsThatCannotBeUnderstoodAreNamed) {
  session("c1");
  for (const char* settings : {"{", "[]", R"({"cleanupPeriodDays": "30"})", R"({"cleanupPeriodDays": -1})"}) {
    files_.write("settings.json", settings);
    EXPECT_THAT(examined().advice, Contains(HasSubstr("settings.json"))) << settings;
    EXPECT_TRUE(examined().cleanup_is_default) << settings;
  }
}

TEST_F(DoctorTest, NamesSessionsAboutToExpireSoonestFirst) {
  session("c1", TestHome::kNow - 29 * session::kDay);
  session("c2", TestHome::kNow - 25 * session::kDay);
  session("c3", TestHome::kNow - 22 * session::kDay);
  session("c4", TestHome::kNow - 40 * session::kDay);
  const DoctorReport report = examined();
  ASSERT_THAT(report.expiring, SizeIs(3));
  EXPECT_EQ(report.expiring[0].place.session_id, TestHome::id("c4"));
  EXPECT_EQ(report.expiring[1].at, TestHome::kNow + session::kDay);
  EXPECT_EQ(report.expiring[1].title, "Hello there");
  EXPECT_EQ(report.expiring[2].place.session_id, TestHome::id("c2"));
  EXPECT_FALSE(report.healthy());
}

TEST_F(DoctorTest, NamesDuplicatesDamageOrphansAndStaleIndexes) {
  session("c1");
  session("c1", TestHome::kNow, "-q");
  session("c2", TestHome::kNow, "-p", kHelloRecord + "{\"torn\n" + kHelloRecord);
  files_.write("projects/-p/" + TestHome::id("d1") + "/subagents/agent-a1.jsonl", kHelloRecord);
  files_.write("projects/-p/agent-a2.jsonl", "{\"type\":\"user\",\"sessionId\":\"" + TestHome::id("d2") + "\"}\n");
  files_.write("projects/-p/agent-a3.jsonl", "{\"type\":\"user\",\"sessionId\":\"" + TestHome::id("c1") + "\"}\n");
  files_.write("tasks/" + TestHome::id("d3") + "/1.json", "{}");
  files_.write("tasks/" + TestHome::id("c1") + "/1.json", "{}");
  files_.write("todos/" + TestHome::id("d4") + "-agent-x.json", "[]");
  std::filesystem::create_directories(files_ / ("session-env/" + TestHome::id("d5")));  // empty: not worth a word
  files_.write("projects/-p/sessions-index.json", R"({"version":1,"entries":[{"sessionId":")" + TestHome::id("c1") +
                                                      R"("},{"sessionId":")" + TestHome::id("d6") + R"("}]})");
  const DoctorReport report = examined();
  EXPECT_FALSE(report.healthy());
  ASSERT_THAT(report.duplicates, SizeIs(1));
  EXPECT_THAT(report.duplicates[0].project_folders, ElementsAre("-p", "-q"));
  ASSERT_THAT(report.sick, SizeIs(1));
  EXPECT_EQ(report.sick[0].place.session_id, TestHome::id("c2"));
  EXPECT_EQ(report.sick[0].report.findings.at(0).line, 2U);
  EXPECT_THAT(report.orphans, ElementsAre("projects/-p/" + TestHome::id("d1"), "projects/-p/agent-a2.jsonl",
                                          "tasks/" + TestHome::id("d3"), "todos/" + TestHome::id("d4") + "-agent-x.json"));
  EXPECT_THAT(report.stale_indexes, ElementsAre("projects/-p/sessions-index.json lists 1 session without a transcript"));
  const JsonObject json = to_json(report);
  EXPECT_EQ(json.at("healthy"), Json(false));
  EXPECT_EQ(json.at("sick").at(0).at("report").at("ok"), Json(false));
}

TEST_F(DoctorTest, TheRealClientsHomeIsHealthy) {
  files_ = TestHome::of_client();
  DoctorOptions options;
  options.now = SystemClock().now();
  const DoctorReport report = examine(files_.home(), options).value();
  EXPECT_TRUE(report.healthy()) << holdfast::to_json(to_json(report));
  EXPECT_THAT(report.sick, IsEmpty());
  EXPECT_THAT(report.orphans, IsEmpty());
  EXPECT_EQ(report.sessions, 7U);
}

TEST_F(DoctorTest, AHomeThatIsNotThereHasNothingWrong) {
  const DoctorReport report = examine(Home::open("/nonexistent/holdfast-home").value(), {}).value();
  EXPECT_EQ(report.sessions, 0U);
  EXPECT_TRUE(report.healthy());
}

TEST_F(DoctorTest, ShallowLooksIntoNoTranscript) {
  session("c2", TestHome::kNow, "-p", "{\"torn\n" + kHelloRecord);
  DoctorOptions options;
  options.now = TestHome::kNow;
  options.deep = false;
  EXPECT_THAT(examine(files_.home(), options).value().sick, IsEmpty());
}

TEST_F(DoctorTest, Doctor_11_AnOperationWithoutAReadableJournalIsExplained) {
  files_.write(".holdfast/delete-1/journal", "{\"journal\":1,\"what\":\"delete\"}\nno line of ours\n");
  files_.write(".holdfast/delete-1/old-0", "all that is left");
  const DoctorReport report = examine(files_.home(), {}).value();
  ASSERT_EQ(report.leftovers.size(), 1U);
  EXPECT_THAT(report.leftovers[0].trouble, HasSubstr("damaged"));
  EXPECT_EQ(report.leftovers[0].folder, files_ / ".holdfast/delete-1");
  const Json shown = to_json(report).at("leftovers").at(0);
  EXPECT_EQ(shown.at("will_be"), Json("left alone"));
  EXPECT_EQ(shown.at("began_at"), Json(nullptr));
  EXPECT_THAT(report.advice, Contains(HasSubstr("old-0, old-1, ... are your files")));
  EXPECT_THAT(report.advice, Not(Contains(HasSubstr("the next clone")))) << "nothing deals with it";
}

TEST_F(DoctorTest, P14OnlyWhatARepairWouldMendIsToBeRepaired) {
  const std::string torn = kHelloRecord + "{\"torn\n" + kHelloRecord;
  const Millis before = TestHome::kNow - session::kDay;
  session("c1", before, "-p", torn);
  session("c2", TestHome::kNow, "-p", torn);                        // in use
  session("c3", before, "-p", "{\"torn\n" + std::string(3, '\0'));  // nothing in it to be saved
  session("c4", before, "-p", "");                                  // never began
  session("c5", before, "-p",
          "{\"uuid\":\"1\",\"parentUuid\":\"2\"}\n{\"uuid\":\"2\",\"parentUuid\":\"1\"}\n");  // a circle stays one
  session("c6", before, "-p", "{\"uuid\":\"1\",\"parentUuid\":\"gone\"}\n");                  // a warning
  const DoctorReport report = examined();
  std::vector<std::string> to_repair;
  for (const DoctorReport::Sick& sick : report.sick)
    if (sick.to_repair()) to_repair.push_back(sick.place.session_id);
  EXPECT_THAT(to_repair, ElementsAre(TestHome::id("c1")));
  ASSERT_THAT(report.sick, SizeIs(6));
  EXPECT_TRUE(report.sick[1].in_use);
}

TEST_F(DoctorTest, P14TheSameDamageHasTheSameCopy) {
  const std::string torn = kHelloRecord + "{\"torn\n" + kHelloRecord;
  session("c1", 1000, "-p", torn);
  const auto sick = [&] { return examined().sick.at(0); };
  const std::string id = id_of_repaired(sick().place, sick().report);
  EXPECT_FALSE(is_native_id(id));
  session("c1", 1000, "-p", torn + kHelloRecord);
  EXPECT_EQ(id_of_repaired(sick().place, sick().report), id) << "it only went on";
  const Home home = files_.home();
  ASSERT_TRUE(write_repaired_copy(home, {sick().place, 0, 0}, id, TestHome::kNow));
  EXPECT_EQ(sick().repaired_in, id);
  EXPECT_FALSE(sick().to_repair());
  EXPECT_EQ(write_repaired_copy(home, {sick().place, 0, 0}, id, TestHome::kNow).error().kind, ErrorKind::conflict);
  std::filesystem::create_directories(files_ / "projects/-q");
  for (const std::string& each : {TestHome::id("c1"), id})
    std::filesystem::rename(files_ / ("projects/-p/" + each + ".jsonl"), files_ / ("projects/-q/" + each + ".jsonl"));
  EXPECT_EQ(sick().repaired_in, id) << "moved";
  session("c1", 1000, "-q", torn + "{\"torn again\n" + kHelloRecord);
  EXPECT_TRUE(sick().to_repair()) << "new damage";
}

TEST_F(DoctorTest, Repair_KeepsWhatCanBeReadAndLeavesTheOriginal) {
  const std::string first = R"({"parentUuid":null,"type":"user","uuid":"1","sessionId":")" + TestHome::id("c1") + "\"}";
  const std::string second =
      R"({"parentUuid":"1","type":"assistant","uuid":"2","message":{"content":[{"type":"text","text":"x"}]}})";
  const std::string third = R"({"parentUuid":"2","type":"user","uuid":"3"})";
  const std::string original = first + "\n\n" + second + third + "\n" +
                               "{\"type\":\"assistant\",\"message\":{\"content\":[{\"ty" + third + "\n" + std::string(8, '\0') +
                               second + "\n" + std::string(4, '\0') + "\n[1]\n  " + third + "  \n" + "{\"torn\":\n" + second +
                               "\n{\"tail";
  session("c1", TestHome::kNow, "-p", original);
  files_.write("projects/-p/" + TestHome::id("c1") + "/tool-results/b1.txt", "result");
  const Home home = files_.home();
  const std::string new_id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
  const auto copy = write_repaired_copy(home, {{TestHome::id("c1"), "-p"}, 0, 0}, new_id, TestHome::kNow);
  ASSERT_TRUE(copy) << copy.error().message;
  const std::string& id = copy->new_session_id;
  EXPECT_EQ(copy->original_session_id, TestHome::id("c1"));
  EXPECT_EQ(copy->main_records, 7U);
  EXPECT_EQ(files_.read(transcript("c1")), original);
  std::string expected_first = first;
  expected_first.replace(first.find(TestHome::id("c1")), 36, id);
  const auto with_id = [&](const std::string& path) { return "projects/-p/" + id + path; };
  EXPECT_EQ(files_.read(with_id(".jsonl")),
            expected_first + "\n" + second + "\n" + third + "\n" + third + "\n" + second + "\n" + third + "\n" + second + "\n");
  EXPECT_EQ(files_.read(with_id("/tool-results/b1.txt")), "result");
  const auto again = verify_session(*source_on_disk(home, SessionPlace{id, "-p"}));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->ok);
}

}  // namespace
}  // namespace holdfast::transcripts
