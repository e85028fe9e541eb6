#include "cli/sessions/review_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using documents::PendingChange;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Millis kReviewedAt = 1'800'000'000'000;

PendingChange substitution() {
  PendingChange change;
  change.id = "c_k3f9";
  change.path = "notes/a.md";
  change.kind = "substitution";
  change.line = 12;
  change.del = "slowly";
  change.ins = "fast";
  change.author = "dev's AI";
  change.before = "Kelp grows ";
  change.after = " here.";
  change.time = kReviewedAt - 240'000;
  return change;
}

TEST(ReviewText, AChangeIsShownBetweenWhatStandsAroundIt) {
  EXPECT_EQ(change_text(substitution(), kReviewedAt, {}),
            "c_k3f9  notes/a.md:12  substitution by dev's AI, 4m ago\n  Kelp grows [-slowly-]{+fast+} here.\n");
}

TEST(ReviewText, OnATerminalTheSidesAreRedAndGreen) {
  Terminal terminal;
  terminal.colours = true;
  EXPECT_THAT(change_text(substitution(), kReviewedAt, terminal), HasSubstr("\x1b[31m[-slowly-]\x1b[0m\x1b[32m{+fast+}\x1b[0m"));
}

TEST(ReviewText, WhatADocumentSaysCannotSteerTheTerminal) {
  PendingChange change = substitution();
  change.ins = "\x1b[2Jgone";
  change.author = "\x1b]0;x";
  change.before = "a\n\nb ";
  change.after = "\n";
  const std::string text = change_text(change, kReviewedAt, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\n  a\n\n  b [-slowly-]"));
  EXPECT_THAT(text, testing::EndsWith("gone+}\n"));
}

TEST(ReviewText, AWholeDocumentHasNoLineAndItsProblemsAreSaid) {
  PendingChange change = substitution();
  change.kind = "delete";
  change.line = 0;
  change.stale = true;
  documents::show_whole_file("first\nsecond\n", change);
  change.comments = {"Ada: why?"};
  EXPECT_EQ(change_text(change, kReviewedAt, {}),
            "c_k3f9  delete file notes/a.md  by dev's AI, 4m ago, stale: its document has changed since\n"
            "  the whole file goes to the trash\n  [-first\n  second\n  -]\n  > Ada: why?\n");
  EXPECT_THAT(changes_table({change}, kReviewedAt, {}),
              AllOf(HasSubstr("notes/a.md  delete file (stale)"), HasSubstr("the whole file goes to the trash")));
}

TEST(ReviewText, TheCarriageReturnOfALineEndIsNotShown) {
  PendingChange change = substitution();
  change.before = "one\r\ntwo ";
  change.del = "a\r\nb\r";
  change.ins = "a\rb";
  change.after = "\r\nthree\r\n";
  EXPECT_THAT(change_text(change, kReviewedAt, {}), testing::EndsWith("ago\n  one\n  two [-a\n  b-]{+a\xEF\xBF\xBD"
                                                                      "b+}\n  three\n"));
  EXPECT_THAT(changes_table({change}, kReviewedAt, {}), HasSubstr("a b -> a\xEF\xBF\xBD"
                                                                  "b\n"));
}

TEST(ReviewText, CommentsAreShownInOrderLineByLine) {
  PendingChange change = substitution();
  change.comments = {"Ada: why?\nreally", "Bo: so"};
  EXPECT_THAT(change_text(change, kReviewedAt, {}), testing::EndsWith(" here.\n  > Ada: why?\n  > really\n  > Bo: so\n"));
  change.after = "{>>so<<}{>>why?\\nreally<<} here.";
  EXPECT_THAT(change_text(change, kReviewedAt, {}), HasSubstr("{+fast+} here.\n  > Ada")) << "not twice";
  change.after = "{>>a long one that is cut";
  EXPECT_THAT(change_text(change, kReviewedAt, {}), HasSubstr("{+fast+}\n  > Ada"));
  PendingChange comment = substitution();
  comment.kind = "comment";
  comment.del.clear();
  comment.after.clear();
  comment.ins = "why?\\nreally";
  EXPECT_THAT(change_text(comment, kReviewedAt, {}), testing::EndsWith("ago\n  Kelp grows \n  > why?\n  > really\n"));
  EXPECT_THAT(changes_table({comment}, kReviewedAt, {}), HasSubstr("+ why? really\n"));
}

TEST(ReviewText, AListHasALineForEach) {
  PendingChange added = substitution(), taken = substitution();
  added.del.clear();
  taken.ins = "";
  taken.author.clear();
  taken.time.reset();
  const std::string table = changes_table({substitution(), added, taken}, kReviewedAt, {});
  EXPECT_THAT(table, HasSubstr("slowly -> fast\n"));
  EXPECT_THAT(table, HasSubstr("+ fast\n"));
  EXPECT_THAT(table, HasSubstr("unknown"));
  EXPECT_THAT(table, HasSubstr("- slowly\n"));
}

TEST(ReviewText, P26TheWordsOfARewrittenSentenceAreMarked) {
  using Kind = documents::ChangePart::Kind;
  PendingChange change = substitution();
  change.parts = {{Kind::removed, "slowly"}, {Kind::added, "fast"}, {Kind::same, " and "}, {Kind::removed, "well"},
                  {Kind::added, "badly"},    {Kind::gap, ""},       {Kind::added, "!"}};
  change.places = 3;
  EXPECT_EQ(change_text(change, kReviewedAt, {}),
            "c_k3f9  notes/a.md:12  substitution in 3 places by dev's AI, 4m ago\n"
            "  Kelp grows [-slowly-]{+fast+} and [-well-]{+badly+}\n  […]\n  {+!+} here.\n");
}

TEST(ReviewText, AReportSaysWhatHappenedAndWhatDidNot) {
  const JsonObject report{{"applied", JsonArray{"c_1", "c_2"}},
                          {"failed", JsonArray{JsonObject{{"id", "c_3"}, {"reason", "not_found: there is no such change"}}}},
                          {"remaining", 1},
                          {"commits", JsonArray{"abc"}},
                          {"notes", JsonArray{}}};
  EXPECT_EQ(report_text(report, true, {}),
            "accepted 2: c_1 c_2\nfailed c_3: not_found: there is no such change\ncommitted abc\n"
            "1 still pending in these documents\n");
  EXPECT_EQ(report_text({{"failed", JsonArray{}}}, false, {}), "nothing to decide\n");
}

}  // namespace
}  // namespace holdfast::cli
