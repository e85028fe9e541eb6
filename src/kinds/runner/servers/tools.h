#pragma once

// What a model can call during a task, whoever provides it.

#include "base/json/json.h"
#include "model/models.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

struct ToolOutcome {
  std::string text;        // all of it; what the model is shown may be cut (result_text.h)
  bool is_error = false;   // the tool says so, or it could not be called
  bool was_called = true;  // false: refused on our side, nothing happened
};

struct CallTime {
  std::chrono::milliseconds silence;  // without an answer or progress
  std::chrono::milliseconds whole;
};

class Tools {
 public:
  virtual ~Tools() = default;
  // Before each round, while nothing is called: what is offered may have changed.
  virtual void look_again() = 0;
  virtual const std::vector<model::Tool>& list() const = 0;
  virtual bool is_read_only(std::string_view name) const = 0;
  // Whether a call whose fate nobody knows may be made again: it only reads, or does the same thing once more without harm.
  virtual bool is_repeatable(std::string_view name) const = 0;
  // Any thread; several at once. Never fails: what goes wrong is something the model should read.
  virtual ToolOutcome call(std::string_view name, const JsonObject& arguments, CallTime most, std::stop_token stop) = 0;
};

}  // namespace holdfast::runner
