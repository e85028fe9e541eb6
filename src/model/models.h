#pragma once

// Asking a language model.
//
// `complete` blocks until the answer is whole, on the calling thread; call it from a pool thread. It tries the endpoints in
// order: one that is down, overloaded or wrong is retried with back-off and then left for the next. Any number of threads may
// ask at once.
//
// Errors carry the contract's words (threads-and-research §1) as `code`: NO_LLM_PROVIDER (nothing configured, or no endpoint of
// that name: refused), PROVIDER_ERROR (unavailable, or invalid when the endpoint rejected the request for good), PROVIDER_TIMEOUT
// (timeout), CONTEXT_TOO_LARGE (too_large), RATE_LIMITED (unavailable), and cancelled. Messages name the endpoint, never a key.

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

struct Message {
  std::string role;  // system, user, assistant
  std::string content;
};

struct Tokens {
  std::int64_t in = 0, out = 0;
  bool estimated = false;  // the endpoint said nothing: ceil(characters / 4)

  Tokens& operator+=(const Tokens& other);
};
std::int64_t estimate_tokens(std::string_view text);

struct Ask {
  std::vector<Message> messages;
  std::string provider;  // only this endpoint; empty: those of `purpose` in their order
  std::string purpose;   // chat, planning, analysis, synthesis, refinement: settings may order endpoints by it
  std::string model;     // instead of the endpoint's own; empty: its own
  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;            // of the answer
  std::optional<std::chrono::milliseconds> timeout;  // of one try; else the endpoint's
  // Called with pieces of the answer as they arrive; a retry starts again after on_restart. May be empty.
  std::function<void(std::string_view)> on_text;
  std::function<void()> on_restart;
  // Asked a few times a second and between tries; true gives up: cancelled. May be empty.
  std::function<bool()> cancelled;
};

struct Reply {
  std::string content;
  std::string provider;  // the endpoint's name
  std::string model;     // as the endpoint says, else as asked
  Tokens tokens;
  std::string finish_reason;  // "stop", "length", ...
  int tries = 1;              // over all endpoints
};

class Models {
 public:
  virtual ~Models() = default;

  // Names in the order they are tried; empty: no model.
  virtual std::vector<std::string> providers(std::string_view purpose) const = 0;
  // Of the endpoint that would be tried first; what a prompt must fit into. 0 when there is none.
  virtual std::int64_t context_window(const Ask& ask) const = 0;
  virtual Result<Reply> complete(const Ask& ask) = 0;
};

}  // namespace holdfast::model
