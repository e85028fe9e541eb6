// Random sources, random changes of them, random queries of every kind: the index answers exactly what a plain scan finds. The
// scan here shares nothing with the index but the table of Unicode.

#include "base/files/test_folder.h"
#include "base/text/text.h"
#include "search/index/open.h"
#include "search/index/test_sources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utf8proc.h>

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>

namespace holdfast::search {
namespace {

using Kind = TextClause::Kind;

// What the header of search/index/text_index.h says, as simply as possible.
namespace oracle {

std::string folded(std::string_view text) {
  std::string one, spaced(text);
  for (const std::string_view other : {"\u2028", "\u2029", "\u0085", "\u1680"})
    for (std::size_t at = spaced.find(other); at != std::string::npos; at = spaced.find(other))
      spaced.replace(at, other.size(), " ");
  for (const char c : fold_case(spaced)) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank)
      one += c;
    else if (one.empty() || one.back() != ' ')
      one += ' ';
  }
  return one;
}

std::int32_t character_at(std::string_view text, std::size_t at) {
  utf8proc_int32_t c = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at), static_cast<utf8proc_ssize_t>(text.size() - at),
                   &c);
  return c;
}
std::int32_t character_before(std::string_view text, std::size_t at) {
  do --at;
  while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return character_at(text, at);
}

// Part of a word: a letter, mark or digit, of a script with blanks.
bool is_letter(std::int32_t c) {
  if ((c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3)) return false;
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

// Whether a folded text has what a clause wants, folded as well.
bool holds(const std::string& text, const std::string& wanted, Kind kind) {
  const bool whole_begin = kind != Kind::literal && is_letter(character_at(wanted, 0));
  const bool whole_end = (kind == Kind::word || kind == Kind::phrase) && is_letter(character_before(wanted, wanted.size()));
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool joined_before = whole_begin && at > 0 && is_letter(character_before(text, at));
    const bool joined_behind = whole_end && end < text.size() && is_letter(character_at(text, end));
    if (!joined_before && !joined_behind) return true;
  }
  return false;
}

}  // namespace oracle

using Place = std::tuple<std::string, std::uint64_t, PassageRole, Millis>;

struct World {
  explicit World(unsigned seed) : random(seed) {}

  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T, std::size_t N>
  const T& one_of(const T (&list)[N]) {
    return list[below(N)];
  }

  std::string word() {
    static const std::string kWords[] = {"foo",    "bar",    "Foo",         "the",        "retry", "policy",    "error",
                                         "E0277",  "Straße", "STRASSE",     "ärger",      "Ärger", "中文",      "漢字仮名",
                                         "한국어", "naïve",  "nai\u0308ve", "x",          "ﬁle",   "file",      "Ω",
                                         "ⅷ",      "1½",     "42",          "0xdeadbeef", "カナ",  "abcdefghij"};
    if (chance(1)) return std::string(60 + below(20), 'q') + one_of(kWords);
    if (chance(6)) return fmt::format("w{}", below(400));
    if (chance(3)) return fmt::format("{:x}", random());
    return one_of(kWords);
  }
  std::string text(std::size_t words) {
    static const std::string kBetween[] = {" ", " ",    " ",  " ", "  ", "\n",     "_", ".", ", ",     "::",    "/",
                                           "(", ");\n", "\t", "",  "…",  "\u00A0", "-", "“", "\u0301", "\u2028"};
    std::string text;
    for (; words > 0; --words) (text += word()) += one_of(kBetween);
    return text;
  }
  TestPassage passage() {
    static const std::string kAttributes[] = {"tool:Bash", "tool:Read", "branch:main", "file:/a/b\nc.cpp", "error", "model:m"};
    TestPassage passage;
    passage.role = static_cast<PassageRole>(below(7));
    passage.time = static_cast<Millis>(below(50)) * 1000;
    passage.text = text(chance(2) ? 3000 : below(150));
    for (std::size_t i = below(3); i > 0; --i) passage.attributes.push_back(one_of(kAttributes));
    return passage;
  }
  void grow(const std::string& key, std::size_t lines) {
    auto& content = sources.contents[key];
    for (; lines > 0; --lines) {
      TestSources::Line line;
      for (std::size_t passages = below(4); passages > 0; --passages) line.push_back(passage());
      content.lines.push_back(std::move(line));
    }
    content.torn = below(30);
  }

  std::string some_text() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      auto source = sources.contents.begin();
      std::advance(source, static_cast<std::ptrdiff_t>(below(sources.contents.size())));
      if (source->second.lines.empty()) continue;
      const auto& line = source->second.lines[below(source->second.lines.size())];
      if (!line.empty()) return line[below(line.size())].text;
    }
    return "foo bar";
  }
  TextClause clause() {
    TextClause clause;
    clause.kind = static_cast<Kind>(below(4));
    clause.excluded = chance(15);
    if (chance(60)) {
      const std::string from = some_text();
      std::size_t begin = from.empty() ? 0 : below(from.size());
      while (begin > 0 && (static_cast<unsigned char>(from[begin]) & 0xC0) == 0x80) --begin;
      clause.text = utf8_prefix(std::string_view(from).substr(begin), 1 + below(chance(10) ? 200 : 24));
    } else {
      clause.text = word();
      if (chance(40)) clause.text += " " + word();
    }
    return clause;
  }
  TextQuery query() {
    TextQuery query;
    for (std::size_t count = chance(8) ? 0 : 1 + below(3); count > 0; --count) query.clauses.push_back(clause());
    if (chance(25)) query.filters.push_back({"tool:", [](std::string_view value) { return value == "Bash"; }});
    if (chance(10)) query.filters.push_back({"file:", [](std::string_view value) { return value.ends_with("b\nc.cpp"); }});
    if (chance(10)) query.filters.push_back({"error", [](std::string_view) { return true; }});
    if (chance(20)) query.roles = {PassageRole::user, PassageRole::tool_result};
    if (chance(15)) query.since = static_cast<Millis>(below(50)) * 1000;
    if (chance(15)) query.until = static_cast<Millis>(below(50)) * 1000;
    if (chance(15)) query.admits = [](const Source& source) { return source.key.back() % 2 == 0; };
    query.limit = 1'000'000;
    query.per_session = 0;
    query.order = chance(50) ? TextQuery::Order::best : TextQuery::Order::newest;
    return query;
  }

  std::multiset<Place> scan(const TextQuery& query) {
    std::multiset<Place> found;
    const auto listed = sources.list().value();
    for (const Source& source : *listed) {
      if (query.admits && !query.admits(source)) continue;
      std::uint64_t number = 0;
      for (const auto& line : sources.contents[source.key].lines) {
        ++number;
        for (const TestPassage& passage : line)
          if (fits(passage, query)) found.emplace(source.key, number, passage.role, passage.time);
      }
    }
    return found;
  }
  bool fits(const TestPassage& passage, const TextQuery& query) {
    if ((query.since || query.until) && passage.time == 0) return false;
    if (query.since && passage.time < *query.since) return false;
    if (query.until && passage.time >= *query.until) return false;
    if (!query.roles.empty() && std::ranges::count(query.roles, passage.role) == 0) return false;
    for (const AttributeFilter& filter : query.filters)
      if (std::ranges::none_of(passage.attributes, [&](std::string_view one) {
            return one.starts_with(filter.name) && filter.admits(one.substr(filter.name.size()));
          }))
        return false;
    const std::string& text = fold(passage.text);
    return std::ranges::all_of(query.clauses, [&](const TextClause& clause) {
      const std::string& wanted = fold(clause.text);
      return wanted.empty() || oracle::holds(text, wanted, clause.kind) != clause.excluded;
    });
  }
  // Thousands of passages are asked for the same clause, again and again.
  const std::string& fold(const std::string& text) {
    const auto [at, made] = folded.try_emplace(text);
    if (made) at->second = oracle::folded(text);
    return at->second;
  }

  std::mt19937 random;
  TestSources sources;
  std::unordered_map<std::string, std::string> folded;  // what was folded before
};

std::string described(const TextQuery& query) {
  std::string text;
  for (const TextClause& clause : query.clauses)
    text += fmt::format("{}{} [{}] ", clause.excluded ? "-" : "", static_cast<int>(clause.kind), clause.text);
  return text + fmt::format("{} filters, {} roles, {}", query.filters.size(), query.roles.size(), query.since ? "since" : "");
}

void expect_exact(World& world, TextIndex& index, int queries) {
  for (int i = 0; i < queries; ++i) {
    const TextQuery query = world.query();
    const auto result = index.search(world.sources, query);
    ASSERT_TRUE(result) << result.error().message;
    std::multiset<Place> found;
    for (const TextHit& hit : result->hits) {
      found.emplace(hit.source.key, hit.line, hit.role, hit.time);
      for (const auto& [begin, end] : hit.highlights) ASSERT_TRUE(begin < end && end <= hit.snippet.size()) << hit.snippet;
      ASSERT_TRUE(is_valid_utf8(hit.snippet)) << hit.snippet;
    }
    ASSERT_EQ(found, world.scan(query)) << described(query);
    EXPECT_FALSE(result->more);
  }
}

// One test a seed, so that shards share them. With a sanitizer each takes half a minute.
#ifdef HOLDFAST_SANITIZED
constexpr unsigned kSeeds = 2;
#else
constexpr unsigned kSeeds = 8;
#endif
class IndexProperty : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seed, IndexProperty, testing::Range(0U, kSeeds));

TEST_P(IndexProperty, FindsExactlyWhatAScanFinds) {
  World world(GetParam());
  const TestFolder folder;
  const auto index = open_text_index(folder / "index").value();
  for (int i = 0; i < 6; ++i) world.grow(fmt::format("s{}/main", i), 20 + world.below(150));
  ASSERT_NO_FATAL_FAILURE(expect_exact(world, *index, 10)) << "without an index";
  for (int change = 0; change < 6; ++change) {
    ASSERT_TRUE(index->update(world.sources));
    ASSERT_NO_FATAL_FAILURE(expect_exact(world, *index, 20)) << "after update " << change;
    const std::string key = fmt::format("s{}/main", world.below(6));
    switch (world.below(6)) {
      case 0:
        world.sources.contents.erase(key);
        break;
      case 1:
        world.sources.contents[key] = {};
        world.sources.contents[key].incarnation = 2 + change;
        world.grow(key, 40);
        break;
      case 2:
        ASSERT_TRUE(index->forget({}, {}));
        break;
      case 3: {  // written over, in the same file: a longer text, or one of the same size
        auto& content = world.sources.contents[key];
        ++content.stamp;
        if (world.chance(50)) {
          content.lines.clear();
          world.grow(key, 200);
        } else if (!content.lines.empty()) {
          for (TestPassage& passage : content.lines[world.below(content.lines.size())]) std::ranges::reverse(passage.text);
        }
        break;
      }
      default:
        world.grow(key, 1 + world.below(120));
        world.grow(fmt::format("s{}/side{}", world.below(6), change), world.below(30));
    }
    ASSERT_NO_FATAL_FAILURE(expect_exact(world, *index, 8)) << "after change " << change;
  }
}

}  // namespace
}  // namespace holdfast::search
