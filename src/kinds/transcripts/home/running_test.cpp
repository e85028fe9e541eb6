#include "kinds/transcripts/home/running.h"

#include "base/run/process.h"
#include "kinds/transcripts/testing/test_child.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kRunningSid = "11111111-2222-4333-8444-555555555555";
const SessionPlace kRunningPlace = {kRunningSid, "-p"};
constexpr std::chrono::milliseconds kSoon{200};

class RunningTest : public testing::Test {
 protected:
  void register_client(pid_t pid, const std::string& fields, const std::string& session = kRunningSid) {
    test.write("sessions/" + std::to_string(pid) + ".json",
               "{\"pid\":" + std::to_string(pid) + ",\"sessionId\":\"" + session + "\",\"cwd\":\"/w\"" + fields + "}");
  }
  std::vector<LiveClient> clients() const { return live_clients(test.home()).value(); }

  TestHome test;
  Process self = process_of(::getpid()).value();
};

TEST_F(RunningTest, Safety_8_7_AClientIsItsPidAndItsStartTime) {
  EXPECT_THAT(clients(), IsEmpty());
  register_client(self.pid, ",\"procStart\":\"" + self.start + "\",\"updatedAt\":1234");
  ASSERT_THAT(clients(), SizeIs(1));
  EXPECT_EQ(clients()[0].pid, self.pid);
  EXPECT_EQ(clients()[0].session_id, kRunningSid);
  EXPECT_EQ(clients()[0].cwd, "/w");
  EXPECT_EQ(clients()[0].start, self.start);
  EXPECT_EQ(clients()[0].updated_at, 1234);
  register_client(self.pid, ",\"procStart\":" + self.start);
  EXPECT_THAT(clients(), SizeIs(1)) << "as a number";
  register_client(self.pid, ",\"procStart\":\"1\",\"startedAt\":" + std::to_string(started_at(self)));
  EXPECT_THAT(clients(), IsEmpty()) << "the number is used again";
}

TEST_F(RunningTest, Safety_8_7_WithoutProcStartTheTimeMustFit) {
  register_client(self.pid, ",\"startedAt\":" + std::to_string(started_at(self) + 3000));
  EXPECT_THAT(clients(), SizeIs(1));
  register_client(self.pid, ",\"startedAt\":\"" + iso8601(started_at(self)) + "\"");
  EXPECT_THAT(clients(), SizeIs(1));
  register_client(self.pid, ",\"startedAt\":" + std::to_string(started_at(self) - 60'000));
  EXPECT_THAT(clients(), IsEmpty());
  register_client(self.pid, "");
  EXPECT_THAT(clients(), IsEmpty()) << "a pid alone is not enough";
}

TEST_F(RunningTest, OddEntriesAreNoClients) {
  const std::string start = ",\"procStart\":\"" + self.start + "\"";
  register_client(self.pid, start, "not-a-uuid");
  EXPECT_THAT(clients(), IsEmpty());
  const std::string pid = std::to_string(self.pid);
  for (const char* text : {"", "{", "[]", "null", "{\"sessionId\":7}"}) {
    test.write("sessions/" + pid + ".json", text);
    EXPECT_THAT(clients(), IsEmpty()) << text;
  }
  test.write("sessions/" + pid + ".json", std::string(100'000, ' ') + "{}");
  test.write("sessions/x.json", "{}");
  test.write("sessions/-5.json", "{}");
  test.write("sessions/99999999999999.json", "{}");
  test.write("sessions/" + pid, "{}");
  EXPECT_THAT(clients(), IsEmpty());
}

TEST_F(RunningTest, Safety_8_7_AProcessThatEndedIsNotRunning) {
  TestChild child("claude", "sleep");
  const Process process = process_of(child.pid()).value();
  register_client(child.pid(), ",\"procStart\":\"" + process.start + "\"");
  EXPECT_THAT(clients(), SizeIs(1));
  child.kill();  // not waited for: a zombie
  EXPECT_THAT(clients(), IsEmpty());
}

TEST_F(RunningTest, Safety_8_7_RunningByRegistrationOrByRecentWriting) {
  test.write(kRunningPlace.transcript(), "{}\n");
  const Millis written = mtime_of(*test.home().stat(kRunningPlace.transcript()).value());
  const auto state_at = [&](Millis now) {
    return running_state(test.home(), kRunningSid, kRunningPlace.transcript(), now).value();
  };
  EXPECT_EQ(state_at(written + 9'999).word(), "running");
  EXPECT_EQ(state_at(written + 10'000).word(), "idle");
  EXPECT_FALSE(state_at(written - 60'000).running()) << "a wrong clock";
  register_client(self.pid, ",\"procStart\":\"" + self.start + "\"");
  EXPECT_THAT(state_at(written + 60'000).clients, SizeIs(1));
  const Activity activity = Activity::read(test.home(), written + 60'000).value();
  EXPECT_EQ(activity.of(kRunningSid, written).word(), "running");
  EXPECT_EQ(activity.of(TestHome::id("01"), written).word(), "idle");
  EXPECT_EQ(activity.of(TestHome::id("01"), written + 60'000).word(), "running");
  EXPECT_EQ(activity.of(TestHome::id("01"), 0).word(), "idle") << "it is not there";
}

LiveClient client_of(const TestChild& child) {
  LiveClient client;
  client.pid = child.pid();
  client.start = process_of(child.pid()).value().start;
  return client;
}

TEST(Terminate, Safety_8_7_AsksFirst) {
  TestChild child("claude", "sleep");
  ASSERT_TRUE(terminate(client_of(child)));
  EXPECT_EQ(child.wait_for_signal(), SIGTERM);
}

TEST(Terminate, Safety_8_7_KillsWhatWillNotEnd) {
  TestChild child("claude", "ignore");
  ASSERT_TRUE(terminate(client_of(child), kSoon));
  EXPECT_EQ(child.wait_for_signal(), SIGKILL);
}

TEST(Terminate, Safety_8_7_OnlyTheClient) {
  TestChild child("editor", "sleep");
  const Error error = terminate(client_of(child), kSoon).error();
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_THAT(error.message, HasSubstr("editor"));
  EXPECT_TRUE(process_of(child.pid()));
}

TEST(Terminate, Safety_8_7_NotALaterProcessOfTheSameNumber) {
  TestChild child("claude", "sleep");
  LiveClient client = client_of(child);
  client.start = "1";
  EXPECT_TRUE(terminate(client, kSoon)) << "the one that was meant is gone";
  EXPECT_TRUE(process_of(child.pid()));
}

TEST(Terminate, NeverItselfNorWhatItRunsUnder) {
  for (const pid_t pid : {::getpid(), ::getppid(), pid_t{1}, pid_t{0}, pid_t{-1}}) {
    LiveClient client;
    client.pid = pid;
    EXPECT_EQ(terminate(client, kSoon).error().kind, ErrorKind::refused) << pid;
  }
}

TEST(Process, NamesAndParents) {
  TestChild child("claude", "sleep");
  EXPECT_THAT(command_names(child.pid()), Contains("claude"));
  EXPECT_EQ(process_of(child.pid()).value().parent, ::getpid());
  EXPECT_FALSE(process_of(0));
  ASSERT_FALSE(processes_above().empty());
  EXPECT_EQ(processes_above().front().pid, ::getppid());
}

TEST_F(RunningTest, Current_3_1_TheNearestRegisteredAncestor) {
  EXPECT_EQ(client_above(test.home()).value().has_value(), false);
  const auto above = processes_above();
  register_client(above.back().pid, ",\"procStart\":\"" + above.back().start + "\"", TestHome::id("01"));
  register_client(self.pid, ",\"procStart\":\"" + self.start + "\"");
  EXPECT_EQ(client_above(test.home()).value()->session_id, TestHome::id("01")) << "not this process itself";
  register_client(above.front().pid, ",\"procStart\":\"" + above.front().start + "\"", TestHome::id("02"));
  EXPECT_EQ(client_above(test.home()).value()->session_id, TestHome::id("02"));
}

}  // namespace
}  // namespace holdfast::transcripts
