#pragma once

// Counting votes: what makes a majority of answers (§9 consensus). Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

// Case, punctuation and white space do not make an answer another one.
std::string normalised(std::string_view answer);

// The different answers, each with the places of those who gave it, in the order they first came.
struct Option {
  std::string normal;
  std::vector<std::size_t> voters;
};
std::vector<Option> options_of(const std::vector<std::string>& answers);

// The place that more than half of `voters` voted for; a vote for nothing (nullopt) counts for nobody.
std::optional<std::size_t> majority(const std::vector<std::optional<std::size_t>>& votes, std::size_t voters);

}  // namespace holdfast::threads
