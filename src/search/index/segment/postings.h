#pragma once

// In which blocks a term occurs, as bytes: one block alone, differences, or a bitmap where that is shorter.
//
// A list begins with a varint whose two low bits are the form: 0 the rest is the only block; 1 the rest is the number of bytes of
// varint differences that follow; 2 a bitmap of all blocks of the segment follows. Reading checks every length and number: the
// file may be damaged.

#include "search/index/segment/block_set.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::search {

void append_varint(std::string& to, std::uint64_t value);
bool read_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value);

// `blocks`: not empty, rising, below `block_count`.
void append_postings(std::string& to, std::span<const std::uint32_t> blocks, std::size_t block_count);

// Each moves `at` behind the list; false: damaged. `to` has the size of the segment.
bool skip_postings(std::string_view bytes, std::size_t& at, std::size_t block_count);
bool add_postings(std::string_view bytes, std::size_t& at, BlockSet& to);
bool read_postings(std::string_view bytes, std::size_t& at, std::size_t block_count, std::vector<std::uint32_t>& to);

}  // namespace holdfast::search
