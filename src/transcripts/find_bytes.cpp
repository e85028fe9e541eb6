#include "transcripts/find_bytes.h"

#include <cstdint>
#include <cstring>

namespace holdfast::transcripts {
namespace {

// In the compilers' own vectors: one instruction each wherever there are any.
using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes load(const char* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from) {
  if (what.size() < 2) return text.find(what, from);
  if (from > text.size() || text.size() - from < what.size()) return std::string_view::npos;
  const std::size_t last = text.size() - what.size();  // where it could begin at the latest
  const std::size_t span = what.size() - 1;
  const auto front = static_cast<unsigned char>(what.front()), back = static_cast<unsigned char>(what.back());
  std::size_t at = from;
  for (; at + sizeof(Bytes) - 1 <= last; at += sizeof(Bytes)) {
    const auto fits = (load(text.data() + at) == front) & (load(text.data() + at + span) == back);
    std::uint64_t halves[2];
    std::memcpy(halves, &fits, sizeof halves);
    if ((halves[0] | halves[1]) == 0) continue;
    for (std::size_t i = 0; i < sizeof(Bytes); ++i)
      if (fits[i] && std::memcmp(text.data() + at + i, what.data(), what.size()) == 0) return at + i;
  }
  for (; at <= last; ++at)
    if (std::memcmp(text.data() + at, what.data(), what.size()) == 0) return at;
  return std::string_view::npos;
}

}  // namespace holdfast::transcripts
