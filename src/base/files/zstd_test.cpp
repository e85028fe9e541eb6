#include "base/files/zstd.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace holdfast {
namespace {

using testing::HasSubstr;

std::string text_of_size(std::size_t size) {
  std::mt19937 random(7);
  std::string out;
  while (out.size() < size) out += "line " + std::to_string(random() % 1000) + " of a text\n";
  out.resize(size);
  return out;
}

Result<std::string> compress(std::string_view bytes, std::uint64_t promised, const ZstdWriter::Options& options = {}) {
  std::string out;
  const auto sink = [&out](std::string_view part) -> Result<void> {
    out += part;
    return {};
  };
  HF_TRY(ZstdWriter writer, ZstdWriter::make(promised, sink, options));
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, 100'003);
    HF_CHECK(writer.write(part));
    bytes.remove_prefix(part.size());
  }
  HF_CHECK(writer.finish());
  return out;
}

Result<std::string> decompress(std::string_view bytes, std::size_t step = 70'001, int max_window_log = 27) {
  const auto source = [&bytes, step](char* to, std::size_t room) -> Result<std::size_t> {
    const std::size_t count = std::min({room, step, bytes.size()});
    std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return count;
  };
  HF_TRY(ZstdReader reader, ZstdReader::make(source, max_window_log));
  std::string out;
  char buffer[4096];
  for (;;) {
    HF_TRY(const std::size_t got, reader.read(buffer, sizeof buffer));
    if (got == 0) return out;
    out.append(buffer, got);
  }
}

TEST(Zstd, GivesBackWhatWasWritten) {
  for (const std::size_t size : {0UL, 1UL, 4095UL, 4096UL, 100'000UL, 9'000'000UL}) {
    const std::string text = text_of_size(size);
    const auto packed = compress(text, size);
    ASSERT_TRUE(packed) << packed.error().message;
    EXPECT_TRUE(looks_like_zstd(*packed));
    EXPECT_TRUE(decompress(*packed).value() == text) << size;
    EXPECT_TRUE(decompress(*packed, 1).value() == text) << size;
  }
}

TEST(Zstd, TheSameBytesGiveTheSameFrame) {
  const std::string text = text_of_size(5'000'000);
  EXPECT_TRUE(compress(text, text.size()).value() == compress(text, text.size()).value());
}

TEST(Zstd, TheFrameSaysItsContentSize) {
  const std::string packed = compress("0123456789", 10).value();
  // Frame header: single segment, one byte of content size behind the descriptor.
  ASSERT_GT(packed.size(), 6U);
  EXPECT_EQ(packed[4] & 0x20, 0x20);
  EXPECT_EQ(packed[5], 10);
}

TEST(Zstd, AnotherSizeThanPromisedIsAnError) {
  EXPECT_EQ(compress("0123456789", 11).error().kind, ErrorKind::invalid);
  EXPECT_EQ(compress("0123456789", 9).error().kind, ErrorKind::invalid);
}

TEST(Zstd, AnErrorOfTheSinkIsPassedOn) {
  const auto full = [](std::string_view) -> Result<void> { return fail(ErrorKind::io, "disk full"); };
  auto writer = ZstdWriter::make(3, full, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write("abc"));
  EXPECT_EQ(writer->finish().error().message, "disk full");
}

TEST(Zstd, SeveralFramesAreOneStream) {
  const std::string skippable("\x50\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_TRUE(looks_like_zstd(skippable));
  EXPECT_EQ(decompress(compress("one ", 4).value() + skippable + compress("two", 3).value()).value(), "one two");
}

TEST(Zstd, CutOffOrDamagedIsCorrupt) {
  const std::string text = text_of_size(300'000);
  const std::string packed = compress(text, text.size()).value();
  for (const std::size_t length : {5UL, packed.size() / 2, packed.size() - 1}) {
    const auto read = decompress(packed.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::corrupt);
    EXPECT_THAT(read.error().message, HasSubstr("cut off"));
  }
  std::string flipped = packed;
  flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 0x10);
  EXPECT_EQ(decompress(flipped).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(decompress(packed + "garbage").error().kind, ErrorKind::corrupt);
}

TEST(Zstd, AWindowAboveTheLimitIsCorrupt) {
  const std::string text = text_of_size(3'000'000);
  ZstdWriter::Options options;
  options.workers = 0;
  const std::string packed = compress(text, text.size(), options).value();
  EXPECT_EQ(decompress(packed, 70'001, 16).error().kind, ErrorKind::corrupt);
}

TEST(Zstd, KnowsItsOwnByTheirFirstBytes) {
  EXPECT_FALSE(looks_like_zstd(""));
  EXPECT_FALSE(looks_like_zstd("\x28\xB5\x2F"));
  EXPECT_FALSE(looks_like_zstd("{\"a\":1}"));
}

}  // namespace
}  // namespace holdfast
