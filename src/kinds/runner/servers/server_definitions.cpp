#include "kinds/runner/servers/server_definitions.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <sstream>

namespace holdfast::runner {

namespace {

constexpr std::size_t kMaxServers = 200;

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("@/_.-").contains(c);
  });
}

Error wrong_definition(std::string_view server, std::string_view member, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("mcpServers.{}{}{}: {}", server, member.empty() ? "" : ".", member, what),
                    "see the documentation of the program that wrote the file");
}

// One definition, as it is being read: variables are put in as texts are met.
class DefinitionReading {
 public:
  DefinitionReading(std::string_view server, const JsonObject& object, const Lookup& environment, const AllowedVariables& allowed)
      : server_(server), object_(object), environment_(environment), allowed_(allowed) {}

  Result<ServerDefinition> read() {
    ServerDefinition server;
    server.name = server_;
    HF_TRY(server.command, text("command"));
    HF_TRY(server.folder, text("cwd"));
    HF_TRY(server.url, text("url"));
    HF_TRY(server.probe_tool, text("rootsProbe"));
    HF_CHECK(text("type"));
    server.command = from_home(std::move(server.command));
    server.folder = from_home(std::move(server.folder));
    server.disabled = find_bool(object_, "disabled").value_or(false);
    if (server.command.empty() == server.url.empty())
      return fail(wrong_definition(server_, "", "needs either a command or a url"));
    HF_TRY(server.arguments, texts("args"));
    HF_TRY(server.environment, pairs("env"));
    HF_TRY(server.headers, pairs("headers"));
    HF_TRY(server.login, login());
    if (const Json* at = find(object_, "rootsAt")) {
      const auto index = find_int(object_, "rootsAt");
      const bool at_end = at->is_string() && view(at->as_string()) == "end";
      if (!at_end && (!index || *index < 0 || static_cast<std::size_t>(*index) > server.arguments.size()))
        return fail(wrong_definition(server_, "rootsAt", "must be \"end\" or a position in args"));
      server.roots_at = at_end ? server.arguments.size() : static_cast<std::size_t>(*index);
    }
    return server;
  }

 private:
  std::string from_home(std::string path) const {
    const auto home = path == "~" || path.starts_with("~/") ? environment_("HOME") : std::nullopt;
    return home && !home->empty() ? *home + path.substr(1) : path;
  }

  Result<std::string> expanded(std::string_view member, std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find("${", at), close = open == text.npos ? text.npos : text.find('}', open);
      if (close == text.npos) {
        out += text.substr(at);
        break;
      }
      out += text.substr(at, open - at);
      at = close + 1;
      const std::string_view inside = text.substr(open + 2, close - open - 2);
      const std::size_t otherwise = inside.find(":-");
      const std::string name(inside.substr(0, otherwise));
      const auto value = environment_(name);
      if (value && allowed_ && std::ranges::find(*allowed_, name) == allowed_->end())
        return fail(wrong_definition(
            server_, member,
            fmt::format("a project does not get the variable {} (the setting runner.project_variables allows it)", name)));
      if (value && !(value->empty() && otherwise != inside.npos))
        out += *value;
      else if (otherwise != inside.npos)
        out += inside.substr(otherwise + 2);
      else
        return fail(wrong_definition(server_, member, fmt::format("the environment has no {}", name)));
    }
    return out;
  }

  Result<std::string> text(std::string_view member) const {
    const Json* value = find(object_, member);
    if (!value) return std::string();
    if (!value->is_string()) return fail(wrong_definition(server_, member, "must be a text"));
    return expanded(member, view(value->as_string()));
  }

  Result<std::vector<std::string>> texts(std::string_view member) const {
    std::vector<std::string> found;
    const Json* value = find(object_, member);
    if (!value) return found;
    if (!value->is_array()) return fail(wrong_definition(server_, member, "must be a list of texts"));
    for (const Json& each : value->as_array()) {
      if (!each.is_string()) return fail(wrong_definition(server_, member, "must be a list of texts"));
      HF_TRY(std::string text, expanded(member, view(each.as_string())));
      found.push_back(std::move(text));
    }
    return found;
  }

  Result<std::vector<std::pair<std::string, std::string>>> pairs(std::string_view member) const {
    std::vector<std::pair<std::string, std::string>> found;
    const Json* value = find(object_, member);
    if (!value) return found;
    if (!value->is_object()) return fail(wrong_definition(server_, member, "must be an object of texts"));
    for (const auto& [key, each] : value->as_object()) {
      if (!each.is_string()) return fail(wrong_definition(server_, member, "must be an object of texts"));
      HF_TRY(std::string text, expanded(member, view(each.as_string())));
      found.emplace_back(std::string(key), std::move(text));
    }
    return found;
  }

  // The first of these members that is there.
  static const Json* any_of(const JsonObject& object, std::initializer_list<std::string_view> members) {
    for (const std::string_view member : members)
      if (const Json* value = find(object, member)) return value;
    return nullptr;
  }

  Result<std::string> any_text(const JsonObject& object, std::initializer_list<std::string_view> members) const {
    const std::string member = fmt::format("oauth.{}", *members.begin());
    const Json* value = any_of(object, members);
    if (!value) return std::string();
    if (!value->is_string()) return fail(wrong_definition(server_, member, "must be a text"));
    return expanded(member, view(value->as_string()));
  }

  // A list, or a text with blanks between them, as OAuth writes it.
  Result<std::vector<std::string>> scopes(const JsonObject& object) const {
    const Json* value = any_of(object, {"scopes", "scope", "SCOPES"});
    std::vector<std::string> found;
    if (!value) return found;
    if (const auto* text = value->if_string()) {
      std::istringstream words{std::string(view(*text))};
      for (std::string word; words >> word;) found.push_back(word);
      return found;
    }
    const JsonArray* list = value->if_array();
    if (!list || !std::ranges::all_of(*list, [](const Json& each) { return each.is_string(); }))
      return fail(wrong_definition(server_, "oauth.scopes", "must be a list of texts"));
    for (const Json& each : *list) found.emplace_back(view(each.as_string()));
    return found;
  }

  Result<LoginDefinition> login() const {
    LoginDefinition login;
    const Json* value = any_of(object_, {"oauth", "auth"});
    if (!value || value->is_null()) return login;
    if (value->is_bool()) {
      login.never = !value->as_bool();
      return login;
    }
    if (!value->is_object()) return fail(wrong_definition(server_, "oauth", "must be an object, or false"));
    const JsonObject& object = value->as_object();
    HF_TRY(login.client_id, any_text(object, {"clientId", "client_id", "CLIENT_ID"}));
    HF_TRY(login.client_secret, any_text(object, {"clientSecret", "client_secret", "CLIENT_SECRET"}));
    HF_TRY(login.redirect_uri, any_text(object, {"redirectUri", "redirect_uri", "redirectUrl"}));
    HF_TRY(login.scopes, scopes(object));
    if (find(object, "callbackPort")) {
      const auto port = find_int(object, "callbackPort").value_or(0);
      if (port < 1 || port > 65'535)
        return fail(wrong_definition(server_, "oauth.callbackPort", "must be a port from 1 to 65535"));
      if (login.redirect_uri.empty()) login.redirect_uri = fmt::format("http://localhost:{}/callback", port);
    }
    if (!login.client_secret.empty() && login.client_id.empty())
      return fail(wrong_definition(server_, "oauth.clientSecret", "needs a clientId beside it"));
    return login;
  }

  const std::string_view server_;
  const JsonObject& object_;
  const Lookup& environment_;
  const AllowedVariables& allowed_;
};

Result<ServerDefinition> parse_server(std::string_view name, const Json& value, const Lookup& environment,
                                      const AllowedVariables& allowed) {
  if (!is_name(name)) return fail(wrong_definition(to_valid_utf8(name), "", "a name has letters, digits and @ / _ . - only"));
  if (!value.is_object()) return fail(wrong_definition(name, "", "must be an object"));
  return DefinitionReading(name, value.as_object(), environment, allowed).read();
}

Result<JsonObject> servers_in(std::string_view json_text) {
  HF_TRY(const Json parsed, parse_json(json_text));
  const JsonObject* servers = parsed.is_object() ? find_object(parsed.as_object(), "mcpServers") : nullptr;
  if (!servers)
    return fail(ErrorKind::invalid, "there is no object mcpServers",
                R"(write {"mcpServers": {"name": {"command": "...", "args": []}}})");
  if (servers->size() > kMaxServers) return fail(ErrorKind::too_large, fmt::format("more than {} servers", kMaxServers));
  return *servers;
}

// Ourselves, under any name that an installation gives us: a server that started itself again would never end.
bool is_self(const ServerDefinition& server) {
  const std::string_view command = server.command;
  const std::string_view name = command.substr(command.rfind('/') + 1);
  if (name == "holdfast" || name == "claude-session" || name == "claude-session-mcp") return true;
  if (!command.contains('/')) return false;
  std::error_code problem;
  return std::filesystem::equivalent(server.command, "/proc/self/exe", problem) && !problem;
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

Result<ServerList> parse_servers(std::string_view json_text, const Lookup& environment, const AllowedVariables& allowed) {
  HF_TRY(const JsonObject servers, servers_in(json_text));
  ServerList list;
  for (const auto& [key, value] : servers) {
    const std::string_view name(key.data(), key.size());
    auto server = parse_server(name, value, environment, allowed);
    if (server)
      list.servers.push_back(*std::move(server));
    else if (!value.is_object() || !find_bool(value.as_object(), "disabled").value_or(false))
      list.broken.push_back({to_valid_utf8(name), std::move(server).error()});
  }
  return list;
}

Result<std::vector<std::string>> definitions_as_written(std::string_view json_text) {
  HF_TRY(const JsonObject servers, servers_in(json_text));
  std::vector<std::string> all;
  for (const auto& [key, value] : servers)
    all.push_back(fmt::format("{}: {}", std::string_view(key.data(), key.size()), to_json(value)));
  return all;
}

Result<std::vector<ServerDefinition>> choose_servers(const ServerList& list, const std::vector<std::string>& names) {
  std::vector<ServerDefinition> chosen;
  if (names.empty()) {
    for (const ServerDefinition& server : list.servers)
      if (!server.disabled && !is_self(server)) chosen.push_back(server);
    if (chosen.empty() && !list.broken.empty()) return fail(Error(list.broken.front().error).within(list.file.path));
    return chosen;
  }
  std::vector<std::string> there, wrong_names;
  for (const ServerDefinition& server : list.servers)
    if (!server.disabled) there.push_back(server.name);
  for (const std::string& name : names) {
    if (const auto broken = std::ranges::find(list.broken, name, &BrokenServer::name); broken != list.broken.end())
      return fail(Error(broken->error).within(list.file.path));
    const auto server = std::ranges::find(list.servers, name, &ServerDefinition::name);
    if (server == list.servers.end() || server->disabled)
      wrong_names.push_back(fmt::format("{}{}", name, server == list.servers.end() ? "" : " (disabled)"));
    else
      chosen.push_back(*server);
  }
  if (!wrong_names.empty())
    return fail(ErrorKind::not_found, fmt::format("no such server: {}", fmt::join(wrong_names, ", ")),
                there.empty() ? "no servers are configured" : fmt::format("{} has {}", list.file.path, fmt::join(there, ", ")));
  return chosen;
}

}  // namespace holdfast::runner
