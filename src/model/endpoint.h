#pragma once

// One configured model endpoint: setting `llm[]` (threads-and-research §10, §14).

#include "base/json/json.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

enum class Api {
  chat,      // POST /chat/completions: every server
  responses  // POST /responses, which remembers the conversation; /chat/completions where there is none
};

struct Endpoint {
  std::string name;                    // what `provider` arguments and results call it
  std::string base_url;                // "http://127.0.0.1:1234/v1": /chat/completions is put behind it
  std::string model;                   // sent as it is; may be empty for servers that have only one
  std::string api_key_env;             // name of the environment variable that holds the key; empty: none is sent
  std::int64_t context_window = 8192;  // tokens
  std::int64_t max_output_tokens = 2048;
  std::int64_t timeout_s = 120;  // for one whole answer
  Api api = Api::chat;
  bool stream = true;                 // false: for servers whose streams lose tool calls
  bool tool_calls_in_text = false;    // recognise <tool_call>{…}</tool_call> in answers of models that were given tools
  bool context_window_known = false;  // it was configured, not assumed
};

using Environment = std::function<std::optional<std::string>(const std::string&)>;

// From the JSON of the setting: an array of objects with the members above; `name` defaults to the model, `base_url` is required.
// `api` is "chat" or "responses". Errors: invalid, naming the entry and the member; two entries of one name.
Result<std::vector<Endpoint>> read_endpoints(const Json& setting);

// The endpoint to use when none is configured: LM Studio on this machine, http://localhost:1234/v1, or where LMSTUDIO_HOST and
// LMSTUDIO_PORT say. DEFAULT_MODEL names the model (empty: whatever is loaded), LM_API_TOKEN is the key, if there is one. Errors:
// invalid, naming the variable.
Result<Endpoint> local_endpoint(const Environment& environment);

// The key to send, read now; empty: none is wanted. Errors: invalid PROVIDER_ERROR when the environment does not hold it.
Result<std::string> key_of(const Endpoint& endpoint, const Environment& environment);
// Servers quote keys in their complaints; nobody else shall.
void hide_key(std::string& text, std::string_view key);
void hide_key(Error& error, std::string_view key);

// Where `path` ("/chat/completions") of the OpenAI interface is.
std::string url_of(const Endpoint& endpoint, std::string_view path);
// Where `path` ("/api/v0/models") of the server's own interface is: beside /v1, not below it.
std::string native_url_of(const Endpoint& endpoint, std::string_view path);

}  // namespace holdfast::model
