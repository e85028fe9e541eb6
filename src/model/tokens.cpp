#include "base/text.h"
#include "model/models.h"

namespace holdfast::model {

namespace {
constexpr std::int64_t kCharactersPerToken = 4;
}  // namespace

Tokens& Tokens::operator+=(const Tokens& other) {
  in += other.in;
  out += other.out;
  estimated = estimated || other.estimated;
  return *this;
}

std::int64_t estimate_tokens(std::string_view text) {
  const auto characters = static_cast<std::int64_t>(utf8_length(text));
  return (characters + kCharactersPerToken - 1) / kCharactersPerToken;
}

}  // namespace holdfast::model
