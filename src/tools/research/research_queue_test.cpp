// Workers with a queue: what cancel and resume mean for a run that waits there, or whose worker is about to end.

#include "kinds/research/run/test_run.h"
#include "tools/research/test_workers.h"

#include <atomic>

namespace holdfast::tools {
namespace {

using research::Found;
using research::must;
using research::SearchAsk;

constexpr std::chrono::seconds kLong{60};  // never reached

struct Workers : research::RunTest {
  // Everybody who asks is held until `open`, or until the run is cancelled.
  void hold() {
    answer("local", [this](const SearchAsk& ask) -> Result<std::vector<Found>> {
      ++inside;
      inside.notify_all();
      while (!open && !ask.cancelled()) std::this_thread::yield();
      if (!open) return fail(ErrorKind::cancelled, "given up");
      return std::vector<Found>{
          research::document("corpus://notes/a.md#L1-L1", "Notes", "A lease runs out after sixty seconds.")};
    });
  }
  void wait_inside(int count) {
    for (int now = inside; now < count; now = inside) inside.wait(now);
  }

  std::atomic<int> inside = 0;
  std::atomic<bool> open = false;
};

TEST_F(Workers, S4Row5_ARunThatIsCancelledInTheQueueStaysCancelled) {
  hold();
  research::Research runs = research();
  ResearchWorkers workers(runs_of(runs));
  for (std::size_t i = 0; i < ResearchWorkers::kRunsAtOnce; ++i) workers.submit(start("how long is a lease?"));
  wait_inside(static_cast<int>(ResearchWorkers::kRunsAtOnce));
  const std::string queued = start("how long is a lease?");
  workers.submit(queued);
  EXPECT_TRUE(must(runs.cancel("local", queued)).changed);
  open = true;
  EXPECT_TRUE(workers.wait(queued, kLong));
  EXPECT_EQ(get(queued).status, "cancelled");
}

TEST_F(Workers, S4Row6_ARunThatIsResumedWhileItsWorkerWindsDownIsWorked) {
  hold();
  research::Research runs = research();
  ResearchWorkers workers(runs_of(runs));
  const std::string id = start("how long is a lease?");
  workers.submit(id);
  wait_inside(1);
  must(runs.cancel("local", id));
  EXPECT_FALSE(must(runs.reopen("local", id)).already_running);
  open = true;
  workers.submit(id);
  EXPECT_TRUE(workers.wait(id, kLong));
  EXPECT_EQ(get(id).status, "completed");
}

}  // namespace
}  // namespace holdfast::tools
