#include "jsonl/structure.h"

#include "jsonl/limits.h"

#include <simdjson.h>

#include <algorithm>

namespace holdfast::jsonl {

struct Structure::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
  std::size_t capacity = 0;
};

Structure::Structure() : parser_(std::make_unique<Parser>()) {}
Structure::~Structure() = default;
Structure::Structure(Structure&&) noexcept = default;
Structure& Structure::operator=(Structure&&) noexcept = default;

bool Structure::reserve(std::size_t size) {
  const bool wasteful = parser_->capacity > kKeptIndexBytes && size <= kKeptIndexBytes;
  if (size <= parser_->capacity && !wasteful) return true;
  const std::size_t capacity =
      size <= kKeptIndexBytes ? std::max<std::size_t>(kKeptIndexBytes / 64, std::min(size * 2, kKeptIndexBytes)) : size;
  parser_->implementation.reset();
  parser_->capacity = 0;
  // Its depth limit belongs to the second pass, which we do not use.
  const auto error =
      simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, parser_->implementation);
  if (error) return false;
  parser_->capacity = capacity;
  return true;
}

Structure::State Structure::read(std::string_view text) {
  valid_utf8_ = true;
  if (text.empty()) return State::blank;
  if (text.size() > kMaxLineBytes || !reserve(text.size())) return State::too_long;
  auto& parser = *parser_->implementation;
  parser.n_structural_indexes = 0;
  const auto error =
      parser.stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return State::blank;
  // The check of UTF-8 comes last and leaves the index whole: brackets and quotes are ASCII whatever else is there.
  if (error == simdjson::UTF8_ERROR && parser.n_structural_indexes > 0)
    valid_utf8_ = false;
  else if (error)
    return State::broken;
  parser.structural_indexes[parser.n_structural_indexes] = static_cast<std::uint32_t>(text.size());
  return State::ready;
}

std::span<const std::uint32_t> Structure::positions() const {
  const auto& parser = *parser_->implementation;
  return {parser.structural_indexes.get(), parser.n_structural_indexes + 1};
}

}  // namespace holdfast::jsonl
