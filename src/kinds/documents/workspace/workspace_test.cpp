// document-review §5 and §8 through the workspace: real files, a real store.

#include "base/crypto/hash.h"
#include "kinds/documents/workspace/test_workspace.h"
#include "session/kinds.h"

#include <sys/stat.h>

#include <thread>

namespace holdfast::documents {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// ---- §5 create_session, read

TEST_F(WorkspaceTest, CreateSessionAnswersTheIdNotesAndTrailer) {
  kb.write("AI Guide/_intro.md", "Hello.\n%% for people %%{++pending++}{--kept--}\n");
  const std::string text = workspace->create_session(with(""), "dev", "", "").value();
  const std::string handle = handle_in(text);
  EXPECT_EQ(text, handle + "\n\nHello.\nkept\n\n[session: " + handle + "]");
}

TEST_F(WorkspaceTest, LongNotesAreCutAndSaySo) {
  std::string notes;
  for (int i = 0; i < 5000; ++i) notes += "é";
  kb.write("AI Guide/_intro.md", notes);
  const std::string text = workspace->create_session(with(""), "", "", "").value();
  EXPECT_THAT(text, HasSubstr("[cut here: read \"AI Guide/_intro.md\" for the rest]"));
  std::size_t shown = 0;
  for (std::size_t at = text.find("é"); at != std::string::npos; at = text.find("é", at + 1)) ++shown;
  EXPECT_EQ(shown, 4000U);
}

TEST_F(WorkspaceTest, ReadShowsNumberedLinesPendingAndTrailer) {
  kb.write("a.md", "first line\nsecond {--old words--}{++new words++} line\n");
  const std::string text = read("", "a.md").value();
  const std::string id = pending().at(0).id;
  EXPECT_EQ(text, "     1\tfirst line\n     2\tsecond new words line\n\n[pending: 1]\n  " + id +
                      " L2 {--old words--}{++new words++} (Unknown)\n[version: " + to_hex(sha256(kb.read("a.md"))).substr(0, 16) +
                      "]\n\n[session: " + handle_in(text) + "]");
}

TEST_F(WorkspaceTest, ReadInPartsSaysWhereToGoOn) {
  std::string lines;
  for (int i = 1; i <= 5312; ++i) lines += "line " + std::to_string(i) + "\n";
  kb.write("long.md", lines);
  EXPECT_THAT(read("", "long.md").value(), HasSubstr("\n\n[lines 1-2000 of 5312; continue with offset 2001]\n[version: "));
  ReadRequest request;
  request.file_path = "long.md";
  request.offset = 5312;
  EXPECT_THAT(workspace->read(with(""), request).value(), StartsWith("  5312\tline 5312\n\n[version: "));
  request.offset = 5313;
  const std::string handle = session();
  const auto past = workspace->read(with(handle), request);
  EXPECT_EQ(code_of(past), "bad_argument");
  EXPECT_THAT(past.error().message, HasSubstr("5312 lines"));
  EXPECT_EQ(code_of(edit(handle, "long.md", "line 7\n", "x")), "not_read") << "a read past the end does not count";
}

TEST_F(WorkspaceTest, ReadIsBoundedByBytesButNeverCutsALine) {
  const std::string wide(50'000, 'x');
  kb.write("wide.md", wide + "\n" + wide + "\n");
  EXPECT_THAT(read("", "wide.md").value(), AllOf(HasSubstr(wide), HasSubstr("[lines 1-1 of 2; continue with offset 2]")));
}

TEST_F(WorkspaceTest, ReadOfEmptyAndOfCrlfAndBom) {
  kb.write("empty.md", "");
  EXPECT_THAT(read("", "empty.md").value(), StartsWith("[version: "));
  kb.write("dos.md", "\xEF\xBB\xBFone\r\ntwo\r\n");
  EXPECT_THAT(read("", "dos.md").value(), StartsWith("     1\tone\n     2\ttwo\n\n[eol: crlf]\n[version: "));
}

TEST_F(WorkspaceTest, ReadHasThreeViews) {
  kb.write("a.md", "x {--old--}{++new++}\n");
  ReadRequest request;
  request.file_path = "a.md";
  for (const auto& [view, text] : {std::pair("accepted", "     1\tx new\n"), std::pair("base", "     1\tx old\n"),
                                   std::pair("raw", "     1\tx {--old--}{++new++}\n")}) {
    request.view = view;
    EXPECT_THAT(workspace->read(with(""), request).value(), StartsWith(text)) << view;
  }
  request.view = "other";
  EXPECT_EQ(code_of(workspace->read(with(""), request)), "bad_argument");
}

TEST_F(WorkspaceTest, AFailedReadMintsNothing) {
  EXPECT_EQ(code_of(read("", "missing.md")), "no_such_document");
  EXPECT_EQ(code_of(read("", "../kb-private/secret.md")), "path_denied");
  session::Query query;
  query.kinds = {std::string(session::kDocument)};
  EXPECT_THAT(store->list(query).value().items, IsEmpty());
}

// ---- §5 edit: the order of the checks, the guard

TEST_F(WorkspaceTest, EditBecomesAPendingChangeAndSaysWhere) {
  kb.write("a.md", "one\nKelp grows slowly here.\nthree\n");
  const std::string handle = reader("a.md");
  const std::string text = edit(handle, "a.md", "slowly", "fast").value();
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(text, "Edited a.md: 1 change(s) pending: " + changes[0].id +
                      " (L2).\n\n     1\tone\n     2\tKelp grows fast here.\n     3\tthree");
  EXPECT_EQ(changes[0].author, "dev's AI");
  EXPECT_EQ(changes[0].time, kStart);
  EXPECT_EQ(base("a.md"), "one\nKelp grows slowly here.\nthree\n");
}

TEST_F(WorkspaceTest, TheGuardIsPerHandleAndDocumentAndSurvivesARestart) {
  kb.write("a.md", "text a\n");
  kb.write("b.md", "text b\n");
  const std::string handle = reader("a.md");
  const auto unread = edit(handle, "b.md", "text", "x");
  EXPECT_EQ(code_of(unread), "not_read");
  EXPECT_THAT(unread.error().hint, HasSubstr("call read with file_path \"b.md\""));
  EXPECT_EQ(code_of(edit(session(), "a.md", "text", "x")), "not_read");
  restart();
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "words")), "ok");
  EXPECT_EQ(accepted("a.md"), "words a\n");
}

TEST_F(WorkspaceTest, TheGuardKnowsTheFileNotItsSpelling) {
  kb.write("sub/a.md", "text\n");
  kb.link("sub/a.md", "other.md");
  const std::string handle = reader("other.md");
  EXPECT_EQ(code_of(edit(handle, "sub/../sub/./a.md", "text", "one")), "ok");
  EXPECT_EQ(code_of(edit(handle, "other.md", "one", "two")), "ok");
  EXPECT_EQ(accepted("sub/a.md"), "two\n");
  EXPECT_TRUE(std::filesystem::is_symlink(kb / "other.md"));
}

TEST_F(WorkspaceTest, ADocumentThatWasGoneMustBeReadAgain) {
  kb.write("a.md", "text\n");
  const std::string handle = reader("a.md");
  std::filesystem::remove(kb / "a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "x")), "no_such_document");
  kb.write("a.md", "text of another\n");
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "x")), "not_read");
}

TEST_F(WorkspaceTest, ChecksComeInOrder) {
  kb.write("a.md", "text {>>mine<<}\n");
  kb.settings().folders[0].read_only = false;
  EditRequest nothing;
  nothing.file_path = "missing.md";
  EXPECT_EQ(code_of(workspace->edit(with("bogus"), nothing)), "bad_argument");
  EXPECT_EQ(code_of(edit("bogus", "missing.md", "a", "b")), "session_unknown");
  const std::string handle = session();
  EXPECT_EQ(code_of(edit(handle, "missing.md", "a", "b")), "no_such_document");
  EXPECT_EQ(code_of(edit(handle, "a.md", "nowhere", "b")), "not_read");
  EXPECT_TRUE(read(handle, "a.md"));
  EXPECT_EQ(code_of(edit(handle, "a.md", "nowhere", "b")), "not_found");
  EXPECT_EQ(code_of(edit(handle, "a.md", "mine", "{++x++}")), "comment_protected");
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "{++x++}")), "markup_in_input");
  EXPECT_EQ(kb.read("a.md"), "text {>>mine<<}\n");
}

TEST_F(WorkspaceTest, ARefusalLeavesBytesTimeAndFolderAsTheyWere) {
  kb.write("a.md", "text text\n");
  const std::string handle = reader("a.md");
  struct stat before{}, after{};
  ASSERT_EQ(::stat((kb / "a.md").c_str(), &before), 0);
  for (const auto& [old_string, new_string] :
       {std::pair("text", "x"), std::pair("none", "x"), std::pair("text text", "{++a"), std::pair("", "x")})
    EXPECT_NE(code_of(edit(handle, "a.md", old_string, new_string)), "ok");
  ASSERT_EQ(::stat((kb / "a.md").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kb.root()), {}), 1);
}

TEST_F(WorkspaceTest, FilesStayByteExactOutsideTheChange) {
  const std::string bytes = "\xEF\xBB\xBFone\r\ntwo \xE2\x80\x99quoted\xE2\x80\x99\r\nthree\nno end";
  kb.write("a.md", bytes);
  ASSERT_EQ(::chmod((kb / "a.md").c_str(), 0640), 0);
  const std::string handle = reader("a.md");
  EXPECT_THAT(edit(handle, "a.md", "one\ntwo 'quoted'", "one\nthree\ntwo 'quoted'").value(),
              HasSubstr("matched with quotes normalised"));
  const std::string id = pending().at(0).id;
  EXPECT_THAT(reject({id}).applied, ElementsAre(id));
  EXPECT_EQ(kb.read("a.md"), bytes);
  struct stat status{};
  ASSERT_EQ(::stat((kb / "a.md").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(WorkspaceTest, ThreeRevisionsAndBackLeaveTheFileAsItWas) {  // §11.5
  const std::string bytes = "the wharf is shut\n";
  kb.write("a.md", bytes);
  const std::string handle = reader("a.md");
  for (const auto& [from, to] :
       {std::pair("wharf", "pier"), std::pair("pier", "jetty"), std::pair("jetty", "quay"), std::pair("quay", "wharf")})
    EXPECT_EQ(code_of(edit(handle, "a.md", from, to)), "ok");
  EXPECT_EQ(kb.read("a.md"), bytes);
}

// ---- §8: people save meanwhile

TEST_F(WorkspaceTest, AnUnrelatedSaveSurvivesAndIsTold) {  // §11.3
  kb.write("a.md", "first\nsecond\n");
  const std::string handle = reader("a.md");
  kb.write("a.md", "first, by hand\nsecond\n");
  EXPECT_THAT(edit(handle, "a.md", "second", "2nd").value(), HasSubstr("the file changed on disk since your read"));
  EXPECT_EQ(accepted("a.md"), "first, by hand\n2nd\n");
  EXPECT_THAT(edit(handle, "a.md", "2nd", "two").value(), Not(HasSubstr("changed on disk"))) << "its own edit is no news";
}

TEST_F(WorkspaceTest, ARewrittenSentenceIsStale) {  // §11.4
  kb.write("a.md", "first\nsecond\n");
  const std::string handle = reader("a.md");
  kb.write("a.md", "first\nanother\n");
  EXPECT_EQ(code_of(edit(handle, "a.md", "second", "2nd")), "stale");
  EXPECT_EQ(kb.read("a.md"), "first\nanother\n");
}

TEST_F(WorkspaceTest, AnExpectedVersionMakesEveryDifferenceAnError) {
  kb.write("a.md", "text\n");
  const std::string handle = reader("a.md");
  EditRequest request;
  request.file_path = "a.md";
  request.edits = {{"text", "x", false}};
  request.expected_version = std::string(64, '0');
  EXPECT_EQ(code_of(workspace->edit(with(handle), request)), "stale");
  EXPECT_EQ(kb.read("a.md"), "text\n");
}

TEST_F(WorkspaceTest, TwoHandlesAtTheSameInstantBothLand) {  // §11.7
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line number " + std::to_string(i) + ".\n";
  kb.write("a.md", text);
  const std::string one = reader("a.md", "ann"), two = reader("a.md", "bob");
  const auto second_workspace = open_workspace();
  const auto work = [&](Workspace& at, const std::string& handle, int from) {
    for (int i = from; i < 40; i += 2) {
      EditRequest request;
      request.file_path = "a.md";
      const std::string number = std::to_string(i);
      request.edits = {{"number " + number + ".", "No. " + number + ".", false}};
      EXPECT_EQ(code_of(at.edit(with(handle), request)), "ok") << i;
    }
  };
  std::thread other([&] { work(*second_workspace, two, 1); });
  work(*workspace, one, 0);
  other.join();
  EXPECT_EQ(base("a.md"), text);
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(40));
  for (std::size_t i = 0; i < changes.size(); ++i) EXPECT_EQ(changes[i].author, i % 2 == 0 ? "ann's AI" : "bob's AI");
}

// ---- §5 create, delete; kinds without marks

TEST_F(WorkspaceTest, CreateIsOneInsertionAndCountsAsRead) {
  const std::string text = workspace->create(with(""), "new/deep/a.md", "---\ntitle: x\n---\nhello\n").value();
  const std::string handle = handle_in(text);
  EXPECT_THAT(text, HasSubstr("front matter"));
  EXPECT_EQ(base("new/deep/a.md"), "");
  EXPECT_EQ(code_of(edit(handle, "new/deep/a.md", "hello", "hello there")), "ok");
  EXPECT_EQ(base("new/deep/a.md"), "");
  EXPECT_EQ(accepted("new/deep/a.md"), "---\ntitle: x\n---\nhello there\n");
  EXPECT_EQ(code_of(workspace->create(with(handle), "new/deep/a.md", "x")), "exists");
}

TEST_F(WorkspaceTest, CreateRefusesMarkupAndLeavesNoFolder) {
  EXPECT_EQ(code_of(workspace->create(with(""), "new/a.md", "{++x++}")), "markup_in_input");
  EXPECT_EQ(code_of(workspace->create(with("bogus"), "new/a.md", "x")), "session_unknown");
  EXPECT_FALSE(std::filesystem::exists(kb / "new"));
}

TEST_F(WorkspaceTest, AnEmptyDocumentHasNothingPending) {
  EXPECT_THAT(workspace->create(with(""), "a.md", "").value(), StartsWith("Created a.md: empty, nothing pending."));
  EXPECT_EQ(kb.read("a.md"), "");
  EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(WorkspaceTest, RefusingANewDocumentSendsItToTheTrash) {
  const std::string handle = handle_in(workspace->create(with(""), "a.md", "hello\n").value());
  const auto report = reject({pending().at(0).id});
  EXPECT_THAT(report.applied, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(kb / "a.md"));
  const auto trashed = workspace->trash().value();
  ASSERT_THAT(trashed, SizeIs(1));
  EXPECT_EQ(trashed[0].path, "a.md");
  EXPECT_EQ(code_of(workspace->restore(with(handle), trashed[0].id)), "reviewer_required");
  EXPECT_EQ(code_of(workspace->restore(person(), trashed[0].id)), "ok");
  EXPECT_EQ(accepted("a.md"), "hello\n");
}

TEST_F(WorkspaceTest, DeleteWaitsForAPerson) {
  kb.write("a.md", "text\n");
  kb.write("b.md", "see [[a]]\n");
  const std::string handle = session();
  EXPECT_EQ(code_of(workspace->remove(with(handle), "a.md")), "not_read");
  EXPECT_TRUE(read(handle, "a.md"));
  EXPECT_THAT(workspace->remove(with(handle), "a.md").value(), AllOf(HasSubstr("waits for review"), HasSubstr("- b.md")));
  EXPECT_TRUE(std::filesystem::exists(kb / "a.md"));
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].kind, "delete");
  EXPECT_THAT(accept({changes[0].id}).applied, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(kb / "a.md"));
  EXPECT_THAT(workspace->trash().value(), SizeIs(1));
}

TEST_F(WorkspaceTest, ADeletionOfWhatHasChangedSinceIsStale) {
  kb.write("a.md", "text\n");
  const std::string handle = reader("a.md");
  EXPECT_TRUE(workspace->remove(with(handle), "a.md"));
  kb.write("a.md", "saved since\n");
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_TRUE(changes[0].stale);
  const auto report = accept({changes[0].id});
  EXPECT_THAT(report.applied, IsEmpty());
  EXPECT_THAT(report.failed.at(0).second, StartsWith("stale"));
  EXPECT_EQ(kb.read("a.md"), "saved since\n");
}

TEST_F(WorkspaceTest, KindsWithoutMarksAreProposedBesideTheFile) {
  const std::string bytes = "{\"retries\": 3,\r\n \"name\": \"x\"}\r\n";
  kb.write("a.json", bytes);
  const std::string handle = reader("a.json");
  EXPECT_THAT(edit(handle, "a.json", "\"retries\": 3", "\"retries\": 5").value(), HasSubstr("as a proposal"));
  EXPECT_EQ(kb.read("a.json"), bytes);
  // The accepted view shows it, and a further edit builds on it.
  EXPECT_THAT(read(handle, "a.json").value(), AllOf(HasSubstr("\"retries\": 5"), HasSubstr("[pending: 1]")));
  EXPECT_EQ(code_of(edit(handle, "a.json", "\"retries\": 5", "\"retries\": 7")), "ok");
  EXPECT_EQ(base("a.json"), bytes);
  const auto changes = pending();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].kind, "edit");
  EXPECT_EQ(changes[0].del, "{\"retries\": 3,\r\n");
  EXPECT_EQ(changes[0].ins, "{\"retries\": 7,\r\n");
  EXPECT_THAT(accept({changes[0].id}).applied, SizeIs(1));
  EXPECT_EQ(kb.read("a.json"), "{\"retries\": 7,\r\n \"name\": \"x\"}\r\n");
  EXPECT_THAT(pending(), IsEmpty());
}

TEST_F(WorkspaceTest, AProposalForOtherBytesIsNeverApplied) {
  kb.write("a.json", "1\n");
  const std::string handle = reader("a.json");
  EXPECT_EQ(code_of(edit(handle, "a.json", "1", "2")), "ok");
  kb.write("a.json", "1 by hand\n");
  EXPECT_EQ(accepted("a.json"), "1 by hand\n");
  EXPECT_THAT(accept({pending().at(0).id}).failed, SizeIs(1));
  EXPECT_EQ(kb.read("a.json"), "1 by hand\n");
}

TEST_F(WorkspaceTest, DirectEditsWhenConfigured) {
  kb.settings().direct_edits = true;
  workspace = open_workspace();
  kb.write("a.json", "1\n");
  const std::string handle = reader("a.json");
  EXPECT_THAT(edit(handle, "a.json", "1", "2").value(), HasSubstr("written directly"));
  EXPECT_EQ(kb.read("a.json"), "2\n");
}

TEST_F(WorkspaceTest, AReadOnlyFolderRefusesEveryWrite) {
  kb.write("a.md", "text\n");
  kb.settings().folders[0].read_only = true;
  workspace = open_workspace();
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "x")), "read_only");
  EXPECT_EQ(code_of(workspace->create(with(handle), "b.md", "x")), "read_only");
  EXPECT_EQ(code_of(workspace->remove(with(handle), "a.md")), "read_only");
  EXPECT_EQ(code_of(workspace->move(with(handle), "a.md", "b.md")), "read_only");
}

// ---- what a review found

TEST_F(WorkspaceTest, NothingThatIsNoTextGetsIntoADocument) {
  kb.write("a.md", "one two\n");
  kb.write("a.json", "one\n");
  const std::string handle = reader("a.md");
  EXPECT_TRUE(read(handle, "a.json"));
  for (const char* path : {"a.md", "a.json"}) {
    EXPECT_EQ(code_of(edit(handle, path, "one", std::string("o\0", 2))), "not_text");
    EXPECT_EQ(code_of(edit(handle, path, "one", "\xFF")), "not_text");
  }
  EXPECT_EQ(kb.read("a.md"), "one two\n");
}

TEST_F(WorkspaceTest, WhatNoListingShowsCannotBeChanged) {
  kb.write(".gitignore", "ig/\n*.log.md\n");
  kb.write("ig/x.md", "text\n");
  kb.write("a.log.md", "text\n");
  kb.write("d.md", "text\n");
  const std::string handle = reader("d.md");
  EXPECT_EQ(code_of(read(handle, "ig/x.md")), "no_such_document");
  EXPECT_EQ(code_of(read(handle, "a.log.md")), "no_such_document");
  EXPECT_EQ(code_of(workspace->create(with(handle), "ig/new.md", "x")), "path_denied");
  EXPECT_EQ(code_of(workspace->move(with(handle), "d.md", "ig/d.md")), "path_denied");
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "d/";
  EXPECT_EQ(code_of(workspace->create(with(handle), deep + "x.md", "x")), "path_denied");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kb / "ig"), {}), 1);
}

TEST_F(WorkspaceTest, AHandleEndsWithItsSession) {
  kb.write("a.md", "text\n");
  const std::string handle = reader("a.md");
  const std::string label = store->list({}).value().items.at(0).id;
  ASSERT_TRUE(store->write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(auto record, transaction.get(label));
    record.visibility = session::Visibility::deleted;
    HF_CHECK(transaction.update(std::move(record)));
    return {};
  }));
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "x")), "session_expired");
  ASSERT_TRUE(store->write([&](session::Transaction& transaction) { return transaction.purge(label, "test"); }));
  EXPECT_EQ(code_of(edit(handle, "a.md", "text", "x")), "session_expired");
  EXPECT_EQ(code_of(workspace->create(with(handle), "b.md", "x")), "session_expired");
  EXPECT_EQ(code_of(workspace->move(with(handle), "a.md", "b.md")), "session_expired");
  EXPECT_EQ(kb.read("a.md"), "text\n");
}

TEST_F(WorkspaceTest, ReplaceAllReplacesAllOrNothing) {
  std::string dashes;
  for (int i = 0; i < 200; ++i) dashes += "|" + std::string(120, '-') + "|\n";
  kb.write("a.md", dashes);
  const std::string handle = reader("a.md");
  EditRequest request;
  request.file_path = "a.md";
  request.edits = {{std::string(40, '-'), "=", true}};
  EXPECT_EQ(code_of(workspace->edit(with(handle), request)), "ok");
  EXPECT_THAT(accepted("a.md"), Not(HasSubstr("-")));
  kb.write("a.md", std::string(50'000, 'a'));
  request.edits = {{"a", "b", true}};
  const auto refused = workspace->edit(with(handle), request);
  EXPECT_EQ(code_of(refused), "too_large");
  EXPECT_THAT(refused.error().message, HasSubstr("50000 times"));
}

TEST_F(WorkspaceTest, KindsWithoutMarksKeepTheirSpelling) {
  kb.write("page.html", "<p>\r\nIt\u2019s \u201Cold\u201D text\r\n</p>\r\n");
  const std::string handle = reader("page.html");
  EXPECT_EQ(code_of(edit(handle, "page.html", "<p>\nIt's \"old\" text\n", "<p>\nIt's \"new\" text\nmore\n")), "ok");
  EXPECT_EQ(accepted("page.html"), "<p>\r\nIt\u2019s \u201Cnew\u201D text\r\nmore\r\n</p>\r\n");
}

TEST_F(WorkspaceTest, ProposalsOfOthersAreNamedOrProtected) {
  kb.write("c.json", "1 2\n");
  const std::string ann = reader("c.json", "ann"), bob = reader("c.json", "bob");
  EXPECT_EQ(code_of(edit(ann, "c.json", "1", "one")), "ok");
  const std::string first = pending().at(0).id;
  EXPECT_THAT(edit(bob, "c.json", "2", "two").value(), HasSubstr("superseded change " + first + " by ann's AI"));
  EXPECT_THAT(pending(), SizeIs(1));
  kb.settings().supersede_any = false;
  workspace = open_workspace();
  EXPECT_EQ(code_of(edit(ann, "c.json", "two", "zwei")), "supersede_denied");
  EXPECT_EQ(accepted("c.json"), "one two\n");
}

TEST_F(WorkspaceTest, ANewFileOfSuchAKindIsProposedOnceAndReadByItsAuthor) {
  const std::string handle = handle_in(workspace->create(with(""), "new/n.json", "1\n").value());
  EXPECT_EQ(code_of(workspace->create(with(handle), "new/n.json", "2\n")), "exists");
  const auto unread = read(handle, "new/n.json");
  EXPECT_EQ(code_of(unread), "no_such_document");
  EXPECT_THAT(unread.error().message, HasSubstr("waits for review"));
  ChangeFilter below;
  below.path = "new";
  EXPECT_THAT(workspace->changes(below, {}).value(), SizeIs(1));
  accept({pending().at(0).id});
  EXPECT_EQ(kb.read("new/n.json"), "1\n");
  EXPECT_EQ(code_of(edit(handle, "new/n.json", "1", "2")), "ok");
}

TEST_F(WorkspaceTest, TheSameNameIsNotTheSameAuthor) {
  kb.write("a.md", "text\n");
  const auto session_of = [&](std::string_view principal) {
    const std::string handle = handle_in(workspace->create_session(with("", principal), "", "", "").value());
    ReadRequest request;
    request.file_path = "a.md";
    EXPECT_TRUE(workspace->read(with(handle, principal), request));
    return handle;
  };
  const std::string mine = session_of("local"), eves = session_of("eve");
  EXPECT_EQ(code_of(edit(mine, "a.md", "text", "text {>>from local<<}")), "ok");
  EditRequest forged;
  forged.file_path = "a.md";
  forged.edits = {{"from local", "forged", false}};
  EXPECT_EQ(code_of(workspace->edit(with(eves, "eve"), forged)), "comment_protected");
  EXPECT_EQ(code_of(workspace->edit(with(mine), forged)), "ok");
}

TEST_F(WorkspaceTest, TextNeverTurnsIntoMarksWhenItIsAccepted) {
  kb.write("a.md", "x {+a+ y ++} z\n");
  kb.write("b.md", "x {a>>hi<<} q\n");
  const std::string handle = reader("a.md");
  EXPECT_TRUE(read(handle, "b.md"));
  EXPECT_EQ(code_of(edit(handle, "a.md", "+a+", "++")), "markup_in_input");
  EXPECT_EQ(code_of(edit(handle, "b.md", "a>>", ">>")), "markup_in_input");
  EXPECT_EQ(kb.read("a.md"), "x {+a+ y ++} z\n");
}

TEST_F(WorkspaceTest, P28ReadTellsTheVersionThatEditTakes) {
  kb.write("a.md", "text\n");
  const std::string handle = session();
  const std::string text = read(handle, "a.md").value();
  const std::size_t at = text.find("[version: ");
  ASSERT_NE(at, std::string::npos);
  EditRequest request;
  request.file_path = "a.md";
  request.edits = {{"text", "words", false}};
  request.expected_version = text.substr(at + 10, 16);
  EXPECT_EQ(code_of(workspace->edit(with(handle), request)), "ok");
  EXPECT_EQ(code_of(workspace->edit(with(handle), request)), "stale");
}

TEST_F(WorkspaceTest, OneOfSeveralEditsIsNamed) {
  kb.write("a.md", "one two\n");
  const std::string handle = reader("a.md");
  EditRequest request;
  request.file_path = "a.md";
  request.edits = {{"one", "1", false}, {"missing", "x", false}};
  const auto refused = workspace->edit(with(handle), request);
  EXPECT_EQ(code_of(refused), "not_found");
  EXPECT_THAT(refused.error().message, StartsWith("edits[1]"));
  EXPECT_EQ(kb.read("a.md"), "one two\n");
}

TEST_F(WorkspaceTest, ALinkByAnAbsolutePathMayStayInside) {
  kb.write("sub/a.md", "text\n");
  kb.link(kb / "sub/a.md", "inside.md");
  kb.write_outside("secret.md", "hush\n");
  kb.link(kb.outside() + "/secret.md", "outside.md");
  const std::string handle = reader("inside.md");
  EXPECT_EQ(code_of(edit(handle, "sub/a.md", "text", "words")), "ok");
  EXPECT_EQ(code_of(read(handle, "outside.md")), "no_such_document");
}

TEST_F(WorkspaceTest, MisguessedHandlesAreSlowedDownAndOthersAreNot) {
  kb.write("a.md", "text\n");
  const std::string handle = reader("a.md");
  for (int i = 0; i < MissLimit::kMisses; ++i) EXPECT_EQ(code_of(read("s_guess" + std::to_string(i), "a.md")), "session_unknown");
  const auto refused = read("s_another", "a.md");
  EXPECT_THAT(refused.error().hint, HasSubstr("wait"));
  EXPECT_EQ(code_of(read(handle, "a.md")), "ok");
}

TEST_F(WorkspaceTest, P26ManySmallMarksOfOneEditAreOneChange) {
  std::string before, after;
  for (int i = 0; i < 800; ++i) {
    before += "line " + std::to_string(i) + " says old things\n";
    after += "line " + std::to_string(i) + " says new things\n";
  }
  kb.write("a.md", before);
  const std::string handle = reader("a.md");
  EXPECT_EQ(code_of(edit(handle, "a.md", before, after)), "ok");
  EXPECT_EQ(accepted("a.md"), after);
  ASSERT_THAT(pending(), SizeIs(1));
  EXPECT_EQ(pending()[0].places, 800U);
}

TEST_F(WorkspaceTest, OtherNamesOfAFileAreMentioned) {
  kb.write("a.md", "text\n");
  std::filesystem::create_hard_link(kb / "a.md", kb / "b.md");
  const std::string handle = reader("a.md");
  EXPECT_THAT(edit(handle, "a.md", "text", "words").value(), HasSubstr("hard links"));
  EXPECT_EQ(kb.read("b.md"), "text\n");
}

// ---- move and what hangs on a document

TEST_F(WorkspaceTest, WhatWasReadAndProposedMovesAlong) {
  kb.write("a.md", "text, see [[b]]\n");
  kb.write("b.md", "back to [[a]]\n");
  kb.write("c.json", "1\n");
  const std::string handle = reader("a.md");
  EXPECT_TRUE(read(handle, "c.json"));
  EXPECT_EQ(code_of(edit(handle, "c.json", "1", "2")), "ok");
  EXPECT_THAT(workspace->move(with(handle), "a.md", "sub/a2.md").value(), StartsWith("Moved a.md -> sub/a2.md ("));
  EXPECT_EQ(code_of(workspace->move(with(handle), "c.json", "sub/c.json")), "ok");
  EXPECT_EQ(code_of(edit(handle, "sub/a2.md", "text", "words")), "ok");
  EXPECT_THAT(read("", "b.md").value(), HasSubstr("back to [["));
  EXPECT_THAT(workspace->get_links(with(""), "sub/a2.md").value(), HasSubstr("- b.md"));
  EXPECT_THAT(pending(), SizeIs(2));
  EXPECT_EQ(accepted("sub/c.json"), "2\n");
}

}  // namespace
}  // namespace holdfast::documents
