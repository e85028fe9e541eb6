#pragma once

// The slugs of a transcript: names of plan files, in the top-level `slug` of its records (transcript-archive §1.3).
//
// Sessions of hundreds of megabytes mostly have no slug at all, so the bytes are searched before a line is looked into.

#include "base/result.h"
#include "jsonl/line_reader.h"
#include "kinds/transcripts/home/inventory.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

// Plans that another session of the home uses, too: those are never deleted with one of them (transcript-archive §8.5).

// Of the plan files of the inventory, the paths whose slug stands in the main transcript of any other session (the same id in
// another project counts as another). Reads those transcripts; none when there is no plan. A transcript that cannot be read might
// use any plan, so then all count as used.
Result<std::set<std::string>> plans_in_use_elsewhere(const Home& home, const Inventory& inventory);

// More names than a session can have honestly; a transcript that makes up millions must not cost memory.
inline constexpr std::size_t kMaxSlugs = 10'000;

struct Slugs {
  std::set<std::string, std::less<>> names;
  std::set<std::string, std::less<>> refused;  // no safe file name, or one too many; shortened for showing
};

// Adds those of the first `size` bytes of the file. Lines that are not JSON have none. A key spelled with escapes is not seen:
// no client writes it so. Errors: io.
Result<void> collect_slugs(int fd, std::uint64_t size, Slugs& slugs);
// Of lines that come from elsewhere.
Result<void> collect_slugs(jsonl::LineReader lines, Slugs& slugs);

// Fit to be a part of a path in every version of the archive format (§8.1).
bool is_safe_name(std::string_view name);

}  // namespace holdfast::transcripts
