#include "cli/program/settings.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace holdfast::cli {

namespace {

using Type = SettingInfo::Type;

constexpr std::array kSettings = {
    SettingInfo{"host", Type::text, "127.0.0.1", "address that serve listens on"},
    SettingInfo{"port", Type::number, "4747", "port that serve listens on; 0 takes a free one", {}, 65'535},
    SettingInfo{"no_auth", Type::flag, "false", "serve this user's own programs without a token; on a loopback address only"},
    SettingInfo{"http.allowed_hosts", Type::list, "", "further host names that requests may be sent to"},
    SettingInfo{"drain.announce_s", Type::decimal, "0",
                "how long /healthz says that serve will stop, before it does: longer than a balancer takes to notice"},
    SettingInfo{"oauth.issuer", Type::text, "", "authorization server whose access tokens are taken; empty: none"},
    SettingInfo{"oauth.audience", Type::text, "", "whom such tokens must be meant for; else the public address with /mcp"},
    SettingInfo{"oauth.jwks_uri", Type::text, "", "where its keys are; else as its metadata says"},
    SettingInfo{"oauth.public_url", Type::text, "", "the address that clients reach this server at; else the one it listens on"},
    SettingInfo{"oauth.scope_prefix", Type::text, "", "what its names of scopes begin with, such as holdfast:"},
    SettingInfo{"oauth.team_claim", Type::text, "", "claim that names the team whose sessions a token opens"},
    SettingInfo{"store", Type::text, "", "where sessions are kept: sqlite:PATH or postgres://USER@HOST/DATABASE"},
    SettingInfo{"tools", Type::list, "all", "toolsets to offer"},
    SettingInfo{"root", Type::text, "", "project root, when neither the call nor the client names one"},
    SettingInfo{"reasoning.auto_attach", Type::flag, "true", "a bare thought after a reconnect continues the project's session"},
    SettingInfo{"reasoning.attach_hours", Type::number, "24", "how long ago that session may have been used"},
    SettingInfo{"reasoning.agent", Type::text, "", "author of thoughts that name none"},
    SettingInfo{"principal", Type::text, "local", "whose sessions stdio and the command line work with"},
    SettingInfo{"claude_dir", Type::text, "", "folder of Claude Code's files; else CLAUDE_CONFIG_DIR or ~/.claude"},
    SettingInfo{"codex_dir", Type::text, "", "folder of Codex's files; else CODEX_HOME or ~/.codex"},
    SettingInfo{"launch.claude", Type::text, "claude", "program that --launch starts for Claude Code's sessions"},
    SettingInfo{"launch.codex", Type::text, "codex", "program that --launch starts for Codex's sessions"},
    SettingInfo{"documents.roots", Type::folders, "", "folders of documents under review: DIR or NAME=DIR", "documents"},
    SettingInfo{"documents.read_only", Type::flag, "false", "models can read documents and propose nothing"},
    SettingInfo{"documents.reviewed", Type::list, ".md,.markdown,.txt",
                "ends of names of documents that carry pending changes in their text"},
    SettingInfo{"documents.direct_edits", Type::flag, "false", "other documents are changed at once instead of by proposals"},
    SettingInfo{"documents.supersede", Type::text, "any", "whose pending changes a model may replace: own or any"},
    SettingInfo{"documents.handle_ttl_days", Type::decimal, "7", "how long a session over documents lives without use"},
    SettingInfo{"documents.commit_on_accept", Type::flag, "false", "commit accepted documents with git, in the reviewer's name"},
    SettingInfo{"review.name", Type::text, "", "who reviews; else git's user.name, else the login name"},
    SettingInfo{"review.email", Type::text, "", "the reviewer's address in commits; else git's user.email"},
    SettingInfo{"gist.api", Type::text, "https://api.github.com", "where gist:// is; GitHub Enterprise has its own"},
    SettingInfo{"retention.thread_archive_days", Type::decimal, "7", "a thread without activity is archived; 0: never"},
    SettingInfo{"retention.research_archive_days", Type::decimal, "90", "completed research is archived; 0: never"},
    SettingInfo{"retention.failed_archive_days", Type::decimal, "0", "failed or cancelled research is archived; 0: never"},
    SettingInfo{"retention.delete_after_archived_days", Type::decimal, "90",
                "archived threads and research are deleted; 0: never"},
    SettingInfo{"retention.reasoning_archive_days", Type::decimal, "0", "the same for reasoning sessions; 0: never"},
    SettingInfo{"retention.reasoning_delete_days", Type::decimal, "0", "once archived; 0: never"},
    SettingInfo{"retention.document_archive_days", Type::decimal, "0", "the same for document sessions; 0: never"},
    SettingInfo{"retention.document_delete_days", Type::decimal, "0", "once archived; 0: never"},
    SettingInfo{"retention.run_archive_days", Type::decimal, "0", "the same for runs of tasks; 0: never"},
    SettingInfo{"retention.run_delete_days", Type::decimal, "0", "once archived; 0: never"},
    SettingInfo{"retention.purge_after_deleted_days", Type::decimal, "30", "what is deleted is erased; 0: never"},
    SettingInfo{"retention.sweep_interval_s", Type::number, "86400", "how often it is looked what is due"},
    SettingInfo{"retention.auto_sweep", Type::flag, "true", "false: only holdfast cleanup does it"},
    SettingInfo{"notice.lead_thread_archive_days", Type::decimal, "2", "how long before a thread is archived a notice says so"},
    SettingInfo{"notice.lead_research_archive_days", Type::decimal, "7", "likewise for research"},
    SettingInfo{"notice.lead_delete_days", Type::decimal, "7", "likewise before deleting"},
    SettingInfo{"notice.lead_purge_days", Type::decimal, "7", "likewise before erasing"},
    SettingInfo{"notice.min_s", Type::number, "86400", "nothing happens earlier than this after its notice"},
    SettingInfo{"gate.fallback", Type::text, "token", "clients that cannot ask their user: token (two calls) or refuse"},
    SettingInfo{"gate.timeout_s", Type::number, "300", "how long a client's user may take to answer"},
    SettingInfo{"gate.token_ttl_s", Type::number, "600", "how long a confirmation is good for"},
    SettingInfo{"research.corpus", Type::list, "", "folders that research looks into"},
    SettingInfo{"research.past_sessions", Type::flag, "true", "research also looks into own past sessions"},
    SettingInfo{"research.auto_resume", Type::flag, "true", "a server takes up runs whose worker has gone"},
    SettingInfo{"research.stale_after_s", Type::number, "300", "a run without progress for so long is called stale"},
    SettingInfo{"research.lease_s", Type::number, "60", "how long a worker that is not heard of keeps a run"},
    SettingInfo{"research.wait_timeout_s", Type::number, "60", "how long deep-research with wait waits"},
    SettingInfo{"runner.allow_root", Type::flag, "false", "tasks may be given / as their folder"},
    SettingInfo{"runner.allow_home", Type::flag, "false",
                "tasks may be given the home folder where it is a place of the system (/root)"},
    SettingInfo{"runner.project_variables", Type::list, "",
                "variables of the environment that a project's .mcp.json may put into its servers"},
    SettingInfo{"audit.verbosity", Type::text, "minimal", "minimal, or full: with the texts sent and received"},
    SettingInfo{"llm", Type::json, "[]", "model endpoints: [{\"name\",\"base_url\",\"model\",\"api_key_env\",...}]"},
    SettingInfo{"llm_order", Type::json, "{}", "which endpoints for what: {\"chat\":[\"name\",...]}"},
    SettingInfo{"search", Type::json, "[]", "search providers beside local: [{\"type\":\"searxng\",\"base_url\":...}]"},
    SettingInfo{"clock_file", Type::text, "", "file that holds the time, for tests"},
    SettingInfo{"log_level", Type::text, "info", "debug, info, warn, error or off"},
};

const SettingInfo* find_setting(std::string_view name) {
  auto found = std::ranges::find(kSettings, name, &SettingInfo::name);
  return found == kSettings.end() ? nullptr : &*found;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t highest) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > highest) return std::nullopt;
  return value;
}

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (std::string_view part = trim(text.substr(0, comma)); !part.empty()) parts.emplace_back(part);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return parts;
}

bool is_list(const SettingInfo& info) {
  return info.type == Type::list || info.type == Type::folders;
}

std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return std::string(view(value.get_string()));
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_number()) return to_json(value);
  return std::nullopt;
}

// Nothing when one of them is no text.
std::optional<std::vector<std::string>> list_texts(const JsonArray& items) {
  std::vector<std::string> texts;
  for (const Json& each : items) {
    auto text = scalar_text(each);
    if (!text) return std::nullopt;
    texts.push_back(*std::move(text));
  }
  return texts;
}

// Of a text that stands for all of a setting.
std::vector<std::string> texts_for(const SettingInfo& info, std::string_view text) {
  if (!is_list(info)) return {std::string(text)};
  if (info.type == Type::folders && trim(text).starts_with('[')) {
    const auto parsed = parse_json(text);
    if (const JsonArray* items = parsed ? parsed->if_array() : nullptr)
      if (auto texts = list_texts(*items)) return *std::move(texts);
  }
  return split_list(text);
}

}  // namespace

std::span<const SettingInfo> known_settings() {
  return kSettings;
}

std::string environment_name(std::string_view setting) {
  std::string name = "HOLDFAST_";
  for (char c : setting) name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string flag_name(std::string_view setting) {
  if (const SettingInfo* info = find_setting(setting); info && !info->flag.empty())
    setting = info->flag;
  else if (const std::size_t dot = setting.rfind('.'); dot != std::string_view::npos)
    setting.remove_prefix(dot + 1);
  std::string name = "--";
  for (char c : setting) name += c == '_' ? '-' : c;
  return name;
}

Result<void> Settings::take_config(const JsonObject& object, const std::string& prefix, const std::string& config_name) {
  for (const auto& member : object) {
    const std::string name = prefix + std::string(member.key());
    const std::string origin = config_name + ": " + name;
    const SettingInfo* info = find_setting(name);
    if (!info && member.value().is_object()) {
      HF_CHECK(take_config(member.value().get_object(), name + ".", config_name));
      continue;
    }
    if (!info) {
      warnings_.push_back(origin + " is not a setting this version knows");
      continue;
    }
    Value value{{}, origin};
    if (info->type == Type::json) {
      value.texts = {to_json(member.value())};
    } else if (auto scalar = scalar_text(member.value())) {
      value.texts = texts_for(*info, *scalar);
    } else if (member.value().is_array() && is_list(*info)) {
      auto texts = list_texts(member.value().get_array());
      if (!texts) return fail(ErrorKind::invalid, origin + " must be a list of texts");
      value.texts = *std::move(texts);
    } else {
      return fail(ErrorKind::invalid, origin + " has a value of the wrong type");
    }
    values_.insert_or_assign(name, std::move(value));
  }
  return {};
}

Result<void> Settings::check(const SettingInfo& info) const {
  const Value& given = value(info.name);
  if (info.type == Type::number && !parse_number(given.texts.front(), info.highest))
    return fail(ErrorKind::invalid,
                fmt::format("{}: \"{}\" is not a whole number from 0 to {}", given.origin, given.texts.front(), info.highest));
  if (info.type == Type::decimal && !parse_decimal(given.texts.front()))
    return fail(ErrorKind::invalid, fmt::format("{}: \"{}\" is not a number from 0 on", given.origin, given.texts.front()));
  if (info.type == Type::json)
    if (auto parsed = parse_json(given.texts.front()); !parsed) return fail(std::move(parsed).error().within(given.origin));
  if (info.type == Type::flag && !parse_flag(given.texts.front()))
    return fail(ErrorKind::invalid, fmt::format("{}: \"{}\" is neither true nor false", given.origin, given.texts.front()));
  return {};
}

Result<Settings> Settings::load(const Flags& flags, const Environment& environment, const std::optional<std::string>& config,
                                const std::string& config_name) {
  Settings settings;
  for (const SettingInfo& info : kSettings) settings.values_[std::string(info.name)] = {texts_for(info, info.fallback), {}};
  if (config) {
    auto parsed = parse_json(*config);
    if (!parsed) return fail(std::move(parsed).error().within(config_name));
    if (!parsed->is_object()) return fail(ErrorKind::invalid, config_name + " must hold a JSON object");
    HF_CHECK(settings.take_config(parsed->get_object(), {}, config_name));
  }
  for (const SettingInfo& info : kSettings) {
    const std::string variable = environment_name(info.name);
    if (auto text = environment(variable)) settings.values_[std::string(info.name)] = {texts_for(info, *text), variable};
    if (auto given = flags.find(std::string(info.name)); given != flags.end()) {
      Value value{{}, flag_name(info.name)};
      for (const std::string& text : given->second) {
        if (info.type == Type::folders)
          value.texts.push_back(text);
        else
          std::ranges::move(texts_for(info, text), std::back_inserter(value.texts));
      }
      settings.values_[std::string(info.name)] = std::move(value);
    }
    HF_CHECK(settings.check(info));
  }
  return settings;
}

const Settings::Value& Settings::value(std::string_view name) const {
  return values_.find(name)->second;
}

const std::string& Settings::text(std::string_view name) const {
  return value(name).texts.front();
}

std::int64_t Settings::number(std::string_view name) const {
  return parse_number(text(name), find_setting(name)->highest).value_or(0);
}

Millis Settings::seconds(std::string_view name) const {
  return number(name) * 1000;
}

double Settings::decimal(std::string_view name) const {
  return parse_decimal(text(name)).value_or(0);
}

Json Settings::json(std::string_view name) const {
  return parse_json(text(name)).value_or(nullptr);
}

bool Settings::flag(std::string_view name) const {
  return parse_flag(text(name)).value_or(false);
}

const std::vector<std::string>& Settings::list(std::string_view name) const {
  return value(name).texts;
}

bool Settings::is_set(std::string_view name) const {
  return !value(name).origin.empty();
}

}  // namespace holdfast::cli
