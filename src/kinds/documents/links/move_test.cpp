// Moving documents so that no link breaks (document-review §5 `move`).

#include "kinds/documents/links/move.h"

#include "kinds/documents/files/journal.h"
#include "kinds/documents/files/test_library.h"
#include "kinds/documents/workspace/test_overlay.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace holdfast::documents {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const JournalNote kNote{"move", {}, "dev"};

struct Move : ::testing::Test {
  Result<Moved> move(std::string_view from, std::string_view to) {
    return move_document(library.library(), links, overlay, from, to, kNote);
  }
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(library.root()))
      files[entry.path().string()] = entry.is_regular_file() ? read_file(entry.path().string()).value() : "folder";
    return files;
  }

  TestLibrary library;
  TestOverlay overlay;
  LinkReader links;
};

TEST_F(Move, RewritesOthersAndItsOwnLinks) {
  library.write("a.md", "[[b#h|alias]] and [t](b.md)\r\n");
  library.write("b.md", "[back](a.md) `[[a]]`\n");
  library.write("c.md", "nothing\n");
  const Moved moved = move("b.md", "x/new.md").value();
  EXPECT_EQ(library.read("a.md"), "[[new#h|alias]] and [t](x/new.md)\r\n");
  EXPECT_EQ(library.read("x/new.md"), "[back](../a.md) `[[a]]`\n");
  EXPECT_EQ(library.read("b.md"), "(missing)");
  EXPECT_EQ(moved.from, "b.md");
  EXPECT_EQ(moved.to, "x/new.md");
  EXPECT_EQ(moved.links, 3U);
  EXPECT_EQ(moved.files, 2U);
  EXPECT_EQ(moved.left, 0U);
  EXPECT_THAT(moved.keys, ElementsAre(Pair(library / "b.md", library / "x/new.md")));
}

TEST_F(Move, AFolderTakesAllAlong) {
  library.write("a.md", "[t](x/one.md) [[x/y/two]]");
  library.write("x/one.md", "[t](y/two.md) [up](../a.md)");
  library.write("x/y/two.md", "[[one]]");
  const Moved moved = move("x", "z/w").value();
  EXPECT_EQ(library.read("a.md"), "[t](z/w/one.md) [[z/w/y/two]]");
  EXPECT_EQ(library.read("z/w/one.md"), "[t](y/two.md) [up](../../a.md)");
  EXPECT_EQ(library.read("z/w/y/two.md"), "[[one]]");
  EXPECT_EQ(moved.keys.size(), 2U);
}

TEST_F(Move, BothSidesOfPendingChangesFollowAndWhatIsSpreadIsCounted) {
  library.write("a.md", "{--[[b]]--}{++see [[b]]++} {++[[++}b]]");
  library.write("b.md", "");
  const Moved moved = move("b.md", "c.md").value();
  EXPECT_EQ(library.read("a.md"), "{--[[c]]--}{++see [[c]]++} {++[[++}b]]");
  EXPECT_EQ(moved.links, 2U);
  EXPECT_EQ(moved.left, 1U);
}

TEST_F(Move, ACaseOnlyRenameWorks) {
  library.write("page.md", "[[page]]");
  EXPECT_TRUE(move("page.md", "Page.md"));
  EXPECT_EQ(library.read("Page.md"), "[[Page]]");
  EXPECT_EQ(library.read("page.md"), "(missing)");
}

TEST_F(Move, RefusalsChangeNothing) {
  library.write("a.md", "[[x/b]]");
  library.write("x/b.md", "");
  library.write("y/c.md", "");
  const auto before = everything();
  const std::vector<std::array<const char*, 3>> refusals = {
      {"a.md", "x/b.md", "exists"},
      {"x", "y", "exists"},
      {"x", "x/inside", "bad_argument"},
      {"x", "new.md", "bad_argument"},
      {"a.md", "x/./d.md", "bad_argument"},
      {"a.md", "x/../d.md", "bad_argument"},
      {"a.md", "x//d.md", "bad_argument"},
      {"a.md", "d/", "bad_argument"},
      {"a.md", "/d.md", "path_denied"},
      {"a.md", "say \"x\".md", "path_denied"},
      {"none.md", "d.md", "no_such_document"},
      {".", "d", "bad_argument"},
      {"a.md", ".hidden.md", "path_denied"},
      {"a.md", "a.md", "exists"},
  };
  for (const auto& [from, to, code] : refusals) EXPECT_EQ(code_of(move(from, to)), code) << from << " -> " << to;
  EXPECT_EQ(everything(), before);
}

TEST_F(Move, PendingChangesStayWhereTheyCanBeReviewed) {
  library.write("a.md", "{++new++}");
  library.write("b.md", "settled");
  EXPECT_EQ(code_of(move("a.md", "a.json")), "bad_argument");
  EXPECT_TRUE(move("b.md", "b.json"));
}

TEST_F(Move, ReadOnlyFoldersAreLeftAlone) {
  library.settings().folders[0].read_only = true;
  library.reopen();
  library.write("a.md", "");
  EXPECT_EQ(code_of(move("a.md", "b.md")), "read_only");
}

TEST_F(Move, CanBeTakenBack) {
  library.write("a.md", "[[b]] [t](b.md#h)");
  library.write("b.md", "[t](a.md)");
  const auto before = everything();
  const Moved moved = move("b.md", "x/c.md").value();
  EXPECT_TRUE(undo_move(library.library(), links, overlay, moved.journal, kNote));
  EXPECT_EQ(library.read("a.md"), "[[b]] [t](b.md#h)");
  EXPECT_EQ(library.read("b.md"), "[t](a.md)");
}

TEST_F(Move, TakingBackSaysWhatIsInTheWay) {
  EXPECT_EQ(code_of(undo_move(library.library(), links, overlay, "", kNote)), "not_found");
  library.write("a.md", "one");
  const Moved moved = move("a.md", "b.md").value();
  library.write("a.md", "another");
  EXPECT_EQ(code_of(undo_move(library.library(), links, overlay, "", kNote)), "exists");
  std::filesystem::remove(library / "a.md");
  std::filesystem::remove(library / "b.md");
  EXPECT_EQ(code_of(undo_move(library.library(), links, overlay, moved.journal, kNote)), "conflict");
}

TEST_F(Move, TwiceTakenBackAreTwoMoves) {
  library.write("a.md", "one");
  const Moved first = move("a.md", "b.md").value();
  const Moved second = move("b.md", "c.md").value();
  const auto undo = [&](std::string_view id) { return undo_move(library.library(), links, overlay, id, kNote); };
  EXPECT_EQ(undo("")->to, "b.md");
  EXPECT_EQ(code_of(undo(second.journal)), "conflict") << "it is undone already";
  library.reopen();
  const Moved undone = undo("").value();
  EXPECT_EQ(undone.to, "a.md");
  EXPECT_EQ(code_of(undo("")), "not_found");
  const auto journaled = find_operation(library.library(), undone.journal).value();
  EXPECT_EQ(journaled.note.action, "undo");
  EXPECT_EQ(journaled.note.undoes, first.journal);
  // An undo that is undone by its id: the move holds again, and can be taken back again.
  EXPECT_EQ(undo(undone.journal)->to, "b.md");
  EXPECT_EQ(undo("")->to, "a.md");
  EXPECT_EQ(code_of(undo("o_nothing")), "not_found");
}

TEST_F(Move, TakingBackRemovesTheFoldersItMadeWhenTheyAreEmpty) {
  library.write("a.md", "one");
  library.write("kept/b.md", "two");
  const auto before = everything();
  (void)move("a.md", "new/deep/a.md").value();
  ASSERT_TRUE(undo_move(library.library(), links, overlay, "", kNote));
  EXPECT_EQ(everything(), before);
  (void)move("kept/b.md", "new/deep/b.md").value();
  library.write("new/mine.md", "of somebody else");
  ASSERT_TRUE(undo_move(library.library(), links, overlay, "", kNote));
  EXPECT_EQ(library.read("new/mine.md"), "of somebody else");
  EXPECT_FALSE(std::filesystem::exists(library / "new/deep"));
}

TEST_F(Move, ALinkThatWouldClimbAboveTheRootIsSpelledAnew) {
  library.write("e.md", "");
  library.write("s/d.md", "[e](../e.md)");
  library.write("s/wrong.md", "[e](../../../e.md)");
  library.write("still.md", "[e](../e.md)");
  (void)move("s/d.md", "d.md").value();
  EXPECT_EQ(library.read("d.md"), "[e](e.md)");
  (void)move("s/wrong.md", "t/u/right.md").value();
  EXPECT_EQ(library.read("t/u/right.md"), "[e](../../e.md)");
  EXPECT_EQ(library.read("still.md"), "[e](../e.md)") << "neither it nor its target was moved";

  library.write("at.md", "");
  library.write("f1/x.md", "[at](../at.md)");
  (void)move("f1/x.md", "g/f2/x.md").value();
  EXPECT_EQ(library.read("g/f2/x.md"), "[at](../../at.md)");
  ASSERT_TRUE(undo_move(library.library(), links, overlay, "", kNote));
  EXPECT_EQ(library.read("f1/x.md"), "[at](../at.md)");
}

TEST_F(Move, ThroughALinkItsTargetMovesAndTheLinkIsNamed) {
  library.write("real/a.md", "one");
  library.link("real/a.md", "alias.md");
  library.link("real", "way");
  const Moved moved = move("alias.md", "b.md").value();
  EXPECT_EQ(moved.from, "real/a.md");
  EXPECT_EQ(library.read("b.md"), "one");
  EXPECT_THAT(moved.notes, ElementsAre(HasSubstr("\"alias.md\" is a link to \"real/a.md\"")));
  library.write("real/c.md", "two");
  EXPECT_THAT(move("way/c.md", "c.md")->notes, IsEmpty()) << "this link still leads to a folder";
  EXPECT_THAT(move("c.md", "d.md")->notes, IsEmpty());
}

// In random libraries the link map after a move says what the one before said, with the moved paths renamed.
RC_GTEST_PROP(MoveProperty, TheLinkMapSaysTheSame, ()) {
  TestLibrary library;
  const std::vector<std::string> paths = {"a.md", "b.md", "x/a.md", "x/c d.md", "x/y/b.md", "z/ä.md"};
  for (const std::string& path : paths) {
    std::string text;
    for (const std::string& link : *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
             "[[a]] ", "[[b]] ", "[[x/a|t]] ", "[[c d#h]] ", "[t](../a.md) ", "[t](c%20d.md) ", "{++[[/x/y/b]]++} ",
             "{--[[a]]--} ", "`[[b]]` ", "[t](x/a.md) ", "[[ä]] ", "[t](<../x/c d.md>) ", "\n")))
      text += link;
    library.write(path, text);
  }
  const std::vector<std::pair<std::string, std::string>> moves = {
      {"a.md", "x/n.md"}, {"b.md", "x/b.md"}, {"x", "w"},           {"x", "z/x"},        {"x/a.md", "z/q r.md"},
      {"z", "x/z"},       {"x/y", "y"},       {"z/ä.md", "z/Ä.md"}, {"x/c d.md", "c.md"}};
  const auto move = *rc::gen::elementOf(moves);
  const std::string from = move.first, to = move.second;
  LinkReader links;
  const TestOverlay overlay;
  const LinkMap before = links.read(library.library(), overlay, {}).value();
  const auto renamed = [&](const std::string& path) {
    if (path == from) return to;
    return path.starts_with(from + "/") ? to + path.substr(from.size()) : path;
  };
  RC_ASSERT(move_document(library.library(), links, overlay, from, to, kNote).has_value());
  const LinkMap after = links.read(library.library(), overlay, {}).value();
  for (const std::string& path : paths) {
    std::vector<std::string> expected;
    for (const std::string& target : before.forward(path)) expected.push_back(renamed(target));
    const auto now = after.forward(renamed(path));
    for (const std::string& target : expected) RC_ASSERT(std::ranges::find(now, target) != now.end());
    // What was broken or ambiguous may mean something now; nothing else is new.
    if (before.broken(path).empty() && before.ambiguous(path).empty()) RC_ASSERT(now.size() == expected.size());
  }
}

}  // namespace
}  // namespace holdfast::documents
