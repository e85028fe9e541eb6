// The files of an index: what is written can be read, and damaged bytes are noticed or do no harm.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "search/index/candidates.h"
#include "search/index/manifest.h"
#include "search/index/segment/block_filter.h"
#include "search/index/segment/segment_builder.h"
#include "search/index/segment/segment_merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace holdfast::search {
namespace {

using testing::ElementsAre;

constexpr ByteHash::Seed kSeed{17, 4};

std::vector<std::uint32_t> members(const BlockSet& set) {
  std::vector<std::uint32_t> list;
  set.each([&](std::size_t block) { list.push_back(static_cast<std::uint32_t>(block)); });
  return list;
}

TEST(IndexPostings, EveryFormComesBack) {
  for (const std::size_t blocks : {1, 9, 64, 1000}) {
    for (const std::size_t step : {1, 2, 7, 300}) {
      std::vector<std::uint32_t> list;
      for (std::size_t block = 0; block < blocks; block += step) list.push_back(static_cast<std::uint32_t>(block));
      std::string bytes;
      append_postings(bytes, list, blocks);
      std::size_t at = 0;
      std::vector<std::uint32_t> read;
      ASSERT_TRUE(read_postings(bytes, at, blocks, read));
      EXPECT_EQ(read, list);
      EXPECT_EQ(at, bytes.size());
      at = 0;
      ASSERT_TRUE(skip_postings(bytes, at, blocks));
      EXPECT_EQ(at, bytes.size());
      BlockSet set(blocks);
      at = 0;
      ASSERT_TRUE(add_postings(bytes, at, set));
      EXPECT_EQ(members(set), list);
    }
  }
}

TEST(IndexFilter, HoldsWhatWasPutInAndLittleElse) {
  BlockFilterWriter writer;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back(random());
  for (int round = 0; round < 2; ++round)
    for (const std::uint64_t key : keys) writer.add(key);
  std::string filter;
  writer.finish(filter);
  for (const std::uint64_t key : keys) EXPECT_TRUE(filter_may_hold(filter, key));
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) wrong += filter_may_hold(filter, random());
  EXPECT_LT(wrong, 2000);
  EXPECT_LT(filter.size(), 3000 * 2);
  std::string none;
  writer.finish(none);
  EXPECT_FALSE(filter_may_hold(none, keys[0]));
}

Passage passage(std::string_view text, std::uint64_t line, Millis time = 5) {
  Passage passage;
  passage.line_begin = line * 100'000;
  passage.line_end = passage.line_begin + 100'000;
  passage.line = line;
  passage.time = time;
  passage.text = text;
  return passage;
}

struct SegmentFile : testing::Test {
  // Block after block, one word in each that no other has.
  void write(const std::string& name, std::uint64_t source, int blocks) {
    SegmentBuilder builder(kSeed);
    builder.begin_run(source);
    for (int i = 0; i < blocks; ++i) {
      const std::string text = fmt::format("common only{}of{} ", i, source) + std::string(kBlockTextBytes, 'z');
      builder.add(passage(text, static_cast<std::uint64_t>(i + 1), 1000 * (i + 1)));
    }
    builder.end_run();
    ASSERT_TRUE(builder.write(folder / name));
    EXPECT_TRUE(builder.empty());
  }
  std::vector<std::uint32_t> find(const Segment& segment, std::string_view word) {
    BlockSet found(segment.block_count());
    EXPECT_TRUE(segment.words().find(word, found));
    return members(found);
  }
  TestFolder folder;
};

TEST_F(SegmentFile, ComesBack) {
  write("a", 7, 5);
  const auto segment = Segment::open(folder / "a", kSeed).value();
  ASSERT_EQ(segment->block_count(), 5u);
  EXPECT_THAT(find(*segment, "common"), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(find(*segment, "only3of7"), ElementsAre(3));
  EXPECT_THAT(find(*segment, "only"), ElementsAre());
  EXPECT_EQ(segment->block(2).first_line, 3u);
  EXPECT_EQ(segment->newest(), 5000);
  EXPECT_EQ(members(segment->long_words()).size(), 5u);
  EXPECT_FALSE(Segment::open(folder / "a", {1, 2})) << "of another index";
}

TEST_F(SegmentFile, MergingDropsTheDead) {
  write("a", 7, 5);
  write("b", 8, 4);
  write("c", 9, 3);
  std::vector<MergeInput> inputs;
  for (const char* name : {"a", "b", "c"}) {
    const auto segment = Segment::open(folder / name, kSeed).value();
    inputs.push_back({segment, segment->blocks_of([](std::uint64_t source) { return source != 8; })});
  }
  const auto written = merge_segments(inputs, kSeed, folder / "merged");
  ASSERT_TRUE(written && *written);
  EXPECT_EQ((*written)->blocks, 8u);
  const auto merged = Segment::open(folder / "merged", kSeed).value();
  EXPECT_EQ(find(*merged, "common").size(), 8u);
  EXPECT_THAT(find(*merged, "only1of9"), ElementsAre(6));
  EXPECT_EQ(merged->source_of(6), 9u);
  EXPECT_EQ(read_file(folder / "merged").value().find("of8"), std::string::npos) << "no word of it remains";
  for (MergeInput& input : inputs) input.kept = BlockSet(input.segment->block_count());
  const auto none = merge_segments(inputs, kSeed, folder / "none");
  EXPECT_TRUE(none && !*none);
}

// Whatever byte is wrong, a segment is refused or can be asked.
TEST_F(SegmentFile, DamagedBytesDoNoHarm) {
  write("a", 7, 40);
  const std::string whole = read_file(folder / "a").value();
  std::mt19937 random(3);
  TextQuery query;
  for (const char* text : {"common", "only3of7", "on", "nly3", "common only"})
    query.clauses.push_back({TextClause::Kind::literal, text, false});
  int accepted = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint64_t> aligned((whole.size() + 7) / 8);
    char* bytes = reinterpret_cast<char*>(aligned.data());
    std::copy(whole.begin(), whole.end(), bytes);
    std::size_t size = whole.size();
    if (round % 4 == 0) size = random() % size;
    // Behind the header, which has a checksum; mostly not in the filters, where every bit is as good as any other.
    for (int i = 0; i < 3; ++i)
      bytes[whole.size() - 1 - random() % std::min<std::size_t>(whole.size() - sizeof(SegmentHeader), 6000)] ^=
          static_cast<char>(1 + random() % 255);
    const auto segment = Segment::over({bytes, size}, kSeed);
    if (!segment) continue;
    ++accepted;
    for (const auto& clause : query.clauses) {
      TextQuery one;
      one.clauses = {clause};
      const BlockSet found = candidates(**segment, plan_query(one, KeyHash(kSeed)), BlockSet((*segment)->block_count(), true));
      EXPECT_LE(found.count(), (*segment)->block_count());
    }
    static_cast<void>(merge_segments({{*segment, BlockSet((*segment)->block_count(), true)}}, kSeed, folder / "again"));
  }
  EXPECT_GT(accepted, 50);
}

TEST_F(SegmentFile, ManifestComesBackOrIsNone) {
  Manifest manifest = Manifest::fresh();
  manifest.sources.push_back({3, "claude:a\nb", "12", 456, 7, 99});
  manifest.segments.push_back({1, 2, 3, 4});
  const std::string bytes = encode_manifest(manifest);
  const auto back = decode_manifest(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->sources.at(0).key, "claude:a\nb");
  EXPECT_EQ(back->sources.at(0).line, 7u);
  EXPECT_EQ(back->segments.at(0).blocks, 4u);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_FALSE(decode_manifest(damaged)) << i;
    EXPECT_FALSE(decode_manifest(bytes.substr(0, i)));
  }
}

}  // namespace
}  // namespace holdfast::search
