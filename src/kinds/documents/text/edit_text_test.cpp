// document-review §5 `edit`, on bytes alone.

#include "kinds/documents/text/edit_text.h"

#include "kinds/documents/text/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Author edit_author(std::string label = "dev's AI") {
  return {std::move(label), 1, [n = 0]() mutable { return "c_" + std::to_string(++n); }};
}

Result<EditedText> edited(std::string_view raw, std::vector<TextEdit> edits, EditRules rules = {}) {
  return edit_marked_text(raw, edits, edit_author(), rules);
}
template <class T>
std::string word_of(const Result<T>& result) {
  return result ? "ok" : std::string(result.error().word());
}

TEST(EditText, NotFoundShowsWhatIsNear) {
  const auto refused = edited("one\nthe kelp grows slowly here\ntwo\n", {{"the kelp grows quickly here", "x", false}});
  ASSERT_EQ(word_of(refused), "not_found");
  EXPECT_THAT(refused.error().hint, HasSubstr("     2\tthe kelp grows slowly here"));
}

TEST(EditText, NotFoundAfterSomebodySavedIsStale) {
  EXPECT_EQ(word_of(edited("b", {{"a", "c", false}}, {true, true})), "stale");
  EXPECT_EQ(word_of(edited("b", {{"a", "c", false}}, {false, true})), "not_found");
}

// The reference counts "aa" in "aaa" once, and edits the first.
TEST(EditText, OverlappingOccurrencesAreNotUnique) {
  const auto refused = edited("x\naaa\n", {{"aa", "b", false}});
  ASSERT_EQ(word_of(refused), "not_unique");
  EXPECT_THAT(refused.error().message, HasSubstr("2 times (lines 2, 2)"));
}

TEST(EditText, SameTextChangesNothing) {
  const auto same = edited("one two", {{"two", "two", false}}).value();
  EXPECT_TRUE(same.unchanged);
  EXPECT_EQ(same.raw, "one two");
  EXPECT_EQ(word_of(edited("one two", {{"six", "six", false}})), "not_found");
}

TEST(EditText, EmptyOldStringOnlyInAnEmptyDocument) {
  EXPECT_EQ(word_of(edited("text", {{"", "more", false}})), "bad_argument");
  const auto first = edited("", {{"", "more", false}}).value();
  EXPECT_EQ(view_of(first.raw, Side::accepted), "more");
  EXPECT_EQ(view_of(first.raw, Side::base), "");
  EXPECT_EQ(word_of(edited("{--gone--}", {{"", "new", false}})), "ok");
}

TEST(EditText, TextInsideDeletionsAndMetadataNeverMatches) {
  EXPECT_EQ(word_of(edited("{--gone--} here", {{"gone", "x", false}})), "not_found");
  EXPECT_EQ(word_of(edited(R"({++{"author":"ann"}@@new++} here)", {{"author", "x", false}})), "not_found");
}

TEST(EditText, ReplaceAllMarksEveryPlace) {
  const auto all = edited("a cat, a dog, a cow", {{"a ", "the ", true}}).value();
  EXPECT_EQ(view_of(all.raw, Side::accepted), "the cat, the dog, the cow");
  EXPECT_EQ(view_of(all.raw, Side::base), "a cat, a dog, a cow");
  EXPECT_THAT(all.ids, SizeIs(1)) << "one edit is one change, wherever it has left its marks";
  EXPECT_THAT(all.lines, ElementsAre(1));
}

TEST(EditText, ReplaceAllTakesThemOneAfterAnother) {
  const auto all = edited("aaaa", {{"aa", "b", true}}).value();
  EXPECT_EQ(view_of(all.raw, Side::accepted), "bb");
}

TEST(EditText, ReplaceAllInsideOneWordAndOneComment) {
  const auto word = edited("banana", {{"a", "o", true}}).value();
  EXPECT_EQ(view_of(word.raw, Side::accepted), "bonono");
  EXPECT_EQ(view_of(word.raw, Side::base), "banana");
  const std::string mine = R"(x {>>{"author":"dev's AI"}@@old old<<} y)";
  const auto comment = edited(mine, {{"old", "new", true}}).value();
  EXPECT_EQ(view_of(comment.raw, Side::accepted), "x {>>new new<<} y");
}

TEST(EditText, ReplaceAllIsBounded) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxReplaced; ++i) text += "a ";
  EXPECT_EQ(word_of(edited(text, {{"a", "b", true}})), "too_large");
}

TEST(EditText, SeveralEditsAreAllOrNothingAndSeeEachOther) {
  const auto both = edited("one two three", {{"one", "1", false}, {"1 two", "1 2", false}}).value();
  EXPECT_EQ(view_of(both.raw, Side::accepted), "1 2 three");
  EXPECT_EQ(view_of(both.raw, Side::base), "one two three");
  EXPECT_EQ(word_of(edited("one two", {{"one", "1", false}, {"nothing", "x", false}})), "not_found");
  const auto back = edited("one two", {{"one", "1", false}, {"1", "one", false}}).value();
  EXPECT_EQ(back.raw, "one two");
  EXPECT_THAT(back.ids, IsEmpty());
}

TEST(EditText, SupersedingOthersCanBeRefused) {
  const std::string raw = R"({--{"id":"c_z","author":"ann"}@@wharf--}{++{"id":"c_z","author":"ann"}@@pier++} shut)";
  const auto taken = edited(raw, {{"pier", "jetty", false}}).value();
  ASSERT_THAT(taken.superseded, SizeIs(1));
  EXPECT_EQ(taken.superseded[0].id, "c_z");
  EXPECT_EQ(taken.superseded[0].author, "ann");
  const auto refused = edited(raw, {{"pier", "jetty", false}}, {false, false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().word(), "supersede_denied");
  EXPECT_EQ(word_of(edited(raw, {{"shut", "open", false}}, {false, false})), "ok");
}

TEST(EditText, PlainTextOfOtherKinds) {
  const auto json = edit_plain_text("{\"a\": 1, \"b\": 1}\r\n", {{"\"b\": 1", "\"b\": 2", false}}, {}).value();
  EXPECT_EQ(json.raw, "{\"a\": 1, \"b\": 2}\r\n");
  EXPECT_EQ(word_of(edit_plain_text("1 1", {{"1", "2", false}}, {})), "not_unique");
}

}  // namespace
}  // namespace holdfast::documents
