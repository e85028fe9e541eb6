#pragma once

// The numbers of the text index, and why they are what they are.

#include <cstddef>
#include <cstdint>

namespace holdfast::search {

// A block is what is read to verify a candidate: small enough for tens of microseconds, large enough that its postings and its
// filter stay a quarter of its text (measured: 32 KB saves one percent and doubles the reading).
inline constexpr std::size_t kBlockTextBytes = 16 * 1024;
// Of an attribute as a term; what is longer is found by its beginning and verified.
inline constexpr std::size_t kMaxAttributeBytes = 1024;

// A segment of this much text is full. Few large ones keep the scans of their word lists short; one alone would make the first
// answer wait for the whole list.
inline constexpr std::uint64_t kSegmentTextBytes = 64 << 20;
// A segment in the making is written when it needs this much memory, however little text it has: two of them and their writing
// stay below 256 MB.
inline constexpr std::size_t kBuilderBytes = 84 << 20;
// Read of one source at a time, so that the threads share a large one: two dozen blocks.
inline constexpr std::uint64_t kBatchBytes = 1 << 20;
inline constexpr std::size_t kUpdateThreads = 2;  // the machine belongs to its user

// What is not indexed is scanned by every search: a millisecond a megabyte. Less than this is left so by an update, lest every
// line become a segment.
inline constexpr std::uint64_t kTailBytes = 512 << 10;
inline constexpr std::size_t kTailSources = 24;  // each costs an open and a read
// Segments of about the same size that are made one.
inline constexpr std::size_t kMergeFanIn = 6;
// A segment is written anew when this share of its blocks is of sources that are gone.
inline constexpr double kDeadShare = 0.3;

// Blocks verified to hold something, before an order of the best is made of them.
inline constexpr std::size_t kRankedBlocks = 10;
// Before those: so many blocks in which a person said something, or a title stands.
inline constexpr std::size_t kPromptBlocks = 4;
// Times per_session: what is looked at of one session before its further blocks are passed over.
inline constexpr std::size_t kSessionSurplus = 2;
// Scanning word lists for the inside of a word is worth it when more blocks than this would be read otherwise.
inline constexpr std::size_t kScanWordsAbove = 64;
// More words than this under a prefix are in most blocks anyway.
inline constexpr std::size_t kMaxPrefixWords = 40'000;

}  // namespace holdfast::search
