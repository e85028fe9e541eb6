#include "kinds/transcripts/lines/hash_beside.h"

#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

TEST(HashBeside, IsTheHashOfAllPiecesWhateverTheirSizes) {
  HashBeside beside;
  for (const std::size_t total : {0UL, 1UL, 262'143UL, 262'144UL, 262'145UL, 3'000'000UL}) {
    std::string bytes(total, '\0');
    for (std::size_t i = 0; i < total; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
    for (const std::size_t piece : {97UL, 262'144UL, 1'000'000UL}) {
      for (std::size_t at = 0; at < total; at += piece) beside.add(std::string_view(bytes).substr(at, piece));
      EXPECT_EQ(beside.finish(), sha256(bytes)) << total << " bytes in pieces of " << piece;
    }
  }
}

TEST(HashBeside, MayBeLeftUnfinished) {
  HashBeside beside;
  beside.add(std::string(2'000'000, 'x'));
}

}  // namespace
}  // namespace holdfast::transcripts
