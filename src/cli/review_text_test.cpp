#include "cli/review_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using documents::PendingChange;
using testing::HasSubstr;
using testing::Not;

constexpr Millis kNow = 1'800'000'000'000;

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
  change.time = kNow - 240'000;
  return change;
}

TEST(ReviewText, AChangeIsShownBetweenWhatStandsAroundIt) {
  EXPECT_EQ(change_text(substitution(), kNow, {}),
            "c_k3f9  notes/a.md:12  substitution by dev's AI, 4m ago\n  Kelp grows [-slowly-]{+fast+} here.\n");
}

TEST(ReviewText, OnATerminalTheSidesAreRedAndGreen) {
  Terminal terminal;
  terminal.colours = true;
  EXPECT_THAT(change_text(substitution(), kNow, terminal), HasSubstr("\x1b[31m[-slowly-]\x1b[0m\x1b[32m{+fast+}\x1b[0m"));
}

TEST(ReviewText, WhatADocumentSaysCannotSteerTheTerminal) {
  PendingChange change = substitution();
  change.ins = "\x1b[2Jgone";
  change.author = "\x1b]0;x";
  change.before = "a\n\nb ";
  change.after = "\n";
  const std::string text = change_text(change, kNow, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\n  a\n\n  b [-slowly-]"));
  EXPECT_THAT(text, testing::EndsWith("gone+}\n"));
}

TEST(ReviewText, AWholeDocumentHasNoLineAndItsProblemsAreSaid) {
  PendingChange change = substitution();
  change.kind = "delete";
  change.line = 0;
  change.stale = true;
  change.comments = {"Ada: why?"};
  EXPECT_EQ(change_text(change, kNow, {}),
            "c_k3f9  notes/a.md  delete by dev's AI, 4m ago, stale: its document has changed since\n"
            "  the whole document goes to the trash\n  > Ada: why?\n");
  EXPECT_THAT(changes_table({change}, kNow, {}), HasSubstr("notes/a.md  delete (stale)"));
}

TEST(ReviewText, AListHasALineForEach) {
  PendingChange added = substitution(), taken = substitution();
  added.del.clear();
  taken.ins = "";
  taken.author.clear();
  taken.time.reset();
  const std::string table = changes_table({substitution(), added, taken}, kNow, {});
  EXPECT_THAT(table, HasSubstr("slowly -> fast\n"));
  EXPECT_THAT(table, HasSubstr("+ fast\n"));
  EXPECT_THAT(table, HasSubstr("unknown"));
  EXPECT_THAT(table, HasSubstr("- slowly\n"));
}

TEST(ReviewText, AReportSaysWhatHappenedAndWhatDidNot) {
  documents::VerdictReport report;
  report.applied = {"c_1", "c_2"};
  report.failed = {{"c_3", "not_found: there is no such change"}};
  report.remaining = 1;
  report.commits = {"abc"};
  EXPECT_EQ(report_text(report, true, {}),
            "accepted 2: c_1 c_2\nfailed c_3: not_found: there is no such change\ncommitted abc\n"
            "1 still pending in these documents\n");
  EXPECT_EQ(to_json(report_json(report)),
            R"({"applied":["c_1","c_2"],"failed":[{"id":"c_3","reason":"not_found: there is no such change"}],)"
            R"("remaining":1,"commits":["abc"],"notes":[]})");
  EXPECT_EQ(report_text({}, false, {}), "nothing to decide\n");
}

}  // namespace
}  // namespace holdfast::cli
