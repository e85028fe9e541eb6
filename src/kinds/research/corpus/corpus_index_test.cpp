// The index against a naive BM25 over the same texts, and what is written of it against damage.

#include "kinds/research/corpus/corpus_index.h"

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/files/test_folder.h"
#include "kinds/research/corpus/corpus.h"
#include "kinds/research/corpus/corpus_cache.h"
#include "kinds/research/corpus/index_batch.h"
#include "search/words/bm25.h"
#include "search/words/words.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace holdfast::research {
namespace {

// One chunk a text.
CorpusIndex index_of(const std::vector<std::string>& texts) {
  CorpusIndex index;
  index.seed = {17, 42};
  IndexBatch batch(index.seed);
  for (const std::string& text : texts) {
    DocumentText document;
    document.text = text;
    IndexedFile file;
    file.path = "file" + std::to_string(1000 + index.files.size());
    file.first_chunk = static_cast<std::uint32_t>(batch.chunks.size());
    file.chunk_count = batch.add(document);
    for (std::uint32_t i = 0; i < file.chunk_count; ++i)
      batch.chunks[file.first_chunk + i].file = static_cast<std::uint32_t>(index.files.size());
    index.files.push_back(file);
  }
  index.chunks = batch.chunks;
  std::vector<Postings> runs = batch.finish();
  if (!runs.empty()) index.postings = std::move(runs[0]);
  index.count_words();
  return index;
}

std::vector<std::pair<std::size_t, double>> naive(const std::vector<std::string>& texts, const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> split;
  double length = 0;
  for (const std::string& text : texts) {
    split.push_back(search::words_of(text));
    length += static_cast<double>(split.back().size());
  }
  const double mean = length / static_cast<double>(texts.size());
  std::vector<std::pair<std::size_t, double>> scores;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double score = 0;
    for (const std::string& word : words) {
      const auto holding = std::ranges::count_if(split, [&](const auto& each) { return std::ranges::count(each, word) != 0; });
      const auto count = std::ranges::count(split[i], word);
      score += search::word_weight(static_cast<double>(texts.size()), static_cast<double>(holding)) *
               search::term_score(static_cast<double>(count), search::length_norm(static_cast<double>(split[i].size()), mean));
    }
    if (score > 0) scores.emplace_back(i, score);
  }
  return scores;
}

rc::Gen<std::string> some_text() {
  const auto word = rc::gen::element<std::string>("red", "green", "blue", "retry_policy", "RetryPolicy", "Größe", "東京都", "x");
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word)), [](const auto& words) {
    std::string text;
    for (const std::string& each : words) text += each + ' ';
    return text.substr(0, kMaxChunkBytes);
  });
}

RC_GTEST_PROP(CorpusIndexProperty, ScoresAreThoseOfANaiveBm25, ()) {
  const auto texts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(some_text()));
  const auto words = query_words(*some_text());
  const CorpusIndex index = index_of(texts);
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
}

RC_GTEST_PROP(CorpusIndexProperty, WhatIsWrittenReadsBackTheSame, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(some_text());
  const CorpusIndex index = index_of(texts);
  const std::string bytes = write_index(index, "roots");
  const auto read = read_index(bytes, "roots", 1);
  RC_ASSERT(read.has_value());
  RC_ASSERT(write_index(*read, "roots") == bytes);
  RC_ASSERT(!read_index(bytes, "other", 1));
  RC_ASSERT(!read_index(bytes, "roots", 0) || texts.empty());
  const auto words = query_words("red blue policy");
  const auto a = index.search(words, 10), b = read->search(words, 10);
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(a[i].chunk == b[i].chunk);
}

// Seeds of another format would leave the fuzzer of read_index in front of the first line.
TEST(CorpusIndexFormat, TheSeedsOfTheFuzzerAreRead) {
  std::size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("../../fuzz/corpus/research_cache"))) {
    std::string bytes = read_file(entry.path().string(), 1 << 20).value();
    seal_index(bytes);
    const auto index = read_index(bytes, "roots", 2);
    ASSERT_TRUE(index.has_value()) << entry.path();
    EXPECT_EQ(write_index(*index, "roots"), bytes) << entry.path();
    ++seeds;
  }
  EXPECT_GT(seeds, 0U);
}

RC_GTEST_PROP(CorpusIndexProperty, DamageIsFound, ()) {
  std::string bytes = write_index(index_of({"red green", "blue"}), "roots");
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= static_cast<char>(*rc::gen::inRange(1, 256));
  RC_ASSERT(!read_index(bytes, "roots", 1));
}

// However a folder came to be what it is, searching it gives what a fresh index of it gives.
RC_GTEST_PROP(CorpusProperty, UpdatesInStepsEqualAFreshIndex, ()) {
  const TestFolder docs, cache;
  const std::vector<CorpusRoot> roots = {{"docs", docs.path(), {}}};
  auto stepwise = Corpus::open(roots, cache.path()).value();
  const int steps = *rc::gen::inRange(1, 6);
  for (int step = 0; step < steps; ++step) {
    for (int change = 0; change < 4; ++change) {
      const std::string path = docs / ("f" + std::to_string(*rc::gen::inRange(0, 12)));
      if (*rc::gen::inRange(0, 4) == 0) {
        std::filesystem::remove(path);
        continue;
      }
      std::ofstream(path, std::ios::trunc) << *some_text();
      const timespec time{1'000'000 + *rc::gen::inRange(0, 1'000'000), 3};
      const timespec times[2] = {time, time};
      ::utimensat(AT_FDCWD, path.c_str(), times, 0);
    }
    RC_ASSERT(stepwise->update({}, {}).has_value());
    if (*rc::gen::inRange(0, 3) == 0) stepwise = Corpus::open(roots, cache.path()).value();
  }
  RC_ASSERT(stepwise->update({}, {}).has_value());
  const auto fresh = Corpus::open(roots, "").value();
  for (const char* query : {"red", "green retry policy", "größe 東京 blue x"}) {
    const auto a = stepwise->search(query, 20).value(), b = fresh->search(query, 20).value();
    RC_ASSERT(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      RC_ASSERT(a[i].uri == b[i].uri);
      RC_ASSERT(a[i].text == b[i].text);
      RC_ASSERT(a[i].score == b[i].score);
    }
  }
}

TEST(QueryWords, AreDistinctWithoutStopWordsUnlessThereAreNoOthers) {
  using ::testing::ElementsAre;
  EXPECT_THAT(query_words("what did we decide about the retries, the retries?"), ElementsAre("decide", "retries"));
  EXPECT_THAT(query_words("to be or not to be"), ElementsAre("to", "be", "or", "not"));
  std::string essay;
  for (int i = 0; i < 100'000; ++i) essay += "w" + std::to_string(i) + ' ';
  EXPECT_EQ(query_words(essay).size(), kMaxQueryWords);
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
}  // namespace holdfast::research
