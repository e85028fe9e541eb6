#include "runner/server_definitions.h"

#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>

namespace holdfast::runner {

namespace {

constexpr std::size_t kMaxFileBytes = 1024 * 1024;  // a list of servers, written by hand
constexpr std::size_t kMaxServers = 200;

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("@/_.-").contains(c);
  });
}

Error wrong(std::string_view server, std::string_view member, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("mcpServers.{}{}{}: {}", server, member.empty() ? "" : ".", member, what),
                    "see the documentation of the program that wrote the file");
}

Result<std::vector<std::string>> texts(const JsonObject& object, std::string_view server, std::string_view member) {
  std::vector<std::string> found;
  const Json* value = find(object, member);
  if (!value) return found;
  if (!value->is_array()) return fail(wrong(server, member, "must be a list of texts"));
  for (const Json& each : value->as_array()) {
    if (!each.is_string()) return fail(wrong(server, member, "must be a list of texts"));
    found.emplace_back(view(each.as_string()));
  }
  return found;
}

Result<std::vector<std::pair<std::string, std::string>>> pairs(const JsonObject& object, std::string_view server,
                                                               std::string_view member) {
  std::vector<std::pair<std::string, std::string>> found;
  const Json* value = find(object, member);
  if (!value) return found;
  if (!value->is_object()) return fail(wrong(server, member, "must be an object of texts"));
  for (const auto& [key, each] : value->as_object()) {
    if (!each.is_string()) return fail(wrong(server, member, "must be an object of texts"));
    found.emplace_back(std::string(key), std::string(view(each.as_string())));
  }
  return found;
}

// The first of these members that is there.
const Json* any_of(const JsonObject& object, std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members)
    if (const Json* value = find(object, member)) return value;
  return nullptr;
}

Result<std::string> any_text(const JsonObject& object, std::string_view server, std::initializer_list<std::string_view> members) {
  const Json* value = any_of(object, members);
  if (!value) return std::string();
  if (!value->is_string()) return fail(wrong(server, fmt::format("oauth.{}", *members.begin()), "must be a text"));
  return std::string(view(value->as_string()));
}

// A list, or a text with blanks between them, as OAuth writes it.
Result<std::vector<std::string>> scopes_of(const JsonObject& object, std::string_view server) {
  const Json* value = any_of(object, {"scopes", "scope", "SCOPES"});
  std::vector<std::string> scopes;
  if (!value) return scopes;
  if (const auto* text = value->if_string()) {
    std::istringstream words{std::string(view(*text))};
    for (std::string word; words >> word;) scopes.push_back(word);
    return scopes;
  }
  const std::string_view member = find(object, "scopes") ? "scopes" : find(object, "scope") ? "scope" : "SCOPES";
  return texts(object, server, member);
}

Result<LoginDefinition> parse_login(const JsonObject& server, std::string_view name) {
  LoginDefinition login;
  const Json* value = any_of(server, {"oauth", "auth"});
  if (!value || value->is_null()) return login;
  if (value->is_bool()) {
    login.never = !value->as_bool();
    return login;
  }
  if (!value->is_object()) return fail(wrong(name, "oauth", "must be an object, or false"));
  const JsonObject& object = value->as_object();
  HF_TRY(login.client_id, any_text(object, name, {"clientId", "client_id", "CLIENT_ID"}));
  HF_TRY(login.client_secret, any_text(object, name, {"clientSecret", "client_secret", "CLIENT_SECRET"}));
  HF_TRY(login.redirect_uri, any_text(object, name, {"redirectUri", "redirect_uri", "redirectUrl"}));
  HF_TRY(login.scopes, scopes_of(object, name));
  if (find(object, "callbackPort")) {
    const auto port = find_int(object, "callbackPort").value_or(0);
    if (port < 1 || port > 65'535) return fail(wrong(name, "oauth.callbackPort", "must be a port from 1 to 65535"));
    if (login.redirect_uri.empty()) login.redirect_uri = fmt::format("http://localhost:{}/callback", port);
  }
  if (!login.client_secret.empty() && login.client_id.empty())
    return fail(wrong(name, "oauth.clientSecret", "needs a clientId beside it"));
  return login;
}

Result<ServerDefinition> parse_server(std::string_view name, const JsonObject& object) {
  ServerDefinition server;
  server.name = name;
  for (const char* member : {"command", "cwd", "url", "type", "rootsProbe"})
    if (const Json* value = find(object, member); value && !value->is_string())
      return fail(wrong(name, member, "must be a text"));
  server.command = find_string(object, "command").value_or("");
  server.folder = find_string(object, "cwd").value_or("");
  server.url = find_string(object, "url").value_or("");
  server.probe_tool = find_string(object, "rootsProbe").value_or("");
  server.disabled = find_bool(object, "disabled").value_or(false);
  if (server.command.empty() == server.url.empty()) return fail(wrong(name, "", "needs either a command or a url"));
  HF_TRY(server.arguments, texts(object, name, "args"));
  HF_TRY(server.environment, pairs(object, name, "env"));
  HF_TRY(server.headers, pairs(object, name, "headers"));
  HF_TRY(server.login, parse_login(object, name));
  if (const Json* at = find(object, "rootsAt")) {
    const auto index = find_int(object, "rootsAt");
    const bool at_end = at->is_string() && view(at->as_string()) == "end";
    if (!at_end && (!index || *index < 0 || static_cast<std::size_t>(*index) > server.arguments.size()))
      return fail(wrong(name, "rootsAt", "must be \"end\" or a position in args"));
    server.roots_at = at_end ? server.arguments.size() : static_cast<std::size_t>(*index);
  }
  return server;
}

// A word of the command line that may hold a secret: key=value pairs and what follows a --token.
bool may_be_secret(std::string_view argument) {
  const std::string lower = to_ascii_lower(argument);
  return argument.contains('=') || lower.contains("token") || lower.contains("secret") || lower.contains("password") ||
         lower.contains("key");
}

}  // namespace

std::string describe(const ServerDefinition& server) {
  std::string text = server.name + ": ";
  if (!server.url.empty()) {
    // Without what stands behind "?": keys are put there.
    text += server.url.substr(0, server.url.find('?'));
    if (!server.login.client_id.empty()) text += " (with a client id)";
    if (!server.headers.empty()) text += fmt::format(" ({} headers)", server.headers.size());
    return text;
  }
  text += server.command;
  bool hide_next = false;
  for (const std::string& argument : server.arguments) {
    const bool hide = hide_next || may_be_secret(argument);
    hide_next = may_be_secret(argument) && argument.starts_with('-') && !argument.contains('=');
    text += hide ? std::string(" ***") : " " + argument;
  }
  if (!server.environment.empty()) text += fmt::format(" ({} variables)", server.environment.size());
  return text;
}

Result<std::vector<ServerDefinition>> parse_servers(std::string_view json_text) {
  HF_TRY(const Json parsed, parse_json(json_text));
  const JsonObject* servers = parsed.is_object() ? find_object(parsed.as_object(), "mcpServers") : nullptr;
  if (!servers)
    return fail(ErrorKind::invalid, "there is no object mcpServers",
                R"(write {"mcpServers": {"name": {"command": "...", "args": []}}})");
  if (servers->size() > kMaxServers) return fail(ErrorKind::too_large, fmt::format("more than {} servers", kMaxServers));
  std::vector<ServerDefinition> all;
  for (const auto& [key, value] : *servers) {
    const std::string_view name(key.data(), key.size());
    if (!is_name(name)) return fail(wrong(to_valid_utf8(name), "", "a name has letters, digits and @ / _ . - only"));
    if (!value.is_object()) return fail(wrong(name, "", "must be an object"));
    HF_TRY(ServerDefinition server, parse_server(name, value.as_object()));
    all.push_back(std::move(server));
  }
  return all;
}

Result<ServerList> find_servers(const Lookup& environment, const std::string& folder) {
  const std::string home = environment("HOME").value_or("");
  std::vector<std::string> places;
  const auto named = environment("MCP_JSON_PATH");
  if (named && !named->empty()) {
    places = {*named};
  } else {
    if (!home.empty()) places.push_back(home + "/.lmstudio/mcp.json");
    places.push_back(folder + "/.mcp.json");
    if (!home.empty()) places.push_back(home + "/.mcp.json");
    places.push_back(folder + "/../.mcp.json");
  }
  for (const std::string& place : places) {
    const auto text = read_file(place, kMaxFileBytes);
    if (!text && text.error().kind == ErrorKind::not_found && !named) continue;
    if (!text) return fail(text.error());
    auto servers = parse_servers(*text);
    if (!servers) return fail(std::move(servers).error().within(place));
    return ServerList{place, *std::move(servers)};
  }
  return ServerList{};
}

Result<std::vector<ServerDefinition>> choose_servers(const ServerList& list, const std::vector<std::string>& names) {
  // A server that started itself again would never end.
  const auto is_self = [](const ServerDefinition& server) {
    const std::string_view command = server.command;
    return command.substr(command.rfind('/') + 1) == "holdfast";
  };
  std::vector<ServerDefinition> chosen;
  std::vector<std::string> there, wrong_names;
  for (const ServerDefinition& server : list.servers)
    if (!server.disabled) there.push_back(server.name);
  if (names.empty()) {
    for (const ServerDefinition& server : list.servers)
      if (!server.disabled && !is_self(server)) chosen.push_back(server);
    return chosen;
  }
  for (const std::string& name : names) {
    const auto server = std::ranges::find(list.servers, name, &ServerDefinition::name);
    if (server == list.servers.end() || server->disabled)
      wrong_names.push_back(fmt::format("{}{}", name, server == list.servers.end() ? "" : " (disabled)"));
    else
      chosen.push_back(*server);
  }
  if (!wrong_names.empty())
    return fail(ErrorKind::not_found, fmt::format("no such server: {}", fmt::join(wrong_names, ", ")),
                there.empty() ? "no servers are configured" : fmt::format("{} has {}", list.file, fmt::join(there, ", ")));
  return chosen;
}

}  // namespace holdfast::runner
