#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/test_library.h"
#include "kinds/documents/files/trash.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <atomic>
#include <thread>

namespace holdfast::documents {
namespace {

const bool steps_in_memory = use_memory();

using testing::ElementsAre;
using testing::IsEmpty;

// Everything that is there, hidden or not.
std::vector<std::string> all_names(const TestLibrary& files) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(files.root()))
    names.push_back(entry.path().lexically_relative(files.root()).string());
  std::ranges::sort(names);
  return names;
}

FileStep create_step(TestLibrary& files, std::string_view path, std::string bytes) {
  FileStep step;
  step.kind = FileStep::Kind::create;
  step.place = files.find_new(path);
  step.bytes = std::move(bytes);
  return step;
}
FileStep rename_step(TestLibrary& files, std::string_view path, std::string_view to) {
  FileStep step;
  step.kind = FileStep::Kind::rename;
  step.place = files.find(path);
  step.to = files.find_new(to);
  return step;
}
FileStep trash_step(TestLibrary& files, std::string_view path) {
  FileStep step = replace_step(files, path, "");
  step.kind = FileStep::Kind::trash;
  return step;
}
Result<Applied> do_steps(TestLibrary& files, const std::vector<FileStep>& steps) {
  return apply_steps(files.library(), steps, {"edit", {"c_1"}, "dev"});
}

TEST(ApplySteps, ReplacesWholeAndKeepsWhatIsNotBytes) {
  TestLibrary files;
  files.write("sub/a.md", "old");
  files.link("sub/a.md", "link.md");
  const std::string path = files / "sub/a.md";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const bool chowned = ::chown(path.c_str(), 1234, 2345) == 0;
  const bool has_attributes = ::setxattr(path.c_str(), "user.note", "x", 1, 0) == 0;
  const auto applied = do_steps(files, {replace_step(files, "link.md", "new")});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(files.read("sub/a.md"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(files / "link.md"));
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  if (chowned) {
    EXPECT_EQ(status.st_uid, 1234U);
    EXPECT_EQ(status.st_gid, 2345U);
  }
  char value = 0;
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", &value, 1), has_attributes ? 1 : -1);
  const FileState now = read_document(files.library(), files.find("sub/a.md")).value();
  ASSERT_EQ(applied->states.size(), 1U);
  EXPECT_EQ(applied->states[0].version, now.version);
  EXPECT_EQ(applied->states[0].inode, now.inode);
  EXPECT_EQ(applied->states[0].modified_ns, now.modified_ns);
  EXPECT_EQ(applied->states[0].size, 3U);
  EXPECT_THAT(all_names(files), ElementsAre("link.md", "sub", "sub/a.md"));
}

// document-review §4: every refusal leaves bytes, modification time and folders untouched.
TEST(ApplySteps, WhatSomebodySavedMeanwhileIsAConflict) {
  TestLibrary files;
  files.write("a.md", "old");
  const FileStep step = replace_step(files, "a.md", "new");
  files.write("a.md", "theirs");
  struct stat before{}, after{};
  ASSERT_EQ(::stat(files.root().c_str(), &before), 0);
  const auto applied = do_steps(files, {step});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().kind, ErrorKind::conflict);
  EXPECT_EQ(files.read("a.md"), "theirs");
  ASSERT_EQ(::stat(files.root().c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  std::filesystem::remove(files / "a.md");
  EXPECT_EQ(do_steps(files, {step}).error().kind, ErrorKind::conflict);
  EXPECT_THAT(all_names(files), IsEmpty());
}

// The same bytes again are no change, whoever wrote them.
TEST(ApplySteps, ComparesBytesNotStamps) {
  TestLibrary files;
  files.write("a.md", "old");
  const FileStep step = replace_step(files, "a.md", "new");
  std::filesystem::remove(files / "a.md");
  files.write("a.md", "old");
  EXPECT_TRUE(do_steps(files, {step}));
  EXPECT_EQ(files.read("a.md"), "new");
}

TEST(ApplySteps, NoticesASaveThatKeepsTheStamp) {
  for (const bool bytes_at_hand : {true, false}) {
    TestLibrary files;
    files.write("a.md", "old");
    FileStep step = replace_step(files, "a.md", "new");
    if (!bytes_at_hand) step.expected.bytes.clear();
    struct stat before{};
    ASSERT_EQ(::stat((files / "a.md").c_str(), &before), 0);
    files.write("a.md", "own");
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, (files / "a.md").c_str(), times, 0), 0);
    const auto applied = do_steps(files, {step});
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().kind, ErrorKind::conflict);
    EXPECT_EQ(files.read("a.md"), "own");
    EXPECT_THAT(all_names(files), ElementsAre("a.md"));
  }
}

TEST(ApplySteps, WhatHasToBeDurableFirstDecides) {
  TestLibrary files;
  files.write("a.md", "before");
  std::string seen;
  const auto first = [&]() -> Result<void> {
    seen = files.read("a.md");
    return fail(ErrorKind::io, "no room");
  };
  const auto refused = apply_steps(files.library(), {replace_step(files, "a.md", "behind")}, {"edit", {"c_1"}, "dev"}, first);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no room");
  EXPECT_EQ(seen, "before");
  EXPECT_EQ(files.read("a.md"), "before");
  // Nobody who comes behind a crash could have finished what was not kept first.
  EXPECT_EQ(read_file(files.state() + "/journal.jsonl").value_or(""), "");
  EXPECT_THAT(all_names(files), ElementsAre("a.md"));
}

TEST(ApplySteps, CreatesWithParents) {
  TestLibrary files;
  const FileStep step = create_step(files, "x/y/a.md", "new");
  ASSERT_TRUE(do_steps(files, {step, create_step(files, "x/y/b.md", "")}));
  EXPECT_THAT(all_names(files), ElementsAre("x", "x/y", "x/y/a.md", "x/y/b.md"));
  EXPECT_EQ(files.read("x/y/a.md"), "new");
  const auto again = do_steps(files, {step});
  EXPECT_EQ(code_of(again), "exists");
  EXPECT_EQ(files.read("x/y/a.md"), "new");
}

TEST(ApplySteps, MovesFoldersWithRewritesInsideAndOutside) {
  TestLibrary files;
  files.write("shelf/a.md", "see [b](../b.md)");
  files.write("shelf/deep/c.md", "c");
  files.write("b.md", "see shelf/a.md");
  const auto applied =
      do_steps(files, {rename_step(files, "shelf", "new/place"), replace_step(files, "b.md", "see new/place/a.md"),
                       replace_step(files, "shelf/a.md", "see [b](../../b.md)")});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(all_names(files),
              ElementsAre("b.md", "new", "new/place", "new/place/a.md", "new/place/deep", "new/place/deep/c.md"));
  EXPECT_EQ(files.read("new/place/a.md"), "see [b](../../b.md)");
  EXPECT_EQ(files.read("b.md"), "see new/place/a.md");
  EXPECT_EQ(applied->states[2].inode, read_document(files.library(), files.find("new/place/a.md"))->inode);
}

TEST(ApplySteps, MovesADocumentThatIsRewritten) {
  TestLibrary files;
  files.write("a.md", "see [b](b.md)");
  const auto applied = do_steps(files, {rename_step(files, "a.md", "new/a.md"), replace_step(files, "a.md", "see [b](../b.md)")});
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(all_names(files), ElementsAre("new", "new/a.md"));
  EXPECT_EQ(files.read("new/a.md"), "see [b](../b.md)");
  // And back, when something behind it fails.
  std::vector<FileStep> steps = {replace_step(files, "new/a.md", "see [b](b.md)"), rename_step(files, "new/a.md", "c.md")};
  files.write("d.md", "d");
  steps.push_back(rename_step(files, "d.md", "c.md"));
  EXPECT_EQ(code_of(do_steps(files, steps)), "exists");
  EXPECT_EQ(files.read("new/a.md"), "see [b](../b.md)");
  EXPECT_EQ(files.read("d.md"), "d");
}

TEST(ApplySteps, AFailureInTheMiddleTakesEverythingBack) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write("b.md", "b");
  files.write("shelf/c.md", "c");
  files.write("gone.md", "gone");
  std::vector<FileStep> steps = {replace_step(files, "a.md", "A"), create_step(files, "new/d.md", "d"),
                                 trash_step(files, "gone.md"), replace_step(files, "shelf/c.md", "C"),
                                 rename_step(files, "shelf", "moved/shelf")};
  // Only seen when the first is done already: the target is a file of another place.
  steps.push_back(rename_step(files, "b.md", "moved/shelf"));
  const auto names = all_names(files);
  const auto applied = do_steps(files, steps);
  ASSERT_FALSE(applied);
  EXPECT_EQ(code_of(applied), "exists");
  EXPECT_EQ(all_names(files), names);
  EXPECT_EQ(files.read("a.md"), "a");
  EXPECT_EQ(files.read("shelf/c.md"), "c");
  EXPECT_EQ(files.read("gone.md"), "gone");
  EXPECT_THAT(list_trash(files.library()).value(), IsEmpty());
}

TEST(ApplySteps, RefusesBeforeAnythingHappens) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write("shelf/b.md", "b");
  FileStep into_itself = rename_step(files, "shelf", "shelf2/x");
  into_itself.to = files.find_new("shelf/x");
  EXPECT_EQ(code_of(do_steps(files, {into_itself})), "bad_argument");
  EXPECT_EQ(code_of(do_steps(files, {replace_step(files, "a.md", std::string(kMaxDocumentBytes + 1, 'x'))})), "too_large");
  EXPECT_EQ(code_of(do_steps(files, {})), "invalid");
  const FileStep step = replace_step(files, "a.md", "A");
  files.settings().folders[0].read_only = true;
  files.reopen();
  EXPECT_EQ(code_of(do_steps(files, {step})), "read_only");
  EXPECT_EQ(files.read("a.md"), "a");
}

TEST(ApplySteps, TrashAndBack) {
  TestLibrary files;
  files.write("sub/a.md", "bytes\r\n");
  ASSERT_EQ(::chmod((files / "sub/a.md").c_str(), 0600), 0);
  const auto applied = do_steps(files, {trash_step(files, "sub/a.md")});
  ASSERT_TRUE(applied);
  EXPECT_THAT(all_names(files), ElementsAre("sub"));
  const auto listed = list_trash(files.library()).value();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_THAT(applied->trash, ElementsAre(listed[0].id));
  EXPECT_EQ(listed[0].path, "sub/a.md");
  EXPECT_EQ(listed[0].size, 7U);
  EXPECT_GT(listed[0].time, 0);

  files.write("sub/a.md", "another");
  EXPECT_EQ(code_of(restore_from_trash(files.library(), listed[0].id, "dev")), "exists");
  std::filesystem::remove_all(files / "sub");
  const auto place = restore_from_trash(files.library(), listed[0].id, "dev");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(place->path, "sub/a.md");
  EXPECT_EQ(files.read("sub/a.md"), "bytes\r\n");
  struct stat status{};
  ASSERT_EQ(::stat((files / "sub/a.md").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_THAT(list_trash(files.library()).value(), IsEmpty());
  EXPECT_EQ(code_of(restore_from_trash(files.library(), listed[0].id, "dev")), "not_found");
  EXPECT_EQ(code_of(restore_from_trash(files.library(), "../journal.jsonl", "dev")), "not_found");
}

TEST(Journal, KeepsWhatWasDone) {
  TestLibrary files;
  files.write("a.md", "a");
  const auto edited = do_steps(files, {replace_step(files, "a.md", "b")});
  const auto moved = apply_steps(files.library(), {rename_step(files, "a.md", "b.md")}, {"move", {"x \"y\""}, "who"});
  ASSERT_TRUE(edited && moved);
  const auto operation = find_operation(files.library(), moved->journal);
  ASSERT_TRUE(operation);
  EXPECT_EQ(operation->end, JournaledOperation::End::done);
  EXPECT_EQ(operation->note.action, "move");
  EXPECT_EQ(operation->note.who, "who");
  EXPECT_THAT(operation->note.change_ids, ElementsAre("x \"y\""));
  ASSERT_EQ(operation->steps.size(), 1U);
  EXPECT_EQ(operation->steps[0].key, files.library().settings().folders[0].folder + "/a.md");
  EXPECT_EQ(operation->steps[0].to, files.find("b.md").key);
  const auto all = list_operations(files.library(), "", 10).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, moved->journal);
  EXPECT_EQ(all[1].id, edited->journal);
  EXPECT_EQ(list_operations(files.library(), "edit", 10)->size(), 1U);
  EXPECT_EQ(code_of(find_operation(files.library(), "o_nothing")), "not_found");
}

// What a person saves last is there in the end, or our edit of it; however the two meet.
TEST(ApplySteps, APersonWhoSavesAllTheTimeLosesNothing) {
  TestLibrary files;
  int edited = 0, conflicts = 0;
  for (int round = 0; round < 40; ++round) {
    files.write("a.md", "person 0");
    std::string last;
    std::atomic<bool> stop = false;
    std::thread person([&] {
      const std::string spare = files / "spare", path = files / "a.md";
      for (int i = 1; i == 1 || !stop; ++i) {
        last = "person " + std::to_string(i);
        files.write("spare", last);
        ::rename(spare.c_str(), path.c_str());
      }
    });
    for (int i = 0; i < 50; ++i) {
      const auto place = files.library().find("a.md");
      EXPECT_TRUE(place || place.error().kind == ErrorKind::conflict) << place.error().message;
      if (!place) {
        ++conflicts;
        continue;
      }
      const auto state = read_document(files.library(), *place);
      if (!state || state->bytes.ends_with("edited")) continue;
      FileStep step;
      step.place = *place;
      step.expected = *state;
      step.bytes = state->bytes + " edited";
      const auto applied = do_steps(files, {step});
      ++(applied ? edited : conflicts);
      EXPECT_TRUE(applied || applied.error().kind == ErrorKind::conflict) << applied.error().message;
    }
    stop = true;
    person.join();
    EXPECT_THAT(files.read("a.md"), testing::AnyOf(last, last + " edited"));
    EXPECT_THAT(all_names(files), ElementsAre("a.md"));
  }
  EXPECT_GT(edited + conflicts, 0);
}

}  // namespace
}  // namespace holdfast::documents
