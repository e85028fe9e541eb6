#pragma once

// The body of POST {base_url}/chat/completions, and what it shares with that of /responses.

#include "base/json/json.h"
#include "model/endpoint.h"
#include "model/models.h"

#include <string>
#include <string_view>

namespace holdfast::model {

// What an endpoint turned out not to take. Learned from its refusals (members differ between servers that all call themselves
// compatible), so that the second request already suits it.
struct Dialect {
  bool max_completion_tokens = false;  // instead of max_tokens: newer models of OpenAI
  bool no_stream_options = false;      // older servers refuse what they do not know
  bool no_responses = false;           // it has /chat/completions alone
};

// `model` is its name, or empty: then none is named.
std::string chat_request(const Endpoint& endpoint, const Ask& ask, const std::string& model, const Dialect& dialect);

// Whether a refusal (its message) is one that another dialect avoids; `dialect` is then that one.
bool learn(Dialect& dialect, std::string_view refusal);

// The model that an ask names, or its endpoint; empty: neither. kDefaultModel is nobody's name.
const std::string& asked_model(const Endpoint& endpoint, const Ask& ask);
// {"name", "description"?, "parameters"}: what both interfaces say about a tool.
JsonObject function_of(const Tool& tool);
std::string_view word_of(ToolChoice choice);

}  // namespace holdfast::model
