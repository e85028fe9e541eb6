#include "search/index/segment/postings.h"

#include <cstring>

namespace holdfast::search {
namespace {

enum Form : std::uint64_t { kSingle = 0, kDifferences = 1, kBitmap = 2 };

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

std::size_t bitmap_size(std::size_t block_count) {
  return (block_count + 7) / 8;
}

struct Head {
  Form form = kSingle;
  std::uint64_t value = 0;  // block, or bytes that follow
};

bool read_head(std::string_view bytes, std::size_t& at, std::size_t block_count, Head& head) {
  std::uint64_t number = 0;
  if (!read_varint(bytes, at, number)) return false;
  head.form = static_cast<Form>(number & 3);
  head.value = number >> 2;
  if (head.form == kSingle) return head.value < block_count;
  if (head.form == kBitmap) head.value = bitmap_size(block_count);
  return head.form <= kBitmap && head.value <= bytes.size() - at;
}

// Gives every block to `take`; false: damaged.
template <class Take>
bool each_block(std::string_view bytes, std::size_t& at, std::size_t block_count, const Take& take) {
  Head head;
  if (!read_head(bytes, at, block_count, head)) return false;
  if (head.form == kSingle) {
    take(head.value);
    return true;
  }
  const std::string_view list = bytes.substr(at, head.value);
  at += head.value;
  if (head.form == kBitmap) {
    for (std::size_t byte = 0; byte < list.size(); ++byte)
      for (auto bits = static_cast<unsigned char>(list[byte]); bits != 0; bits = static_cast<unsigned char>(bits & (bits - 1))) {
        const std::size_t block = byte * 8 + static_cast<std::size_t>(std::countr_zero(bits));
        if (block >= block_count) return false;
        take(block);
      }
    return true;
  }
  std::uint64_t block = 0;
  for (std::size_t inside = 0; inside < list.size();) {
    std::uint64_t difference = 0;
    if (!read_varint(list, inside, difference) || difference > block_count) return false;
    block += difference;
    if (block >= block_count) return false;
    take(block);
  }
  return true;
}

}  // namespace

void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

bool read_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 63 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

void append_postings(std::string& to, std::span<const std::uint32_t> blocks, std::size_t block_count) {
  if (blocks.size() == 1) return append_varint(to, std::uint64_t{blocks[0]} << 2 | kSingle);
  std::size_t size = varint_size(blocks[0]);
  for (std::size_t i = 1; i < blocks.size(); ++i) size += varint_size(blocks[i] - blocks[i - 1]);
  if (size <= bitmap_size(block_count)) {
    append_varint(to, std::uint64_t{size} << 2 | kDifferences);
    append_varint(to, blocks[0]);
    for (std::size_t i = 1; i < blocks.size(); ++i) append_varint(to, blocks[i] - blocks[i - 1]);
    return;
  }
  append_varint(to, kBitmap);
  const std::size_t begin = to.size();
  to.resize(begin + bitmap_size(block_count), '\0');
  for (const std::uint32_t block : blocks) to[begin + block / 8] = static_cast<char>(to[begin + block / 8] | 1 << (block % 8));
}

bool skip_postings(std::string_view bytes, std::size_t& at, std::size_t block_count) {
  Head head;
  if (!read_head(bytes, at, block_count, head)) return false;
  if (head.form != kSingle) at += head.value;
  return true;
}

bool add_postings(std::string_view bytes, std::size_t& at, BlockSet& to) {
  return each_block(bytes, at, to.size(), [&](std::size_t block) { to.add(block); });
}

bool read_postings(std::string_view bytes, std::size_t& at, std::size_t block_count, std::vector<std::uint32_t>& to) {
  to.clear();
  return each_block(bytes, at, block_count, [&](std::size_t block) { to.push_back(static_cast<std::uint32_t>(block)); });
}

}  // namespace holdfast::search
