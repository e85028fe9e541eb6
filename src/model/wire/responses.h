#pragma once

// The other interface: POST {base_url}/responses (OpenAI; LM Studio since 0.3.29). The server keeps the conversation and is sent
// only what is new. Tools are flat there, results of tools are items of their own, and an answer is a list of items.
//
// Conversations stay in the form of models.h: what is read here becomes that form, what is written here is made from it.

#include "base/json/json.h"
#include "base/run/recent.h"
#include "model/endpoint.h"
#include "model/models.h"
#include "model/wire/fault.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

// Which conversations a server of /responses remembers.

// Where to go on: behind the message of that number, in the conversation of that response.
struct Continuation {
  std::string response_id;
  std::size_t known = 0;  // messages the server has
};

// Which conversation a response continues. A conversation is known by everything that was said in it, so one that was shortened
// or changed here is another one, and is sent whole: what we hold is the truth, what the server remembers only saves sending it.
// Any thread. Forgotten with the process, and first the one that was not used for longest.
class ResponseMemory {
 public:
  // The longest part of the ask's messages that ends with an answer of this server.
  std::optional<Continuation> find(const Ask& ask, std::string_view model);
  void remember(const Ask& ask, std::string_view model, const Reply& reply, std::string response_id);

 private:
  // Conversations under way at once, with room for those that are branched; a forgotten one only costs sending it whole.
  Recent<std::string, std::string> ids_{1024};  // digest of a conversation -> response id
};

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
