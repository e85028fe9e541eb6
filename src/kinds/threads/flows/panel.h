#pragma once

// Several providers asked the same thing at once, each answer kept as soon as it is there (§9 consensus).

#include "kinds/threads/flows/step.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

struct PanelAnswer {
  std::string provider;
  std::optional<model::Reply> reply;
  std::optional<Error> failure;  // either the one or the other; neither: not asked any more
  std::string message_id;        // of the answer, once it is kept
  std::size_t arrival = 0;       // 1 for the first answer, 2, …
};

struct PanelQuestion {
  std::vector<std::string> providers;
  std::vector<model::Message> messages;
  std::string purpose;
  std::chrono::seconds timeout;  // for each, with its retries
  std::size_t at_once = 1;
  bool first_is_enough = false;  // the others are stopped then
  // Called from the threads of the panel with every answer; an error makes the answer a failure. May be empty.
  std::function<Result<std::string>(const std::string& provider, const model::Reply& reply)> keep;
};

// In the order of the providers. Blocks until all have answered, failed or are out of time.
std::vector<PanelAnswer> ask_panel(model::Models& models, const Who& who, const PanelQuestion& question);

// Counting votes: what makes a majority of answers (§9 consensus). Pure.

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
