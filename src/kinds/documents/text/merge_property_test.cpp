// document-review §6.4 as a property, over random documents and sequences of edits: the accepted view is what plain editing would
// give, the base view is the original, accepting or rejecting everything agrees with them, and bytes that no edit touched are the
// same bytes.

#include "kinds/documents/text/decide.h"
#include "kinds/documents/text/merge.h"

#include <gtest/gtest.h>

#include <random>

namespace holdfast::documents {
namespace {

// Every change decided at once, told by the parser alone; comments and highlights stay.
std::string decide_all(std::string_view raw, Verdict verdict) {
  std::string out;
  for (const Atom& atom : parse_markup(raw)) {
    if (atom.kind == Atom::Kind::plain)
      out += raw.substr(atom.begin, atom.end - atom.begin);
    else
      out += verdict == Verdict::accept ? atom.ins : atom.del;
  }
  return out;
}

// Of each of three sorts. The sanitizers look for other things than the merge does, and are twenty times slower.
#ifdef HOLDFAST_SANITIZED
constexpr int kDocuments = 4'000;
#else
constexpr int kDocuments = 34'000;
#endif
constexpr int kEditsPerDocument = 3;

// Words, blanks, breaks and everything that has ever confused a parser of these marks.
const std::vector<std::string> kQuiet = {"a",    "b",      "word",   "pier", "wharf", " ",       "  ", "\t", "\n",
                                         "\r\n", "\n\n",   ".",      ",",    "é",     "e\u0301", "漢", "字", "👨‍👩‍👧",
                                         "🇩🇪",   "\u00A0", "\u2019", "\"",   "'",     "1",       "_"};
const std::vector<std::string> kStray = {"{++",  "++}",  "{--",     "--}",     "{~~",         "~~}",
                                         "~>",   "{==",  "==}",     "{>>",     "<<}",         "@@",
                                         "{",    "}",    "+",       "-",       "~",           "`",
                                         "``",   "```",  "\n```\n", "\n~~~\n", "---\n",       "{\"author\":\"x\"}@@",
                                         "\n- ", "\n> ", "\n2. ",   "\n    ",  "\n    ```\n", "\n> ~~~\n",
                                         "\\",   "\n| "};

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine); }
  bool chance(unsigned percent) { return below(100) < percent; }
  const std::string& any(const std::vector<std::string>& list) { return list[below(list.size())]; }
  std::string text(std::size_t longest, unsigned stray_percent) {
    std::string out;
    for (std::size_t i = below(longest + 1); i > 0; --i) out += chance(stray_percent) ? any(kStray) : any(kQuiet);
    return out;
  }
  std::mt19937 engine;
};

// Line breaks alike, also those in comments, which are stored as \\n.
std::string with_line_feeds(std::string text) {
  for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) text.replace(at, 2, "\n");
  for (std::size_t at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at)) text.erase(at, 1);
  return text;
}

bool is_border(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (at > 0 && text[at] == '\n' && text[at - 1] == '\r') return false;
  return (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

std::size_t border(Random& random, std::string_view text) {
  std::size_t at = random.below(text.size() + 1);
  while (!is_border(text, at)) ++at;
  return at;
}

// People's own marks beside those of the program: bare, labelled, standalone deletions, two authors side by side.
std::string document(Random& random, unsigned stray_percent, bool marks) {
  std::string out;
  for (std::size_t i = random.below(8); i > 0; --i) {
    out += random.text(6, stray_percent);
    if (!marks) continue;
    const std::string metadata =
        random.chance(50) ? ""
                          : write_metadata("c_" + std::to_string(random.below(1000)), random.chance(50) ? "Ada" : "Bob's AI", 1);
    const std::string one = random.text(3, 0), two = random.text(3, 0);
    switch (random.below(6)) {
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
      case 4:
        out += "{>>" + metadata + one + "<<}";
        break;
      default:
        break;
    }
  }
  return out;
}

struct Tally {
  int edits = 0, merged = 0, markup = 0, comments = 0, corrupt = 0;
};

void edit_document(Random& random, std::string raw, unsigned stray_percent, Tally& tally) {
  int next_id = 0;
  for (int i = 0; i < kEditsPerDocument; ++i) {
    const AcceptedView view(raw);
    const std::string base = view_of(raw, Side::base);
    std::size_t begin = border(random, view.text()), end = border(random, view.text());
    if (begin > end) std::swap(begin, end);
    if (random.chance(60)) end = std::min(view.text().size(), begin + random.below(12));
    while (!is_border(view.text(), end)) ++end;
    const std::string new_text = random.chance(25)   ? std::string()
                                 : random.chance(30) ? view.text().substr(begin, end - begin) + random.text(2, stray_percent)
                                                     : random.text(5, stray_percent);
    Author author;
    author.label = random.chance(50) ? "dev's AI" : "Bob's AI";
    author.now = 1'767'225'600'000;
    author.make_id = [&next_id] { return "c_new" + std::to_string(++next_id); };
    ++tally.edits;
    const auto merged = merge_edits(view, {{begin, end, new_text}}, author);
    if (!merged) {
      const std::string_view word = merged.error().word();
      tally.markup += word == "markup_in_input";
      tally.comments += word == "comment_protected";
      tally.corrupt += word == "would_corrupt";
      continue;
    }
    ++tally.merged;
    const std::string expected = view.text().substr(0, begin) + new_text + view.text().substr(end);
    const std::string accepted = view_of(merged->raw, Side::accepted);
    // Metadata that the new text claims for a comment is taken out of it.
    if (expected.find("@@") == std::string::npos) {
      ASSERT_EQ(with_line_feeds(accepted), with_line_feeds(expected))
          << "raw: " << raw << "\nnew: " << new_text << "\nafter: " << merged->raw;
    }
    ASSERT_EQ(view_of(merged->raw, Side::base), base) << "raw: " << raw << "\nnew: " << new_text << "\nafter: " << merged->raw;
    // A stray opener of a comment and stray metadata behind it may meet when the marks between them go.
    if (stray_percent == 0) {
      ASSERT_EQ(visible_text(decide_all(merged->raw, Verdict::accept)).text, accepted);
      ASSERT_EQ(visible_text(decide_all(merged->raw, Verdict::reject)).text, base);
    }
    raw = merged->raw;
  }
}

// Every occurrence of one piece at once, as replace_all does.
void replace_everywhere(Random& random, const std::string& raw, Tally& tally) {
  const AcceptedView view(raw);
  const std::string_view text = view.text();
  const std::string piece = random.any(kQuiet), with = random.text(2, 0);
  if (piece.starts_with('\n')) return;  // of CR LF it means the whole line break: merge_test has that
  std::vector<Replacement> replacements;
  std::string expected;
  std::size_t copied = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at + piece.size())) {
    replacements.push_back({at, at + piece.size(), with});
    expected.append(text, copied, at - copied).append(with);
    copied = at + piece.size();
  }
  expected.append(text, copied);
  int next_id = 0;
  ++tally.edits;
  const auto merged =
      merge_edits(view, replacements, {"dev's AI", 1, [&next_id] { return "c_new" + std::to_string(++next_id); }});
  if (!merged) {
    tally.comments += merged.error().word() == "comment_protected";
    tally.corrupt += merged.error().word() == "would_corrupt";
    return;
  }
  ++tally.merged;
  ASSERT_EQ(with_line_feeds(view_of(merged->raw, Side::accepted)), with_line_feeds(expected)) << raw << "\n"
                                                                                              << piece << "\n"
                                                                                              << with;
  ASSERT_EQ(view_of(merged->raw, Side::base), view_of(raw, Side::base)) << raw << "\n" << piece << "\n" << with;
}

void run(unsigned stray_percent, bool marks, Tally& tally) {
  for (unsigned seed = 0; seed < kDocuments; ++seed) {
    Random random(seed * 4 + stray_percent + (marks ? 1 : 0));
    edit_document(random, document(random, stray_percent, marks), stray_percent, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace

TEST(MergeProperty, PlainDocumentsAreNeverRefused) {
  Tally tally;
  run(0, false, tally);
  EXPECT_EQ(tally.merged, tally.edits) << tally.markup << " " << tally.comments << " " << tally.corrupt;
}

TEST(MergeProperty, DocumentsWithMarksOfManyAuthors) {
  Tally tally;
  run(0, true, tally);
  EXPECT_EQ(tally.corrupt, 0);
  // Two halves of comments that an edit brings together would be one that nobody wrote: refused, and rare.
  EXPECT_LT(tally.markup, tally.edits / 1000);
  EXPECT_GT(tally.comments, 0);
  EXPECT_GT(tally.merged, tally.edits * 8 / 10);
}

TEST(MergeProperty, ReplacingEveryOccurrence) {
  Tally tally;
  for (unsigned seed = 0; seed < kDocuments; ++seed) {
    Random random(seed);
    replace_everywhere(random, document(random, 0, true), tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(tally.corrupt, 0);
  EXPECT_GT(tally.merged, tally.edits * 8 / 10);
}

TEST(MergeProperty, DocumentsFullOfStrayMarks) {
  Tally tally;
  run(25, true, tally);
  EXPECT_GT(tally.merged, tally.edits / 3);
  EXPECT_GT(tally.markup, 0);
  // Taking a stray mark away can bring another to life: refused, and rare.
  EXPECT_LT(tally.corrupt, tally.edits / 20);
}

}  // namespace holdfast::documents
