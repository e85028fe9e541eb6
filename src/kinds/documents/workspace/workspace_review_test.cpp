// document-review §7: what a person decides.

#include "kinds/documents/workspace/test_workspace.h"

#include <set>

namespace holdfast::documents {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

struct WorkspaceReviewTest : WorkspaceTest {
  // Five words of one line, changed one by one.
  std::string five_changes(std::string_view name = "dev") {
    kb.write("a.md", "one two three four five\nsix\n");
    const std::string handle = reader("a.md", name);
    for (const auto& [from, to] : {std::pair("one", "1"), std::pair("three", "3"), std::pair("five", "5")})
      EXPECT_EQ(code_of(edit(handle, "a.md", from, to)), "ok");
    EXPECT_EQ(code_of(edit(handle, "a.md", "six", "6")), "ok");
    kb.write("b.md", "more text\n");
    EXPECT_TRUE(read(handle, "b.md"));
    EXPECT_EQ(code_of(edit(handle, "b.md", "more", "less")), "ok");
    return handle;
  }
  std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const PendingChange& change : pending()) all.push_back(change.id);
    return all;
  }
};

TEST_F(WorkspaceReviewTest, AcceptsThreeOfFiveWithOneVanished) {  // §11.6
  five_changes();
  const auto all = ids();
  ASSERT_THAT(all, SizeIs(5));
  // Somebody settles one with an editor.
  kb.write("b.md", "less text\n");
  const auto report = accept({all[0], all[1], all[3], all[4]});
  EXPECT_THAT(report.applied, UnorderedElementsAre(all[0], all[1], all[3]));
  ASSERT_THAT(report.failed, SizeIs(1));
  EXPECT_EQ(report.failed[0].first, all[4]);
  EXPECT_EQ(report.remaining, 1U);
  EXPECT_THAT(ids(), ElementsAre(all[2]));
  EXPECT_EQ(accepted("a.md"), "1 two 3 four 5\n6\n");
  EXPECT_EQ(base("a.md"), "1 two 3 four five\n6\n");
}

// Whoever does not know whether it was done decides again.
TEST_F(WorkspaceReviewTest, P13TheSameDecisionOnceMoreIsToldAsDone) {
  const std::string handle = five_changes();
  const auto all = ids();
  ASSERT_THAT(accept({all[0]}).applied, ElementsAre(all[0]));
  ASSERT_THAT(reject({all[1]}).applied, ElementsAre(all[1]));
  const std::string before = kb.read("a.md");
  const auto again = accept({all[0]});
  EXPECT_THAT(again.applied, ElementsAre(all[0]));
  EXPECT_THAT(again.notes, ElementsAre(HasSubstr("was accepted before: nothing was changed now")));
  EXPECT_THAT(reject({all[1]}).applied, ElementsAre(all[1]));
  const auto other = accept({all[1]});
  EXPECT_THAT(other.applied, IsEmpty());
  EXPECT_THAT(other.failed.front().second, HasSubstr("was rejected before"));
  EXPECT_THAT(accept({"c_aaaaaaaa"}).failed, SizeIs(1)) << "nobody has heard of it";
  EXPECT_EQ(workspace->withdraw(with(handle), {all[1]}).error().kind, ErrorKind::refused) << "that is for people";
  EXPECT_EQ(kb.read("a.md"), before);
}

TEST_F(WorkspaceReviewTest, P13TheSameEditOnceMoreIsToldAsMade) {
  kb.write("a.md", "one two three\n");
  const std::string handle = reader("a.md");
  ASSERT_EQ(code_of(edit(handle, "a.md", "two", "2")), "ok");
  const std::string before = kb.read("a.md");
  const auto again = edit(handle, "a.md", "two", "2");
  ASSERT_TRUE(again);
  EXPECT_THAT(*again, AllOf(HasSubstr("made before and is pending as " + ids().front()), HasSubstr("nothing was changed now")));
  EXPECT_EQ(kb.read("a.md"), before);
  // Another session's, another text, and one that is decided, are other edits.
  EXPECT_EQ(code_of(edit(reader("a.md", "other"), "a.md", "two", "2")), "not_found");
  EXPECT_EQ(code_of(edit(handle, "a.md", "two", "II")), "not_found");
  reject(ids());
  EXPECT_EQ(code_of(edit(handle, "a.md", "two", "2")), "ok");
  EXPECT_THAT(ids(), SizeIs(1));
}

TEST_F(WorkspaceReviewTest, AModelDecidesNothing) {
  const std::string handle = five_changes();
  Verdicts verdicts;
  verdicts.accept = ids();
  const auto refused = workspace->decide(with(handle), verdicts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().word(), "reviewer_required");
  EXPECT_FALSE(workspace->comment(with(handle), "", ids()[0], "fine"));
  EXPECT_THAT(ids(), SizeIs(5));
}

TEST_F(WorkspaceReviewTest, AllOfAFileOrAnAuthorButNoComments) {
  five_changes("ann");
  kb.write("c.md", "x {>>a person's question<<}\n");
  const std::string bob = reader("a.md", "bob");
  EXPECT_EQ(code_of(edit(bob, "a.md", "two", "2")), "ok");
  Verdicts verdicts;
  verdicts.all = true;
  verdicts.filter.author = "ann's AI";
  verdicts.filter.path = "a.md";
  EXPECT_THAT(workspace->decide(person(), verdicts).value().applied, SizeIs(4));
  EXPECT_EQ(base("a.md"), "1 two 3 four 5\n6\n");
  EXPECT_EQ(accepted("a.md"), "1 2 3 four 5\n6\n");
  verdicts.all = false;
  verdicts.filter = {};
  EXPECT_THAT(workspace->decide(person(), verdicts).value().applied, SizeIs(2));
  EXPECT_EQ(kb.read("c.md"), "x {>>a person's question<<}\n");
  EXPECT_EQ(kb.read("b.md"), "more text\n");
}

TEST_F(WorkspaceReviewTest, OneVerdictForEach) {
  five_changes();
  Verdicts verdicts;
  verdicts.accept = verdicts.reject = {ids()[0]};
  EXPECT_FALSE(workspace->decide(person(), verdicts));
}

TEST_F(WorkspaceReviewTest, CommentsAreResolvedAndHighlightsLoseTheirMarks) {
  kb.write("a.md", "a {==marked==}{>>why?<<} b\n");
  EXPECT_THAT(accept(ids()).applied, SizeIs(2));
  EXPECT_EQ(kb.read("a.md"), "a marked b\n");
}

// A copied note, a sync conflict, a template: one id in two documents.
TEST_F(WorkspaceReviewTest, P24EachOfTwoCopiesIsDecidedByItself) {
  kb.write("a.md", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one", "1")), "ok");
  const std::string bare = ids().at(0), marked = kb.read("a.md");
  kb.write("b.md", marked);
  const auto listed = pending();
  ASSERT_THAT(listed, SizeIs(2));
  EXPECT_NE(listed[0].id, listed[1].id);
  EXPECT_THAT(accept({bare}).failed.at(0).second,
              AllOf(HasSubstr(listed[0].id + " in a.md"), HasSubstr(listed[1].id + " in b.md")));
  EXPECT_EQ(kb.read("a.md"), marked);
  const auto report = accept({listed[1].id});
  EXPECT_THAT(report.applied, ElementsAre(listed[1].id));
  EXPECT_EQ(kb.read("b.md"), "1\n");
  EXPECT_EQ(kb.read("a.md"), marked);
  EXPECT_THAT(ids(), ElementsAre(bare)) << "alone it has its short name again";
  EXPECT_THAT(reject({listed[0].id}).applied, ElementsAre(listed[0].id)) << "and the long one still names it";
  EXPECT_EQ(kb.read("a.md"), "one\n");
}

TEST_F(WorkspaceReviewTest, P24AllOfThemAPathAndComments) {
  kb.write("a.md", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one", "1")), "ok");
  const std::string bare = ids().at(0);
  for (const char* copy : {"b.md", "c.md", "d.md"}) kb.write(copy, kb.read("a.md"));
  Verdicts verdicts;
  verdicts.accept = {bare};
  verdicts.filter.path = "b.md";
  EXPECT_THAT(workspace->decide(person(), verdicts).value().applied, ElementsAre(bare));
  EXPECT_EQ(kb.read("b.md"), "1\n");
  EXPECT_FALSE(workspace->comment(person(), "", bare, "which one?"));
  EXPECT_TRUE(workspace->comment(person(), "c.md", bare, "this one"));
  EXPECT_THAT(kb.read("c.md"), HasSubstr("this one"));
  Verdicts all;
  all.all = true;
  const auto report = workspace->decide(person(), all).value();
  EXPECT_THAT(report.applied, SizeIs(3));
  EXPECT_THAT(report.failed, IsEmpty());
  for (const char* path : {"a.md", "c.md", "d.md"}) EXPECT_EQ(kb.read(path), "1\n") << path;
}

TEST_F(WorkspaceReviewTest, P24AModelWithdrawsTheOneThatItHasRead) {
  kb.write("a.md", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one", "1")), "ok");
  const std::string bare = ids().at(0), marked = kb.read("a.md");
  kb.write("b.md", marked);
  EXPECT_TRUE(workspace->withdraw(with(handle), {bare}));
  EXPECT_EQ(kb.read("a.md"), "one\n");
  EXPECT_EQ(kb.read("b.md"), marked);
  kb.write("a.md", marked);
  EXPECT_TRUE(read(handle, "b.md"));
  EXPECT_FALSE(workspace->withdraw(with(handle), {bare})) << "it has read both";
  for (const PendingChange& change : pending()) EXPECT_TRUE(workspace->withdraw(with(handle), {change.id})) << change.path;
  EXPECT_EQ(kb.read("a.md"), "one\n");
  EXPECT_EQ(kb.read("b.md"), "one\n");
}

// Bare marks of people get their ids from their bytes: the same words in two notes have the same id.
TEST_F(WorkspaceReviewTest, P24TheSameWordsByHandInTwoNotes) {
  kb.write("a.md", "x {++new++} {>>why?<<}\n");
  kb.write("b.md", "{++new++} {>>why?<<} y\n");
  const auto all = ids();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 4U);
  for (const std::string& id : all) EXPECT_THAT(accept({id}).applied, ElementsAre(id));
  EXPECT_EQ(kb.read("a.md"), "x new \n");
  EXPECT_EQ(kb.read("b.md"), "new  y\n");
}

TEST_F(WorkspaceReviewTest, ARefusedNewDocumentGoesWithItsComments) {
  workspace->create(with(""), "new.md", "hello\n").value();
  const std::string id = ids().at(0);
  ASSERT_TRUE(workspace->comment(person(), "", id, "why?"));
  EXPECT_THAT(reject({id}).applied, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(kb / "new.md"));
}

TEST_F(WorkspaceReviewTest, AnEditAndADeletionAreDecidedTogether) {
  kb.write("a.md", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one", "1")), "ok");
  EXPECT_TRUE(workspace->remove(with(handle), "a.md"));
  Verdicts all;
  all.all = true;
  const auto report = workspace->decide(person(), all).value();
  EXPECT_THAT(report.applied, SizeIs(2));
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(kb / "a.md"));
}

TEST_F(WorkspaceReviewTest, AThreadOfCommentsIsReadInOrder) {
  kb.write("a.md", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one", "1")), "ok");
  const std::string id = ids().at(0);
  ASSERT_TRUE(workspace->comment(person(), "", id, "first"));
  EXPECT_THAT(workspace->comment(person(), "", id, "second\nline").value().comments,
              ElementsAre("Ada: first", "Ada: second\nline"));
  // Comments are content: a model is not told that they are pending.
  EXPECT_THAT(workspace->list_changes(with(""), {}).value(), HasSubstr("1 pending change(s)"));
  EXPECT_THAT(read("", "a.md").value(), HasSubstr("[pending: 1]"));
}

TEST_F(WorkspaceReviewTest, ACommitComesWithTheLastDecisionAndNamesAll) {
  if (std::system(("git -C " + kb.root() + " init -q && git -C " + kb.root() + " config user.email x@example.org && git -C " +
                   kb.root() + " config user.name x")
                      .c_str()) != 0)
    FAIL() << "git is needed";
  kb.write("a.md", "one two three\n");
  const std::string ann = reader("a.md", "ann"), bob = reader("a.md", "bob");
  EXPECT_EQ(code_of(edit(ann, "a.md", "one", "1")), "ok");
  EXPECT_EQ(code_of(edit(bob, "a.md", "two", "2")), "ok");
  EXPECT_EQ(code_of(edit(bob, "a.md", "three", "3")), "ok");
  const auto all = ids();
  Verdicts verdicts;
  verdicts.commit = true;
  verdicts.accept = {all[0]};
  EXPECT_THAT(workspace->decide(person(), verdicts).value().commits, IsEmpty());
  verdicts.accept = {all[1]};
  EXPECT_THAT(workspace->decide(person(), verdicts).value().commits, IsEmpty());
  verdicts.accept.clear();
  verdicts.reject = {all[2]};
  EXPECT_THAT(workspace->decide(person(), verdicts).value().commits, SizeIs(1));
  EXPECT_EQ(std::system(("git -C " + kb.root() + " log -1 --format=%B%an > " + (home / "log")).c_str()), 0);
  const std::string log = read_file(home / "log").value();
  EXPECT_THAT(log, AllOf(HasSubstr("2 changes"), HasSubstr("Proposed-by: ann's AI"), HasSubstr("Proposed-by: bob's AI"),
                         HasSubstr("Ada")));
}

TEST_F(WorkspaceReviewTest, UnresolvedMergesAreNotAccepted) {
  kb.write("a.md", "<<<<<<< ours\nmine {++new++}\n=======\ntheirs\n>>>>>>> branch\n");
  const auto report = accept(ids());
  EXPECT_THAT(report.applied, IsEmpty());
  EXPECT_THAT(report.failed.at(0).second, HasSubstr("merge"));
  EXPECT_THAT(reject(ids()).applied, SizeIs(1));
}

TEST_F(WorkspaceReviewTest, APersonCommentsOnAChange) {
  const std::string handle = five_changes();
  const std::string id = ids()[0];
  ASSERT_TRUE(workspace->comment(person(), "", id, "are you sure?\nback\\slash"));
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(5)) << "it is part of the change that it is about";
  EXPECT_EQ(changes[0].id, id);
  EXPECT_THAT(changes[0].comments, ElementsAre("Ada: are you sure?\nback\\slash"));
  EXPECT_THAT(kb.read("a.md"), HasSubstr("are you sure?\\nback\\\\slash<<}"));
  EXPECT_FALSE(workspace->comment(person(), "", id, "breaks <<} out"));
  EXPECT_FALSE(workspace->comment(person(), "", "c_none", "x"));
  // And the model must leave it alone.
  EXPECT_TRUE(read(handle, "a.md"));
  EXPECT_EQ(code_of(edit(handle, "a.md", "are you sure?", "yes")), "comment_protected");
}

TEST_F(WorkspaceReviewTest, P27ACommentGoesWithTheDecisionItBelongsTo) {
  kb.write("a.md", "one two{>>mine<<} three\n");
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "one two", "1 2")), "ok");
  EXPECT_EQ(code_of(edit(handle, "a.md", "three", "3")), "ok");
  std::vector<PendingChange> changes = pending();
  std::erase_if(changes, is_remark);
  ASSERT_THAT(changes, SizeIs(2));
  for (const PendingChange& change : changes) ASSERT_TRUE(workspace->comment(person(), "", change.id, "sure?"));
  EXPECT_THAT(pending(), SizeIs(3)) << "two changes, and what a person had noted before";
  const auto report = reject({changes[0].id});
  EXPECT_THAT(report.applied, ElementsAre(changes[0].id));
  EXPECT_EQ(report.remaining, 1U);
  EXPECT_THAT(accept({changes[1].id}).applied, SizeIs(1));
  EXPECT_EQ(kb.read("a.md"), "one two{>>mine<<} 3\n");
  // What a model takes back takes no person's words along.
  EXPECT_EQ(code_of(edit(handle, "a.md", "3", "drei")), "ok");
  const std::string again = pending().back().id;
  ASSERT_TRUE(workspace->comment(person(), "", again, "why German?"));
  ASSERT_TRUE(workspace->withdraw(with(handle), {again}));
  EXPECT_THAT(kb.read("a.md"), HasSubstr("why German?"));
}

TEST_F(WorkspaceReviewTest, P26ARewrittenSentenceIsOneChange) {
  kb.write("a.md", "The quick brown fox jumps over the lazy dog, and sleeps.\nNext.\n");
  const std::string handle = reader("a.md"), before = kb.read("a.md");
  const auto told = edit(handle, "a.md", "The quick brown fox jumps over the lazy dog, and sleeps.",
                         "A quick red fox leaps over the old dog, and rests.");
  ASSERT_TRUE(told);
  EXPECT_THAT(*told, HasSubstr("1 change(s) pending"));
  EXPECT_THAT(*told, HasSubstr("(L1)."));
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].places, 5U) << "the text keeps the fine marks";
  EXPECT_THAT(kb.read("a.md"), HasSubstr("--}{++"));
  EXPECT_THAT(changes[0].parts, SizeIs(14)) << "five words taken, five brought, and what is between them";
  EXPECT_THAT(workspace->list_changes(with(""), {}).value(), HasSubstr("1 pending change(s)"));
  const std::string marked = kb.read("a.md");
  EXPECT_EQ(reject({changes[0].id}).applied.size(), 1U);
  EXPECT_EQ(kb.read("a.md"), before);
  kb.write("a.md", marked);
  EXPECT_EQ(accept({changes[0].id}).applied.size(), 1U);
  EXPECT_EQ(kb.read("a.md"), "A quick red fox leaps over the old dog, and rests.\nNext.\n");
}

TEST_F(WorkspaceReviewTest, P25AProposedDeletionIsOneFromTheFirstLine) {
  kb.write("a.md", "# Old\n\n{++by hand++} text\n");
  const std::string handle = reader("a.md");
  ASSERT_TRUE(workspace->remove(with(handle), "a.md"));
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].kind, "delete") << "in front of what is in the document";
  EXPECT_THAT(changes[0].del, HasSubstr("# Old"));
  EXPECT_THAT(read(handle, "a.md").value(),
              testing::StartsWith("[to be deleted: " + changes[0].id + " proposes to delete this file"));
  EXPECT_THAT(several_lines(changes[0], kStart), testing::StartsWith(changes[0].id + " a.md delete file by dev's AI"));
  EXPECT_THAT(one_line(changes[0], kStart), HasSubstr("proposed to delete the whole file"));
}

TEST_F(WorkspaceReviewTest, P25MarksInCodeAreNoPendingChanges) {
  const std::string text = "`{++a++}` and `{>>b<<}`\n\n```\n{--c--}{>>d<<}\n{==e==}\n```\n\n~~~\n{~~f~>g~~} {>>h<<}\n~~~\n";
  kb.write("a.md", text);
  EXPECT_THAT(pending(), IsEmpty());
  const std::string handle = reader("a.md");
  EXPECT_THAT(read(handle, "a.md").value(), testing::Not(HasSubstr("[pending")));
  // An example of a comment is text: a model may change it, and signs nothing.
  EXPECT_EQ(code_of(edit(handle, "a.md", "{>>d<<}", "{>>dd<<}")), "ok");
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1)) << "a change in code is one all the same";
  EXPECT_THAT(accept({changes[0].id}).applied, SizeIs(1));
  std::string expected = text;
  expected.replace(expected.find("{>>d<<}"), 7, "{>>dd<<}");
  EXPECT_EQ(kb.read("a.md"), expected);
  EXPECT_THAT(pending(), IsEmpty());
  // A whole document that explains these marks, too.
  ASSERT_TRUE(workspace->create(with(""), "new.md", "Write `{>>so<<}`, and {>>really<<}.\n"));
  std::vector<std::string> kinds;
  for (const PendingChange& change : pending()) kinds.push_back(change.kind);
  EXPECT_THAT(kinds, ElementsAre("insertion", "comment"));
  EXPECT_THAT(kb.read("new.md"), AllOf(HasSubstr("`{>>so<<}`"), HasSubstr("@@really<<}")));
}

TEST_F(WorkspaceReviewTest, AModelWithdrawsItsOwnAlone) {
  const std::string ann = five_changes("ann");
  const std::string bob = reader("a.md", "bob");
  const auto all = ids();
  EXPECT_EQ(code_of(workspace->withdraw(with(bob), {all[0]})), "bad_argument");
  EXPECT_THAT(ids(), SizeIs(5));
  EXPECT_THAT(workspace->withdraw(with(ann), {all[0], "c_none"}).value(),
              AllOf(HasSubstr(all[0]), HasSubstr("Not withdrawn: c_none")));
  EXPECT_THAT(ids(), Not(testing::Contains(all[0])));
  // A person's own mark in the file is nobody's to withdraw.
  kb.write("c.md", "{++by hand++}\n");
  ChangeFilter filter;
  filter.path = "c.md";
  EXPECT_EQ(code_of(workspace->withdraw(with(ann), {workspace->changes(filter, {}).value().at(0).id})), "bad_argument");
  EXPECT_EQ(kb.read("c.md"), "{++by hand++}\n");
}

TEST_F(WorkspaceReviewTest, TheSessionsLogSaysHowItEnded) {
  five_changes();
  const auto all = ids();
  accept({all[0]});
  reject({all[1]});
  session::Query query;
  const auto page = store->list(query).value();
  ASSERT_THAT(page.items, SizeIs(1));
  session::EntryQuery decided;
  decided.session = page.items[0].id;
  decided.types = {"decided"};
  const auto entries = store->entries(decided).value().entries;
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_THAT(entries[0].text, HasSubstr(all[0] + " accepted"));
  EXPECT_THAT(entries[1].text, HasSubstr(all[1] + " rejected"));
}

TEST_F(WorkspaceReviewTest, OnesOwnWritesAreSeenAtOnceAlsoByOthers) {
  five_changes();
  EXPECT_THAT(pending(), SizeIs(5));
  kb.write("quiet.md", "{++h++} here\n");
  EXPECT_THAT(pending(), SizeIs(6));
  EXPECT_THAT(open_workspace()->changes({}, {}).value(), SizeIs(6));
}

TEST_F(WorkspaceReviewTest, FiltersByAuthorAndTime) {
  five_changes("ann");
  clock->advance(1000);
  const std::string bob = reader("b.md", "bob");
  EXPECT_EQ(code_of(edit(bob, "b.md", "text", "words")), "ok");
  ChangeFilter filter;
  filter.author = "bob's AI";
  EXPECT_THAT(workspace->changes(filter, {}).value(), SizeIs(1));
  filter.author.clear();
  filter.since = kStart + 1000;
  EXPECT_THAT(workspace->changes(filter, {}).value(), SizeIs(1));
  filter.since.reset();
  filter.path = "nowhere.md";
  EXPECT_FALSE(workspace->changes(filter, {}));
  EXPECT_THAT(workspace->list_changes(with(""), {}).value(),
              AllOf(HasSubstr("6 pending change(s)"), HasSubstr("a.md:1 substitution by ann's AI")));
}

}  // namespace
}  // namespace holdfast::documents
