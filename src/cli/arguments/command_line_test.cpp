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

TEST(CommandLine, FlagsBecomeSettings) {
  const CommandLine serve = line({"serve", "--host", "::1", "--port", "0", "--no-auth", "--tools", "a", "--tools", "b,c"});
  EXPECT_EQ(serve.command, Command::serve);
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
    EXPECT_EQ(each.command, Command::sessions_list);
    EXPECT_TRUE(each.json);
    EXPECT_THAT(each.flags.at("store"), ElementsAre("sqlite:x"));
  }
}

TEST(CommandLine, CommandsTakeTheirArguments) {
  EXPECT_EQ(line({"sessions", "show", "0199", "--limit", "7"}).limit, 7);
  EXPECT_EQ(line({"token", "revoke", "ann"}).name, "ann");
  EXPECT_EQ(line({"token", "add", "ann"}).command, Command::token_add);
  const CommandLine list = line({"sessions", "list", "--kind", "thread", "--kind", "run", "--search", "x y"});
  EXPECT_THAT(list.kinds, ElementsAre("thread", "run"));
  EXPECT_EQ(list.text, "x y");
}

TEST(CommandLine, NoWordOfAMessageIsACommand) {
  const CommandLine say = line({"research", "thread-abcdefgh", "list", "the", "status"});
  EXPECT_EQ(say.command, Command::research_open);
  EXPECT_THAT(say.work.words, ElementsAre("thread-abcdefgh", "list", "the", "status"));
  const CommandLine ask =
      line({"--json", "research", "start", "what", "is", "research", "--corpus", "a", "--corpus", "b", "--max-iterations", "2"});
  EXPECT_EQ(ask.command, Command::research_start);
  EXPECT_THAT(ask.work.words, ElementsAre("what", "is", "research"));
  EXPECT_THAT(ask.work.corpus, ElementsAre("a", "b"));
  EXPECT_EQ(ask.work.limits.at("max_iterations"), 2);
  EXPECT_FALSE(read({"research", "start", "x", "--max-iterations", "many"}));
  EXPECT_FALSE(read({"research"}));
}

TEST(CommandLine, FiltersAreFlagsOrWords) {
  const CommandLine words = line({"sessions", "list", "type=research", "completed=true"});
  EXPECT_THAT(words.work.words, ElementsAre("type=research", "completed=true"));
  const CommandLine flags = line({"sessions", "list", "--type", "research", "--completed"});
  EXPECT_THAT(flags.work.types, ElementsAre("research"));
  EXPECT_TRUE(flags.work.completed);
  EXPECT_THAT(line({"sessions", "delete", "one", "two", "--yes"}).work.words, ElementsAre("one", "two"));
  EXPECT_FALSE(read({"sessions", "pin", "one", "two"}));
  EXPECT_FALSE(read({"sessions", "delete", ""}));
}

TEST(CommandLine, ReviewAloneIsACommandAndHasCommands) {
  EXPECT_EQ(line({"review"}).command, Command::review);
  EXPECT_EQ(line({"review", "list"}).command, Command::review_list);
  const CommandLine list = line({"review", "list", "notes", "--author", "Ada's AI", "--documents", "a", "--documents", "k=b"});
  EXPECT_EQ(list.review.path, "notes");
  EXPECT_EQ(list.review.author, "Ada's AI");
  EXPECT_THAT(list.flags.at("documents.roots"), ElementsAre("a", "k=b"));
  const CommandLine accept = line({"review", "accept", "c_1", "c_2", "--commit", "--json"});
  EXPECT_EQ(accept.command, Command::review_accept);
  EXPECT_THAT(accept.review.words, ElementsAre("c_1", "c_2"));
  EXPECT_TRUE(accept.review.commit && accept.json && !accept.review.all);
  EXPECT_TRUE(line({"review", "reject", "--all", "--path", "x.md"}).review.all);
  const CommandLine comment = line({"review", "comment", "c_1", "why", "not?"});
  EXPECT_EQ(comment.review.id, "c_1");
  EXPECT_THAT(comment.review.words, ElementsAre("why", "not?"));
  EXPECT_FALSE(read({"review", "comment", "c_1"}));
  EXPECT_THAT(line({"review", "undo", "o_1"}).review.words, ElementsAre("o_1"));
  EXPECT_FALSE(read({"review", "restore"}));
  EXPECT_TRUE(line({"review", "export", "a.md", "--base"}).review.base);
  EXPECT_FALSE(read({"review", "export", "a.md", "--base", "--accepted"}));
  EXPECT_TRUE(line({"review", "reject", "c_1", "--commit"}).review.commit);
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
  EXPECT_EQ(tasks.command, Command::run_tasks);
  EXPECT_THAT(tasks.run.tasks, ElementsAre("a", "b c"));
  EXPECT_THAT(tasks.run.folders, ElementsAre("x"));
  EXPECT_THAT(tasks.run.servers, ElementsAre("one", "two", "three"));
  EXPECT_FALSE(tasks.run.resume);
  for (const char* option : {"--in", "--servers", "--task"})
    EXPECT_EQ(line({"run", option, "x", "tasks.json"}).run.what, "tasks.json") << option << " takes one word";
  EXPECT_THAT(line({"run", "--in", "a", "--in", "b", "t.json"}).run.folders, ElementsAre("a", "b"));
  const CommandLine file = line({"run", "tasks.json", "--model", "m", "--json"});
  EXPECT_EQ(file.run.what, "tasks.json");
  EXPECT_TRUE(file.json);
  EXPECT_TRUE(line({"run", "--resume"}).run.resume);
  EXPECT_EQ(line({"run", "--resume"}).run.resumed, "");
  EXPECT_EQ(line({"run", "--resume", "0199"}).run.resumed, "0199");
  EXPECT_TRUE(line({"run", "--resume", "--json"}).json);
  EXPECT_EQ(line({"run", "list"}).command, Command::run_list);
  EXPECT_EQ(line({"run", "show", "0199"}).command, Command::run_show);
  EXPECT_EQ(line({"run", "cancel", "0199"}).run.what, "0199");
  EXPECT_FALSE(read({"run", "show"}));
  EXPECT_EQ(line({"run", "login", "wiki"}).command, Command::run_login);
  EXPECT_EQ(line({"run", "logout", "wiki"}).run.what, "wiki");
  EXPECT_EQ(line({"run", "login", "wiki", "--mcp-json", "m.json"}).run.mcp_json, "m.json");
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
  EXPECT_THAT(std::get<Printed>(read({"--help"}).value()).text, HasSubstr("Examples:"));
  EXPECT_THAT(std::get<Printed>(read({"serve", "--help"}).value()).text, HasSubstr("--no-auth"));
}

// ---- transcripts ----

const TranscriptArguments given(std::vector<const char*> words) {
  return line(std::move(words)).transcripts;
}

TEST(CommandLine, Commands_ArchiveTakesIdAndOutput) {
  const CommandLine archive = line({"archive", "4f2a", "x.json", "-f", "json", "--with-history", "--redact"});
  EXPECT_EQ(archive.command, Command::archive);
  EXPECT_THAT(archive.transcripts.words, ElementsAre("4f2a", "x.json"));
  EXPECT_EQ(archive.transcripts.format, "json");
  EXPECT_TRUE(archive.transcripts.with_history && archive.transcripts.redact);
  EXPECT_THAT(given({"archive"}).words, testing::IsEmpty());
  EXPECT_FALSE(read({"archive", "a", "b", "c"}));
  EXPECT_FALSE(read({"archive", "a", "-f", "xml"}));
  EXPECT_FALSE(read({"archive", "a", "--format-version", "3.0"}));
}

TEST(CommandLine, Commands_ProjectIsTheTargetOfCopiesAndTheScopeOfTheRest) {
  EXPECT_EQ(given({"clone", "4f", "-p", "/x"}).target_project, "/x");
  EXPECT_EQ(given({"clone", "4f", "--tp", "/x", "--sp", "/y"}).source_project, "/y");
  EXPECT_EQ(given({"restore", "f", "--target-project", "/x"}).target_project, "/x");
  EXPECT_EQ(given({"move", "4f", "--project", "/x"}).target_project, "/x");
  EXPECT_EQ(given({"delete", "4f", "-p", "/x"}).source_project, "/x");
  EXPECT_EQ(given({"info", "4f", "--source-project", "/x"}).source_project, "/x");
  EXPECT_FALSE(read({"list", "--all", "--project", "/x"}));
}

TEST(CommandLine, Commands_ShortOptionsOfRemoval) {
  const TranscriptArguments erase = given({"delete", "4f", "-f", "-t", "--no-backup", "--dry-run"});
  EXPECT_TRUE(erase.force && erase.terminate && erase.no_backup && erase.dry_run);
  EXPECT_EQ(erase.cross_session, std::nullopt);
  EXPECT_EQ(given({"delete", "4f", "--delete-cross-session-artifacts"}).cross_session, true);
  EXPECT_EQ(given({"delete", "4f", "--no-delete-cross-session-artifacts"}).cross_session, false);
  EXPECT_FALSE(read({"delete", "4f", "--delete-cross-session-artifacts", "--no-delete-cross-session-artifacts"}));
}

TEST(CommandLine, Commands_AnEmptyIdIsNotTheCurrentSession) {
  auto empty = read({"delete", "", "--force"});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().word(), "usage");
}

TEST(CommandLine, Commands_TranslationIsChosenOnce) {
  EXPECT_EQ(given({"clone", "4f", "--translate", "all"}).level, "all");
  EXPECT_THAT(given({"clone", "4f", "--map", "/a=/b", "--map", "/c=/d"}).maps, ElementsAre("/a=/b", "/c=/d"));
  EXPECT_FALSE(read({"clone", "4f", "--translate", "all", "--no-translate"}));
  EXPECT_FALSE(read({"restore", "f", "--with-session-env", "--no-session-env"}));
}

TEST(CommandLine, Commands_WordsBehindTwoDashesGoToTheClient) {
  const TranscriptArguments clone = given({"clone", "4f", "-l", "--", "--model", "--json", "x"});
  EXPECT_TRUE(clone.launch);
  EXPECT_THAT(clone.launch_arguments, ElementsAre("--model", "--json", "x"));
  EXPECT_THAT(clone.words, ElementsAre("4f"));
  EXPECT_FALSE(read({"clone", "4f", "--", "--model"})) << "nobody is launched";
  EXPECT_EQ(line({"sessions", "show", "--", "-x"}).name, "-x") << "elsewhere it only ends the options";
}

TEST(CommandLine, Commands_RelocateNeedsBothFolders) {
  EXPECT_THAT(given({"relocate", "/a", "/b"}).words, ElementsAre("/a", "/b"));
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
  EXPECT_EQ(server.command, Command::mcp);
  EXPECT_THAT(server.flags.at("tools"), ElementsAre("transcripts"));
  EXPECT_EQ(std::get<CommandLine>(read_as({"claude-session-mcp", "info", "4f"}).value()).command, Command::info);
  EXPECT_EQ(error_prefix(program_called("claude-session-mcp")), "Error: ");
  EXPECT_EQ(error_prefix(program_called("/x/holdfast")), "holdfast: ");
}

TEST(CommandLine, CanBeDescribed) {
  const CommandHelp help = describe_command_line();
  std::vector<std::string> names;
  for (const CommandHelp& each : help.commands) names.push_back(each.name);
  EXPECT_THAT(names,
              ElementsAre("mcp", "serve", "sessions", "cleanup", "brief", "research", "review", "run", "store", "token", "login",
                          "completion", "list", "info", "archive", "restore", "export", "clone", "move", "delete", "relocate",
                          "lineage", "verify", "doctor", "schema", "guard", "import", "search", "trace", "index"));
  EXPECT_EQ(help.commands[2].commands.size(), 13U);
}

}  // namespace
}  // namespace holdfast::cli
