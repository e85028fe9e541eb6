#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/sweep.h"
#include "kinds/documents/files/test_library.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holdfast::documents {
namespace {

const bool recovery_in_memory = use_memory();

Result<Applied> edit_file(TestLibrary& files, std::string_view path, std::string bytes) {
  return apply_steps(files.library(), {replace_step(files, path, std::move(bytes))}, {"edit", {}, "dev"});
}

// Crashes at every call are in tests/faults/documents_crash_test.cpp.

TEST(Recovery, LeavesOperationsOfTheLivingAlone) {
  TestLibrary files;
  files.write("a.md", "old");
  std::atomic<bool> stop = false;
  std::thread recoverer([&] {
    const auto library = Library::open(files.settings()).value();
    while (!stop) EXPECT_TRUE(recover_library(*library));
  });
  for (int i = 0; i < 300; ++i) {
    const auto lock = DocumentLock::take(files.library(), files.find("a.md").key);
    const auto applied = edit_file(files, "a.md", "text " + std::to_string(i));
    EXPECT_TRUE(applied) << applied.error().message;
  }
  stop = true;
  recoverer.join();
  EXPECT_EQ(files.read("a.md"), "text 299");
  EXPECT_EQ(list_operations(files.library(), "edit", 1000)->size(), 300U);
}

TEST(Recovery, LinesThatACrashCutOrSomebodyWroteAreSkipped) {
  TestLibrary files;
  files.write("a.md", "old");
  ASSERT_TRUE(edit_file(files, "a.md", "new"));
  {
    const Fd journal(::open((files.state() + "/journal.jsonl").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_TRUE(write_all(journal.get(), "\n{\"id\":\"o_cut\",\"ti"));
  }
  ASSERT_TRUE(edit_file(files, "a.md", "newer"));
  EXPECT_TRUE(recover_library(files.library()));
  EXPECT_EQ(list_operations(files.library(), "", 10)->size(), 2U);
  EXPECT_EQ(files.read("a.md"), "newer");
}

TEST(Recovery, OperationsOfAnotherLibraryWaitForIt) {
  TestLibrary files;
  JournaledOperation operation;
  operation.id = "o_elsewhere";
  operation.note.action = "edit";
  JournaledStep step;
  step.key = files.outside() + "/x.md";
  step.temporary = files.outside() + "/.holdfast-o_elsewhere-0";
  step.before = step.after = "0";
  operation.steps = {step};
  ASSERT_TRUE(OperationAtWork::begin(files.library(), operation));
  files.write_outside(".holdfast-o_elsewhere-0", "x");
  EXPECT_TRUE(recover_library(files.library()));
  EXPECT_EQ(find_operation(files.library(), "o_elsewhere")->end, JournaledOperation::End::open);
  EXPECT_TRUE(std::filesystem::exists(files.outside() + "/.holdfast-o_elsewhere-0"));
}

TEST(Recovery, TemporaryFilesThatTheJournalDoesNotKnowGoOnceABoot) {
  TestLibrary files;
  files.write("sub/.holdfast-o_unknown-0", "x");
  files.write("sub/.holdfast-mine", "x");
  files.write("sub/.other", "x");
  EXPECT_TRUE(recover_library(files.library()));
  EXPECT_FALSE(std::filesystem::exists(files / "sub/.holdfast-o_unknown-0"));
  EXPECT_TRUE(std::filesystem::exists(files / "sub/.holdfast-mine"));
  EXPECT_TRUE(std::filesystem::exists(files / "sub/.other"));
  files.write("sub/.holdfast-o_unknown-0", "x");
  EXPECT_TRUE(recover_library(files.library()));
  EXPECT_TRUE(std::filesystem::exists(files / "sub/.holdfast-o_unknown-0"));
}

TEST(Recovery, TemporaryFilesOfTheLivingStay) {
  TestLibrary files;
  JournaledOperation operation;
  operation.id = "o_alive";
  const auto work = OperationAtWork::begin(files.library(), operation);
  ASSERT_TRUE(work);
  files.write(".holdfast-o_alive-0", "x");
  sweep_temporaries(files.library());
  EXPECT_TRUE(std::filesystem::exists(files / ".holdfast-o_alive-0"));
}

TEST(Recovery, ALongJournalIsPutAsideAndStillRead) {
  TestLibrary files;
  files.write("a.md", "old");
  const auto first = edit_file(files, "a.md", "new");
  ASSERT_TRUE(first);
  {
    const Fd journal(::open((files.state() + "/journal.jsonl").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_TRUE(write_all(journal.get(), "\n" + std::string(5 * 1024 * 1024, 'x')));
  }
  EXPECT_TRUE(recover_library(files.library()));
  EXPECT_LT(std::filesystem::file_size(files.state() + "/journal.jsonl"), 1000U);
  const auto second = edit_file(files, "a.md", "newer");
  ASSERT_TRUE(second);
  const auto all = list_operations(files.library(), "edit", 10).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, second->journal);
  EXPECT_EQ(all[1].id, first->journal);
  EXPECT_TRUE(find_operation(files.library(), first->journal));
}

TEST(Recovery, LocksThatNobodyHoldsAreSweptWhenThereAreMany) {
  TestLibrary files;
  const auto held = DocumentLock::take(files.library(), "/held");
  for (int i = 0; i < 5000; ++i) {
    const Fd file(::open(fmt::format("{}/locks/{}", files.state(), i).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file);
  }
  sweep_locks(files.library());
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(files.state() + "/locks")) ++left;
  EXPECT_EQ(left, 1U);
}

}  // namespace
}  // namespace holdfast::documents
