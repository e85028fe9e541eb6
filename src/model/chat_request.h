#pragma once

// The body of POST {base_url}/chat/completions.

#include "model/endpoint.h"
#include "model/models.h"

#include <string>

namespace holdfast::model {

// What an endpoint turned out not to take. Learned from its refusals (two members differ between servers that all call themselves
// compatible), so that the second request already suits it.
struct Dialect {
  bool max_completion_tokens = false;  // instead of max_tokens: newer models of OpenAI
  bool no_stream_options = false;      // older servers refuse what they do not know
};

std::string chat_request(const Endpoint& endpoint, const Ask& ask, const Dialect& dialect);

// Whether a refusal (its message) is one that another dialect avoids; `dialect` is then that one.
bool learn(Dialect& dialect, std::string_view refusal);

}  // namespace holdfast::model
