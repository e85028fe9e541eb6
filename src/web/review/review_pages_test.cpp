#include "web/review/review_pages.h"

#include "kinds/documents/workspace/test_workspace.h"
#include "web/review/review_show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ReviewPagesTest : documents::WorkspaceTest {
  ReviewPagesTest() {
    kb.write("kelp.md", "# Kelp\n\nKelp grows <b>slowly</b> here.\n");
    const std::string handle = reader("kelp.md");
    EXPECT_TRUE(edit(handle, "kelp.md", "slowly", "fast"));
    service.workspace = [this](const Identity&) -> Result<std::shared_ptr<documents::Workspace>> {
      return std::shared_ptr<documents::Workspace>(std::shared_ptr<void>(), workspace.get());  // the fixture keeps it
    };
    service.reviewer = [](const Identity&) { return person(); };
  }
  PageRequest asking(std::string_view query) {
    PageRequest request;
    request.path = "/review/document";
    request.query = Fields::parse(query);
    request.principal = "local";
    request.is_login = true;
    request.now = documents::kStart;
    return request;
  }
  PageRequest sending(std::string_view form) {
    PageRequest request = asking("");
    request.form = Fields::parse(form);
    return request;
  }
  static std::string location(const net::HttpResponse& response) {
    for (const auto& [name, value] : response.headers)
      if (name == "Location") return value;
    return {};
  }
  ReviewService service;
};

TEST_F(ReviewPagesTest, TheListNamesDocuments) {
  const std::string html = review_page(service, asking("")).value().body;
  EXPECT_THAT(html, HasSubstr("href=\"/review/document?path=kelp.md\""));
  EXPECT_THAT(html, HasSubstr("1 change in 1 document."));
  EXPECT_THAT(review_page(service, asking("author=nobody")).value().body, HasSubstr("Nothing waits for you"));
  EXPECT_THAT(review_page({}, asking("")).value().body, HasSubstr("--documents DIR"));
}

TEST_F(ReviewPagesTest, AcceptingMayCommitWhereThereIsGit) {
  EXPECT_THAT(review_document_page(service, asking("path=kelp.md"))->body, Not(HasSubstr("Accept and commit")));
  service.in_git = [](const std::string& path) { return path == "kelp.md"; };
  const std::string html = review_document_page(service, asking("path=kelp.md"))->body;
  EXPECT_THAT(html, HasSubstr("Accept and commit"));
  EXPECT_THAT(html, HasSubstr("Accept all and commit"));
  EXPECT_THAT(html, Not(HasSubstr("data-from")));
  // The folder of this test is no work tree: what was accepted stays so, and the page says why there is no commit.
  const auto answer = decide_changes(service, sending("verdict=commit&path=kelp.md&id=" + pending().front().id)).value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("Accepted 1."));
  EXPECT_THAT(answer.body, HasSubstr("role=\"alert\""));
  EXPECT_THAT(answer.body, HasSubstr("data-from=\"/review/document?path=kelp.md\"")) << "where its live parts come from";
  EXPECT_THAT(pending(), testing::IsEmpty());
}

TEST_F(ReviewPagesTest, ADocumentIsShownBothWaysAndEscaped) {
  const std::string id = pending().front().id;
  std::string html = review_document_page(service, asking("path=kelp.md")).value().body;
  EXPECT_THAT(html, HasSubstr("<del>slowly</del><ins>fast</ins>"));
  EXPECT_THAT(html, HasSubstr("id=\"change-" + id + "\""));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  html = review_document_page(service, asking("path=kelp.md&view=sides")).value().body;
  EXPECT_THAT(html, HasSubstr("<del>Kelp grows &lt;b&gt;slowly&lt;/b&gt; here.</del>"));
  EXPECT_THAT(html, HasSubstr("<ins>Kelp grows &lt;b&gt;fast&lt;/b&gt; here.</ins>"));
  EXPECT_FALSE(review_document_page(service, asking("path=../etc/passwd")));
}

TEST_F(ReviewPagesTest, AcceptingChangesTheFileAndRedirects) {
  const auto answer = decide_changes(service, sending("verdict=accept&path=kelp.md&id=" + pending().front().id)).value();
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(location(answer), "/review?done=accepted");
  EXPECT_EQ(kb.read("kelp.md"), "# Kelp\n\nKelp grows <b>fast</b> here.\n");
}

TEST_F(ReviewPagesTest, AllOfOneDocumentAndWhatIsLeft) {
  const std::string handle = reader("kelp.md");
  ASSERT_TRUE(edit(handle, "kelp.md", "# Kelp", "# Giant kelp"));
  const std::string first = pending().front().id;
  auto answer = decide_changes(service, sending("verdict=reject&view=sides&path=kelp.md&id=" + first)).value();
  EXPECT_EQ(location(answer), "/review/document?path=kelp.md&view=sides&done=rejected#change-" + pending().front().id);
  answer = decide_changes(service, sending("verdict=reject&path=kelp.md&all=1&seen=" + seen_mark(pending()))).value();
  EXPECT_EQ(location(answer), "/review?done=rejected");
  EXPECT_EQ(kb.read("kelp.md"), "# Kelp\n\nKelp grows <b>slowly</b> here.\n");
}

TEST_F(ReviewPagesTest, AllMeansAllThatWereShown) {
  const std::string seen = seen_mark(pending());
  const std::string before = kb.read("kelp.md");
  ASSERT_TRUE(edit(reader("kelp.md"), "kelp.md", "# Kelp", "# Giant kelp"));
  const std::string proposed = kb.read("kelp.md");
  ASSERT_NE(proposed, before);
  for (const std::string& mark : {seen, std::string()}) {
    const auto answer = decide_changes(service, sending("verdict=accept&path=kelp.md&all=1&seen=" + mark)).value();
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(kb.read("kelp.md"), proposed);
  }
}

TEST_F(ReviewPagesTest, ACommentStandsBehindTheChange) {
  const std::string id = pending().front().id;
  const auto answer = comment_change(service, sending("path=kelp.md&note=Are+you+%3Csure%3E%3F&id=" + id)).value();
  EXPECT_EQ(location(answer), "/review/document?path=kelp.md&done=commented#change-" + id);
  EXPECT_THAT(review_document_page(service, asking("path=kelp.md")).value().body, HasSubstr("Are you &lt;sure&gt;?"));
}

TEST_F(ReviewPagesTest, ARefusedCommentStaysInItsBox) {
  const std::string id = pending().front().id;
  auto answer = comment_change(service, sending("path=kelp.md&note=two%0A%7B%2B%2Bx%2B%2B%7D+%3Cb%3E&id=" + id)).value();
  EXPECT_GE(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("role=\"alert\""));
  EXPECT_THAT(answer.body, HasSubstr("two\n{++x++} &lt;b&gt;</textarea>"));
  EXPECT_THAT(answer.body, HasSubstr("<h1>kelp.md</h1>"));
  answer = comment_change(service, sending("path=kelp.md&note=kept+words&id=c_none")).value();
  EXPECT_GE(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr(">kept words</pre>"));
}

TEST_F(ReviewPagesTest, P26ARewrittenSentenceIsOneCardAndAcceptingGoesOnAtTheNextOne) {
  kb.write("long.md", "one two three four five\n\nsix\n\nseven\n");
  const std::string handle = reader("long.md");
  ASSERT_TRUE(edit(handle, "long.md", "one two three four five", "1 two 3 four 5"));
  ASSERT_TRUE(edit(handle, "long.md", "six", "6"));
  ASSERT_TRUE(edit(handle, "long.md", "seven", "7"));
  documents::ChangeFilter filter;
  filter.path = "long.md";
  const auto changes = workspace->changes(filter, {}).value();
  ASSERT_EQ(changes.size(), 3U);
  const std::string html = review_document_page(service, asking("path=long.md")).value().body;
  EXPECT_THAT(html, HasSubstr("<del>one</del><ins>1</ins> two <del>three</del><ins>3</ins> four <del>five</del><ins>5</ins>"));
  EXPECT_THAT(html, HasSubstr("substitution in 3 places"));
  auto answer = decide_changes(service, sending("verdict=accept&path=long.md&id=" + changes[1].id)).value();
  EXPECT_THAT(location(answer), testing::EndsWith("#change-" + changes[2].id));
  answer = decide_changes(service, sending("verdict=accept&path=long.md&id=" + changes[2].id)).value();
  EXPECT_THAT(location(answer), testing::EndsWith("#change-" + changes[0].id)) << "none is behind it";
  EXPECT_EQ(kb.read("long.md").find("6\n\n7\n") == std::string::npos, false);
}

TEST_F(ReviewPagesTest, P24ACopiedDocumentIsDecidedOnItsPage) {
  kb.write("copy.md", kb.read("kelp.md"));
  const std::string html = review_document_page(service, asking("path=copy.md")).value().body;
  const std::size_t at = html.find("name=\"id\" value=\"") + 17;
  const std::string id = html.substr(at, html.find('"', at) - at);
  EXPECT_THAT(html, HasSubstr("href=\"#change-" + id + "\"")) << "what is marked leads to its card";
  const auto answer = decide_changes(service, sending("verdict=accept&path=copy.md&id=" + id)).value();
  EXPECT_EQ(location(answer), "/review?done=accepted");
  EXPECT_EQ(kb.read("copy.md"), "# Kelp\n\nKelp grows <b>fast</b> here.\n");
  EXPECT_THAT(kb.read("kelp.md"), HasSubstr("{--"));
  EXPECT_EQ(comment_change(service, sending("path=kelp.md&note=ok&id=" + id)).value().status, 303);
}

TEST_F(ReviewPagesTest, P25AProposedDeletionIsSeenBeforeAnythingElse) {
  kb.write("old.md", "# Old\n\ntext\n");
  ASSERT_TRUE(workspace->remove(with(reader("old.md")), "old.md"));
  EXPECT_THAT(review_page(service, asking("")).value().body, HasSubstr("delete file"));
  std::string html = review_document_page(service, asking("path=old.md")).value().body;
  EXPECT_LT(html.find("proposes to delete this document"), html.find("# Old"));
  EXPECT_THAT(html, HasSubstr("<del># Old\n\ntext\n</del>"));
  html = review_document_page(service, asking("path=old.md&view=sides")).value().body;
  EXPECT_THAT(html, HasSubstr("<del># Old</del>"));
  EXPECT_THAT(html, Not(HasSubstr("<ins># Old")));
}

TEST_F(ReviewPagesTest, ADocumentWithoutANameIsTheList) {
  EXPECT_EQ(location(review_document_page(service, asking("")).value()), "/review");
}

TEST_F(ReviewPagesTest, OnlyALoginDecides) {
  PageRequest request = sending("verdict=accept&path=kelp.md&all=1");
  request.is_login = false;
  EXPECT_EQ(decide_changes(service, request).error().kind, ErrorKind::refused);
  EXPECT_EQ(comment_change(service, request).error().kind, ErrorKind::refused);
  EXPECT_EQ(pending().size(), 1);
  request = asking("path=kelp.md");
  request.is_login = false;
  EXPECT_THAT(review_document_page(service, request).value().body, Not(HasSubstr("/review/decide")));
}

TEST_F(ReviewPagesTest, WhatCannotBeDecidedIsShownOnThePage) {
  const auto answer = decide_changes(service, sending("verdict=accept&path=kelp.md&id=c_none")).value();
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("c_none: "));
  EXPECT_FALSE(decide_changes(service, sending("verdict=maybe&path=kelp.md&id=c_none")));
  EXPECT_FALSE(decide_changes(service, sending("verdict=accept&all=1")));
  EXPECT_EQ(pending().size(), 1);
}

TEST(ReviewShow, FoldsWhatIsTheSame) {
  std::string before, after;
  for (int i = 1; i <= 40; ++i) before += "line " + std::to_string(i) + "\n";
  after = before;
  after.replace(after.find("line 20"), 7, "line twenty");
  Html page;
  show_sides(page, before, after, false);
  const std::string html = std::move(page).finish();
  EXPECT_THAT(html, HasSubstr("<del>line 20</del>"));
  EXPECT_THAT(html, HasSubstr("16 lines the same"));
  EXPECT_THAT(html, HasSubstr("17 lines the same"));
  EXPECT_THAT(html, HasSubstr("<td>line 17</td>"));
  EXPECT_THAT(html, HasSubstr("<td>line 23</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<td>line 16</td>")));
  EXPECT_THAT(html, Not(HasSubstr("<td>line 24</td>")));
}

}  // namespace
}  // namespace holdfast::web
