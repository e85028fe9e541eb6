#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST(CommandLine, HelpAndVersionArePrinted) {
  EXPECT_THAT(std::get<Printed>(read({"--version"}).value()).text, testing::StartsWith("holdfast "));
  EXPECT_THAT(std::get<Printed>(read({"--help"}).value()).text, HasSubstr("Examples:"));
  EXPECT_THAT(std::get<Printed>(read({"serve", "--help"}).value()).text, HasSubstr("--no-auth"));
}

TEST(CommandLine, CanBeDescribed) {
  const CommandHelp help = describe_command_line();
  std::vector<std::string> names;
  for (const CommandHelp& each : help.commands) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("mcp", "serve", "sessions", "store", "token", "login", "completion"));
  EXPECT_EQ(help.commands[2].commands.size(), 2U);
}

}  // namespace
}  // namespace holdfast::cli
