#pragma once

// One configured model endpoint: setting `llm[]` (threads-and-research §10, §14).

#include "base/json.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::model {

struct Endpoint {
  std::string name;                    // what `provider` arguments and results call it
  std::string base_url;                // "http://127.0.0.1:1234/v1": /chat/completions is put behind it
  std::string model;                   // sent as it is; may be empty for servers that have only one
  std::string api_key_env;             // name of the environment variable that holds the key; empty: none is sent
  std::int64_t context_window = 8192;  // tokens
  std::int64_t max_output_tokens = 2048;
  std::int64_t timeout_s = 120;  // for one whole answer
};

// From the JSON of the setting: an array of objects with the members above; `name` defaults to the model, `base_url` is required.
// Errors: invalid, naming the entry and the member; two entries of one name.
Result<std::vector<Endpoint>> read_endpoints(const Json& setting);

}  // namespace holdfast::model
