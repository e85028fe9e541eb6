// Links rewritten for a move (document-review §5 `move`, §10 "rename fixed only same-name links").

#include "kinds/documents/links/link_rewrite.h"

#include "kinds/documents/text/views.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace holdfast::documents {
namespace {

struct PlannedMove {
  PlannedMove(std::vector<std::string> paths, std::string from, std::string to)
      : renaming{std::move(from), std::move(to)},
        before(paths, {}),
        after(renamed(paths), {}),
        spelling(before, after, renaming) {}

  std::vector<std::string> renamed(const std::vector<std::string>& paths) const {
    std::vector<std::string> made;
    for (const std::string& path : paths) made.push_back(renaming.of(path));
    return made;
  }
  RewrittenLinks all(std::string_view path, std::string_view raw) const {
    auto made = rewrite_links(raw, true, path, spelling);
    EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
    return made.value_or(RewrittenLinks{});
  }
  std::string text(std::string_view path, std::string_view raw) const { return all(path, raw).raw; }

  Renaming renaming;
  DocumentNames before, after;
  LinkSpelling spelling;
};

TEST(LinkRewrite, KeepsAnchorsAliasesTitlesAndTheForm) {
  const PlannedMove move({"a.md", "old.md", "x/c.md"}, "old.md", "x/new name.md");
  EXPECT_EQ(move.text("a.md", "[[old#h|alias]] ![[old.md]] [t](old.md#part \"title\") [t](<old.md>)"),
            "[[new name#h|alias]] ![[new name.md]] [t](x/new%20name.md#part \"title\") [t](<x/new name.md>)");
  EXPECT_EQ(move.text("x/c.md", "[t](../old.md) [t](/old.md) [t](./../old)"),
            "[t](new%20name.md) [t](/x/new%20name.md) [t](./new%20name)");
}

TEST(LinkRewrite, RootStyleStaysRootStyle) {
  const PlannedMove move({"notes/old.md", "x/c.md"}, "notes/old.md", "notes/sub/new.md");
  EXPECT_EQ(move.text("x/c.md", "[t](notes/old.md) [[notes/old]] [[/notes/old]]"),
            "[t](notes/sub/new.md) [[notes/sub/new]] [[/notes/sub/new]]");
}

TEST(LinkRewrite, TheMovedDocumentsOwnRelativeLinksFollow) {
  const PlannedMove move({"x/a.md", "x/b.md", "z.md"}, "x/a.md", "y/sub/a.md");
  EXPECT_EQ(move.text("x/a.md", "[t](b.md) [t](../z.md) [[b]] [self](a.md) [[a]]"),
            "[t](../../x/b.md) [t](../../z.md) [[b]] [self](a.md) [[a]]");
}

TEST(LinkRewrite, AFolderMovesWithAllThatIsInIt) {
  const PlannedMove move({"a.md", "x/b.md", "x/deep/c.md"}, "x", "y/z");
  EXPECT_EQ(move.text("a.md", "[[x/b]] [t](x/deep/c.md)"), "[[y/z/b]] [t](y/z/deep/c.md)");
  EXPECT_EQ(move.text("x/b.md", "[t](deep/c.md) [t](../a.md)"), "[t](deep/c.md) [t](../../a.md)");
}

TEST(LinkRewrite, BareWikiNamesStayBareWhileTheyAreUnique) {
  EXPECT_EQ(PlannedMove({"a.md", "x/p.md"}, "x/p.md", "y/p.md").text("a.md", "[[p]]"), "[[p]]");
  EXPECT_EQ(PlannedMove({"a.md", "x/p.md"}, "x/p.md", "y/q.md").text("a.md", "[[p]]"), "[[q]]");
  EXPECT_EQ(PlannedMove({"a.md", "x/p.md", "z/q.md"}, "x/p.md", "y/q.md").text("a.md", "[[p]] [[q]]"), "[[y/q]] [[z/q]]");
}

TEST(LinkRewrite, WhatAMoveWouldShadowIsRewrittenToo) {
  const PlannedMove move({"p.md", "foo.md", "z/a.md"}, "foo.md", "z/p.md");
  EXPECT_EQ(move.text("z/a.md", "[[p]] [t](../p.md)"), "[[../p]] [t](../p.md)");
}

TEST(LinkRewrite, ACaseOnlyRenameKeepsExactSpellingsExact) {
  const PlannedMove move({"a.md", "page.md"}, "page.md", "Page.md");
  EXPECT_EQ(move.text("a.md", "[[page]] [t](page.md) [[PAGE]]"), "[[Page]] [t](Page.md) [[PAGE]]");
}

TEST(LinkRewrite, SkipsCodeAndBrokenLinks) {
  const PlannedMove move({"a.md", "old.md"}, "old.md", "new.md");
  EXPECT_EQ(move.text("a.md", "`[[old]]` [[nowhere]] [[old]]\n```\n[[old]]\n```\n"),
            "`[[old]]` [[nowhere]] [[new]]\n```\n[[old]]\n```\n");
}

TEST(LinkRewrite, NonAsciiNamesKeepTheirHabits) {
  const PlannedMove move({"a.md", "ö.md"}, "ö.md", "x/ü.md");
  EXPECT_EQ(move.text("a.md", "[t](ö.md) [t](%C3%B6.md) [[ö]]"), "[t](x/ü.md) [t](x/%C3%BC.md) [[ü]]");
}

TEST(LinkRewrite, BothSidesOfPendingChangesAreRewritten) {
  const PlannedMove move({"a.md", "old.md", "other.md"}, "old.md", "new.md");
  EXPECT_EQ(move.text("a.md", "{--[[old]]--}{++[[other]] and [[old|x]]++} {~~[t](old.md)~>[[old]]~~}"),
            "{--[[new]]--}{++[[other]] and [[new|x]]++} {~~[t](new.md)~>[[new]]~~}");
  const std::string meta = R"({++{"id":"c_1","author":"AI","timestamp":1}@@[[old]]++})";
  EXPECT_EQ(move.text("a.md", meta), R"({++{"id":"c_1","author":"AI","timestamp":1}@@[[new]]++})");
}

TEST(LinkRewrite, SpreadTargetsAreLeftAndCounted) {
  const PlannedMove move({"a.md", "New Page.md", "Old Page.md"}, "New Page.md", "Newer.md");
  const std::string raw = "{--[[Old--}{++[[New++} Page]]";
  const RewrittenLinks made = move.all("a.md", raw);
  EXPECT_EQ(made.raw, raw);
  EXPECT_EQ(made.left, 1U);
  EXPECT_EQ(made.rewritten, 0U);
  // A link in one view that is prose in the other.
  const RewrittenLinks prose = PlannedMove({"a.md", "Page.md"}, "Page.md", "B.md").all("a.md", "{++[[++}Page{++]]++}");
  EXPECT_EQ(prose.raw, "{++[[++}Page{++]]++}");
  EXPECT_EQ(prose.left, 1U);
}

TEST(LinkRewrite, NamesAWikiLinkCannotHoldAreLeft) {
  const RewrittenLinks made = PlannedMove({"a.md", "old.md"}, "old.md", "C#.md").all("a.md", "[[old]] [t](old.md)");
  EXPECT_EQ(made.raw, "[[old]] [t](C%23.md)");
  EXPECT_EQ(made.left, 1U);
}

TEST(EncodeTarget, EveryNameAMarkdownLinkGetsIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "B", " ", "%", "20", "#", "(", ")", "[", "]", "<", ">", "\\", "'", "\"", ":", "?", "ä", "/", ".", "|", "*", "_")));
    std::string target;
    for (const std::string& piece : pieces) target += piece;
    target = "x" + target + "x";
    for (const bool angled : {false, true}) {
      const auto encoded = encode_target(true, angled, "", target);
      RC_ASSERT(encoded.has_value());
      const auto links = find_links(angled ? "[t](<" + *encoded + ">)" : "[t](" + *encoded + ")");
      RC_ASSERT(links.size() == 1U);
      RC_ASSERT(links[0].target == target);
    }
  }));
}

// Random libraries: after a move every link that meant a document means it still, at its new place (the self-check of
// rewrite_links, here without exception), whatever the form; and nothing but targets has changed.
TEST(LinkRewrite, NoLinkBreaksInRandomLibraries) {
  EXPECT_TRUE(rc::check("no link breaks", [] {
    const auto segment = rc::gen::element<std::string>("a", "b", "B", "c d", "ä");
    const auto path_gen = rc::gen::map(rc::gen::pair(rc::gen::container<std::vector<std::string>>(segment), segment),
                                       [](std::pair<std::vector<std::string>, std::string> parts) {
                                         std::string path;
                                         parts.first.resize(std::min<std::size_t>(parts.first.size(), 2));
                                         for (const std::string& each : parts.first) path += each + "_/";
                                         return path + parts.second + ".md";
                                       });
    auto paths = *rc::gen::unique<std::vector<std::string>>(path_gen);
    RC_PRE(!paths.empty());
    const std::string from = *rc::gen::elementOf(paths), to = *path_gen;
    RC_PRE(std::ranges::find(paths, to) == paths.end());
    const PlannedMove move(paths, from, to);
    const std::string source = *rc::gen::elementOf(paths);
    std::string raw;
    const auto count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i) {
      const std::string meant = *rc::gen::elementOf(paths);
      const std::string_view name = name_of_path(meant), stem = name.substr(0, name.size() - 3);
      const std::string whole = meant.substr(0, meant.size() - 3);
      switch (*rc::gen::inRange(0, 7)) {
        case 0:
          raw += "[[" + std::string(stem) + "]] ";
          break;
        case 1:
          raw += "[[" + whole + "|alias]] ";
          break;
        case 2:
          raw += "[t](<" + meant + ">#h) ";
          break;
        case 3:
          raw += "[[/" + whole + "]]\n";
          break;
        case 4:
          raw += "{++![[" + std::string(stem) + "]]++}";
          break;
        case 5:
          raw += "{--[t](</" + meant + ">)--}{++[[" + std::string(name) + "]]++}\n";
          break;
        default:
          raw += "`[[" + whole + "]]` text ";
          break;
      }
    }
    const auto made = rewrite_links(raw, true, source, move.spelling);
    RC_ASSERT(made.has_value());
    RC_ASSERT(made->left == 0U);
    for (const Side side : {Side::accepted, Side::base}) {
      const std::string old_view = view_of(raw, side), new_view = view_of(made->raw, side);
      const auto old_links = find_links(old_view), new_links = find_links(new_view);
      RC_ASSERT(old_links.size() == new_links.size());
      for (std::size_t i = 0; i < old_links.size(); ++i) {
        RC_ASSERT(old_links[i].form == new_links[i].form);
        const Meaning old_meaning = move.before.resolve(source, old_links[i].target).meaning;
        if (old_meaning.kind != Meaning::Kind::document) continue;
        const Meaning new_meaning = move.after.resolve(move.renaming.of(source), new_links[i].target).meaning;
        RC_ASSERT(new_meaning.path == move.renaming.of(old_meaning.path));
      }
    }
    // And back: nothing is lost on the way.
    const Renaming back{to, from};
    const LinkSpelling reverse(move.after, move.before, back);
    const auto again = rewrite_links(made->raw, true, move.renaming.of(source), reverse);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->left == 0U);
  }));
}

}  // namespace
}  // namespace holdfast::documents
