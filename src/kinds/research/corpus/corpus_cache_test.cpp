// What is written of an index, against damage; and an index made in steps against one made at once.

#include "kinds/research/corpus/corpus_cache.h"

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/files/test_folder.h"
#include "kinds/research/corpus/corpus.h"
#include "search/folder/test_index.h"
#include "search/query/ranked_query.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace holdfast::research {
namespace {

using search::ChunkIndex;
using search::index_of;
using search::some_text;

RC_GTEST_PROP(CorpusCacheProperty, WhatIsWrittenReadsBackTheSame, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(some_text());
  const ChunkIndex index = index_of(texts);
  const std::string bytes = write_index(index, "roots");
  const auto read = read_index(bytes, "roots", 1);
  RC_ASSERT(read.has_value());
  RC_ASSERT(write_index(*read, "roots") == bytes);
  RC_ASSERT(!read_index(bytes, "other", 1));
  RC_ASSERT(!read_index(bytes, "roots", 0) || texts.empty());
  const auto words = search::query_words("red blue policy");
  const auto a = index.search(words, 10), b = read->search(words, 10);
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(a[i].chunk == b[i].chunk);
}

// Seeds of another format would leave the fuzzer of read_index in front of the first line.
TEST(CorpusCacheFormat, TheSeedsOfTheFuzzerAreRead) {
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

RC_GTEST_PROP(CorpusCacheProperty, DamageIsFound, ()) {
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

}  // namespace
}  // namespace holdfast::research
