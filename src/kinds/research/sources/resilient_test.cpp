// Patience with a search service (threads-and-research §10). Time stands still unless a pause moves it.

#include "kinds/research/sources/resilient.h"

#include "base/files/test_folder.h"
#include "store/open.h"

#include <gmock/gmock.h>

#include <deque>

namespace holdfast::research {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Kept for as long as a copy of it lives.
ServiceMemory remembered_here() {
  return [kept = std::make_shared<ServiceState>()](const std::function<void(ServiceState&)>& change) -> Result<void> {
    change(*kept);
    return {};
  };
}

struct World {
  Pace::Time now = Pace::Time() + 1h;
  double chance = 0;
  std::vector<milliseconds> pauses;
  std::deque<RemoteFault> faults;  // of the next questions; then all is well
  int asked = 0;
};

class Scripted final : public RemoteSearch {
 public:
  explicit Scripted(World& world) : world_(world) {}
  std::string_view name() const override { return "scripted"; }
  RemoteAnswer ask(const SearchAsk&) override {
    ++world_.asked;
    if (world_.faults.empty()) return std::vector<Found>(1);
    RemoteFault fault = world_.faults.front();
    world_.faults.pop_front();
    return std::unexpected(std::move(fault));
  }
  Result<void> health() override { return {}; }

 private:
  World& world_;
};

RemoteFault passing() {
  return fault_of(make_error(ErrorKind::timeout, "slow"));
}
RemoteFault with_status(int status, std::string retry_after = {}) {
  net::HttpAnswer answer;
  answer.status = status;
  if (!retry_after.empty()) answer.headers = {{"retry-after", std::move(retry_after)}};
  return fault_of("scripted", answer);
}

class Resilient : public ::testing::Test {
 protected:
  Pace pace() {
    Pace made;
    made.now = [this] { return world_.now; };
    made.wall = [this] { return std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch()).count(); };
    made.pause = [this](milliseconds time, const std::function<bool()>& cancelled) {
      if (cancelled && cancelled()) return false;
      world_.pauses.push_back(time);
      world_.now += time;
      return true;
    };
    made.chance = [this] { return world_.chance; };
    return made;
  }
  Result<std::vector<Found>> search(std::optional<milliseconds> within = {}) {
    SearchAsk ask;
    if (within) ask.deadline = world_.now + *within;
    return provider_->search(ask);
  }

  World world_;
  std::unique_ptr<SearchProvider> provider_ = make_resilient(std::make_unique<Scripted>(world_), remembered_here(), pace());
};

TEST_F(Resilient, S10ThreeQuestionsAtOnceThenOneASecond) {
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(search());
  EXPECT_THAT(world_.pauses, ElementsAre(1000ms, 1000ms, 1000ms));
  world_.pauses.clear();
  world_.now += 10s;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(search());
  EXPECT_THAT(world_.pauses, ElementsAre(1000ms));
}

TEST_F(Resilient, S10WhatMayPassIsTriedThreeTimesMoreWithGrowingPauses) {
  world_.now += 1h;
  world_.chance = 1;
  for (int i = 0; i < 4; ++i) world_.faults.push_back(passing());
  const auto found = search();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::timeout);
  EXPECT_EQ(world_.asked, 4);
  EXPECT_THAT(world_.pauses, ElementsAre(2s, 4s, 8s));
}

TEST_F(Resilient, S10AChanceBeforeThePauseKeepsItWithinBounds) {
  for (const double chance : {0.0, 0.3, 0.999}) {
    world_.chance = chance;
    world_.now += 1h;
    world_.faults = {passing(), passing()};
    EXPECT_TRUE(search());
  }
  for (const milliseconds pause : world_.pauses) {
    EXPECT_GE(pause, kShortestPause);
    EXPECT_LE(pause, kLongestPause);
  }
}

TEST_F(Resilient, S10RetryAfterIsHonoured) {
  world_.faults = {with_status(429, "17"), with_status(503, "5")};
  EXPECT_TRUE(search());
  EXPECT_THAT(world_.pauses, ElementsAre(17s, 5s));
}

TEST_F(Resilient, S10ARetryAfterBeyondAMinuteIsNotWaitedFor) {
  world_.faults = {with_status(429, "3600")};
  const auto found = search();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().word(), "RATE_LIMITED");
  EXPECT_EQ(found.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(world_.pauses, IsEmpty());
}

TEST_F(Resilient, S10KeysThatAreNotAcceptedAreNotTriedAgain) {
  for (const int status : {401, 403, 400, 404, 432}) {
    world_.asked = 0;
    world_.faults = {with_status(status)};
    const auto found = search();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, status == 401 || status == 403 ? ErrorKind::unauthorised : ErrorKind::refused);
    EXPECT_EQ(world_.asked, 1) << status;
  }
}

TEST_F(Resilient, S10FiveFaultsInARowOpenTheBreakerWhichProbesAfterThirtySeconds) {
  for (int i = 0; i < 10; ++i) world_.faults.push_back(with_status(500));
  ASSERT_FALSE(search());  // four of them
  ASSERT_FALSE(search());  // the fifth opens it: not asked again
  EXPECT_EQ(world_.asked, 5);
  const auto refused = search();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("left alone"));
  EXPECT_EQ(world_.asked, 5);

  world_.now += kProbeAfter;
  ASSERT_FALSE(search());  // one probe, which fails
  EXPECT_EQ(world_.asked, 6);
  world_.now += kProbeAfter - 1ms;
  ASSERT_FALSE(search());
  EXPECT_EQ(world_.asked, 6);

  world_.now += 1ms;
  world_.faults.clear();
  EXPECT_TRUE(search());
  EXPECT_TRUE(search());
  EXPECT_EQ(world_.asked, 8);
}

TEST_F(Resilient, S10BeingAskedTooOftenIsNoFaultAndSuccessForgetsFaults) {
  for (int round = 0; round < 4; ++round) {
    world_.now += 1h;
    for (int i = 0; i < 4; ++i) world_.faults.push_back(with_status(429));
    EXPECT_FALSE(search());
  }
  for (int round = 0; round < 4; ++round) {
    world_.faults = {passing(), passing(), passing()};
    EXPECT_TRUE(search());
  }
}

TEST_F(Resilient, S10APauseThatWouldEndTooLateIsNotBegun) {
  world_.faults = {passing(), passing()};
  const auto found = search(500ms);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::timeout);
  EXPECT_THAT(world_.pauses, IsEmpty());
  for (int i = 0; i < 2; ++i) ASSERT_FALSE(search(0ms));
  EXPECT_LE(world_.asked, 3);
}

TEST_F(Resilient, S11GivingUpEndsAPause) {
  world_.faults = {passing()};
  SearchAsk ask;
  ask.cancelled = [] { return true; };
  const auto found = provider_->search(ask);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
}

// As two runs, or two programs over one store, ask it.
TEST_F(Resilient, P21BreakerAndRateLimitOutliveARun) {
  const TestFolder folder;
  auto open = [&] { return store::open_store("sqlite:" + (folder / "store.db")).value(); };
  std::unique_ptr<session::Store> store = open();
  const auto begin_run = [&](const std::string& service) {
    provider_ = make_resilient(std::make_unique<Scripted>(world_), remembered_in(*store, service), pace());
  };
  begin_run("searxng at a");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(search());
  begin_run("searxng at a");
  ASSERT_TRUE(search());
  EXPECT_THAT(world_.pauses, ElementsAre(1000ms)) << "three questions were asked by the run before";
  for (int i = 0; i < 5; ++i) world_.faults.push_back(with_status(500));
  ASSERT_FALSE(search());
  store.reset();
  store = open();
  begin_run("searxng at a");
  ASSERT_FALSE(search());
  const int asked = world_.asked;
  begin_run("searxng at a");
  EXPECT_THAT(search().error().message, HasSubstr("left alone"));
  EXPECT_EQ(world_.asked, asked);
  begin_run("searxng at b");
  EXPECT_TRUE(search()) << "another service has done nothing wrong";
  begin_run("searxng at a");
  world_.now += kProbeAfter;
  EXPECT_TRUE(search());
  provider_.reset();
}

}  // namespace
}  // namespace holdfast::research
