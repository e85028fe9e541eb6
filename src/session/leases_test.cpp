#include "session/leases.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::session {
namespace {

TEST(LeaseOwner, IsAliveWhileItsProcessRuns) {
  const LeaseOwner mine = make_lease_owner();
  EXPECT_FALSE(is_known_dead(mine));
  EXPECT_NE(mine, make_lease_owner());  // two workers of one process

  LeaseOwner reused = mine;
  reused.started += 1;
  EXPECT_TRUE(is_known_dead(reused));

  LeaseOwner far = reused;
  far.host = "elsewhere";
  EXPECT_FALSE(is_known_dead(far));
}

TEST(LeaseOwner, IsDeadWhenItsProcessHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  LeaseOwner owner = make_lease_owner();
  owner.pid = child;
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_known_dead(owner));  // not yet waited for: a zombie
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(is_known_dead(owner));
}

TEST(Lease, EndsByTheClockOfItsHost) {
  Lease lease{"work", make_lease_owner(), 1, {1000, 5000}, 60};
  EXPECT_FALSE(is_over(lease, {1059, 9'999'999}));
  EXPECT_TRUE(is_over(lease, {1060, 0}));
  lease.owner.host = "elsewhere";
  EXPECT_FALSE(is_over(lease, {9'999'999, 5059}));
  EXPECT_TRUE(is_over(lease, {0, 5060}));
  lease.renewed.wall = 5000 + 3'600'000;  // their clock is an hour ahead: not to be waited for
  EXPECT_TRUE(is_over(lease, {0, 5000}));
  lease.ttl = 0;
  EXPECT_TRUE(is_over(lease, {0, 0}));
}

TEST(LeaseTime, BothClocksRun) {
  const LeaseTime now = lease_time_now();
  EXPECT_GT(now.boot, 0);
  EXPECT_GT(now.wall, 1'700'000'000'000);
}

}  // namespace
}  // namespace holdfast::session
