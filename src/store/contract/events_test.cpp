#include "session/limits.h"
#include "store/contract/fixture.h"

#include <condition_variable>
#include <mutex>

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;

// Collects what a subscription brings; waits for events, never for time.
class Listener {
 public:
  explicit Listener(Store& store, std::string session = {}) {
    SubscribeOptions options;
    options.session = std::move(session);
    options.on_ready = [this] {
      const std::lock_guard lock(mutex_);
      ready_ = true;
      changed_.notify_all();
    };
    subscription_ = must(store.subscribe(options));
  }

  std::vector<Event> wait_for(std::size_t count) {
    return wait([&] { return events_.size() >= count; });
  }
  void wait_until(std::int64_t seq) {
    wait([&] { return !events_.empty() && events_.back().seq >= seq; });
  }

 private:
  template <class Condition>
  std::vector<Event> wait(Condition condition) {
    while (true) {
      for (Event& event : subscription_->take().events) events_.push_back(std::move(event));
      if (condition()) return events_;
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return ready_; })) {
        ADD_FAILURE() << "events did not arrive";
        return events_;
      }
      ready_ = false;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  std::vector<Event> events_;
  std::unique_ptr<Subscription> subscription_;
};

std::vector<std::string> names(const std::vector<Event>& events) {
  std::vector<std::string> out;
  for (const Event& event : events) {
    const char* type = event.type == EventType::entry ? "entry" : event.type == EventType::changed ? "changed" : "purged";
    out.push_back(event.session + " " + type + " " + std::to_string(event.seq));
  }
  return out;
}

TEST_P(StoreContract, SubscribersHearOfThisAndOtherHandlesInOrder) {
  create("before");
  auto other = open();
  Listener mine(*store_);
  Listener theirs(*other);
  create("a");
  must(other->write([](Transaction& t) { return t.append("a", note("x")); }));
  append("a", "y");
  for (Listener* listener : {&mine, &theirs}) {
    const std::vector<Event> events = listener->wait_for(3);
    EXPECT_THAT(names(events), ElementsAre("a changed 0", "a entry 1", "a entry 2"));
    EXPECT_LT(events[0].sequence, events[1].sequence);
    EXPECT_LT(events[1].sequence, events[2].sequence);
  }
}

TEST_P(StoreContract, ASubscriberMayAskForOneSession) {
  create("a");
  create("b");
  Listener listener(*store_, "b");
  append("a", "x");
  append("b", "x");
  append("b", "y");
  EXPECT_THAT(names(listener.wait_for(2)), ElementsAre("b entry 1", "b entry 2"));
}

TEST_P(StoreContract, ASlowSubscriberIsToldThatItLostSome) {
  create("a");
  Listener quick(*store_);
  SubscribeOptions options;
  auto slow = must(store_->subscribe(options));
  const std::size_t many = kEventQueueLength + 10;
  must(store_->write([&](Transaction& t) -> Result<void> {
    for (std::size_t i = 0; i < many; ++i) HF_CHECK(t.append("a", note("x")));
    return {};
  }));
  // Both get the same events in the same rounds: when the quick one has those of the second round, the
  // slow one has been offered all of the first.
  const std::int64_t last = append("a", "last").entry.seq;
  quick.wait_until(last);
  append("a", "one more");
  quick.wait_until(last + 1);
  const Subscription::Taken taken = slow->take();
  EXPECT_TRUE(taken.lost);
  ASSERT_FALSE(taken.events.empty());
  EXPECT_GE(taken.events.back().seq, last);
  EXPECT_FALSE(slow->take().lost);
}

TEST_P(StoreContract, EventsCanBeReadLater) {
  const std::int64_t start = must(store_->last_sequence());
  create("a");
  append("a", "x");
  create("b");
  must(store_->write([](Transaction& t) { return t.purge("b", "test"); }));
  reopen();
  const std::vector<Event> events = must(store_->events_after(start, 100));
  EXPECT_THAT(names(events), ElementsAre("a changed 0", "a entry 1", "b purged 0"));
  EXPECT_EQ(must(store_->last_sequence()), events.back().sequence);
  EXPECT_EQ(must(store_->events_after(start, 1)).size(), 1u);
  EXPECT_TRUE(must(store_->events_after(events.back().sequence, 100)).empty());
}

TEST_P(StoreContract, ASubscriptionMayEndAndBeginAgain) {
  create("a");
  for (int i = 0; i < 3; ++i) {
    Listener listener(*store_);
    append("a", "x");
    EXPECT_EQ(listener.wait_for(1).size(), 1u);
  }
}

TEST_P(StoreContract, AValueWakesThoseWhoWaitForIt) {
  auto other = open();
  for (Store* listening : {store_.get(), other.get()}) {
    std::mutex mutex;
    std::condition_variable changed;
    int woken = 0;
    SubscribeOptions options;
    options.on_wake = [&] {
      const std::lock_guard lock(mutex);
      ++woken;
      changed.notify_all();
    };
    auto subscription = must(listening->subscribe(options));
    for (int round = 1; round <= 3; ++round) {
      must(other->write([&](Transaction& t) -> Result<void> {
        HF_CHECK(t.put("session", "key", Json(round)));
        t.wake();
        return {};
      }));
      std::unique_lock lock(mutex);
      ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return woken >= round; }));
    }
    create(listening == store_.get() ? "a" : "b");
    EXPECT_TRUE(subscription->take().events.empty()) << "it asked for none";
  }
}

}  // namespace
}  // namespace holdfast::store
