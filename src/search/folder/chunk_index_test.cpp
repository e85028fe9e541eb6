// The index against a naive BM25 over the same texts.

#include "search/folder/chunk_index.h"

#include "search/folder/test_index.h"
#include "search/query/ranked_query.h"
#include "search/words/bm25.h"
#include "search/words/words.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace holdfast::search {
namespace {

std::vector<std::pair<std::size_t, double>> naive(const std::vector<std::string>& texts, const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> split;
  double length = 0;
  for (const std::string& text : texts) {
    split.push_back(words_of(text));
    length += static_cast<double>(split.back().size());
  }
  const double mean = length / static_cast<double>(texts.size());
  std::vector<std::pair<std::size_t, double>> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double score = 0;
    for (const std::string& word : words) {
      const auto holding = std::ranges::count_if(split, [&](const auto& each) { return std::ranges::count(each, word) != 0; });
      const auto count = std::ranges::count(split[i], word);
      score += word_weight(static_cast<double>(texts.size()), static_cast<double>(holding)) *
               term_score(static_cast<double>(count), length_norm(static_cast<double>(split[i].size()), mean));
    }
    if (score > 0) scores.emplace_back(i, score);
  }
  return scores;
}

RC_GTEST_PROP(ChunkIndexProperty, ScoresAreThoseOfANaiveBm25, ()) {
  const auto texts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(some_text()));
  const auto words = query_words(*some_text());
  const ChunkIndex index = index_of(texts);
  RC_ASSERT(index.chunks.size() == texts.size());
  std::map<std::uint32_t, double> scored;
  double before = std::numeric_limits<double>::max();
  for (const ScoredChunk& each : index.search(words, texts.size())) {
    scored[each.chunk] = each.score;
    RC_ASSERT(each.score <= before);
    RC_ASSERT(each.share > 0 && each.share < 1);
    before = each.score;
  }
  const auto expected = naive(texts, words);
  RC_ASSERT(scored.size() == expected.size());
  for (const auto& [text, score] : expected)
    RC_ASSERT(std::abs(scored.at(static_cast<std::uint32_t>(text)) - score) < 1e-5 * score);
  // A limit only cuts.
  const auto all = index.search(words, texts.size()), some = index.search(words, 2);
  RC_ASSERT(some.size() == std::min<std::size_t>(2, all.size()));
  for (std::size_t i = 0; i < some.size(); ++i) RC_ASSERT(some[i].chunk == all[i].chunk);
  // Those that have every word are the same ones in the same order.
  std::vector<ScoredChunk> having_all = all;
  std::erase_if(having_all, [&](const ScoredChunk& each) {
    const std::vector<std::string> has = words_of(texts[each.chunk]);
    return !std::ranges::all_of(words, [&](const std::string& word) { return std::ranges::count(has, word) != 0; });
  });
  std::vector<std::size_t> holding;
  const auto found = index.search_all(words, holding);
  RC_ASSERT(holding.size() == words.size());
  RC_ASSERT(found.size() == having_all.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(found[i].chunk == having_all[i].chunk);
    RC_ASSERT(found[i].score == having_all[i].score);
  }
}

// The table of a chunk's words grows.
TEST(ChunkIndexTest, AChunkOfManyWordsAndWordsBesidesItsText) {
  FolderText text;
  for (int i = 0; i < 50'000; ++i) text.text += "w" + std::to_string(i % 25'000) + " ";
  text.chunks = {{0, static_cast<std::uint32_t>(text.text.size()), 1, 1}};
  text.also = "w7 beside";
  ChunkIndex index;
  IndexBatch batch(index.seed);
  batch.add(text);
  index.chunks = batch.chunks;
  index.postings = std::move(batch.finish().at(0));
  index.count_words();
  EXPECT_EQ(index.chunks.at(0).words, 50'000U);
  const ByteHash hash(index.seed);
  const auto count_of = [&](std::string_view word) {
    PostingReader reader(index.postings.find(hash(word)));
    return reader.next() ? reader.count() : 0;
  };
  for (int i = 0; i < 25'000; ++i) ASSERT_EQ(count_of("w" + std::to_string(i)), i == 7 ? 3U : 2U);
  EXPECT_EQ(count_of("beside"), 1U);
  std::vector<std::size_t> holding;
  EXPECT_THAT(index.search_all({"w1", "walrus"}, holding), ::testing::IsEmpty());
  EXPECT_THAT(holding, ::testing::ElementsAre(1U, 0U));
}

TEST(PostingsTest, ManyRunsMergeIntoOne) {
  std::vector<Posting> first, second, scratch;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    first.push_back({i % 7, i, 1 + i % 3});
    second.push_back({i % 11, i, 1});
  }
  const Postings a = Postings::of(first, scratch), b = Postings::of(second, scratch);
  ASSERT_TRUE(a.check(1000));
  ASSERT_FALSE(a.check(999));
  std::vector<std::uint32_t> even(1000), odd(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    even[i] = i == 500 ? kGone : 2 * i;
    odd[i] = 2 * i + 1;
  }
  const Postings::Source sources[] = {{&a, even}, {&b, odd}};
  const Postings merged = Postings::merge(sources);
  ASSERT_TRUE(merged.check(2000));
  EXPECT_EQ(merged.size(), 11U);
  std::size_t seen = 0;
  for (std::uint64_t word = 0; word < 11; ++word) {
    for (PostingReader reader(merged.find(word)); reader.next(); ++seen) {
      const std::uint32_t from = reader.chunk() / 2;
      EXPECT_EQ(from % (reader.chunk() % 2 == 0 ? 7 : 11), word);
      EXPECT_EQ(reader.count(), reader.chunk() % 2 == 0 ? 1 + from % 3 : 1);
    }
  }
  EXPECT_EQ(seen, 1999U);
  EXPECT_TRUE(merged.find(99).empty());
}

TEST(Chunks, CoverTheTextInWholeLines) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::string(static_cast<std::size_t>(i % 90), 'x') + (i % 10 == 0 ? "\n\n" : "\n");
  text += std::string(40'000, 'y') + "\nend";
  std::string joined;
  std::uint32_t line = 1;
  for (const ChunkPlace& place : cut_chunks(text)) {
    EXPECT_GE(place.first_line, line);
    EXPECT_GE(place.last_line, place.first_line);
    EXPECT_LE(place.length, kMaxLineBytes);
    line = place.last_line;
    joined += text.substr(place.offset, place.length);
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(line, static_cast<std::uint32_t>(std::ranges::count(text, '\n')) + 1);
  EXPECT_TRUE(cut_chunks("").empty());
  EXPECT_TRUE(cut_chunks(" \n\n\t\n").empty());
}

}  // namespace
}  // namespace holdfast::search
