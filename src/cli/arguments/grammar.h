#pragma once

// What all parts of the command line are declared with. Included by arguments.cpp alone: the library behind it is costly to
// compile.

#include "cli/arguments/command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// How --help shows words without a name: the line of usage says already which must be there and how many.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() ? "" : CLI::Formatter::make_option_opts(option);
  }
};

// Commands, groups of them, and settings that are flags.
class GrammarParts {
 public:
  GrammarParts(CommandLine& line, Program program) : line_(line), app_("", std::string(name_of(program))) {
    app_.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.formatter(std::make_shared<HelpText>());
    app_.get_formatter()->column_width(kColumn);
    app_.add_flag("--json", line_.json, "machine-readable output, errors too");
    app_.add_flag("-v,--verbose", line_.verbose, "say more: every file, every step");
    for (const char* name : {"store", "principal", "clock_file", "log_level", "claude_dir", "codex_dir"}) setting(app_, name);
  }

  CLI::App& app() { return app_; }

 protected:
  static constexpr std::size_t kColumn = 34;
  static constexpr int kManyWords = CLI::detail::expected_max_vector_size;  // --help shows this, and nothing less, as "..."

  CLI::App& command(CLI::App& parent, Command which, const char* name, const char* help) {
    CLI::App* made = parent.add_subcommand(name, help);
    made->fallthrough();
    // A command inside of another is complete first: what is typed last counts.
    made->parse_complete_callback([this, which, made] {
      if (made->get_subcommands().empty()) line_.command = which;
    });
    return *made;
  }

  // One option, one flag. Functions of their own, not inlined, that take plain text: otherwise each of 160 declarations makes and
  // releases two strings in place, a third of the code here.
  template <class Value>
  [[gnu::noinline]] static CLI::Option* option(CLI::App& app, const char* name, Value& value, const char* help) {
    return app.add_option(name, value, help);
  }
  [[gnu::noinline]] static CLI::Option* flag(CLI::App& app, const char* name, bool& value, const char* help) {
    return app.add_flag(name, value, help);
  }

  // An option that may be given several times, one word each: it leaves the words behind it alone.
  [[gnu::noinline]] static CLI::Option* repeated(CLI::App& app, const char* name, std::vector<std::string>& all,
                                                 const char* help) {
    return app.add_option(name, all, help)->expected(1)->allow_extra_args(false)->take_all();
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
      else if (info.type == SettingInfo::Type::folders)
        option->expected(1)->take_all()->type_name("DIR");
      else
        option->expected(1)->take_last();
      return;
    }
  }

  CommandLine& line_;
  CLI::App app_;
};

}  // namespace holdfast::cli
