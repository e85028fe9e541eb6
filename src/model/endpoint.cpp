#include "model/endpoint.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::model {
namespace {

// Room for what exists and for a while to come; a number beyond it is a slip of the keyboard.
constexpr std::int64_t kMaxTokens = 100'000'000;
constexpr std::int64_t kMaxTimeoutSeconds = 86'400;
constexpr std::size_t kMaxNameBytes = 100;  // names are printed, and part of keys in the store

constexpr std::array<std::string_view, 7> kMembers = {"name",           "base_url",          "model",    "api_key_env",
                                                      "context_window", "max_output_tokens", "timeout_s"};

std::unexpected<Error> wrong(std::size_t index, std::string_view member, std::string_view what, std::string hint = {}) {
  return fail(ErrorKind::invalid, fmt::format("llm[{}].{} {}", index, member, what), std::move(hint), "VALIDATION_ERROR");
}

Result<void> read_text(const JsonObject& entry, std::size_t index, std::string_view member, std::string& into) {
  const Json* value = find(entry, member);
  if (!value || value->is_null()) return {};
  if (!value->is_string()) return wrong(index, member, "must be text");
  into = trim(view(value->as_string()));
  return {};
}

Result<void> read_number(const JsonObject& entry, std::size_t index, std::string_view member, std::int64_t highest,
                         std::int64_t& into) {
  const Json* value = find(entry, member);
  if (!value || value->is_null()) return {};
  const auto number = find_int(entry, member);
  if (!number || *number < 1 || *number > highest)
    return wrong(index, member, fmt::format("must be a whole number from 1 to {}", highest));
  into = *number;
  return {};
}

Result<void> check_address(std::size_t index, std::string& url) {
  constexpr std::string_view kExample = "for example \"http://127.0.0.1:1234/v1\"";
  if (url.empty()) return wrong(index, "base_url", "is missing", std::string(kExample));
  const std::string start = to_ascii_lower(std::string_view(url).substr(0, 8));
  if (!start.starts_with("http://") && !start.starts_with("https://"))
    return wrong(index, "base_url", "must begin with http:// or https://", std::string(kExample));
  // The address stands in messages and logs, so nothing secret may be in it; and a path is put behind it.
  if (url.find_first_of("@?#") != url.npos)
    return wrong(index, "base_url", "must hold neither a user name nor a query",
                 "a key belongs into an environment variable that api_key_env names");
  while (url.ends_with('/')) url.pop_back();
  return {};
}

Result<Endpoint> read_endpoint(const Json& setting, std::size_t index) {
  if (!setting.is_object())
    return fail(ErrorKind::invalid, fmt::format("llm[{}] must be an object", index), {}, "VALIDATION_ERROR");
  const JsonObject& entry = setting.as_object();
  for (const auto& [key, value] : entry) {
    if (key == "api_key")  // would lie in a file that is copied and shown
      return wrong(index, key, "is not read: keys are taken from the environment",
                   "put the key into an environment variable and its name into api_key_env");
    if (std::ranges::find(kMembers, std::string_view(key)) == kMembers.end())
      return wrong(index, key, "is not known", fmt::format("known are {}", fmt::join(kMembers, ", ")));
  }
  Endpoint endpoint;
  HF_CHECK(read_text(entry, index, "name", endpoint.name));
  HF_CHECK(read_text(entry, index, "base_url", endpoint.base_url));
  HF_CHECK(read_text(entry, index, "model", endpoint.model));
  HF_CHECK(read_text(entry, index, "api_key_env", endpoint.api_key_env));
  HF_CHECK(read_number(entry, index, "context_window", kMaxTokens, endpoint.context_window));
  HF_CHECK(read_number(entry, index, "max_output_tokens", kMaxTokens, endpoint.max_output_tokens));
  HF_CHECK(read_number(entry, index, "timeout_s", kMaxTimeoutSeconds, endpoint.timeout_s));
  HF_CHECK(check_address(index, endpoint.base_url));
  if (endpoint.name.empty()) endpoint.name = endpoint.model;
  if (endpoint.name.empty())
    return wrong(index, "name", "is missing, and there is no model to name it after", "give the entry a name");
  if (endpoint.name.size() > kMaxNameBytes) return wrong(index, "name", fmt::format("is longer than {} bytes", kMaxNameBytes));
  return endpoint;
}

}  // namespace

Result<std::vector<Endpoint>> read_endpoints(const Json& setting) {
  std::vector<Endpoint> endpoints;
  if (setting.is_null()) return endpoints;
  if (!setting.is_array())
    return fail(ErrorKind::invalid, "llm must be a list of endpoints",
                "for example [{\"base_url\": \"http://127.0.0.1:1234/v1\"}]", "VALIDATION_ERROR");
  for (const Json& entry : setting.as_array()) {
    HF_TRY(Endpoint endpoint, read_endpoint(entry, endpoints.size()));
    if (std::ranges::find(endpoints, endpoint.name, &Endpoint::name) != endpoints.end())
      return wrong(endpoints.size(), "name", fmt::format("\"{}\" is taken by an earlier entry", endpoint.name),
                   "give each entry a name of its own");
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

}  // namespace holdfast::model
