// document-review §6.1 and §6.2, rule by rule.

#include "kinds/documents/text/markup.h"

#include "kinds/documents/text/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::documents {
namespace {

std::string accepted(std::string_view raw) {
  return view_of(raw, Side::accepted);
}
std::string base(std::string_view raw) {
  return view_of(raw, Side::base);
}
std::vector<Atom> marked_changes(std::string_view raw) {
  std::vector<Atom> found = parse_markup(raw);
  std::erase_if(found, [](const Atom& atom) { return atom.kind == Atom::Kind::plain; });
  return found;
}
const std::string kMeta = write_metadata("c_1", "dev's AI", 5);

TEST(Markup_6_1, EveryFormHasBothViews) {
  EXPECT_EQ(accepted("a {++b++} c"), "a b c");
  EXPECT_EQ(base("a {++b++} c"), "a  c");
  EXPECT_EQ(accepted("a {--b--} c"), "a  c");
  EXPECT_EQ(accepted("a {~~b~>d~~} c"), "a d c");
  EXPECT_EQ(base("a {~~b~>d~~} c"), "a b c");
  EXPECT_EQ(accepted("a {==b==} {>>n<<}"), "a {==b==} {>>n<<}");
  EXPECT_EQ(marked_changes("a {--b--}{++c++}").size(), 1u);
}

TEST(Markup_6_1, MetadataIsHiddenAndUnknownMembersAreIgnored) {
  const std::string raw = "a {++{\"author\":\"x\",\"mood\":[1,{}],\"id\":\"c_9\",\"timestamp\":7}@@b++}";
  EXPECT_EQ(accepted(raw), "a b");
  const Atom change = marked_changes(raw).at(0);
  EXPECT_EQ(change.id, "c_9");
  EXPECT_EQ(change.author, "x");
  EXPECT_EQ(change.timestamp, 7);
  EXPECT_EQ(accepted("{++a@@b++}"), "a@@b") << "@@ without such JSON is payload";
  EXPECT_EQ(accepted("{++{\"id\":\"x\"}@@b++}"), "{\"id\":\"x\"}@@b") << "no author, no metadata";
}

TEST(Markup_6_2, Rule1_TheFirstCloserEndsABlockAndLinesMayBeSpanned) {
  EXPECT_EQ(accepted("{++a\n\nb++} c++}"), "a\n\nb c++}");
  EXPECT_EQ(accepted("{~~a~~}"), "{~~a~~}") << "no ~>, no substitution";
  EXPECT_EQ(accepted("{~~a~>b~>c~~}"), "b~>c");
}

TEST(Markup_6_2, Rule2_AnOpenerWithoutACloserIsText) {
  EXPECT_EQ(accepted("a {++b"), "a {++b");
  EXPECT_EQ(accepted("{--{++a"), "{--{++a");
}

TEST(Markup_6_2, Rule3_AStrayOpenerDoesNotSwallowALaterChange) {
  const std::string raw = "see {-- here. And {--" + kMeta + "old--}{++" + kMeta + "new++}.";
  EXPECT_EQ(accepted(raw), "see {-- here. And new.");
  EXPECT_EQ(base(raw), "see {-- here. And old.");
}

TEST(Markup_6_2, Rule4_BareMarkupInCodeIsTextAndOursIsNot) {
  EXPECT_EQ(accepted("```\n{++a++}\n```\n{++b++}"), "```\n{++a++}\n```\nb");
  EXPECT_EQ(accepted("~~~~\n{++a++}\n~~~\n{++b++}\n~~~~\n{++c++}"), "~~~~\n{++a++}\n~~~\n{++b++}\n~~~~\nc");
  EXPECT_EQ(accepted("   ```\n{++a++}\n   ```"), "   ```\n{++a++}\n   ```");
  EXPECT_EQ(accepted("    ```\n{++a++}"), "    ```\na") << "four blanks open no fence";
  EXPECT_EQ(accepted("```x``` {++a++}"), "```x``` a") << "an inline run opens nothing";
  EXPECT_EQ(accepted("`{++a++}` {++b++}"), "`{++a++}` b");
  EXPECT_EQ(accepted("``{++a`++}`` {++b++}"), "``{++a`++}`` b");
  EXPECT_EQ(accepted("a ` b {++c++}"), "a ` b c") << "a lone backtick is no code";
  EXPECT_EQ(accepted("`a\n\n{++b++}`"), "`a\n\nb`") << "code does not cross a blank line";
  EXPECT_EQ(accepted("```\nint a = {--" + kMeta + "1--}{++" + kMeta + "2++};\n```"), "```\nint a = 2;\n```");
}

TEST(Markup_6_2, P25Rule4FencesInListsAndQuotations) {
  const auto stays = [](const std::string& raw) { EXPECT_EQ(accepted(raw), raw); };
  stays("1. do\n\n    ```sh\n    {++a++}\n\n    {--b--}\n    ```\n");
  stays("- do\n  - this\n\n    ~~~\n    {++a++}\n\n    x\n    ~~~\n");
  stays("- ```\n  {++a++}\n\n  {++b++}\n  ```\n");
  stays("1.\tdo\n\n\t~~~\n\t{++a++}\n\n\t~~~\n");
  stays("> ~~~\n> {++a++}\n>\n> {++b++}\n> ~~~\n");
  stays("> 1. do\n>\n>     ````\n>     ```\n>\n>     {++a++}\n>     ````\n");
  EXPECT_EQ(accepted("1. do\n\n    ~~~\n    {++a++}\n    ~~~\n{++b++}"), "1. do\n\n    ~~~\n    {++a++}\n    ~~~\nb");
  EXPECT_EQ(accepted("> ~~~\n{++a++}\n> ~~~\n"), "> ~~~\na\n> ~~~\n") << "the quotation is over";
  EXPECT_EQ(accepted("- x\n\n    ~~~\n\n- {++a++}\n"), "- x\n\n    ~~~\n\n- a\n") << "it is not closed in its list";
  const std::string ours = "{++" + kMeta + "a++}";
  EXPECT_EQ(accepted("1. do\n\n    ~~~\n    " + ours + "\n    ~~~\n"), "1. do\n\n    ~~~\n    a\n    ~~~\n");
}

TEST(Markup_6_2, P25Rule4InlineCodeEndsWithItsBlockAndIsNotOpenedByAnEscapedCharacter) {
  EXPECT_EQ(accepted("\\`{++a++}\\`"), "\\`a\\`");
  EXPECT_EQ(accepted("\\\\`{++a++}`"), "\\\\`{++a++}`") << "the backslash is the one that is escaped";
  EXPECT_EQ(accepted("`x\\` {++a++} `"), "`x\\` a `") << "in code a backslash is one";
  EXPECT_EQ(accepted("# a ` b\n{++c++} ` d"), "# a ` b\nc ` d");
  EXPECT_EQ(accepted("a ` b\n# {++c++} ` d"), "a ` b\n# c ` d");
  EXPECT_EQ(accepted("- a ` b\n- {++c++} ` d"), "- a ` b\n- c ` d");
  EXPECT_EQ(accepted("2. a ` b\n3. {++c++} ` d"), "2. a ` b\n3. c ` d");
  EXPECT_EQ(accepted("| a ` b |\n| {++c++} ` |"), "| a ` b |\n| c ` |");
  EXPECT_EQ(accepted("a ` b\n> {++c++} ` d"), "a ` b\n> c ` d");
  EXPECT_EQ(accepted("a ` b\n---\n{++c++} ` d"), "a ` b\n---\nc ` d");
  EXPECT_EQ(accepted("> a `b\n> {++c++}` d"), "> a `b\n> {++c++}` d") << "one paragraph";
  EXPECT_EQ(accepted("- a `b\n  {++c++}` d"), "- a `b\n  {++c++}` d") << "one item";
  EXPECT_EQ(accepted("a `b\n{++c++}\n-1` d"), "a `b\n{++c++}\n-1` d");
}

TEST(Markup_6_2, Rule4_WhatIsInsertedOpensNoCodeForTheRest) {
  EXPECT_EQ(accepted("{++" + kMeta + "```\nx\n```\n++}\n{++b++}"), "```\nx\n```\n\nb");
}

TEST(Markup_6_2, Rule5_OnlyOneAuthorsPairIsOneChange) {
  const std::string other = write_metadata("c_2", "Ada", 6);
  EXPECT_EQ(marked_changes("{--" + kMeta + "a--}{++" + kMeta + "b++}").size(), 1u);
  EXPECT_EQ(marked_changes("{--" + kMeta + "a--}{++" + other + "b++}").size(), 2u);
  EXPECT_EQ(marked_changes("{--a--}{++" + other + "b++}").size(), 2u);
  EXPECT_EQ(marked_changes("{--a--} {++b++}").size(), 2u);
  EXPECT_EQ(marked_changes("{++a++}{--b--}{++c++}").size(), 2u);
  EXPECT_EQ(marked_changes("{~~a~>b~~}{++c++}").size(), 2u);
}

TEST(Markup_6_2, Rule6_DerivedIdsAreStableAndDistinct) {
  const auto first = marked_changes("{++a++} {++a++} {++b++}");
  EXPECT_NE(first[0].id, first[1].id);
  EXPECT_NE(first[0].id, first[2].id);
  const auto again = marked_changes("something before {++a++} {++a++} {++b++}");
  EXPECT_EQ(first[0].id, again[0].id);
  EXPECT_EQ(first[1].id, again[1].id);
}

TEST(Markup_6_2, Rule7_ChangesInFrontMatterAreFlagged) {
  const auto found = marked_changes("---\ntitle: {--a--}{++b++}\n---\n{++c++}");
  EXPECT_TRUE(found.at(0).in_front_matter);
  EXPECT_FALSE(found.at(1).in_front_matter);
}

TEST(Markup, AtomsCoverEveryByteInOrder) {
  const std::string raw = "a{++b++}{--c--}d{>>e<<}{==" + kMeta + "f==}\xff\0g";
  std::size_t at = 0;
  for (const Atom& atom : parse_markup(raw)) {
    EXPECT_EQ(atom.begin, at);
    at = atom.end;
  }
  EXPECT_EQ(at, raw.size());
}

// Lengths that would take minutes if openers were looked at again and again.
TEST(Markup, HostileTextsTakeLinearTime) {
  std::string openers;
  for (int i = 0; i < 200'000; ++i) openers += "{--";
  EXPECT_EQ(accepted(openers), openers);
  EXPECT_EQ(accepted(openers + "{++" + kMeta + "x++}").size(), openers.size() + 1);
  std::string ticks;
  for (int i = 1; i < 1000; ++i) ticks += std::string(static_cast<std::size_t>(i), '`') + " ";
  EXPECT_EQ(accepted(ticks), ticks);
  std::string braces(500'000, '{');
  EXPECT_EQ(accepted(braces), braces);
  std::string fences;  // none of them closed
  for (int i = 0; i < 100'000; ++i) fences += i % 2 == 0 ? "    ```x\n" : "\t\t~~~~y\n";
  EXPECT_EQ(accepted(fences), fences);
  std::string shorter;
  for (int i = 1000; i > 2; --i) shorter += "    " + std::string(static_cast<std::size_t>(i), '~') + "x\n";
  EXPECT_EQ(accepted(shorter), shorter);
  std::string closers = "    ````x\n";  // each of the fences would be closed, if the list were not over before
  for (int i = 0; i < 50'000; ++i) closers += "        ```x\n";
  closers += " y\n        ```\n";
  EXPECT_EQ(accepted(closers), closers);
  std::string metadata;
  for (int i = 0; i < 20'000; ++i) metadata += "{++{\"author\":";
  EXPECT_EQ(accepted(metadata), metadata);
}

TEST(Views, ARichSliceIsTheDocumentsOwnBytes) {
  const std::string raw = "a {>>" + kMeta + "n<<} b {==" + kMeta + "m==}";
  const AcceptedView view(raw);
  EXPECT_EQ(view.text(), "a {>>n<<} b {==m==}");
  EXPECT_EQ(view.rich(0, view.text().size()), raw);
  EXPECT_EQ(view.rich(0, 2) + view.rich(2, view.text().size()), raw);
  EXPECT_EQ(view.line_of(0), 1u);
}

TEST(CommentNote, LineBreaksAndBackslashesAreAsTyped) {
  EXPECT_EQ(unescape_note(R"(one\ntwo)"), "one\ntwo");
  EXPECT_EQ(unescape_note(R"(C:\\new)"), R"(C:\new)");
  EXPECT_EQ(unescape_note(R"(a\tb\)"), R"(a\tb\)");
  EXPECT_EQ(unescape_note(""), "");
  EXPECT_EQ(unescape_note(escape_note("a\nb \\n c")), "a\nb \\n c");
}

}  // namespace
}  // namespace holdfast::documents
