#include "search/folder/postings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::search {
namespace {

constexpr std::size_t kMaxNumberBytes = 5;
// A list is written where it would fit if all its numbers were long. Memory that is not written to costs nothing.
constexpr std::size_t kRoomForAList = 16 << 20;

char* put_number(char* out, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) *out++ = static_cast<char>(number | 0x80);
  *out++ = static_cast<char>(number);
  return out;
}

// By the upper 32 bits of the word, keeping the order of equals: four passes over the memory where a comparing sort takes twenty.
// 256 places at a time, because that many lines of the cache can be written to at once.
void sort_by_upper_bits(std::vector<Posting>& postings, std::vector<Posting>& scratch) {
  constexpr int kBits = 8, kPasses = 4;
  constexpr auto digit = [](const Posting& posting, int pass) {
    return (posting.word >> (64 - (kPasses - pass) * kBits)) & ((1 << kBits) - 1);
  };
  std::array<std::array<std::size_t, 1 << kBits>, kPasses> places{};
  for (const Posting& posting : postings)
    for (int pass = 0; pass < kPasses; ++pass) ++places[static_cast<std::size_t>(pass)][digit(posting, pass)];
  scratch.resize(postings.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& place_of = places[static_cast<std::size_t>(pass)];
    std::size_t place = 0;
    for (std::size_t& count : place_of) place += std::exchange(count, place);
    for (const Posting& posting : postings) scratch[place_of[digit(posting, pass)]++] = posting;
    postings.swap(scratch);
  }
}

// Words that differ in the lower bits alone are as rare as accidents, so this moves next to nothing.
void finish_sorting(std::vector<Posting>& postings) {
  for (std::size_t i = 1; i < postings.size(); ++i)
    for (std::size_t j = i; j > 0 && postings[j].word < postings[j - 1].word; --j) std::swap(postings[j], postings[j - 1]);
}

struct Cursor {
  std::uint64_t word = 0;
  std::uint32_t source = 0;
  std::size_t index = 0;
};

// The front of the standard library's heaps is the greatest; ours is the next word.
bool comes_later(const Cursor& a, const Cursor& b) {
  return a.word != b.word ? a.word > b.word : a.source > b.source;
}

// Bounds are looked at, unlike in PostingReader. False when the bytes end or the number has more than 32 bits.
bool read_number(std::string_view& bytes, std::uint32_t& number) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      number = static_cast<std::uint32_t>(value);
      return value <= std::numeric_limits<std::uint32_t>::max();
    }
  }
  return false;
}

bool check_list(std::string_view list, std::uint32_t chunks) {
  std::uint32_t size = 0;
  if (!read_number(list, size) || size == 0) return false;
  std::uint64_t chunk = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t step = 0, count = 1;
    if (!read_number(list, step)) return false;
    if ((step & 1) == 0 && (!read_number(list, count) || count == 0)) return false;
    if (i != 0 && step >> 1 == 0) return false;  // a chunk twice
    chunk += step >> 1;
    if (chunk >= chunks) return false;
  }
  return list.empty();
}

}  // namespace

template <class Entries>
void Postings::add(std::uint64_t word, const Entries& entries) {
  const std::size_t size = bytes_.size();
  bytes_.resize_and_overwrite(size + (1 + 2 * entries.size()) * kMaxNumberBytes, [&](char* bytes, std::size_t) {
    char* out = put_number(bytes + size, static_cast<std::uint32_t>(entries.size()));
    std::uint32_t before = 0;
    for (const Posting& entry : entries) {
      const std::uint32_t step = (entry.chunk - std::exchange(before, entry.chunk)) << 1;
      out = put_number(out, entry.count == 1 ? step | 1 : step);
      if (entry.count != 1) out = put_number(out, entry.count);
    }
    return static_cast<std::size_t>(out - bytes);
  });
  words_.push_back(word);
  ends_.push_back(bytes_.size());
}

Postings Postings::of(std::vector<Posting>& postings, std::vector<Posting>& scratch) {
  sort_by_upper_bits(postings, scratch);
  finish_sorting(postings);
  Postings made;
  made.bytes_.reserve(postings.size() * 3);
  for (std::size_t begin = 0, end = 0; begin < postings.size(); begin = end) {
    while (end < postings.size() && postings[end].word == postings[begin].word) ++end;
    made.add(postings[begin].word, std::span<const Posting>(postings).subspan(begin, end - begin));
  }
  made.bytes_.shrink_to_fit();  // there will be many of these at once
  made.words_.shrink_to_fit();
  made.ends_.shrink_to_fit();
  return made;
}

Postings Postings::merge(std::span<const Source> sources) {
  Postings merged;
  std::vector<Cursor> heap;
  std::size_t bytes = kRoomForAList;
  for (std::uint32_t source = 0; source < sources.size(); ++source) {
    const Postings& postings = *sources[source].postings;
    bytes += postings.bytes_.size();
    if (postings.size() != 0) heap.push_back({postings.word(0), source, 0});
  }
  merged.bytes_.reserve(bytes);
  std::ranges::make_heap(heap, comes_later);

  std::vector<Posting> entries;
  const auto before = [](const Posting& a, const Posting& b) { return a.chunk < b.chunk; };
  while (!heap.empty()) {
    const std::uint64_t word = heap.front().word;
    entries.clear();
    while (!heap.empty() && heap.front().word == word) {
      std::ranges::pop_heap(heap, comes_later);
      Cursor& cursor = heap.back();
      const Source& source = sources[cursor.source];
      const auto middle = static_cast<std::ptrdiff_t>(entries.size());
      for (PostingReader reader(source.postings->list(cursor.index)); reader.next();)
        if (const std::uint32_t chunk = source.chunk_of[reader.chunk()]; chunk != kGone)
          entries.push_back({word, chunk, reader.count()});
      if (middle != 0 && middle != std::ssize(entries) &&
          before(entries[static_cast<std::size_t>(middle)], *(entries.begin() + middle - 1)))
        std::inplace_merge(entries.begin(), entries.begin() + middle, entries.end(), before);
      if (++cursor.index < source.postings->size()) {
        cursor.word = source.postings->word(cursor.index);
        std::ranges::push_heap(heap, comes_later);
      } else {
        heap.pop_back();
      }
    }
    if (!entries.empty()) merged.add(word, entries);
  }
  return merged;
}

bool Postings::check(std::uint32_t chunks) const {
  if (words_.size() != ends_.size()) return false;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (i != 0 && words_[i] <= words_[i - 1]) return false;
    if (ends_[i] <= begin || ends_[i] > bytes_.size()) return false;
    if (!check_list(list(i), chunks)) return false;
    begin = ends_[i];
  }
  return begin == bytes_.size();
}

std::string_view Postings::find(std::uint64_t word) const {
  const auto found = std::ranges::lower_bound(words_, word);
  if (found == words_.end() || *found != word) return {};
  return list(static_cast<std::size_t>(found - words_.begin()));
}

}  // namespace holdfast::search
