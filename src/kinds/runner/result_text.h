#pragma once

// A tool's result as text for a model (persistent-client §7, step 5).

#include "base/json/json.h"
#include "base/result.h"
#include "model/models.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

// What a model can call during a task, whoever provides it.
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

// Arguments of a call as a model writes them (persistent-client §7, steps 3 and 4).

// The text of the call as arguments for the tool: "" and null are {}; numbers and truth values written as texts become what the
// tool's schema wants there, everything else stays. Errors: invalid, in words the model can correct itself by.
Result<JsonObject> read_arguments(std::string_view text, const Json& schema);

inline constexpr std::size_t kShownResultBytes = 64 * 1024;

// Of a tools/call result: every content item; what is not text is described by kind and size. An error is marked as one.
ToolOutcome read_result(const JsonObject& result);
// Head and tail of a long text, with how much is missing between them.
std::string shown_result(std::string_view text, std::size_t most = kShownResultBytes);

}  // namespace holdfast::runner
