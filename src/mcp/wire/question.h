#pragma once

// Questions a handler can put to the client, and their answers.
//
// The same question works in both eras: a legacy client gets a request on the stream of the running
// call, a modern one an input_required result. See Call::ask for how a handler is written.

#include "base/json/json.h"
#include "mcp/server/caller.h"

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::mcp {

struct Question {
  enum class Kind { form, url, sampling, roots };
  Kind kind = Kind::form;
  JsonObject params;
  // How long a legacy client may take. (A modern one answers in its own time, or never.)
  std::chrono::milliseconds patience{300'000};
  // An answer counts only together with the requestState that asked for it. Set this where an answer
  // permits something, so that nobody can answer a question that was never put.
  bool sealed = false;

  // requested_schema: a flat object schema; a choice with titles is written as oneOf const/title.
  static Question form(std::string message, JsonObject requested_schema);
  static Question url(std::string message, std::string url);
  static Question sampling(JsonObject params);
  static Question roots(std::chrono::milliseconds patience);

  std::string_view method() const;
  bool can_be_put_to(const Caller& caller) const;
  // What the client would have had to declare: {"elicitation":{"form":{}}}
  JsonObject required_capability() const;
  // The params in the dialect of the caller's version.
  JsonObject params_for(const Caller& caller) const;
  // Has the right shape, and an accepted form fits its schema.
  bool is_answered_by(const Json& answer) const;
};

struct Answer {
  JsonObject result;             // ElicitResult, CreateMessageResult or ListRootsResult
  std::optional<Error> failure;  // timeout, or the client answered with an error

  bool accepted() const;              // an elicitation with action "accept"
  const JsonObject* content() const;  // of an accepted form; nullptr otherwise
};

}  // namespace holdfast::mcp
