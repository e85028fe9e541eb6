#pragma once

// A SearXNG instance: GET {base_url}/search?q=…&format=json&pageno=1.
//
// It has no parameter for the number of results; they are cut here. Its scores have no upper end and may be missing: they are
// shares of the best one, or follow the order. The JSON format is off unless the instance's settings name it; it then answers
// 403.

#include "base/json/json.h"
#include "kinds/research/sources/remote_search.h"

#include <memory>

namespace holdfast::research {

// settings: {"base_url", "name"?, "categories"?}. Errors: invalid.
Result<std::unique_ptr<RemoteSearch>> make_searxng(const JsonObject& settings);

}  // namespace holdfast::research
