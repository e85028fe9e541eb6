// What is listed can be decided, one by one and in any order, whatever ids the marks of the documents carry.

#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/merge.h"
#include "kinds/documents/workspace/test_workspace.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace holdfast::documents {
namespace {

using VerdictsById = std::map<std::string, Verdict, std::less<>>;

#ifdef HOLDFAST_SANITIZED
constexpr int kEditedDocuments = 1'500;
constexpr int kLibraries = 12;
#else
constexpr int kEditedDocuments = 15'000;
constexpr int kLibraries = 60;
#endif

struct Dice {
  explicit Dice(unsigned seed) : engine(seed) {}
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine); }
  std::string words(std::size_t most) {
    static const std::vector<std::string> kWords = {"kelp", "pier", "a",  " ", " ",  "  ",   "\n",
                                                    "\n\n", ".",    ", ", "é", "漢", "wharf"};
    std::string out;
    for (std::size_t i = below(most + 1); i > 0; --i) out += kWords[below(kWords.size())];
    return out;
  }
  std::mt19937 engine;
};

std::vector<PendingChange> changes_in(std::string_view raw) {
  std::vector<PendingChange> found = pending_in(raw);
  std::erase_if(found, is_remark);
  return found;
}

std::size_t start_of_character(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::string decided_one_by_one(Dice& dice, std::string raw, Verdict verdict) {
  for (auto changes = changes_in(raw); !changes.empty(); changes = changes_in(raw)) {
    const std::string mark = changes[dice.below(changes.size())].mark;
    const Decided decided = decide(raw, VerdictsById{{mark, verdict}});
    EXPECT_EQ(decided.applied, std::vector{mark});
    EXPECT_EQ(decided.remaining, changes.size() - 1);
    if (decided.applied.empty()) break;
    raw = decided.raw;
  }
  return raw;
}

}  // namespace

TEST(DecideProperty, P26AnEditIsOneChangeWhateverMarksItLeaves) {
  std::size_t most_places = 0;
  for (unsigned seed = 0; seed < kEditedDocuments; ++seed) {
    Dice dice(seed);
    const std::string original = dice.words(40);
    std::string raw = original;
    std::size_t edits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const AcceptedView view(raw);
      std::size_t begin = start_of_character(view.text(), dice.below(view.text().size() + 1));
      std::size_t end = start_of_character(view.text(), dice.below(view.text().size() + 1));
      if (begin > end) std::swap(begin, end);
      const Author author{"dev's AI", 1, [&] { return "c_" + std::to_string(seed) + "_" + std::to_string(i); }, {}};
      const auto merged = merge_edits(view, {{begin, end, dice.words(12)}}, author);
      ASSERT_TRUE(merged) << raw;
      if (merged->unchanged) continue;
      ++edits;
      const auto changes = changes_in(merged->raw);
      ASSERT_LE(changes.size(), edits) << merged->raw;
      const auto own = std::ranges::count(changes, merged->id, &PendingChange::mark);
      ASSERT_EQ(own, merged->id.empty() ? 0 : 1) << merged->raw;
      for (const PendingChange& change : changes) most_places = std::max(most_places, change.places);
      // Alone it goes as it came, when it took the place of no other.
      if (own == 1 && merged->superseded.empty()) {
        ASSERT_EQ(decide(merged->raw, VerdictsById{{merged->id, Verdict::reject}}).raw, raw);
      }
      // What a person reads is the text from its first mark to its last.
      for (const PendingChange& change : changes) {
        std::string brought;
        bool whole = true;
        for (const ChangePart& part : change.parts) {
          if (part.kind != ChangePart::Kind::removed) brought += part.text;
          whole = whole && part.kind != ChangePart::Kind::gap;
        }
        if (whole) {
          ASSERT_NE(view_of(merged->raw, Side::accepted).find(brought), std::string::npos) << merged->raw;
        }
      }
      raw = merged->raw;
    }
    ASSERT_EQ(decided_one_by_one(dice, raw, Verdict::accept), view_of(raw, Side::accepted)) << raw;
    ASSERT_EQ(decided_one_by_one(dice, raw, Verdict::reject), original) << raw;
  }
  EXPECT_GT(most_places, 4U) << "there were edits of many marks";
}

struct DecidePropertyTest : WorkspaceTest {
  // Few ids for many marks, so that documents share them; and marks by hand, which get theirs from their bytes.
  static std::string marked_document(Dice& dice, bool comments) {
    std::string out = dice.words(4);
    for (std::size_t i = dice.below(6); i > 0; --i) {
      const std::string metadata = dice.below(3) == 0 ? "" : write_metadata("c_" + std::to_string(dice.below(4)), "Ada's AI", 1);
      const std::string one = dice.words(2) + "x", two = dice.words(2) + "y";
      switch (dice.below(comments ? 5 : 4)) {
        case 0:
          out += "{++" + metadata + one + "++}";
          break;
        case 1:
          out += "{--" + metadata + one + "--}";
          break;
        case 2:
          out += "{--" + metadata + one + "--}{++" + metadata + two + "++}";
          break;
        case 3:
          out += "{~~" + metadata + one + "~>" + two + "~~}";
          break;
        default:
          out += "{>>" + metadata + one + "<<}";
      }
      out += dice.words(3) + ".";
    }
    return out;
  }
};

TEST_F(DecidePropertyTest, P24EveryListedChangeIsDecidedInItsOwnDocumentAlone) {
  std::size_t shared = 0;
  for (unsigned seed = 0; seed < kLibraries; ++seed) {
    Dice dice(seed);
    const std::vector<std::string> paths = {"a.md", "b.md", "sub/c.md", "sub/d.md"};
    for (const std::string& path : paths) kb.write(path, marked_document(dice, true));
    kb.write("b.md", kb.read(dice.below(2) == 0 ? "a.md" : "sub/c.md"));  // a copy
    for (auto listed = pending(); !listed.empty(); listed = pending()) {
      std::set<std::string> ids;
      for (const PendingChange& change : listed) {
        ASSERT_TRUE(ids.insert(change.id).second) << change.id << " twice, seed " << seed;
        shared += change.id != change.mark;
      }
      const PendingChange& chosen = listed[dice.below(listed.size())];
      const Verdict verdict = dice.below(2) == 0 ? Verdict::accept : Verdict::reject;
      std::map<std::string, std::string> expected;
      for (const std::string& path : paths) expected[path] = kb.read(path);
      expected[chosen.path] = decide(expected[chosen.path], VerdictsById{{chosen.mark, verdict}}).raw;
      const VerdictReport report = verdict == Verdict::accept ? accept({chosen.id}) : reject({chosen.id});
      ASSERT_EQ(report.applied, std::vector{chosen.id}) << "seed " << seed;
      ASSERT_TRUE(report.failed.empty());
      for (const std::string& path : paths) ASSERT_EQ(kb.read(path), expected[path]) << path << ", seed " << seed;
      ASSERT_EQ(pending().size(), listed.size() - 1) << "seed " << seed;
    }
    // And all at once, comments aside.
    for (const std::string& path : paths) kb.write(path, marked_document(dice, true));
    kb.write("sub/d.md", kb.read("a.md"));
    Verdicts all;
    all.all = dice.below(2) == 0;
    ASSERT_TRUE(workspace->decide(person(), all).value().failed.empty()) << "seed " << seed;
    for (const PendingChange& change : pending()) ASSERT_TRUE(is_remark(change)) << change.id << ", seed " << seed;
  }
  EXPECT_GT(shared, 50U) << "there were documents that share ids";
}

}  // namespace holdfast::documents
