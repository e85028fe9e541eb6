#pragma once

// The five blocks of CriticMarkup and how they begin and end.

#include <array>
#include <optional>
#include <string_view>

namespace holdfast::documents {

enum class Block { insertion, deletion, substitution, highlight, comment };

struct Delimiters {
  Block block;
  std::string_view opener, closer;
};

inline constexpr std::array kDelimiters = {
    Delimiters{Block::insertion, "{++", "++}"},    Delimiters{Block::deletion, "{--", "--}"},
    Delimiters{Block::substitution, "{~~", "~~}"}, Delimiters{Block::highlight, "{==", "==}"},
    Delimiters{Block::comment, "{>>", "<<}"},
};
inline constexpr std::size_t kDelimiterBytes = 3;  // every one of them

constexpr bool is_change(Block block) {
  return block == Block::insertion || block == Block::deletion || block == Block::substitution;
}

// The block that opens here.
constexpr std::optional<Block> opener_at(std::string_view text, std::size_t at) {
  for (const Delimiters& each : kDelimiters)
    if (text.substr(at, kDelimiterBytes) == each.opener) return each.block;
  return std::nullopt;
}
constexpr std::string_view closer_of(Block block) {
  return kDelimiters[static_cast<std::size_t>(block)].closer;
}
constexpr std::string_view opener_of(Block block) {
  return kDelimiters[static_cast<std::size_t>(block)].opener;
}

}  // namespace holdfast::documents
