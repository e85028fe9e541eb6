#pragma once

// The other interface: POST {base_url}/responses (OpenAI; LM Studio since 0.3.29). The server keeps the conversation and is sent
// only what is new. Tools are flat there, results of tools are items of their own, and an answer is a list of items.
//
// Conversations stay in the form of models.h: what is read here becomes that form, what is written here is made from it.

#include "base/json/json.h"
#include "model/endpoint.h"
#include "model/models.h"
#include "model/response_memory.h"
#include "model/wire/fault.h"

#include <optional>
#include <string>

namespace holdfast::model {

// The body. With a continuation only the messages behind it, else all of them.
std::string responses_request(const Endpoint& endpoint, const Ask& ask, const std::string& model,
                              const std::optional<Continuation>& from);

// An answer out of a response object. Text and reasoning are appended by the caller, because they may have been streamed.
struct ResponseParts {
  std::string id, text, refusal, reasoning, finish_reason;
  JsonArray calls;  // in the form of /chat/completions
};
ResponseParts read_response(const JsonObject& response, const JsonArray& output);

// Whether a refusal says that the server does not know the conversation (any more), and whether it does not know the interface.
bool says_unknown_response(const Fault& fault);
bool says_no_responses(const Fault& fault);

}  // namespace holdfast::model
