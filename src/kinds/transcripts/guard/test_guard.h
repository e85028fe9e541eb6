#pragma once

// For tests: a home as the real client wrote it, a rollout of Codex, and a guard over both.

#include "kinds/transcripts/guard/guard.h"
#include "kinds/transcripts/testing/test_home.h"
#include "kinds/transcripts/verbs/keeper.h"
#include "store/blobs/open.h"

#include <gtest/gtest.h>

namespace holdfast::transcripts {

inline constexpr const char* kRollout =
    "sessions/2026/11/15/rollout-2026-11-15T10-00-00-0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.jsonl";

class GuardedHome : public testing::Test {
 protected:
  GuardedHome() {
    // What no session has, and what is never kept.
    files_.write("settings.json", "{}");
    files_.write("projects/-home-dev-work-demo/memory/MEMORY.md", "of the project");
    files_.write("tasks/" + TestHome::id("a3") + "/.lock", "");
    files_.write("session-env/" + TestHome::id("a1") + "/hook-1.sh", "export A=1\n");
    files_.write("debug/" + TestHome::id("a1") + ".txt", "debug\n");
    std::filesystem::create_directories(files_.outside() + "/codex/sessions/2026/11/15");
    std::ofstream(files_.outside() + "/codex/" + kRollout)
        << R"({"timestamp":"2026-11-15T10:00:00.000Z","type":"session_meta","payload":{"id":"0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b","cwd":"/w"}})"
           "\n";
  }
  std::string folder() const { return files_.outside() + "/guard"; }
  std::vector<std::string> keys() {
    std::vector<std::string> all;
    const auto files = blobs_->files().value();
    for (const auto& file : files) all.push_back(file.key);
    return all;
  }
  Keeper keeper() {
    KeeperOptions options;
    options.data_folder = files_.outside() + "/data";
    options.home_folder = files_.outside();
    options.clock = std::make_shared<SystemClock>();
    options.store = [](bool) -> Result<session::Store*> { return fail(ErrorKind::not_found, "no store in this test"); };
    options.guard = [this]() -> Result<session::Blobs*> { return blobs_.get(); };
    return Keeper(homes_, options);
  }

  TestHome files_ = TestHome::of_client();
  Homes homes_ = Homes::open(files_.folder(), files_.outside() + "/codex").value();
  std::unique_ptr<session::Blobs> blobs_ = store::open_blobs(folder()).value();
  Guard guard_{homes_, *blobs_};
};

}  // namespace holdfast::transcripts
