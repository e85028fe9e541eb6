// persistent-client §6, "Server definitions".

#include "kinds/runner/servers/server_definitions.h"

#include "base/files/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace holdfast::runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

Result<ServerList> parse(const std::string& text, const std::map<std::string, std::string>& variables = {}) {
  return parse_servers(text, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(ServerDefinitions, AreReadAsPeopleWriteThem) {
  const auto servers = parse(R"({"mcpServers": {
      "filesystem": {"command": "npx", "args": ["-y", "@scope/fs"], "env": {"KEY": "hush"}, "cwd": "/w"},
      "old": {"command": "fs", "args": ["--x"], "rootsAt": "end", "rootsProbe": "list_dirs"},
      "far": {"type": "http", "url": "https://h/mcp?key=hush", "headers": {"Authorization": "Bearer hush"}},
      "off": {"command": "x", "disabled": true}}, "other": 1})")
                           .value()
                           .servers;
  ASSERT_THAT(servers, SizeIs(4));
  EXPECT_THAT(servers[0].arguments, ElementsAre("-y", "@scope/fs"));
  EXPECT_EQ(servers[0].folder, "/w");
  EXPECT_EQ(servers[1].roots_at, 1U);
  EXPECT_EQ(servers[1].probe_tool, "list_dirs");
  EXPECT_EQ(servers[2].url, "https://h/mcp?key=hush");
  EXPECT_TRUE(servers[3].disabled);
}

TEST(ServerDefinitions, LoginsAreReadInEverySpelling) {
  const auto servers = parse(R"({"mcpServers": {
      "a": {"url": "https://h/", "oauth": {"clientId": "i", "clientSecret": "s", "callbackPort": 8080, "scopes": ["x", "y"], "new": 1}},
      "b": {"url": "https://h/", "auth": {"CLIENT_ID": "i", "CLIENT_SECRET": "s", "scopes": "x  y"}},
      "c": {"url": "https://h/", "oauth": {"client_id": "i", "redirect_uri": "http://127.0.0.1:9/back", "callbackPort": 7}},
      "d": {"url": "https://h/", "oauth": false}, "e": {"url": "https://h/", "oauth": true}, "f": {"url": "https://h/"}}})")
                           .value()
                           .servers;
  ASSERT_THAT(servers, SizeIs(6));
  for (const ServerDefinition& server : {servers[0], servers[1]}) {
    EXPECT_EQ(server.login.client_id, "i");
    EXPECT_EQ(server.login.client_secret, "s");
    EXPECT_THAT(server.login.scopes, ElementsAre("x", "y"));
  }
  EXPECT_EQ(servers[0].login.redirect_uri, "http://localhost:8080/callback");
  EXPECT_EQ(servers[1].login.redirect_uri, "");
  EXPECT_EQ(servers[2].login.redirect_uri, "http://127.0.0.1:9/back");
  EXPECT_EQ(servers[2].login.client_secret, "");
  EXPECT_TRUE(servers[3].login.never);
  for (const ServerDefinition& server : {servers[4], servers[5]}) EXPECT_FALSE(server.login.never);
}

TEST(ServerDefinitions, SecretsAreNeverShown) {
  const auto servers = parse(R"({"mcpServers": {
      "a": {"command": "x", "args": ["--token", "hush", "--api-key=hush", "plain"], "env": {"A": "hush"}},
      "b": {"url": "https://h/mcp?key=hush", "headers": {"Authorization": "hush"}},
      "c": {"url": "https://h/mcp", "oauth": {"clientId": "i", "clientSecret": "hush"}}}})")
                           .value()
                           .servers;
  ASSERT_THAT(servers, SizeIs(3));
  for (const ServerDefinition& server : servers) EXPECT_THAT(describe(server), Not(HasSubstr("hush")));
}

TEST(ServerDefinitions, MistakesAreNamedAndCostTheOthersNothing) {
  for (const auto& [text, where] :
       {std::pair(R"("a": {})", "mcpServers.a"), std::pair(R"("a": {"command": "x", "args": "y"})", "a.args"),
        std::pair(R"("a": {"command": "x", "env": {"k": 1}})", "a.env"), std::pair(R"("a b": {"command": "x"})", "a b"),
        std::pair(R"("a": {"command": "x", "url": "y"})", "mcpServers.a"), std::pair(R"("a": 5)", "mcpServers.a"),
        std::pair(R"("a": {"command": "${NOT_SET_4711}"})", "NOT_SET_4711"),
        std::pair(R"("a": {"command": "x", "rootsAt": 5})", "rootsAt"), std::pair(R"("a": {"url": "y", "oauth": 3})", "a.oauth"),
        std::pair(R"("a": {"url": "y", "oauth": {"clientId": 3}})", "clientId"),
        std::pair(R"("a": {"url": "y", "oauth": {"clientSecret": "s"}})", "clientId"),
        std::pair(R"("a": {"url": "y", "oauth": {"callbackPort": 0}})", "callbackPort"),
        std::pair(R"("a": {"url": "y", "oauth": {"scopes": [1]}})", "scopes")}) {
    const auto list = parse(fmt::format(R"({{"mcpServers": {{{}, "good": {{"command": "x"}}}}}})", text)).value();
    ASSERT_THAT(list.broken, SizeIs(1)) << text;
    EXPECT_THAT(list.broken[0].error.message, HasSubstr(where));
    EXPECT_THAT(choose_servers(list, {}).value(), SizeIs(1));
    EXPECT_THAT(choose_servers(list, {"good"}).value(), SizeIs(1));
    EXPECT_EQ(choose_servers(list, {list.broken[0].name}).error().kind, ErrorKind::invalid);
    const auto alone = parse(fmt::format(R"({{"mcpServers": {{{}}}}})", text)).value();
    EXPECT_THAT(choose_servers(alone, {}).error().message, HasSubstr(where)) << "nothing is left";
  }
  EXPECT_THAT(parse(R"({"servers": {}})").error().message, HasSubstr("mcpServers"));
  EXPECT_THAT(parse(R"({"mcpServers": {"a": {"command": "${NOT_SET_4711}", "disabled": true}}})").value().broken, IsEmpty());
}

TEST(ServerDefinitions, VariablesAndTheHomeFolderArePutIn) {
  const auto server =
      parse(R"({"mcpServers": {"a": {"command": "~/srv.sh", "cwd": "~", "args": ["${FOO}/x", "${NO:-d e}", "$FOO ${"],
      "env": {"V": "a${FOO}b${EMPTY:-full}"}}, "b": {"url": "https://${FOO}/mcp", "headers": {"Authorization": "Bearer ${FOO}"}}}})",
            {{"FOO", "bar"}, {"HOME", "/home/ada"}, {"EMPTY", ""}})
          .value()
          .servers;
  ASSERT_THAT(server, SizeIs(2));
  EXPECT_EQ(server[0].command, "/home/ada/srv.sh");
  EXPECT_EQ(server[0].folder, "/home/ada");
  EXPECT_THAT(server[0].arguments, ElementsAre("bar/x", "d e", "$FOO ${"));
  EXPECT_THAT(server[0].environment, ElementsAre(Pair("V", "abarbfull")));
  EXPECT_EQ(server[1].url, "https://bar/mcp");
  EXPECT_THAT(server[1].headers, ElementsAre(Pair("Authorization", "Bearer bar")));
}

TEST(ServerDefinitions, AreShownAsTheyAreWritten) {
  EXPECT_THAT(
      definitions_as_written(R"({"mcpServers": {"a": {"command": "x", "args": ["--key=${KEY}"], "new": 1}, "b": 5}})").value(),
      ElementsAre(R"(a: {"command":"x","args":["--key=${KEY}"],"new":1})", "b: 5"));
}

TEST(ServerDefinitions, UnknownAndDisabledNamesAreErrors) {
  ServerList list = parse(R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "disabled": true},
      "me": {"command": "/usr/bin/holdfast", "args": ["mcp"]}}})")
                        .value();
  list.file.path = "f.json";
  EXPECT_THAT(choose_servers(list, {}).value(), SizeIs(1)) << "neither the disabled one nor ourselves";
  EXPECT_THAT(choose_servers(list, {"a"}).value(), SizeIs(1));
  const auto refused = choose_servers(list, {"a", "b", "c"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("b (disabled)"), HasSubstr("c")));
  EXPECT_THAT(refused.error().hint, HasSubstr("a, me"));
}

TEST(ServerDefinitions, WeAreKnownByEveryName) {
  const TestFolder folder;
  std::filesystem::create_symlink("/proc/self/exe", folder / "another-name");
  std::filesystem::create_symlink(std::filesystem::read_symlink("/proc/self/exe"), folder / "further-name");
  for (const std::string& command : {std::string("claude-session-mcp"), std::string("/opt/bin/claude-session"),
                                     folder / "another-name", folder / "further-name"}) {
    const auto list = parse(fmt::format(R"({{"mcpServers": {{"me": {{"command": "{}"}}}}}})", command)).value();
    EXPECT_THAT(choose_servers(list, {}).value(), IsEmpty()) << command;
  }
}

}  // namespace
}  // namespace holdfast::runner
