#include "cli/arguments/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Result<std::variant<CommandLine, Printed>> read(std::vector<const char*> words) {
  words.insert(words.begin(), "holdfast");
  return read_command_line(static_cast<int>(words.size()), words.data());
}

CommandLine line(std::vector<const char*> words) {
  auto done = read(std::move(words));
  if (done && std::holds_alternative<CommandLine>(*done)) return std::get<CommandLine>(*done);
  ADD_FAILURE() << (done ? "printed something" : done.error().message);
  return {};
}

operations::Given given(std::vector<const char*> words) {
  return line(std::move(words)).given;
}

TEST(CommandLine, FlagsBecomeSettings) {
  const CommandLine serve = line({"serve", "--host", "::1", "--port", "0", "--no-auth", "--tools", "a", "--tools", "b,c"});
  EXPECT_EQ(serve.command->path, "serve");
  EXPECT_THAT(serve.flags.at("host"), ElementsAre("::1"));
  EXPECT_THAT(serve.flags.at("port"), ElementsAre("0"));
  EXPECT_THAT(serve.flags.at("no_auth"), ElementsAre("true"));
  EXPECT_THAT(serve.flags.at("tools"), ElementsAre("a", "b,c"));
  EXPECT_FALSE(serve.flags.contains("store"));
}

TEST(CommandLine, GlobalOptionsStandAnywhere) {
  for (const CommandLine& each :
       {line({"--json", "--store", "sqlite:x", "sessions", "list"}), line({"sessions", "list", "--json", "--store", "sqlite:x"}),
        line({"sessions", "--store", "sqlite:x", "list", "--json"})}) {
    EXPECT_EQ(each.command->path, "sessions list");
    EXPECT_TRUE(each.json);
    EXPECT_THAT(each.flags.at("store"), ElementsAre("sqlite:x"));
  }
}

TEST(CommandLine, CommandsTakeTheirArguments) {
  EXPECT_EQ(given({"sessions", "show", "0199", "--limit", "7"}).number("limit"), 7);
  EXPECT_EQ(given({"token", "revoke", "ann"}).text("name"), "ann");
  EXPECT_EQ(line({"token", "add", "ann"}).command->path, "token add");
  const CommandLine list = line({"sessions", "list", "--kind", "thread", "--kind", "run", "--search", "x y"});
  EXPECT_THAT(list.given.texts("kind"), ElementsAre("thread", "run"));
  EXPECT_EQ(list.given.text("q"), "x y");
}

TEST(CommandLine, NoWordOfAMessageIsACommand) {
  const CommandLine say = line({"research", "thread-abcdefgh", "list", "the", "status"});
  EXPECT_EQ(say.command->path, "research open");
  EXPECT_THAT(say.given.texts("words"), ElementsAre("list", "the", "status"));
  const CommandLine ask =
      line({"--json", "research", "start", "what", "is", "research", "--corpus", "a", "--corpus", "b", "--max-iterations", "2"});
  EXPECT_EQ(ask.command->path, "research start");
  EXPECT_THAT(ask.given.texts("query"), ElementsAre("what", "is", "research"));
  EXPECT_THAT(ask.given.texts("corpus"), ElementsAre("a", "b"));
  EXPECT_EQ(ask.given.number("max_iterations"), 2);
  EXPECT_FALSE(read({"research", "start", "x", "--max-iterations", "many"}));
  EXPECT_FALSE(read({"research"}));
}

TEST(CommandLine, FiltersAreFlagsOrWords) {
  const CommandLine words = line({"sessions", "list", "type=research", "completed=true"});
  EXPECT_THAT(words.given.texts("filter"), ElementsAre("type=research", "completed=true"));
  const CommandLine flags = line({"sessions", "list", "--type", "research", "--completed"});
  EXPECT_THAT(flags.given.texts("type"), ElementsAre("research"));
  EXPECT_TRUE(flags.given.flag("completed"));
  EXPECT_THAT(given({"sessions", "delete", "one", "two", "--yes"}).texts("session"), ElementsAre("one", "two"));
  EXPECT_FALSE(read({"sessions", "pin", "one", "two"}));
  EXPECT_FALSE(read({"sessions", "delete", ""}));
}

TEST(CommandLine, ReviewAloneIsACommandAndHasCommands) {
  EXPECT_EQ(line({"review"}).command->path, "review");
  EXPECT_EQ(line({"review", "list"}).command->path, "review list");
  const CommandLine list = line({"review", "list", "notes", "--author", "Ada's AI", "--documents", "a", "--documents", "k=b"});
  EXPECT_EQ(list.given.text("path"), "notes");
  EXPECT_EQ(list.given.text("author"), "Ada's AI");
  EXPECT_THAT(list.flags.at("documents.roots"), ElementsAre("a", "k=b"));
  const CommandLine accept = line({"review", "accept", "c_1", "c_2", "--commit", "--json"});
  EXPECT_EQ(accept.command->path, "review accept");
  EXPECT_THAT(accept.given.texts("change"), ElementsAre("c_1", "c_2"));
  EXPECT_TRUE(accept.given.flag("commit") && accept.json && !accept.given.flag("all"));
  EXPECT_TRUE(given({"review", "reject", "--all", "--path", "x.md"}).flag("all"));
  const CommandLine comment = line({"review", "comment", "c_1", "why", "not?"});
  EXPECT_EQ(comment.given.text("change"), "c_1");
  EXPECT_THAT(comment.given.texts("text"), ElementsAre("why", "not?"));
  EXPECT_FALSE(read({"review", "comment", "c_1"}));
  EXPECT_EQ(given({"review", "undo", "o_1"}).text("move"), "o_1");
  EXPECT_FALSE(read({"review", "restore"}));
  EXPECT_TRUE(given({"review", "export", "a.md", "--base"}).flag("base"));
  EXPECT_FALSE(read({"review", "export", "a.md", "--base", "--accepted"}));
  EXPECT_TRUE(given({"review", "reject", "c_1", "--commit"}).flag("commit"));
  for (const char* command : {"accept", "comment", "undo", "restore"}) EXPECT_FALSE(read({"review", command, ""})) << command;
  EXPECT_FALSE(read({"review", "comment", "", "words"}));
  EXPECT_FALSE(read({"review", "accept", "--all", "--path", ""})) << "this must not be all";
  EXPECT_FALSE(read({"review", "accept", "--all", "--author="})) << "neither must this";
  EXPECT_FALSE(read({"review", "nothing"}));
  EXPECT_THAT(line({"mcp", "--documents", "kb", "--read-only"}).flags.at("documents.roots"), ElementsAre("kb"));
}

TEST(CommandLine, RunTakesTasksOrGoesOnWithARun) {
  const CommandLine tasks =
      line({"run", "--task", "a", "--task", "b c", "--in", "x", "--servers", "one,two", "--servers", "three"});
  EXPECT_EQ(tasks.command->path, "run");
  EXPECT_THAT(tasks.given.texts("task"), ElementsAre("a", "b c"));
  EXPECT_THAT(tasks.given.texts("folders"), ElementsAre("x"));
  EXPECT_THAT(tasks.given.texts("servers"), ElementsAre("one", "two", "three"));
  EXPECT_FALSE(tasks.given.has("resume"));
  for (const char* option : {"--in", "--servers", "--task"})
    EXPECT_EQ(given({"run", option, "x", "tasks.json"}).text("tasks"), "tasks.json") << option << " takes one word";
  EXPECT_THAT(given({"run", "--in", "a", "--in", "b", "t.json"}).texts("folders"), ElementsAre("a", "b"));
  const CommandLine file = line({"run", "tasks.json", "--model", "m", "--json"});
  EXPECT_EQ(file.given.text("tasks"), "tasks.json");
  EXPECT_TRUE(file.json);
  EXPECT_TRUE(given({"run", "--resume"}).has("resume"));
  EXPECT_EQ(given({"run", "--resume"}).text("resume"), "");
  EXPECT_EQ(given({"run", "--resume", "0199"}).text("resume"), "0199");
  EXPECT_TRUE(line({"run", "--resume", "--json"}).json);
  EXPECT_EQ(line({"run", "list"}).command->path, "run list");
  EXPECT_EQ(line({"run", "show", "0199"}).command->path, "run show");
  EXPECT_EQ(given({"run", "cancel", "0199"}).text("session"), "0199");
  EXPECT_FALSE(read({"run", "show"}));
  EXPECT_EQ(line({"run", "login", "wiki"}).command->path, "run login");
  EXPECT_EQ(given({"run", "logout", "wiki"}).text("server"), "wiki");
  EXPECT_EQ(given({"run", "login", "wiki", "--mcp-json", "m.json"}).text("mcp_json"), "m.json");
  EXPECT_FALSE(read({"run", "login"}));
  EXPECT_FALSE(read({"run", "x.json", "--timeout", "0"}));
}

TEST(CommandLine, MistakesNameTheCommandThatHelps) {
  auto wrong = read({"serve", "--nothing"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::invalid);
  EXPECT_THAT(wrong.error().message, HasSubstr("--nothing"));
  EXPECT_EQ(wrong.error().hint, "holdfast serve --help explains it");
  EXPECT_EQ(read({"frobnicate"}).error().message, "there is no command frobnicate");
  EXPECT_EQ(read({}).error().message, "a command is needed");
  EXPECT_FALSE(read({"sessions", "show"}));
  EXPECT_FALSE(read({"sessions", "list", "--limit", "0"}));
  EXPECT_FALSE(read({"token", "add", "a", "b"}));
}

TEST(CommandLine, HelpSaysHowManyWordsACommandTakes) {
  const auto help = [](std::vector<const char*> words) {
    words.push_back("--help");
    return std::get<Printed>(read(std::move(words)).value()).text;
  };
  EXPECT_THAT(help({"review", "show"}), HasSubstr("review show [OPTIONS] WHAT...\n"));
  EXPECT_THAT(help({"review", "accept"}), HasSubstr("[ID...]\n"));
  EXPECT_THAT(help({"review", "accept"}), HasSubstr("3d"));
  EXPECT_THAT(help({"review", "comment"}), HasSubstr("ID TEXT...\n"));
  EXPECT_THAT(help({"review", "undo"}), HasSubstr("[ID]\n"));
  EXPECT_THAT(help({"review"}), HasSubstr("one by one"));
  EXPECT_THAT(help({"review", "undo"}), Not(HasSubstr("one by one")));
  EXPECT_THAT(help({"sessions", "delete"}), HasSubstr("ID...\n"));
  for (const char* command : {"show", "accept", "comment", "undo", "restore", "export"})
    EXPECT_THAT(help({"review", command}), Not(AnyOf(HasSubstr("x)"), HasSubstr(" x "), HasSubstr("REQUIRED")))) << command;
}

TEST(CommandLine, HelpAndVersionArePrinted) {
  EXPECT_THAT(std::get<Printed>(read({"--version"}).value()).text, testing::StartsWith("holdfast "));
  EXPECT_THAT(std::get<Printed>(read({"--help"}).value()).text, HasSubstr("First steps:"));
  EXPECT_THAT(std::get<Printed>(read({"serve", "--help"}).value()).text, HasSubstr("--no-auth"));
}

// ---- transcripts ----

TEST(CommandLine, Commands_ArchiveTakesIdAndOutput) {
  const CommandLine archive = line({"archive", "4f2a", "x.json", "-f", "json", "--with-history", "--redact"});
  EXPECT_EQ(archive.command->path, "archive");
  EXPECT_EQ(archive.given.text("session"), "4f2a");
  EXPECT_EQ(archive.given.text("output"), "x.json");
  EXPECT_EQ(archive.given.text("format"), "json");
  EXPECT_TRUE(archive.given.flag("with_history") && archive.given.flag("redact"));
  EXPECT_TRUE(given({"archive"}).values().empty());
  EXPECT_FALSE(read({"archive", "a", "b", "c"}));
  EXPECT_FALSE(read({"archive", "a", "-f", "xml"}));
  EXPECT_FALSE(read({"archive", "a", "--format-version", "3.0"}));
}

TEST(CommandLine, Commands_ProjectIsTheTargetOfCopiesAndTheScopeOfTheRest) {
  EXPECT_EQ(given({"clone", "4f", "-p", "/x"}).text("target_project"), "/x");
  EXPECT_EQ(given({"clone", "4f", "--tp", "/x", "--sp", "/y"}).text("source_project"), "/y");
  EXPECT_EQ(given({"restore", "f", "--target-project", "/x"}).text("target_project"), "/x");
  EXPECT_EQ(given({"move", "4f", "--project", "/x"}).text("target_project"), "/x");
  EXPECT_EQ(given({"delete", "4f", "-p", "/x"}).text("source_project"), "/x");
  EXPECT_EQ(given({"info", "4f", "--source-project", "/x"}).text("source_project"), "/x");
  EXPECT_FALSE(read({"list", "--all", "--project", "/x"}));
}

TEST(CommandLine, Commands_ShortOptionsOfRemoval) {
  const operations::Given erase = given({"delete", "4f", "-f", "-t", "--no-backup", "--dry-run"});
  EXPECT_TRUE(erase.flag("force") && erase.flag("terminate") && erase.flag("no_backup") && erase.flag("dry_run"));
  EXPECT_EQ(erase.choice("delete_cross_session_artifacts"), std::nullopt);
  EXPECT_EQ(given({"delete", "4f", "--delete-cross-session-artifacts"}).choice("delete_cross_session_artifacts"), true);
  EXPECT_EQ(given({"delete", "4f", "--no-delete-cross-session-artifacts"}).choice("delete_cross_session_artifacts"), false);
  EXPECT_FALSE(read({"delete", "4f", "--delete-cross-session-artifacts", "--no-delete-cross-session-artifacts"}));
}

TEST(CommandLine, Commands_AnEmptyIdIsNotTheCurrentSession) {
  auto empty = read({"delete", "", "--force"});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().word(), "usage");
}

TEST(CommandLine, Commands_TranslationIsChosenOnce) {
  EXPECT_EQ(given({"clone", "4f", "--translate", "all"}).text("translate"), "all");
  EXPECT_THAT(given({"clone", "4f", "--map", "/a=/b", "--map", "/c=/d"}).texts("map"), ElementsAre("/a=/b", "/c=/d"));
  EXPECT_FALSE(read({"clone", "4f", "--translate", "all", "--no-translate"}));
  EXPECT_FALSE(read({"restore", "f", "--with-session-env", "--no-session-env"}));
}

TEST(CommandLine, Commands_WordsBehindTwoDashesGoToTheClient) {
  const operations::Given clone = given({"clone", "4f", "-l", "--", "--model", "--json", "x"});
  EXPECT_TRUE(clone.flag("launch"));
  EXPECT_THAT(clone.texts("launch_arguments"), ElementsAre("--model", "--json", "x"));
  EXPECT_EQ(clone.text("session"), "4f");
  EXPECT_FALSE(read({"clone", "4f", "--", "--model"})) << "nobody is launched";
  EXPECT_EQ(given({"sessions", "show", "--", "-x"}).text("session"), "-x") << "elsewhere it only ends the options";
}

TEST(CommandLine, Commands_RelocateNeedsBothFolders) {
  EXPECT_EQ(given({"relocate", "/a", "/b"}).text("old_path"), "/a");
  EXPECT_EQ(given({"relocate", "/a", "/b"}).text("new_path"), "/b");
  EXPECT_FALSE(read({"relocate", "/a"}));
  EXPECT_FALSE(read({"restore"}));
}

Result<std::variant<CommandLine, Printed>> read_as(std::vector<const char*> words) {
  return read_command_line(static_cast<int>(words.size()), words.data());
}

TEST(CommandLine, Names_ClaudeSessionOffersTranscriptsAlone) {
  EXPECT_TRUE(read_as({"/usr/bin/claude-session", "list"}));
  auto wrong = read_as({"/usr/bin/claude-session", "serve"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().hint, "claude-session --help explains it");
  EXPECT_THAT(std::get<Printed>(read_as({"claude-session", "--help"}).value()).text, HasSubstr("claude-session"));
}

TEST(CommandLine, Names_ClaudeSessionMcpAloneIsAServerOfTranscripts) {
  const CommandLine server = std::get<CommandLine>(read_as({"./claude-session-mcp"}).value());
  EXPECT_EQ(server.command->path, "mcp");
  EXPECT_THAT(server.flags.at("tools"), ElementsAre("transcripts"));
  EXPECT_EQ(std::get<CommandLine>(read_as({"claude-session-mcp", "info", "4f"}).value()).command->path, "info");
  EXPECT_EQ(error_prefix(program_called("claude-session-mcp")), "Error: ");
  EXPECT_EQ(error_prefix(program_called("/x/holdfast")), "holdfast: ");
}

TEST(CommandLine, WhatACommandTakesIsNotForThoseBelowIt) {
  EXPECT_EQ(read({"guard", "--watch", "list"}).error().message, "--watch is for holdfast guard alone");
  EXPECT_EQ(read({"run", "list", "x"}).error().message, "TASKS is for holdfast run alone");
  EXPECT_FALSE(read({"guard", "--watch", "--hook"}));
  EXPECT_EQ(given({"run", "--mcp-json", "m.json", "login", "wiki"}).text("mcp_json"), "m.json");
}

TEST(CommandLine, ValuesAreChecked) {
  EXPECT_THAT(read({"list", "--limit", "0"}).error().message, HasSubstr("0 is not a whole number from 1 to 100000"));
  EXPECT_THAT(read({"guard", "show", "4f", "--version", "x"}).error().message, HasSubstr("x is not a whole number from 1 on"));
  EXPECT_THAT(read({"info", "4f", "-f", "xml"}).error().message, HasSubstr("xml is not text|json"));
  EXPECT_THAT(read({"sessions", "pin", ""}).error().message, HasSubstr("it is empty"));
}

// ---- the table ----

std::vector<Command> all_commands() {
  std::vector<Command> all;
  for (const CommandFamily& family : command_families()) all.insert(all.end(), family.commands.begin(), family.commands.end());
  return all;
}

TEST(CommandTable, CommandsAreListedInOrder) {
  std::vector<std::string_view> names;
  std::size_t of_sessions = 0;
  for (const Command& each : all_commands()) {
    if (each.above().empty() && !each.hidden) names.push_back(each.path);
    if (each.above() == "sessions") ++of_sessions;
  }
  EXPECT_THAT(names,
              ElementsAre("mcp", "serve", "sessions", "note", "cleanup", "brief", "research", "review", "run", "store", "token",
                          "login", "completion", "list", "info", "archive", "restore", "export", "clone", "move", "delete",
                          "relocate", "lineage", "verify", "doctor", "schema", "guard", "import", "search", "trace", "index"));
  EXPECT_EQ(of_sessions, 14U);
}

// As a shell would read it.
std::vector<std::string> words_of(std::string_view typed) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : typed.substr(0, std::min(typed.find(" > "), typed.find(" < ")))) {
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (quote == 0 && c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

TEST(CommandTable, EveryCommandHasExamplesThatCanBeTyped) {
  for (const Command& command : all_commands()) {
    EXPECT_EQ(command.run != nullptr, !command.examples.empty()) << command.path;
    for (const Example& example : examples_of(command, "holdfast")) {
      const std::vector<std::string> words = words_of(example.typed);
      std::vector<const char*> typed;
      for (const std::string& word : words) typed.push_back(word.c_str());
      const auto read = read_as(typed);
      ASSERT_TRUE(read) << example.typed << ": " << read.error().message;
      EXPECT_EQ(std::get<CommandLine>(*read).command->path, command.path) << example.typed;
      EXPECT_FALSE(example.what_for.empty()) << example.typed;
    }
  }
}

TEST(CommandTable, NamesThatRowsUseAreKnown) {
  for (const Command& command : all_commands()) {
    for (const operations::Parameter& each : command.parameters) {
      EXPECT_THAT(help_of(command, each), Not(HasSubstr("{"))) << command.path;
      for (const std::string_view other : operations::parts_of(each.against))
        EXPECT_NE(operations::find(command.parameters, other), nullptr) << command.path << ": " << other;
    }
    const std::size_t named =
        command.settings.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(command.settings, ' '));
    EXPECT_EQ(settings_of(command.settings).size(), named) << command.path;
  }
}

TEST(CommandTable, HintsNameParametersAsTheyAreTyped) {
  const CommandLine archive = line({"archive", "4f2a"});
  EXPECT_EQ(spelled(archive.command, "format"), "--format");
  EXPECT_EQ(spelled(archive.command, "source_project"), "--source-project");
  EXPECT_EQ(spelled(archive.command, "session"), "ID");
  EXPECT_EQ(spelled(archive.command, "in_place"), "--in-place") << "of another command";
  EXPECT_EQ(spelled(archive.command, "colour"), "{colour}");
}

}  // namespace
}  // namespace holdfast::cli
