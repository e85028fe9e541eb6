#pragma once

// Tavily: POST {base_url}/search (docs.tavily.com, API reference).
//
// The key goes into an Authorization: Bearer header, as the vendor documents it; "auth": "body" puts it into the request as
// `api_key`, which older and compatible services expect. At most 20 results and 400 characters of query.

#include "base/json/json.h"
#include "kinds/research/sources/remote_search.h"

#include <memory>

namespace holdfast::research {

// settings: {"name"?, "base_url"?, "auth"?: bearer|body, "search_depth"?: basic|advanced, "topic"?: general|news|finance,
// "include_raw_content"?: bool}. Errors: invalid.
Result<std::unique_ptr<RemoteSearch>> make_tavily(const JsonObject& settings, std::string api_key);

}  // namespace holdfast::research
