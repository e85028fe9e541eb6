#include "base/text.h"
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace holdfast::cli {

namespace {

constexpr const char* kExamples = R"(
Examples:
  claude mcp add holdfast -- holdfast mcp      let Claude Code use it
  holdfast serve                               pages and MCP over HTTP, on this machine
  holdfast sessions list                       what is kept
  holdfast sessions show 0199c2                read one (any unique start of its id)
  holdfast --help, holdfast serve --help       more about everything, or about one command

Settings come from flags, then HOLDFAST_* variables, then config.json (docs/configuration.md).)";

// Declares the whole command line over the values it fills.
class Grammar {
 public:
  explicit Grammar(CommandLine& line) : line_(line), app_("Durable sessions for MCP agents.", "holdfast") {
    app_.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.footer(kExamples);
    app_.get_formatter()->column_width(kColumn);
    app_.add_flag("--json", line_.json, "machine-readable output, errors too");
    for (const char* name : {"store", "principal", "clock_file", "log_level"}) setting(app_, name);

    CLI::App& mcp = command(app_, Command::mcp, "mcp", "MCP server on standard input and output");
    for (const char* name : {"root", "tools"}) setting(mcp, name);
    CLI::App& serve = command(app_, Command::serve, "serve", "MCP at /mcp and pages at /, over HTTP");
    for (const char* name : {"host", "port", "no_auth", "root", "tools"}) setting(serve, name);
    add_sessions();
    CLI::App& store = group("store", "look after the store");
    command(store, Command::store_info, "info", "where it is and what it holds");
    command(store, Command::store_verify, "verify", "check every session against its hashes");
    add_tokens();
    CLI::App& login = command(app_, Command::login, "login", "print a fresh address that logs a browser in");
    for (const char* name : {"host", "port"}) setting(login, name);
    CLI::App& completion = command(app_, Command::completion, "completion", "print a completion script for a shell");
    completion.add_option("SHELL", line_.name, "bash, zsh or fish")->required();
  }

  CLI::App& app() { return app_; }

 private:
  static constexpr std::size_t kColumn = 34;

  CLI::App& command(CLI::App& parent, Command which, const char* name, const char* help) {
    CLI::App* made = parent.add_subcommand(name, help);
    made->fallthrough();
    made->parse_complete_callback([this, which] { line_.command = which; });
    return *made;
  }

  CLI::App& group(const char* name, const char* help) {
    CLI::App* made = app_.add_subcommand(name, help);
    made->fallthrough();
    made->require_subcommand(1);
    return *made;
  }

  void setting(CLI::App& app, std::string_view name) {
    for (const SettingInfo& info : known_settings()) {
      if (info.name != name) continue;
      std::string help(info.help);
      if (!info.fallback.empty() && info.type != SettingInfo::Type::flag) help += fmt::format(" [{}]", info.fallback);
      const std::string key(name);
      if (info.type == SettingInfo::Type::flag) {
        app.add_flag_callback(flag_name(name), [this, key] { line_.flags[key] = {"true"}; }, help);
        return;
      }
      CLI::callback_t take = [this, key](const CLI::results_t& words) {
        line_.flags[key] = words;
        return true;
      };
      CLI::Option* option = app.add_option(flag_name(name), take, help);
      option->type_name(info.type == SettingInfo::Type::number ? "N" : "TEXT");
      if (info.type == SettingInfo::Type::list)
        option->expected(1)->take_all()->type_name("LIST");
      else
        option->expected(1)->take_last();
      return;
    }
  }

  void add_sessions() {
    CLI::App& sessions = group("sessions", "look at sessions of every kind");
    CLI::App& list = command(sessions, Command::sessions_list, "list", "newest first");
    list.add_option("--kind", line_.kinds, "only this kind; may be repeated")->expected(1)->take_all();
    list.add_option("--status", line_.statuses, "only this status; may be repeated")->expected(1)->take_all();
    list.add_option("--search", line_.text, "part of title, description, opening or tags");
    list.add_flag("--deleted", line_.deleted, "those that are deleted and not purged yet");
    list.add_option("--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    setting(list, "root");
    CLI::App& show = command(sessions, Command::sessions_show, "show", "one session and its entries");
    show.add_option("ID", line_.name, "id, or a unique start of it")->required();
    show.add_option("--limit", line_.limit, "the last N entries [50]")->check(CLI::Range(1, 5000));
  }

  void add_tokens() {
    CLI::App& token = group("token", "who may use the HTTP server");
    command(token, Command::token_add, "add", "make a token; it is shown once")
        .add_option("NAME", line_.name, "whose it is")
        ->required();
    command(token, Command::token_list, "list", "names of all tokens");
    command(token, Command::token_revoke, "revoke", "end a token").add_option("NAME", line_.name, "the one to end")->required();
  }

  CommandLine& line_;
  CLI::App app_;
};

// "holdfast sessions list": the innermost command that was recognised.
std::string command_path(const CLI::App& app) {
  std::string path = "holdfast";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  return path;
}

// The library's words on one line; for a command that does not exist it would only say that one is missing.
std::string what_is_wrong(const CLI::ParseError& problem, const CLI::App& app) {
  if (dynamic_cast<const CLI::RequiredError*>(&problem) && app.get_subcommands().empty()) {
    const std::vector<std::string> words = app.remaining();
    if (words.empty()) return "a command is needed";
    return fmt::format("there is no {} {}", words.front().starts_with('-') ? "option" : "command", words.front());
  }
  std::string message(trim(problem.what()));
  for (char& c : message)
    if (c == '\n') c = ' ';
  return message;
}

CommandHelp describe(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_name();
  help.help = app.get_description();
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      help.options.push_back({"--" + name, option->get_description(), option->get_expected_max() > 0});
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) help.commands.push_back(describe(*each));
  return help;
}

}  // namespace

Result<std::variant<CommandLine, Printed>> read_command_line(int count, const char* const* words) {
  CommandLine line;
  Grammar grammar(line);
  try {
    grammar.app().parse(count, words);
  } catch (const CLI::CallForHelp&) {
    return Printed{grammar.app().help()};
  } catch (const CLI::CallForVersion& version) {
    return Printed{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& problem) {
    return fail(ErrorKind::invalid, what_is_wrong(problem, grammar.app()), command_path(grammar.app()) + " --help explains it",
                "usage");
  }
  return line;
}

CommandHelp describe_command_line() {
  CommandLine line;
  Grammar grammar(line);
  return describe(grammar.app());
}

}  // namespace holdfast::cli
