#pragma once

// What a store accepts. A value beyond a limit is refused (too_large or invalid) before anything is
// written, so that no later reader has to be afraid of what it finds.

#include <cstddef>
#include <cstdint>

namespace holdfast::session {

inline constexpr std::size_t kMaxIdBytes = 200;      // ids are looked up, indexed and printed
inline constexpr std::size_t kMaxWordBytes = 200;    // kind, status, entry type: words, not texts
inline constexpr std::size_t kMaxTitleBytes = 4096;  // 1,000 characters of any script
inline constexpr std::size_t kMaxLabelBytes = 1024;  // project, task, lane, author, tag, ...
inline constexpr std::size_t kMaxDescriptionBytes = 64 * 1024;
inline constexpr std::size_t kMaxOpeningBytes = 4096;           // the part of the first text a list shows
inline constexpr std::size_t kMaxTags = 100;                    // each is an index row
inline constexpr std::size_t kMaxRoots = 32;                    // likewise
inline constexpr std::size_t kMaxUriBytes = 4096;               // the longest path Linux has
inline constexpr std::size_t kMaxDataBytes = 4 * 1024 * 1024;   // read with every get of the record
inline constexpr std::size_t kMaxTextBytes = 16 * 1024 * 1024;  // one entry: a thought is at most 1 MiB, a fetched page 2 MiB
inline constexpr std::size_t kMaxIdempotencyKeyBytes = 200;     // reasoning-sessions T4
inline constexpr std::size_t kMaxValueKeyBytes = 1024;
inline constexpr std::size_t kMaxValueBytes = 4 * 1024 * 1024;

inline constexpr std::size_t kMaxListLimit = 1000;   // records of one page
inline constexpr std::size_t kMaxEntryLimit = 5000;  // entries of one page
// A page of entries ends early when it holds this much text, so that memory follows the page asked
// for and not the longest session.
inline constexpr std::size_t kEntryPageBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kMaxSearchLimit = 200;
inline constexpr std::size_t kMaxSearchTextBytes = 16 * 1024;  // a pasted stack trace; more is no question

// Events a slow subscriber may be behind; then it is told that it lost some and reads the store.
inline constexpr std::size_t kEventQueueLength = 1024;

}  // namespace holdfast::session
