#pragma once

// A segment file, byte by byte (docs/formats/index.md). Little-endian; written once, never changed.

#include "base/crypto/byte_hash.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace holdfast::search {

inline constexpr std::array<char, 8> kSegmentMagic = {'H', 'F', 'I', 'D', 'X', '0', '0', '1'};

enum class Section : std::size_t {
  filters,
  blocks,
  sources,
  words,
  word_table,
  word_postings,
  attributes,
  attribute_table,
  attribute_postings
};
inline constexpr std::size_t kSections = 9;

struct SectionPlace {
  std::uint64_t offset = 0, size = 0;
};

struct SegmentHeader {
  std::array<char, 8> magic = kSegmentMagic;
  std::uint64_t seed_first = 0, seed_second = 0;
  std::uint64_t text_bytes = 0;  // folded, of all blocks
  std::array<SectionPlace, kSections> sections;
  std::uint64_t checksum = 0;  // of the bytes before it
};
static_assert(std::is_trivially_copyable_v<SegmentHeader> && sizeof(SegmentHeader) == 184);

// A run of whole lines of one source.
struct BlockEntry {
  static constexpr std::uint32_t kLongWords = 1;  // has words of more than kMaxWordBytes

  std::uint64_t from = 0, to = 0;  // lines that begin in [from, to)
  std::uint64_t first_line = 1;
  std::int64_t oldest = 0, newest = 0;  // times of its passages
  std::uint64_t filter = 0;             // offset in the section
  std::uint32_t filter_bytes = 0;
  std::uint32_t source = 0;  // index in the section of sources, whose entries are the manifest's numbers
  std::uint32_t flags = 0;
  std::uint32_t text_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<BlockEntry> && sizeof(BlockEntry) == 64);

std::uint64_t checksum_of(const SegmentHeader& header);

}  // namespace holdfast::search
