// document-review §6: the table of 6.3, the invariants of 6.4, comments of 6.5.

#include "kinds/documents/text/merge.h"

#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Author merge_author(std::string label = "dev's AI") {
  auto next = std::make_shared<int>(0);
  return {std::move(label), 1'767'225'600'000, [next] { return "c_" + std::to_string(++*next); }};
}

std::string hide_metadata(std::string text) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    if (at + 3 > text.size()) break;
    if (const auto metadata = read_metadata(std::string_view(text).substr(at + 3))) text.erase(at + 3, metadata->bytes);
  }
  return text;
}

Result<Merged> merged_edit(const std::string& raw, std::string_view from, std::string_view to,
                           const Author& by = merge_author()) {
  const AcceptedView view(raw);
  const Matches matches = find_matches(view.text(), from);
  EXPECT_EQ(matches.total, 1u) << from << " in " << view.text();
  if (matches.total == 0) return fail(ErrorKind::not_found, "no match");
  return merge_edits(view, {{matches.found[0].begin, matches.found[0].end, std::string(to)}}, by, matches.likeness);
}

std::string merged_text(const std::string& raw, std::string_view from, std::string_view to) {
  const auto merged = merged_edit(raw, from, to);
  return merged ? hide_metadata(merged->raw) : std::string(merged.error().word());
}

TEST(Merge_6_3, TheTableOfTheContract) {
  EXPECT_EQ(merged_text("Kelp grows slowly here.", "slowly", "fast"), "Kelp grows {--slowly--}{++fast++} here.");
  EXPECT_EQ(merged_text("{--wharf--}{++pier++} shut", "pier", "jetty"), "{--wharf--}{++jetty++} shut");
  EXPECT_EQ(merged_text("{--wharf--}{++pier++} shut", "pier shut", "jetty open"), "{--wharf shut--}{++jetty open++}");
  EXPECT_EQ(merged_text("{--wharf--}{++pier++} shut", "pier", "wharf"), "wharf shut");
  EXPECT_EQ(merged_text("{--wharf--}{++pier++} is shut", "pier is shut", "pier is open"),
            "{--wharf--}{++pier++} is {--shut--}{++open++}");
  const std::string grown = merged_edit("{++one two++}", "two", "two three").value().raw;
  EXPECT_EQ(view_of(grown, Side::accepted), "one two three");
  EXPECT_EQ(view_of(grown, Side::base), "") << "all of it is still pending";
  EXPECT_EQ(merged_text("Go {--now --}home soon.", "Go home soon.", "Go home late."), "Go {--now --}home {--soon--}{++late++}.");
}

TEST(Merge_6_3, ThreeRevisionsAndBackGiveTheOriginalBytes) {
  const std::string original = "The pier is shut.\r\n";
  std::string raw = original;
  for (const auto& [from, to] : {std::pair("pier", "wharf"), {"wharf", "jetty"}, {"jetty", "pier"}})
    raw = merged_edit(raw, from, to).value().raw;
  EXPECT_EQ(raw, original);
}

TEST(Merge_6_3, PureDeletionsAtTheEdgeStayAndInsertionsGoBehindThem) {
  EXPECT_EQ(merged_text("one {--gone --}two", "one two", "one more two"), "one {--gone --}{++more ++}two");
  EXPECT_EQ(merged_text("one {--gone --}two", "two", "three"), "one {--gone --}{--two--}{++three++}");
}

TEST(Merge_6_3, ADeletionStrictlyInsideIsTakenIn) {
  EXPECT_EQ(merged_text("one {--gone --}two", "one two", "three"), "{--one gone two--}{++three++}");
}

TEST(Merge_5, LineEndingsQuotesAndNoBreakSpacesAreKept) {
  EXPECT_EQ(merged_text("a\r\nb\r\n", "a\nb", "a\nc"), "a\r\n{--b--}{++c++}\r\n");
  EXPECT_EQ(merged_text("a\r\nb\r\n", "b", "b\nc"), "a\r\nb{++\r\nc++}\r\n");
  EXPECT_EQ(merged_text("It\u2019s \u201Cfine\u201D here", "It's \"fine\" here", "It's \"fine\" there"),
            "It\u2019s \u201Cfine\u201D {--here--}{++there++}");
  EXPECT_EQ(merged_text("10\u00A0km far", "10 km far", "10 km near"), "10\u00A0km {--far--}{++near++}");
}

TEST(Merge_5, ALineBreakAtTheStartOfAnEditIsTheWholeOne) {
  EXPECT_EQ(merged_text("a\r\nb\r\n", "\nb", ""), "a{--\r\nb--}\r\n");
  EXPECT_EQ(merged_text("a\r\nb\r\n", "\nb", "\nc"), "a\r\n{--b--}{++c++}\r\n");
}

TEST(Merge_6_3, CharactersAreNeverCut) {
  EXPECT_EQ(merged_text("cafe\u0301 x", "cafe\u0301", "tea"), "{--cafe\u0301--}{++tea++} x");
  EXPECT_EQ(merged_text("👨‍👩‍👧 x", "x", "y"), "👨‍👩‍👧 {--x--}{++y++}");
  EXPECT_EQ(merged_text("漢字仮名", "字", "語"), "漢{--字--}{++語++}仮名");
}

TEST(Merge_6_5, MarkupInAPayloadIsRefusedAndUnchangedMarkupIsNot) {
  EXPECT_EQ(merged_text("a b", "b", "{++x++}"), "markup_in_input");
  EXPECT_EQ(merged_text("a b", "b", "x--}"), "markup_in_input");
  EXPECT_EQ(merged_text("use `{++` to add", "use `{++` to add", "use `{++` to insert"), "use `{++` to {--add--}{++insert++}");
}

TEST(Merge_6_5, OthersCommentsAreProtectedByteForByteAndInNumber) {
  EXPECT_EQ(merged_text("a {>>why?<<} b", "why", "because"), "comment_protected");
  EXPECT_EQ(merged_text("a {>>why?<<} b", "a {>>why?<<} b", "a b"), "comment_protected");
  EXPECT_EQ(merged_text("x {>>n<<} y {>>n<<} z", " y {>>n<<} z", " z"), "comment_protected");
  EXPECT_EQ(merged_text("a {>>why?<<} b", "a {>>why?<<} b", "c {>>why?<<} b"), "{--a--}{++c++} {>>why?<<} b");
  const std::string labelled = "a {>>" + write_metadata("", "Ada", 1) + "why?<<} b";
  EXPECT_EQ(merged_text(labelled, "a {>>why?<<} b", "c {>>why?<<} d"), "{--a--}{++c++} {>>why?<<} {--b--}{++d++}");
  EXPECT_THAT(merged_edit(labelled, "a {>>why?<<} b", "c {>>why?<<} d").value().raw, HasSubstr("\"Ada\""));
}

TEST(Merge_6_5, ACommentOfTheModelIsStampedWithItsTrueAuthor) {
  const std::string raw = merged_edit("a b", "b", "b {>>{\"author\":\"Ada\"}@@sure?<<}").value().raw;
  EXPECT_THAT(raw, Not(HasSubstr("Ada")));
  EXPECT_THAT(raw, HasSubstr("{>>{\"author\":\"dev's AI\",\"timestamp\":1767225600000}@@sure?<<}"));
  EXPECT_EQ(view_of(raw, Side::accepted), "a b {>>sure?<<}");
  EXPECT_EQ(view_of(raw, Side::base), "a b");
}

TEST(Merge_6_5, SupersedingKeepsTheFirstBaseAndNamesWhoseItWas) {
  const std::string first = merged_edit("The pier is shut", "pier", "wharf", merge_author("Ada's AI")).value().raw;
  const Merged second = merged_edit(first, "wharf", "jetty", merge_author("Bob's AI")).value();
  EXPECT_EQ(view_of(second.raw, Side::base), "The pier is shut");
  ASSERT_EQ(second.superseded.size(), 1u);
  EXPECT_EQ(second.superseded[0].author, "Ada's AI");
  EXPECT_EQ(second.superseded[0].ins, "wharf");
}

TEST(Merge, NamesIdsAndLines) {
  const Merged merged = merged_edit("one\ntwo\nthree\n", "one\ntwo\nthree", "uno\ntwo\ntres").value();
  EXPECT_EQ(merged.id, "c_1");
  EXPECT_THAT(merged.lines, ElementsAre(1u, 3u));
  EXPECT_TRUE(merged_edit("same", "same", "same").value().unchanged);
}

TEST(Merge, HostileAuthorsCannotBreakOutOfTheMetadata) {
  const std::string raw = merged_edit("a b", "b", "c", merge_author("x\"@@++}{--<<}~~")).value().raw;
  EXPECT_EQ(view_of(raw, Side::accepted), "a c");
  EXPECT_EQ(view_of(raw, Side::base), "a b");
  EXPECT_EQ(parse_markup(raw)[1].author, "x\"@@++}{--<<}~~");
}

TEST(Decide_7, AcceptAndRejectFollowTheTable) {
  const std::string raw = "a {++b++} {--c--} {~~d~>e~~} {==f==} {>>g<<}";
  const auto all_changes = [&](Verdict verdict) {
    std::map<std::string, Verdict, std::less<>> verdicts;
    for (const Atom& atom : parse_markup(raw))
      if (atom.kind == Atom::Kind::change) verdicts[atom.id] = verdict;
    return decide(raw, verdicts, Notes::stay).raw;
  };
  EXPECT_EQ(all_changes(Verdict::accept), "a b  e {==f==} {>>g<<}");
  EXPECT_EQ(all_changes(Verdict::reject), "a  c d {==f==} {>>g<<}");
  std::map<std::string, Verdict, std::less<>> verdicts;
  for (const Remark& remark : find_remarks(raw)) verdicts[remark.id] = Verdict::accept;
  EXPECT_EQ(decide(raw, verdicts).raw, "a {++b++} {--c--} {~~d~>e~~} f ");
}

TEST(Decide_7, OneOfAPairIsNeverLeftAndVanishedIdsAreReported) {
  std::string raw = merged_edit("one two three", "two", "2").value().raw;
  const Decided decided = decide(raw, {{"c_1", Verdict::accept}, {"c_9", Verdict::reject}});
  EXPECT_EQ(decided.raw, "one 2 three");
  EXPECT_THAT(decided.applied, ElementsAre("c_1"));
  EXPECT_THAT(decided.missing, ElementsAre("c_9"));
  EXPECT_EQ(decided.remaining, 0u);
}

}  // namespace
}  // namespace holdfast::documents
