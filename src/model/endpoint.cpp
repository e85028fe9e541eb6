#include "model/endpoint.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::model {
namespace {

// Room for what exists and for a while to come; a number beyond it is a slip of the keyboard.
constexpr std::int64_t kMaxTokens = 100'000'000;
constexpr std::int64_t kMaxTimeoutSeconds = 86'400;
constexpr std::size_t kMaxNameBytes = 100;  // names are printed, and part of keys in the store

constexpr std::int64_t kMaxPort = 65'535;

constexpr std::array<std::string_view, 10> kMembers = {"name",           "base_url",          "model",     "api_key_env",
                                                       "context_window", "max_output_tokens", "timeout_s", "api",
                                                       "stream",         "tool_calls_in_text"};

// A model on one's own machine writes some twenty tokens a second, and tools let it write many.
constexpr std::int64_t kLocalTimeoutSeconds = 600;
constexpr std::int64_t kLocalOutputTokens = 8192;

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

Result<void> read_switch(const JsonObject& entry, std::size_t index, std::string_view member, bool& into) {
  const Json* value = find(entry, member);
  if (!value || value->is_null()) return {};
  if (!value->is_bool()) return wrong(index, member, "must be true or false");
  into = value->as_bool();
  return {};
}

Result<void> read_api(const JsonObject& entry, std::size_t index, Api& into) {
  std::string word;
  HF_CHECK(read_text(entry, index, "api", word));
  if (!word.empty() && word != "chat" && word != "responses") return wrong(index, "api", "must be \"chat\" or \"responses\"");
  into = word == "responses" ? Api::responses : Api::chat;
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
  HF_CHECK(read_api(entry, index, endpoint.api));
  HF_CHECK(read_switch(entry, index, "stream", endpoint.stream));
  HF_CHECK(read_switch(entry, index, "tool_calls_in_text", endpoint.tool_calls_in_text));
  endpoint.context_window_known = find_int(entry, "context_window").has_value();
  HF_CHECK(check_address(index, endpoint.base_url));
  if (endpoint.name.empty()) endpoint.name = endpoint.model;
  if (endpoint.name.empty())
    return wrong(index, "name", "is missing, and there is no model to name it after", "give the entry a name");
  if (endpoint.name.size() > kMaxNameBytes) return wrong(index, "name", fmt::format("is longer than {} bytes", kMaxNameBytes));
  return endpoint;
}

std::string_view without_slashes(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
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

Result<Endpoint> local_endpoint(const Environment& environment) {
  const auto given = [&](const char* name) { return std::string(trim(environment(name).value_or(""))); };
  std::string host = given("LMSTUDIO_HOST"), port = given("LMSTUDIO_PORT");
  if (host.empty()) host = "localhost";
  if (port.empty()) port = "1234";
  int number = 0;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (problem != std::errc() || end != port.data() + port.size() || number < 1 || number > kMaxPort)
    return fail(ErrorKind::invalid, "LMSTUDIO_PORT must be a number from 1 to 65535", {}, "VALIDATION_ERROR");
  if (host.find_first_of("/@?# ") != host.npos)
    return fail(ErrorKind::invalid, "LMSTUDIO_HOST must be the name or the address of a host",
                "for another form of address set llm in config.json", "VALIDATION_ERROR");
  if (host.find(':') != host.npos && !host.starts_with('[')) host = '[' + host + ']';  // IPv6
  Endpoint endpoint;
  endpoint.name = "lmstudio";
  endpoint.base_url = fmt::format("http://{}:{}/v1", host, number);
  endpoint.model = given("DEFAULT_MODEL");
  if (!given("LM_API_TOKEN").empty()) endpoint.api_key_env = "LM_API_TOKEN";
  endpoint.max_output_tokens = kLocalOutputTokens;
  endpoint.timeout_s = kLocalTimeoutSeconds;
  return endpoint;
}

Result<std::string> key_of(const Endpoint& endpoint, const Environment& environment) {
  if (endpoint.api_key_env.empty()) return std::string();
  std::string key = environment(endpoint.api_key_env).value_or("");
  if (key.empty())
    return fail(ErrorKind::invalid, fmt::format("the environment has no {}", endpoint.api_key_env),
                "put the key of this endpoint there", "PROVIDER_ERROR");
  return key;
}

void hide_key(std::string& text, std::string_view key) {
  constexpr std::string_view kInstead = "[key]";
  if (key.empty()) return;
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + kInstead.size()))
    text.replace(at, key.size(), kInstead);
}

void hide_key(Error& error, std::string_view key) {
  hide_key(error.message, key);
  hide_key(error.hint, key);
}

std::string url_of(const Endpoint& endpoint, std::string_view path) {
  return std::string(without_slashes(endpoint.base_url)) + std::string(path);
}

std::string native_url_of(const Endpoint& endpoint, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  std::string_view root = without_slashes(endpoint.base_url);
  if (root.ends_with(kVersion)) root = without_slashes(root.substr(0, root.size() - kVersion.size()));
  return std::string(root) + std::string(path);
}

}  // namespace holdfast::model
