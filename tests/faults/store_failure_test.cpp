// Lets the disk refuse at every single point of a write: the first call that fails, then the second, and so on
// until the write gets through. It must be all or nothing each time, and the store must work afterwards.

#include "base/files/test_folder.h"
#include "failing_vfs.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace holdfast {
namespace {

using namespace session;
using faults::Failure;

struct Case {
  const char* name;
  Failure failure;
  bool sticky;
};

class StoreFailure : public testing::TestWithParam<Case> {
 protected:
  // A handle whose file system can be told to fail.
  std::unique_ptr<Store> open_fragile() {
    store::OpenOptions options;
    options.sqlite_vfs = faults::failing_vfs();
    return store::open_store(url_, options).value();
  }
  static Result<void> create(Transaction& t, const std::string& id) {
    SessionRecord record;
    record.id = id;
    record.kind = "thread";
    HF_CHECK(t.create(record));
    return {};
  }
  // Several steps that belong together, more than one page of them.
  static Result<void> change_everything(Transaction& t) {
    NewEntry entry;
    entry.type = "note";
    entry.text = std::string(20'000, 'x');
    HF_TRY(auto appended, t.append("a", entry));
    HF_TRY(auto record, t.get("a"));
    record.title = "entry " + std::to_string(appended.entry.seq);
    HF_CHECK(t.update(record));
    HF_CHECK(t.put("retention", "of-a", appended.entry.seq));
    return {};
  }
  // All of change_everything happened `times` times, or this fails.
  static void expect_changes(Store& store, std::int64_t times) {
    const SessionRecord record = store.get("a").value();
    EXPECT_EQ(record.entry_count(), times);
    EXPECT_EQ(record.rev, times + 1);
    EXPECT_EQ(record.title, times == 0 ? "" : "entry " + std::to_string(times));
    const auto value = store.value("retention", "of-a").value();
    EXPECT_EQ(value ? value->value.as_int64() : 0, times);
    EXPECT_TRUE(store.integrity().value().ok);
  }

  // What a power cut now would leave: the files as they are, without anybody having closed them.
  void expect_changes_after_power_cut(std::int64_t times) {
    const TestFolder copy;
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy_file((folder_ / "store.db") + suffix, (copy / "store.db") + suffix);
    }
    expect_changes(*store::open_store("sqlite:" + (copy / "store.db")).value(), times);
  }

  const TestFolder folder_;
  const std::string url_ = "sqlite:" + (folder_ / "store.db");
};

TEST_P(StoreFailure, AWriteHappensWhollyOrNotAtAll) {
  auto store = open_fragile();
  ASSERT_TRUE(store->write([](Transaction& t) { return create(t, "a"); }));
  std::int64_t done = 0;
  int failures = 0;
  for (int n = 1;; ++n) {
    ASSERT_LT(n, 500);
    faults::fail_call(n, GetParam().failure, GetParam().sticky);
    auto written = store->write(change_everything);
    const bool failed = faults::heal();
    if (written) {
      ++done;
    } else {
      ++failures;
      EXPECT_EQ(written.error().kind, ErrorKind::io) << written.error().message;
      EXPECT_TRUE(failed);
      // A disk that goes on failing cannot be made to forget what it has already been given.
      if (!GetParam().sticky) expect_changes_after_power_cut(done);
    }
    expect_changes(*store, done);                            // as this handle sees it
    expect_changes(*store::open_store(url_).value(), done);  // and everybody else
    ASSERT_TRUE(store->write(change_everything)) << "the store must work again, n = " << n;
    expect_changes(*store, ++done);
    if (!failed) break;
  }
  EXPECT_GT(failures, 0);
  store.reset();
  expect_changes(*store::open_store(url_).value(), done);
}

TEST_P(StoreFailure, OneOfManyWritersSuffersAlone) {
  auto store = open_fragile();
  ASSERT_TRUE(store->write([](Transaction& t) { return create(t, "a"); }));
  std::atomic<std::int64_t> acknowledged = 0;
  for (int n = 1; n <= 40; ++n) {
    faults::fail_call(n, GetParam().failure, GetParam().sticky);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        if (store->write(change_everything)) ++acknowledged;
      });
    }
    threads.clear();
    faults::heal();
    expect_changes(*store, acknowledged);
  }
  EXPECT_GT(acknowledged, 0);
  store.reset();
  expect_changes(*store::open_store(url_).value(), acknowledged);
}

TEST_P(StoreFailure, CreatingTheStoreCanBeRepeated) {
  for (int n = 1;; ++n) {
    ASSERT_LT(n, 500);
    const TestFolder folder;
    const std::string url = "sqlite:" + (folder / "new/store.db");
    store::OpenOptions options;
    options.sqlite_vfs = faults::failing_vfs();
    faults::fail_call(n, GetParam().failure, GetParam().sticky);
    auto store = store::open_store(url, options);
    const bool failed = faults::heal();
    if (!store) {
      EXPECT_EQ(store.error().kind, ErrorKind::io) << store.error().message;
      store = store::open_store(url, options);
      ASSERT_TRUE(store) << store.error().message;
    }
    ASSERT_TRUE((*store)->write([](Transaction& t) { return create(t, "a"); }));
    expect_changes(**store, 0);
    if (!failed) break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, StoreFailure,
                         testing::Values(Case{"FullOnce", Failure::disk_full, false}, Case{"StaysFull", Failure::disk_full, true},
                                         Case{"WriteError", Failure::write_error, false},
                                         Case{"SyncError", Failure::sync_error, false},
                                         Case{"SyncsNoMore", Failure::sync_error, true}),
                         [](const auto& choice) { return choice.param.name; });

}  // namespace
}  // namespace holdfast
