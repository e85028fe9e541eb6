// Reads the command line by the table of commands. The one file that includes CLI11, which is costly to compile.

#include "cli/arguments/command_line.h"

#include "base/text/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <memory>
#include <set>

namespace holdfast::cli {

namespace {

using operations::Given;
using operations::Parameter;
using ValueType = Parameter::Type;

constexpr const char* kFirstSteps = R"(
First steps:
  claude mcp add holdfast -- holdfast mcp      let Claude Code use it
  holdfast serve                               pages and MCP over HTTP, on this machine
  holdfast sessions list                       what is kept
  holdfast search "CORS preflight"             who said what where, in every session of every kind
  holdfast serve --help                        more about one command, with examples

Settings come from flags, then HOLDFAST_* variables, then config.json (docs/configuration.md).)";
constexpr const char* kFormerName = "This is holdfast under another name; the rest of it is shown by holdfast --help";

constexpr std::size_t kHelpColumn = 34;
constexpr int kManyWords = CLI::detail::expected_max_vector_size;  // --help shows this, and nothing less, as "..."

// How --help shows words without a name: the line of usage says already which must be there and how many.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() ? "" : CLI::Formatter::make_option_opts(option);
  }
};

std::optional<std::int64_t> whole_number(const std::string& word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

// Empty: nothing.
std::string what_does_not_fit(const Parameter& parameter, const std::string& word) {
  if (word.empty() && !parameter.may_be_empty) return "it is empty";
  const auto known = operations::words_of(parameter);
  if (!known.empty() && std::ranges::find(known, word) == known.end()) return fmt::format("{} is not {}", word, parameter.words);
  if (parameter.type != ValueType::number) return {};
  const auto number = whole_number(word);
  if (number && *number >= parameter.least && *number <= parameter.most) return {};
  return parameter.most == std::numeric_limits<std::int64_t>::max()
             ? fmt::format("{} is not a whole number from {} on", word, parameter.least)
             : fmt::format("{} is not a whole number from {} to {}", word, parameter.least, parameter.most);
}

void take(Given& given, const Parameter& parameter, const std::vector<std::string>& words) {
  if (parameter.type == ValueType::texts)
    given.set(parameter.name, JsonArray(words.begin(), words.end()));
  else if (parameter.type == ValueType::number)
    given.set(parameter.name, whole_number(words.front()).value_or(0));
  else
    given.set(parameter.name, Json(words.empty() ? std::string_view() : std::string_view(words.front())));
}

// Declares every row to the library, and keeps what it reads.
class Reader {
 public:
  // Of the words that were typed: what no command of that name was asked for is not declared, which is most of the work.
  Reader(Program program, std::span<const char* const> words)
      : app_("", std::string(name_of(program))), root_{nullptr, &app_, {}}, words_(words.begin(), words.end()) {
    const bool all = program == Program::holdfast;
    app_.description(all ? "Durable sessions for MCP agents."
                         : "Archive, restore, clone, move and delete sessions of Claude Code and Codex.");
    app_.footer(all ? kFirstSteps : kFormerName);
    app_.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.formatter(std::make_shared<HelpText>());
    app_.get_formatter()->column_width(kHelpColumn);
    declare_all(root_, kEveryCommand);
    for (const CommandFamily& family : command_families(program))
      for (const Command& command : family.commands) add(command, name_of(program));
  }

  CLI::App& app() { return app_; }

  // Errors: invalid (a command in front of the one that is meant was given what only it takes).
  Result<CommandLine> line() {
    CommandLine line{chosen_->command, std::move(chosen_->given), root_.given.flag("json"), root_.given.flag("verbose"), flags_};
    for (const Read& above : reads_) {
      if (&above == chosen_) continue;
      for (const auto& value : above.given.values()) {
        const std::string_view name = value.key();
        if (!operations::find(parameters_of(*line.command), name) || line.given.has(name))
          return fail(ErrorKind::invalid,
                      fmt::format("{} is for {} {} alone", spelled(above.command, name), app_.get_name(), above.command->path),
                      "leave out the one or the other");
        line.given.set(name, value.value());
      }
    }
    return line;
  }

 private:
  struct Read {
    const Command* command;
    CLI::App* app;
    Given given;
  };

  void add(const Command& command, std::string_view program) {
    CLI::App* above = &app_;
    for (const Read& each : reads_)
      if (each.command->path == command.above()) above = each.app;
    CLI::App* app = above->add_subcommand(std::string(command.name()), std::string(summary_of(command)));
    app->fallthrough();
    if (command.hidden) app->group("");
    if (!command.run) app->require_subcommand(1);
    app->footer("");
    app->footer([&command, program] {
      std::string footer(command.notes);
      if (!command.examples.empty()) footer += footer.empty() ? "Examples:" : "\n\nExamples:";
      for (const Example& each : examples_of(command, program))
        footer += fmt::format("\n  {:<52}  {}", each.typed, each.what_for);
      return footer;
    });
    Read& read = reads_.emplace_back(&command, app, Given());
    if (words_.contains(command.name())) declare_all(read, command);
    // A command inside of another is complete first: what is typed last counts.
    app->parse_complete_callback([this, &read] {
      if (read.app->get_subcommands().empty()) chosen_ = &read;
    });
  }

  void declare_all(Read& read, const Command& command) {
    for (const Parameter& each : parameters_of(command)) declare(read, command, each);
    const auto option = [&](std::string_view name) { return read.app->get_option(spelled(&command, name)); };
    for (const Parameter& each : parameters_of(command))
      for (const std::string_view other : operations::parts_of(each.against))
        if (other != each.name) option(each.name)->excludes(option(other));
    add_settings(*read.app, command.settings);
  }

  static void declare(Read& read, const Command& command, const Parameter& parameter) {
    const std::vector<std::string> spellings = spellings_of(parameter);
    const std::string help = help_of(command, parameter), names = fmt::format("{}", fmt::join(spellings, ","));
    if (names == "--") return;  // taken away before
    const auto flag = [&](const std::string& name, bool value) {
      return read.app->add_flag_callback(name, [&read, &parameter, value] { read.given.set(parameter.name, value); }, help);
    };
    if (parameter.type == ValueType::choice)
      flag(spellings.front(), true)->excludes(flag(spellings.back(), false));
    else if (parameter.type == ValueType::flag)
      flag(names, true);
    else
      declare_value(read, parameter, names, help);
  }

  static void declare_value(Read& read, const Parameter& parameter, const std::string& names, const std::string& help) {
    const CLI::callback_t keep = [&read, &parameter](const CLI::results_t& words) {
      // The library does not check an empty word where none is needed.
      if (!parameter.may_be_empty && std::ranges::find(words, "") != words.end())
        throw CLI::ValidationError(spelled(read.command, parameter.name), "it is empty");
      take(read.given, parameter, words);
      return true;
    };
    CLI::Option* option = read.app->add_option(names, keep, help);
    option->type_name(std::string(value_of(parameter)))->required(parameter.required);
    if (parameter.type == ValueType::texts && has_no_name(parameter))
      option->expected(parameter.required ? 1 : 0, kManyWords)->allow_extra_args();
    else if (parameter.type == ValueType::texts)  // one word each time, so that it leaves the words behind it alone
      option->expected(1)->allow_extra_args(false)->take_all();
    else
      option->expected(parameter.value_may_be_left_out ? 0 : 1, 1);
    if (parameter.divided) option->delimiter(',');
    if (!parameter.value_may_be_left_out)
      option->check([&parameter](const std::string& word) { return what_does_not_fit(parameter, word); });
  }

  void add_settings(CLI::App& app, std::string_view names) {
    for (const SettingInfo& info : settings_of(names)) {
      const std::string help = help_of(info);
      const std::string key(info.name);
      if (info.type == SettingInfo::Type::flag) {
        app.add_flag_callback(flag_name(key), [this, key] { flags_[key] = {"true"}; }, help);
        continue;
      }
      const CLI::callback_t keep = [this, key](const CLI::results_t& words) {
        flags_[key] = words;
        return true;
      };
      const bool is_list = info.type == SettingInfo::Type::list || info.type == SettingInfo::Type::folders;
      CLI::Option* option = app.add_option(flag_name(key), keep, help)->expected(1);
      option->multi_option_policy(is_list ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
      option->type_name(std::string(value_of(info)));
    }
  }

  CLI::App app_;
  Read root_;
  std::set<std::string_view> words_;
  std::deque<Read> reads_;  // they stay where they are: what the library calls back knows them
  Read* chosen_ = nullptr;
  Flags flags_;
};

bool starts_a_client(const Command& command) {
  return std::ranges::any_of(parameters_of(command), [](const Parameter& each) { return each.option == "--"; });
}

// Behind `--` the words of a client begin, and this program must not look at them.
std::span<const char* const> own_words(std::span<const char* const> words) {
  const auto end = std::ranges::find(words, std::string_view("--"));
  for (const Command& command : kTranscriptCommands.commands)
    if (starts_a_client(command) && std::find(words.begin(), end, command.path) != end)
      return words.first(static_cast<std::size_t>(end - words.begin()));
  return words;
}

// "research ID words" means "research open ID words": a command that is not typed, so that no word of a message is one.
std::vector<const char*> with_open(std::span<const char* const> words) {
  std::vector<const char*> all(words.begin(), words.end());
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const std::string_view next = all[i + 1];
    if (std::string_view(all[i]) != "research" || !(next.starts_with("thread-") || next.starts_with("research-"))) continue;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, "open");
    break;
  }
  return all;
}

// "search kelp -wharf" means "search kelp --without=wharf"; single letters that are options stay options. Behind -- everything is
// a word to look for.
std::vector<std::string> with_without(std::span<const char* const> words) {
  std::vector<std::string> all(words.begin(), words.end());
  const auto search = std::ranges::find(all, "search");
  if (search == all.end() || search - all.begin() > 1) return all;
  auto word = search + 1;
  for (; word != all.end() && *word != "--"; ++word) {
    const bool is_option =
        word->size() < 2 || (*word)[0] != '-' || (*word)[1] == '-' || *word == "-p" || *word == "-v" || *word == "-h";
    if (!is_option) *word = "--without=" + word->substr(1);
  }
  if (word == all.end()) return all;
  for (word = all.erase(word); word != all.end(); ++word)
    if (word->starts_with('-')) *word = '"' + *word + '"';
  return all;
}

// "holdfast sessions list": the innermost command that was recognised.
std::string command_path(const CLI::App& app) {
  std::string path = app.get_name();
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
  std::ranges::replace(message, '\n', ' ');
  return message;
}

}  // namespace

Result<std::variant<CommandLine, Printed>> read_command_line(int count, const char* const* words) {
  const std::span<const char* const> all(words, static_cast<std::size_t>(count));
  const Program program = all.empty() ? Program::holdfast : program_called(all.front());
  if (program == Program::claude_session_mcp && all.size() == 1) {
    CommandLine server;
    server.command = &kServing.commands.front();
    server.flags["tools"] = {"transcripts"};
    return server;
  }
  const std::span<const char* const> own = own_words(all);
  const std::vector<std::string> words_of_search = with_without(own);
  std::vector<const char*> typed;
  for (const std::string& word : words_of_search) typed.push_back(word.c_str());
  const std::vector<const char*> spelled = with_open(typed);
  Reader reader(program, spelled);
  try {
    reader.app().parse(static_cast<int>(spelled.size()), spelled.data());
  } catch (const CLI::CallForHelp&) {
    return Printed{reader.app().help()};
  } catch (const CLI::CallForVersion& version) {
    return Printed{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& problem) {
    return fail(ErrorKind::invalid, what_is_wrong(problem, reader.app()), command_path(reader.app()) + " --help explains it",
                "usage");
  }
  HF_TRY(CommandLine line, reader.line());
  if (own.size() == all.size()) return line;
  if (!line.given.flag("launch"))
    return fail(ErrorKind::invalid, "words behind -- are for the client that --launch starts", "add --launch, or leave them out",
                "usage");
  const auto of_client = all.subspan(own.size() + 1);
  line.given.set("launch_arguments", JsonArray(of_client.begin(), of_client.end()));
  return line;
}

}  // namespace holdfast::cli
