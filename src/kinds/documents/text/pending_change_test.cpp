// document-review §5 `read` (the pending block) and §7 `list_changes`.

#include "kinds/documents/text/pending_change.h"

#include "kinds/documents/text/numbered_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr Millis kNow = 1'800'000'000'000;

TEST(PendingChange, LinesAreThoseOfTheAcceptedView) {
  const std::string raw =
      "one\n{--gone\nlines\n--}two {--old words--}{++new words++}\n"
      R"({++{"id":"c_k","author":"dev's AI","timestamp":1799999760000}@@added++})"
      "\n";
  const auto changes = pending_in(raw);
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].kind, "deletion");
  EXPECT_EQ(changes[0].line, 2);
  EXPECT_EQ(changes[1].kind, "substitution");
  EXPECT_EQ(changes[1].line, 2);
  EXPECT_EQ(changes[2].line, 3);
  EXPECT_EQ(one_line(changes[2], kNow), "c_k L3 {++added++} (dev's AI, 4m ago)");
  EXPECT_EQ(one_line(changes[1], kNow), changes[1].id + " L2 {--old words--}{++new words++} (Unknown)");
}

TEST(PendingChange, LongSidesShowTheirEnds) {
  const auto changes = pending_in("{++one two three four five six seven eight nine ten\neleven++}");
  EXPECT_EQ(one_line(changes.at(0), kNow), changes[0].id + " L1 {++one two three ... nine ten eleven++} (Unknown)");
  const auto ten = pending_in("{++1 2 3 4 5 6 7 8 9 10++}");
  EXPECT_EQ(one_line(ten.at(0), kNow), ten[0].id + " L1 {++1 2 3 4 5 6 7 8 9 10++} (Unknown)");
}

TEST(PendingChange, ContextIsBoundedAndLineBreaksAreDear) {
  const std::string raw = std::string(500, 'x') + "{++new++}" + std::string(3, '\n') + std::string(500, 'y');
  const auto change = pending_in(raw).at(0);
  EXPECT_EQ(change.before, std::string(200, 'x'));
  EXPECT_EQ(change.after, "\n\n\n" + std::string(50, 'y'));
  EXPECT_EQ(pending_in("ééé{++n++}").at(0).before, "ééé");
}

TEST(PendingChange, CommentsAndHighlightsAreListedToo) {
  const auto changes = pending_in("a {==marked==}{>>why?<<}\n{++b{>>inside<<}++}");
  ASSERT_THAT(changes, SizeIs(4));
  EXPECT_EQ(changes[0].kind, "highlight");
  EXPECT_EQ(changes[1].kind, "comment");
  EXPECT_EQ(changes[1].ins, "why?");
  EXPECT_EQ(changes[1].line, 1);
  EXPECT_EQ(changes[2].kind, "insertion");
  EXPECT_EQ(changes[3].kind, "comment");
  EXPECT_EQ(changes[3].line, 2);
}

TEST(PendingChange, FrontMatterIsFlagged) {
  const auto changes = pending_in("---\ntitle: {--Old--}{++New++}\n---\n{++x++}\n");
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_TRUE(changes[0].in_front_matter);
  EXPECT_FALSE(changes[1].in_front_matter);
}

TEST(PendingChange, HasPendingAgreesWithTheList) {
  for (const std::string_view raw : {"", "text", "{++", "{++x++}", "`{++x++}`", "{>>c<<}", "a {== b", "{~~a~>b~~}", "{~~ab~~}"})
    EXPECT_EQ(has_pending(raw), !pending_in(raw).empty()) << raw;
}

TEST(PendingChange, Ages) {
  EXPECT_EQ(short_age(kNow, kNow), "0s");
  EXPECT_EQ(short_age(kNow - 59'999, kNow), "59s");
  EXPECT_EQ(short_age(kNow - 60'000, kNow), "1m");
  EXPECT_EQ(short_age(kNow - 3'600'000, kNow), "1h");
  EXPECT_EQ(short_age(kNow - 6 * 86'400'000LL, kNow), "6d");
  EXPECT_EQ(short_age(kNow - 15 * 86'400'000LL, kNow), "2w");
  EXPECT_EQ(short_age(kNow + 5'000, kNow), "0s");
}

TEST(NumberedLines, AreNumberedInSixColumns) {
  EXPECT_EQ(numbered(lines_of("first\r\nsecond\n"), {1, 9}), "     1\tfirst\n     2\tsecond");
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), SizeIs(1));
  EXPECT_THAT(lines_of("a\n\nb"), SizeIs(3));
  EXPECT_EQ(unseen_line_ends("a\r\nb\r\n"), "crlf");
  EXPECT_EQ(unseen_line_ends("a\r\nb\n"), "mixed");
  EXPECT_EQ(unseen_line_ends("a\nb"), "");
}

}  // namespace
}  // namespace holdfast::documents
