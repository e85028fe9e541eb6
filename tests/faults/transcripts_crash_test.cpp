// Clone, restore, move and delete, killed in front of every call that changes the disk, one after the other; and the same with
// a disk that refuses at every call.
//
// However it ends: once recover() has run there is the state before or the state after, byte for byte and mode for mode, and
// nothing else. Before that, whatever is neither must be named by leftovers(). And the same command typed again works: it needs
// neither doctor nor patience.

#include "failing_calls.h"
#include "kinds/transcripts/testing/test_session.h"
#include "kinds/transcripts/testing/test_tree.h"
#include "kinds/transcripts/verbs/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

#include <cstdlib>
#include <set>

namespace holdfast::transcripts {
namespace {

using Tree = std::map<std::string, std::string>;

// What is in the home, whatever it is called: a copy names the folder it lies in.
Tree tree_in(const TestHome& files) {
  Tree tree = tree_of(files.folder());
  for (auto& [path, content] : tree)
    for (std::size_t at = content.find(files.folder()); at != std::string::npos; at = content.find(files.folder(), at))
      content.replace(at, files.folder().size(), "<home>");
  return tree;
}

constexpr Millis kNow = 1'800'000'000'000;
constexpr const char* kNew = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
constexpr const char* kSecondNew = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c";  // of a copy, when the first is there
constexpr int kMaxCalls = 5000;  // more than any of them needs: a loop that does not end is a failure

// In memory where that is possible: thousands of syncs are what the loops consist of.
const bool in_memory = ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

struct Operation {
  std::string name;
  std::function<void(TestHome&)> prepare;
  std::function<bool(const TestHome&)> run;  // as a command does it: it recovers, looks for the session, and acts
};
void PrintTo(const Operation& operation, std::ostream* out) {
  *out << operation.name;
}

std::string archive_path(const TestHome& files) {
  return files.outside() + "/archive.json";
}

void write_session(TestHome& files) {
  TestSession::write(files);
}

// Without a store: what is left on the disk is all there is to go by.
Keeper keeper_of(const TestHome& files) {
  KeeperOptions options;
  options.data_folder = files.outside() + "/data";
  options.clock = std::make_shared<ManualClock>(kNow);
  options.store = [](bool) -> Result<session::Store*> { return fail(ErrorKind::not_found, "no store"); };
  return {Homes::open(files.folder(), files.outside() + "/.codex").value(), std::move(options)};
}

void archive_session(TestHome& files) {
  const FoundSession session = TestSession::write(files);
  ArchiveOptions options;
  options.format = ArchiveFormat::json;
  options.with_history = true;
  const Keeper keeper = keeper_of(files);
  keeper.write(*keeper.source(AnySession{session}), archive_path(files), options).value();
}

void archive_and_delete_session(TestHome& files) {
  archive_session(files);
  std::filesystem::remove_all(files.folder());
  files.write("tasks/another/1.json", "theirs");
}

bool restore(const TestHome& files, bool in_place) {
  const Keeper keeper = keeper_of(files);
  keeper.recover();
  CopyOptions options;
  options.in_place = in_place;
  options.current_folder = "/home/dev/other";
  options.session_env = SessionEnv::always;
  if (!in_place) options.new_session_id = keeper.homes().find(kNew) ? kSecondNew : kNew;
  const auto source = keeper.source(Fd(::open(archive_path(files).c_str(), O_RDONLY | O_CLOEXEC)), "archive");
  return source && keeper.restore(**source, options).has_value();
}

bool clone(const TestHome& files, const std::optional<std::string>& target) {
  const Keeper keeper = keeper_of(files);
  keeper.recover();
  const auto session = keeper.homes().find(TestSession::kId);
  if (!session) return false;
  CopyOptions options;
  options.new_session_id = keeper.homes().find(kNew) ? kSecondNew : kNew;
  options.target_project = target;
  return keeper.clone(*session, options).has_value();
}

bool move(const TestHome& files) {
  const Keeper keeper = keeper_of(files);
  keeper.recover();
  const auto session = keeper.homes().find(TestSession::kId);
  if (!session) return false;
  MoveOptions options;
  options.force = true;
  options.target_project = "/home/dev/other";
  return keeper.move(*session, options).has_value();
}

bool erase(const TestHome& files) {
  const Keeper keeper = keeper_of(files);
  const Recovered recovered = keeper.recover();
  EraseOptions options;
  options.force = true;
  const auto session = keeper.homes().find(TestSession::kId);
  if (session) return keeper.erase(*session, options).has_value();
  return keeper.finished_erase(recovered, TestSession::kId, options, session.error()).has_value();
}

// Files come and files go, as in a move, with nothing around it.
bool place_and_take(const TestHome& files) {
  const auto run = [&]() -> Result<void> {
    HF_TRY(Staging staging, Staging::begin(files.home(), "move", "s"));
    for (const char* const path : {"projects/-q/x.jsonl", "projects/-q/x/tool-results/a.txt", "todos/b.json"}) {
      HF_TRY(const int out, staging.create(path, 0640));
      HF_CHECK(write_all(out, path));
      HF_CHECK(staging.done());
    }
    HF_CHECK(staging.make_folder("projects/-q/x/locked", 0500));
    for (const char* const path : {"projects/-p/x.jsonl", "projects/-p/x/a.txt", "tasks/x/1.json"}) staging.remove(path);
    for (const char* const path : {"projects/-p/x", "tasks/x"}) staging.remove_folder(path);
    staging.set_main("projects/-q/x.jsonl", "projects/-p/x.jsonl");
    return staging.commit();
  };
  return run().has_value();
}

void write_few(TestHome& files) {
  for (const char* const path : {"projects/-p/x.jsonl", "projects/-p/x/a.txt", "tasks/x/1.json", "tasks/y"})
    files.write(path, path);
}

// A link to a folder that is on another file system, unless there is but one.
void write_few_elsewhere(TestHome& files) {
  const std::filesystem::path elsewhere = "/tmp/holdfast-test-crash-" + std::to_string(::getpid());
  std::filesystem::remove_all(elsewhere);
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, files / "projects");
  write_few(files);
}

class TranscriptsCrash : public testing::TestWithParam<Operation> {
 protected:
  static Tree old_state() {
    TestHome files;
    GetParam().prepare(files);
    return tree_in(files);
  }
  static Tree new_state() {
    TestHome files;
    GetParam().prepare(files);
    EXPECT_TRUE(GetParam().run(files));
    return tree_in(files);
  }

  static Tree without_operations(Tree tree) {
    std::erase_if(tree, [](const auto& entry) { return entry.first.contains(".holdfast"); });
    return tree;
  }

  // What is neither old nor new, and that no leftover names.
  std::vector<std::string> unexplained(const TestHome& files) const {
    std::set<std::string> named;
    const auto left = leftovers(files.home()).value();
    for (const Leftover& leftover : left) {
      named.insert(leftover.new_paths.begin(), leftover.new_paths.end());
      named.insert(leftover.old_paths.begin(), leftover.old_paths.end());
    }
    const Tree now = without_operations(tree_in(files));
    std::vector<std::string> found;
    if (now == old_ || now == new_) return found;
    const auto is_folder = [](const std::string& entry) { return entry.starts_with("4"); };
    for (const auto& [path, content] : now) {
      const auto before = old_.find(path);
      const bool as_before = before != old_.end() && before->second == content;
      if (!as_before && !is_folder(content) && !named.contains(path)) found.push_back(path);
    }
    for (const auto& [path, content] : old_) {
      if (!now.contains(path) && !is_folder(content) && !named.contains(path)) found.push_back(path + " (missing)");
    }
    return found;
  }

  // Times of files that were there before and are there now.
  static void expect_times_kept(const TestHome& files, const Tree& before) {
    const Tree now = tree_of(files.folder(), true);
    for (const auto& [path, content] : before) {
      const auto found = now.find(path);
      if (found == now.end()) continue;
      EXPECT_EQ(found->second, content) << path;
    }
  }

  // Runs until the fault comes behind the last call; returns how many faults there were.
  int loop(Fault fault, int error_number) {
    for (int call = 1; call < kMaxCalls; ++call) {
      TestHome files;
      GetParam().prepare(files);
      const Tree before = tree_of(files.folder(), true);
      const Ending ending = run_with_fault(fault, error_number, call, [&] { return GetParam().run(files); });
      SCOPED_TRACE(testing::Message() << GetParam().name << ", call " << call);
      if (ending == Ending::never_reached) {
        EXPECT_EQ(tree_in(files), new_);
        return call - 1;
      }
      EXPECT_THAT(unexplained(files), testing::IsEmpty());
      // One refused call is no reason to leave anything half done, except for cleaning up.
      if (fault == Fault::error && ending == Ending::failed) {
        EXPECT_EQ(without_operations(tree_in(files)), old_);
      }
      const auto recovered = recover(files.home());
      EXPECT_TRUE(recovered) << recovered.error().message;
      const Tree now = tree_in(files);
      if (ending == Ending::succeeded) {
        EXPECT_EQ(now, new_);
      } else {
        EXPECT_THAT(now, testing::AnyOf(old_, new_));
      }
      expect_times_kept(files, before);
      EXPECT_THAT(leftovers(files.home()).value(), testing::IsEmpty());
      if (HasFailure()) return call;
    }
    ADD_FAILURE() << "no end";
    return 0;
  }

  // A copy that the second run made beside that of the first.
  static Tree without_second_copy(Tree tree) {
    const std::string id = kSecondNew, suffix = "-clone-" + id.substr(id.size() - 8);
    std::erase_if(tree, [&](const auto& entry) { return entry.first.contains(id) || entry.first.contains(suffix); });
    return tree;
  }

  // A fault at every call, and then the same command once more.
  int loop_again(Fault fault, int error_number) {
    for (int call = 1; call < kMaxCalls; ++call) {
      TestHome files;
      GetParam().prepare(files);
      const Ending ending = run_with_fault(fault, error_number, call, [&] { return GetParam().run(files); });
      SCOPED_TRACE(testing::Message() << GetParam().name << ", call " << call);
      if (ending == Ending::never_reached) return call - 1;
      EXPECT_TRUE(GetParam().run(files));
      EXPECT_EQ(without_second_copy(tree_in(files)), new_);
      EXPECT_THAT(leftovers(files.home()).value(), testing::IsEmpty());
      if (HasFailure()) return call;
    }
    ADD_FAILURE() << "no end";
    return 0;
  }

  static void TearDownTestSuite() { std::filesystem::remove_all("/tmp/holdfast-test-crash-" + std::to_string(::getpid())); }

  const Tree old_ = old_state();
  const Tree new_ = new_state();
};

TEST_P(TranscriptsCrash, Safety_8_4_KilledAtEveryCall) {
  const int kills = loop(Fault::kill, 0);
  EXPECT_GT(kills, 50);
  RecordProperty("kills", kills);
}

TEST_P(TranscriptsCrash, Safety_8_5_OneCallFails) {
  EXPECT_GT(loop(Fault::error, EIO), 50);
}

TEST_P(TranscriptsCrash, Safety_8_5_TheDiskIsFullFromACallOn) {
  EXPECT_GT(loop(Fault::disk_breaks, ENOSPC), 50);
}

// Whoever types a command again does not know how the first ended: done, undone, or in the middle.
class TypedAgain : public TranscriptsCrash {};

TEST_P(TypedAgain, P13TheSameCommandWorksAfterAKill) {
  EXPECT_GT(loop_again(Fault::kill, 0), 50);
}

TEST_P(TypedAgain, P13TheSameCommandWorksWhenTheDiskHasSpaceAgain) {
  EXPECT_GT(loop_again(Fault::disk_breaks, ENOSPC), 50);
}

const auto name_of = [](const auto& each) { return each.param.name; };

// Files come and files go, with no command around them.
INSTANTIATE_TEST_SUITE_P(Steps, TranscriptsCrash,
                         testing::Values(Operation{"PlaceAndTake", write_few, place_and_take},
                                         Operation{"OnTwoFileSystems", write_few_elsewhere, place_and_take}),
                         name_of);

const auto commands = testing::Values(
    Operation{"Clone", write_session, [](const TestHome& files) { return clone(files, {}); }},
    Operation{"CloneToProject", write_session, [](const TestHome& files) { return clone(files, "/home/dev/other"); }},
    Operation{"RestoreCopy", archive_session, [](const TestHome& files) { return restore(files, false); }},
    Operation{"RestoreInPlace", archive_and_delete_session, [](const TestHome& files) { return restore(files, true); }},
    Operation{"Move", write_session, move}, Operation{"Delete", write_session, erase});
INSTANTIATE_TEST_SUITE_P(Operations, TranscriptsCrash, commands, name_of);
INSTANTIATE_TEST_SUITE_P(Operations, TypedAgain, commands, name_of);

}  // namespace
}  // namespace holdfast::transcripts
