#pragma once

// Several providers asked the same thing at once, each answer kept as soon as it is there (§9 consensus).

#include "kinds/threads/flows/step.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
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

}  // namespace holdfast::threads
