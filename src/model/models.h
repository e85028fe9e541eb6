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
//
// A model that was given tools may answer with calls instead of text. Nothing is run here: who asked appends `Reply::message`,
// runs the calls, appends one message of role "tool" per call id, and asks again with all of it. The messages are the only truth
// about the conversation; an endpoint that remembers it (`api: "responses"`) is told what it does not know yet, and everything
// when in doubt, without the caller noticing.

#include "base/json/json.h"
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
  std::string role;  // system, user, assistant, tool
  std::string content = {};
  std::string tool_call_id = {};  // of role tool: the call that this is the result of
  JsonArray tool_calls = {};      // of role assistant: as the endpoint sent them, members unknown to us included
};
// As on the wire of /chat/completions: {"role", "content", "tool_call_id"?, "tool_calls"?}. Also the form to keep messages in.
JsonObject to_json_object(const Message& message);
// The reverse. Errors: invalid, naming the member.
Result<Message> read_message(const Json& json);

// A function the model may call. Names: [A-Za-z0-9_-]{1,64}, which is the caller's to see to.
struct Tool {
  std::string name;
  std::string description = {};
  Json parameters = {};  // JSON Schema of an object; null: it takes none
};
enum class ToolChoice { automatic, none, required };

// A call the model wants made. Untrusted: the name may be none of the tools, the arguments may be no JSON.
struct ToolCall {
  std::string id;  // never empty and unlike the others of the same answer: made here when the endpoint gave none
  std::string name;
  std::string arguments;  // the text as it came; an object written as text; empty when there were none
};

struct Tokens {
  std::int64_t in = 0, out = 0;
  bool estimated = false;  // the endpoint said nothing

  Tokens& operator+=(const Tokens& other);
};
// A quarter of a token for each letter of ASCII, half of one for other alphabets, one for a character of Chinese, Japanese or
// Korean, two for an emoji; rounded up. Rather too many than too few.
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_message(const Message& message);

// In place of a model's name: the endpoint's own or, when it has none, one that it has loaded (see Models::choose). Each endpoint
// of a fallback list then finds one of its own.
inline constexpr std::string_view kDefaultModel = "default";
// Of thinking text, which may be much longer than the answer and is kept for people alone.
inline constexpr std::size_t kMaxReasoningCharacters = 20'000;

struct Ask {
  std::vector<Message> messages;
  std::string provider;  // only this endpoint; empty: those of `purpose` in their order
  std::string purpose;   // chat, planning, analysis, synthesis, refinement: settings may order endpoints by it
  std::string model;     // instead of the endpoint's own; empty: its own, if it has one; or kDefaultModel
  std::vector<Tool> tools;
  ToolChoice tool_choice = ToolChoice::automatic;  // not sent without tools
  Json response_format;                            // sent as it is; null: not at all
  // An answer with neither text nor calls: false: it is asked again and then an error; true: it is an answer.
  bool may_be_empty = false;
  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;            // of the answer
  std::optional<std::chrono::milliseconds> timeout;  // of one try; else the endpoint's
  // Of one try, until the answer begins (ModelChoice::first_byte); absent: only `timeout` counts.
  std::optional<std::chrono::milliseconds> first_byte;
  // Tries on one endpoint, with pauses of one second doubling to a minute; absent: as the models were made.
  std::optional<int> attempts;
  // Called with pieces of the answer as they arrive; a retry starts again after on_restart. May be empty.
  std::function<void(std::string_view)> on_text;
  std::function<void()> on_restart;
  // Asked a few times a second and between tries; true gives up: cancelled. May be empty.
  std::function<bool()> cancelled;
};

// What an ask will cost the model's window: all messages and tools.
std::int64_t estimate_prompt(const Ask& ask);

struct Reply {
  std::string content;
  std::vector<ToolCall> tool_calls;  // whether there are any decides, not finish_reason
  Message message;                   // the assistant message to append: content and calls, without the reasoning
  std::string reasoning;             // what a thinking model said to itself; at most kMaxReasoningCharacters
  std::string provider;              // the endpoint's name
  std::string model;                 // as the endpoint says, else as asked
  Tokens tokens;
  std::string finish_reason;  // as the endpoint says: "stop" (also with calls), "length", "tool_calls", ...
  int tries = 1;              // over all endpoints
};

// Which model an ask goes to, and what is known about it.
struct ModelChoice {
  std::string provider;                 // the endpoint's name
  std::string model;                    // empty: the endpoint has but one and does not name it
  std::optional<std::int64_t> context;  // tokens; absent: unknown
  bool loaded = false;                  // false: the first answer may have to wait until it is

  // How long a try waits for the first byte of its answer: loading from disk takes time, thinking before the first word less.
  std::chrono::milliseconds first_byte() const { return loaded ? kFirstByteLoaded : kFirstByteLoading; }

  static constexpr std::chrono::seconds kFirstByteLoaded{60}, kFirstByteLoading{120};
};

class Models {
 public:
  virtual ~Models() = default;

  // Names in the order they are tried; empty: no model.
  virtual std::vector<std::string> providers(std::string_view purpose) const = 0;
  // Of the endpoint that would be tried first; what a prompt must fit into. 0 when there is none.
  virtual std::int64_t context_window(const Ask& ask) const = 0;
  // The model that would be asked first: `ask.model`, or the endpoint's, checked against what the endpoint serves; without one
  // (or with "default") one that it has loaded. An endpoint that cannot list its models is believed. Blocks, for one or two
  // requests a minute; heeds `ask.cancelled`. Errors: those of complete, and not_found MODEL_NOT_FOUND, listing what exists.
  virtual Result<ModelChoice> choose(const Ask& ask) = 0;
  virtual Result<Reply> complete(const Ask& ask) = 0;
  // After a failure: whether anybody is there at all who could answer this ask, or another one. Looks now, once. Errors:
  // unavailable, timeout, unauthorised (nobody, or nobody who lets us in), refused (none is configured), cancelled.
  virtual Result<void> reachable(const Ask&) { return {}; }
};

// `max_tokens: "auto"`: what the window leaves beside the prompt, within bounds that hold for any model.
std::int64_t automatic_max_tokens(std::optional<std::int64_t> context, std::int64_t prompt_tokens);

inline constexpr std::string_view kContentFilter = "content_filter";  // a finish reason

// Why the text of an answer with this finish reason ends before its end, for a person. Empty: it is whole.
constexpr std::string_view cut_off(std::string_view finish_reason) {
  if (finish_reason == "length") return "the answer reached its limit of tokens and may be cut off";
  if (finish_reason == kContentFilter) return "a content filter of the endpoint cut the answer off";
  return {};
}

}  // namespace holdfast::model
