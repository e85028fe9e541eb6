// Background work of a server process (threads-and-research §12), over the real store.

#include "tools/research/research_workers.h"

#include "base/files/test_folder.h"
#include "kinds/research/sources/fetch.h"
#include "model/test_models.h"
#include "store/open.h"
#include "tools/research/test_workers.h"

#include <gtest/gtest.h>

#include <condition_variable>

namespace holdfast::tools {
namespace {

// Answers when it is told to, and notices when nobody waits any more.
class SlowProvider final : public research::SearchProvider {
 public:
  struct Valve {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    int searching = 0;

    void wait_for_search() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return searching > 0; });
    }
    void release() {
      const std::lock_guard lock(mutex);
      open = true;
      changed.notify_all();
    }
  };
  explicit SlowProvider(Valve& valve) : valve_(valve) {}

  std::string_view name() const override { return "slow"; }
  Result<std::vector<research::Found>> search(const research::SearchAsk& ask) override {
    std::unique_lock lock(valve_.mutex);
    ++valve_.searching;
    valve_.changed.notify_all();
    while (!valve_.open) {
      if (ask.cancelled && ask.cancelled()) return fail(ErrorKind::cancelled, "nobody waits any more");
      valve_.changed.wait_for(lock, std::chrono::milliseconds(5));
    }
    research::Found found;
    found.uri = "corpus://notes/retries.md#L1-L1";
    found.title = "Retries";
    found.type = "document";
    found.content = found.snippet = "The scheduler retries a failed job three times.";
    found.score = 1;
    return std::vector{found};
  }
  Result<void> health() override { return {}; }

 private:
  Valve& valve_;
};

struct ResearchWorkersTest : testing::Test {
  std::string start() {
    research::StartRequest request;
    request.query = "how often are jobs retried?";
    return research.start(request).value().id;
  }
  std::string status(const std::string& id) { return store->get(id)->status; }

  TestFolder folder;
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + (folder / "store.db")).value();
  model::ScriptedModels models;  // none
  std::unique_ptr<research::Fetcher> fetcher = research::make_fetcher();
  SlowProvider::Valve valve;
  research::Research research{
      {*store, models,
       [this](const session::SessionRecord&, const std::vector<std::string>&) -> Result<research::Providers> {
         research::Providers providers;
         providers.push_back(std::make_unique<SlowProvider>(valve));
         return providers;
       },
       *fetcher, "minimal", 300'000, nullptr}};
};

TEST_F(ResearchWorkersTest, S12StoppingLeavesARunForTheNextProcess) {
  const std::string id = start();
  {
    ResearchWorkers workers(runs_of(research));
    workers.submit(id);
    valve.wait_for_search();
    EXPECT_TRUE(workers.has(id));
    EXPECT_FALSE(workers.wait(id, std::chrono::milliseconds(0)));
    workers.stop();
    EXPECT_TRUE(workers.stopping());
    EXPECT_FALSE(workers.has(id));
  }
  EXPECT_EQ(status(id), "in_progress") << "a process that ends finishes nothing";
  valve.release();
  ResearchWorkers next(runs_of(research));
  ASSERT_TRUE(next.recover());
  while (!next.wait(id, std::chrono::seconds(1))) {
  }
  EXPECT_EQ(status(id), "completed");
}

TEST_F(ResearchWorkersTest, S4ARunIsNotTakenTwiceAndOthersWaitTheirTurn) {
  ResearchWorkers workers(runs_of(research));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < ResearchWorkers::kRunsAtOnce + 2; ++i) ids.push_back(start());
  for (const std::string& id : ids) workers.submit(id);
  valve.wait_for_search();
  for (const std::string& id : ids) workers.submit(id);
  ASSERT_TRUE(workers.recover());
  EXPECT_TRUE(workers.has(ids.back()));
  valve.release();
  for (const std::string& id : ids)
    while (!workers.wait(id, std::chrono::seconds(1))) {
    }
  for (const std::string& id : ids) EXPECT_EQ(status(id), "completed");
}

TEST_F(ResearchWorkersTest, AfterStoppingNothingIsTaken) {
  ResearchWorkers workers(runs_of(research));
  workers.stop();
  workers.submit(start());
  EXPECT_TRUE(workers.recover());
  EXPECT_EQ(valve.searching, 0);
}

}  // namespace
}  // namespace holdfast::tools
