// Changes of documents, killed in front of every call that changes the disk, one after the other; and the same with a disk that
// refuses at every call (document-review §8).
//
// However it ends: once recover_library has run there is the state before or the state after, byte for byte, and no temporary
// file. What was acknowledged is there. What a person saved between the crash and the recovery stays.

#include "failing_calls.h"
#include "kinds/documents/files/test_library.h"
#include "kinds/documents/files/trash.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace holdfast::documents {
namespace {

constexpr int kMaxCalls = 2000;  // more than any of them needs: a loop that does not end is a failure

// In memory where that is possible: thousands of syncs are what the loops consist of.
const bool in_memory = ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

using Tree = std::map<std::string, std::string>;

// Folders included, and what is in the trash, whatever it is called there.
Tree tree_of(TestLibrary& files) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(files.root())) {
    const std::string name = entry.path().lexically_relative(files.root()).string();
    tree[name] = entry.is_directory() ? "(folder)" : files.read(name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(files.state() + "/trash"))
    if (entry.path().filename().string().starts_with('.')) tree["trash " + entry.path().filename().string()] = "(left over)";
  const auto trashed = list_trash(files.library());
  for (const TrashedFile& file : trashed.value()) tree["trash/" + file.path] = std::to_string(file.size);
  return tree;
}

FileStep replace(Library& library, std::string_view path, std::string bytes) {
  FileStep step;
  step.place = library.find(path).value();
  step.expected = read_document(library, step.place).value();
  step.bytes = std::move(bytes);
  return step;
}
FileStep create(Library& library, std::string_view path, std::string bytes) {
  FileStep step;
  step.kind = FileStep::Kind::create;
  step.place = library.find_new(path).value();
  step.bytes = std::move(bytes);
  return step;
}
FileStep rename(Library& library, std::string_view path, std::string_view to) {
  FileStep step;
  step.kind = FileStep::Kind::rename;
  step.place = library.find(path).value();
  step.to = library.find_new(to).value();
  return step;
}
FileStep trash(Library& library, std::string_view path) {
  FileStep step = replace(library, path, "");
  step.kind = FileStep::Kind::trash;
  return step;
}

struct Operation {
  std::string name;
  std::function<std::vector<FileStep>(Library&)> steps;
};
void PrintTo(const Operation& operation, std::ostream* out) {
  *out << operation.name;
}

// So many that they are synced together (step_disk.h).
constexpr int kMany = 17;
std::vector<FileStep> many_steps(Library& library) {
  std::vector<FileStep> steps;
  for (int i = 0; i < kMany; ++i) steps.push_back(replace(library, fmt::format("many/{}.md", i), "new"));
  steps.push_back(trash(library, "a.md"));
  return steps;
}

const Operation kOperations[] = {
    {"edit", [](Library& library) { return std::vector{replace(library, "a.md", "new a")}; }},
    {"create", [](Library& library) { return std::vector{create(library, "x/y/new.md", "made")}; }},
    {"trash", [](Library& library) { return std::vector{trash(library, "a.md")}; }},
    {"edits",
     [](Library& library) {
       return std::vector{replace(library, "a.md", "new a"), replace(library, "b.md", "new b"),
                          replace(library, "shelf/c.md", "")};
     }},
    {"move",
     [](Library& library) {
       return std::vector{rename(library, "shelf", "moved/shelf"), replace(library, "a.md", "see moved/shelf"),
                          replace(library, "shelf/c.md", "own links")};
     }},
    {"everything",
     [](Library& library) {
       return std::vector{replace(library, "shelf/c.md", "new c"), create(library, "shelf/deep/er/n.md", "n"),
                          trash(library, "b.md"), rename(library, "shelf", "shelf2"), rename(library, "a.md", "x/a.md")};
     }},
    {"many", many_steps},
};

void write_all_files(TestLibrary& files) {
  for (int i = 0; i < kMany; ++i) files.write(fmt::format("many/{}.md", i), "old");
  files.write("a.md", "old a");
  files.write("b.md", "old b");
  files.write("shelf/c.md", "old c");
  files.write("shelf/deep/d.md", "old d");
}

class DocumentsCrash : public testing::TestWithParam<Operation> {
 protected:
  static bool run(TestLibrary& files) {
    return apply_steps(files.library(), GetParam().steps(files.library()), {"edit", {}, "test"}).has_value();
  }

  static Tree old_state() {
    TestLibrary files;
    write_all_files(files);
    return tree_of(files);
  }
  static Tree new_state() {
    TestLibrary files;
    write_all_files(files);
    EXPECT_TRUE(run(files));
    return tree_of(files);
  }

  // Runs until the fault comes behind the last call; returns how many faults there were.
  int loop(Fault fault, int error_number, const std::function<void(TestLibrary&, Ending)>& check) {
    for (int call = 1; call < kMaxCalls; ++call) {
      SCOPED_TRACE(fmt::format("call {}", call));
      TestLibrary files;
      write_all_files(files);
      const Ending ending = run_with_fault(fault, error_number, call, [&] { return run(files); });
      if (ending == Ending::never_reached) {
        EXPECT_EQ(tree_of(files), new_);
        return call - 1;
      }
      check(files, ending);
      if (HasFailure()) return 0;
    }
    ADD_FAILURE() << "does not end";
    return 0;
  }

  static void recover(TestLibrary& files) {
    files.reopen();
    const auto recovered = recover_library(files.library());
    EXPECT_TRUE(recovered);
  }
  void expect_old_or_new(TestLibrary& files) const {
    const Tree now = tree_of(files);
    EXPECT_THAT(now, testing::AnyOf(old_, new_));
  }

  const Tree old_ = old_state(), new_ = new_state();
};

INSTANTIATE_TEST_SUITE_P(, DocumentsCrash, testing::ValuesIn(kOperations), [](const auto& each) { return each.param.name; });

TEST_P(DocumentsCrash, KilledAnywhere) {
  const int faults = loop(Fault::kill, 0, [&](TestLibrary& files, Ending ending) {
    EXPECT_EQ(ending, Ending::died);
    recover(files);
    expect_old_or_new(files);
    const Tree once = tree_of(files);
    recover(files);
    EXPECT_EQ(tree_of(files), once);
  });
  EXPECT_GT(faults, 4);
}

// The recovery dies as well, at each of its own calls, and the next one has to cope.
TEST_P(DocumentsCrash, KilledAgainWhileRecovering) {
  // Of the longest not every call, which would take minutes.
  const int stride = GetParam().name == "many" ? 13 : 1;
  int deaths = 0;
  loop(Fault::kill, 0, [&](TestLibrary& files, Ending) {
    for (int call = 1; call < kMaxCalls; call += stride) {
      SCOPED_TRACE(fmt::format("recovery's call {}", call));
      files.reopen();
      const Ending ending = run_with_fault(Fault::kill, 0, call, [&] { return recover_library(files.library()).has_value(); });
      if (ending == Ending::never_reached) break;
      ++deaths;
    }
    expect_old_or_new(files);
  });
  EXPECT_GT(deaths, 0);
}

TEST_P(DocumentsCrash, WhatAPersonSavedBeforeTheRecoveryStays) {
  loop(Fault::kill, 0, [&](TestLibrary& files, Ending) {
    // Wherever the crash left it.
    std::string saved;
    for (const char* path : {"shelf/c.md", "shelf2/c.md", "moved/shelf/c.md"})
      if (std::filesystem::exists(files / path)) saved = path;
    ASSERT_NE(saved, "");
    files.write(saved, "a person's");
    recover(files);
    const Tree now = tree_of(files);
    int theirs = 0;
    for (const auto& [path, content] : now) {
      EXPECT_FALSE(path.contains(".holdfast")) << path;
      theirs += content == "a person's" ? 1 : 0;
      const auto was = old_.find(path), is = new_.find(path);
      const bool known = (was != old_.end() && was->second == content) || (is != new_.end() && is->second == content);
      EXPECT_TRUE(known || content == "a person's") << path << ": " << content;
    }
    EXPECT_EQ(theirs, 1);
  });
}

TEST_P(DocumentsCrash, OneCallFails) {
  for (const int error_number : {EIO, ENOSPC, EINVAL}) {
    loop(Fault::error, error_number, [&](TestLibrary& files, Ending ending) {
      files.reopen();
      // An error means that nothing has happened, without any recovery.
      if (ending == Ending::failed) {
        EXPECT_EQ(tree_of(files), old_);
      }
      recover(files);
      EXPECT_EQ(tree_of(files), ending == Ending::failed ? old_ : new_);
    });
  }
}

TEST_P(DocumentsCrash, TheDiskBreaks) {
  loop(Fault::disk_breaks, EIO, [&](TestLibrary& files, Ending) {
    recover(files);
    expect_old_or_new(files);
  });
}

}  // namespace
}  // namespace holdfast::documents
