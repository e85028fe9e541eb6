// persistent-client §6 (server definitions) and §7 (the request).

#include "runner/run_request.h"

#include "base/file.h"
#include "base/test_folder.h"
#include "runner/server_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Result<RunRequest> request(std::string_view text) {
  return parse_run_request(parse_json(text).value());
}

TEST(RunRequest, TasksAreTextsOrObjects) {
  const auto run = request(R"({"tasks": ["  one ", {"task": "two", "working_directory": "/a", "max_rounds": 3.0, "id": "x",
      "max_tokens": "auto", "keep_context": true}, {"task": "three", "working_directory": ["/a", "/b"], "timeout_s": 5}],
      "max_rounds": 7, "max_tokens": 500, "on_error": "stop", "model": "m", "servers": ["fs"]})")
                       .value();
  ASSERT_THAT(run.tasks, SizeIs(3));
  EXPECT_EQ(run.tasks[0].text, "one");
  EXPECT_EQ(run.tasks[0].id, "task-1");
  EXPECT_FALSE(run.tasks[0].folders);
  EXPECT_EQ(run.rounds_of(run.tasks[0]), 7);
  EXPECT_EQ(run.rounds_of(run.tasks[1]), 3);
  EXPECT_EQ(run.tokens_of(run.tasks[0]), 500);
  EXPECT_TRUE(run.tasks[1].keep_context);
  EXPECT_THAT(*run.tasks[2].folders, ElementsAre("/a", "/b"));
  EXPECT_EQ(run.timeout_of(run.tasks[2]), 5);
  EXPECT_EQ(run.timeout_of(run.tasks[0]), 600);
  EXPECT_EQ(run.model_of(run.tasks[0]), "m");
  EXPECT_TRUE(run.stop_on_error);
  EXPECT_THAT(request(R"(["only", "tasks"])").value().tasks, SizeIs(2));
}

TEST(RunRequest, EverythingWrongIsSaidAtOnce) {
  const auto refused = request(R"({"tasks": ["ok", "", {"working_directory": "/a"}, 5, {"task": "x", "working_directory": []},
      {"task": "y", "max_rounds": 0}, {"task": "z", "max_tokens": "many"}, {"task": "w", "folder": "/a"}, {"task": "v", "id": "task-1"}],
      "on_error": "explode"})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("tasks[1]"), HasSubstr("tasks[2]"), HasSubstr("tasks[3]"), HasSubstr("tasks[4].working_directory"),
                    HasSubstr("tasks[5].max_rounds"), HasSubstr("tasks[6].max_tokens"), HasSubstr("tasks[7]: there is no folder"),
                    HasSubstr("tasks[8].id"), HasSubstr("on_error"), Not(HasSubstr("tasks[0]"))));
}

TEST(RunRequest, Bounds) {
  EXPECT_FALSE(request(R"({"tasks": []})"));
  EXPECT_FALSE(request(R"({})"));
  EXPECT_FALSE(request(R"("one")"));
  EXPECT_TRUE(request(R"([")" + std::string(kMaxTaskCharacters, 'x') + R"("])"));
  EXPECT_FALSE(request(R"([")" + std::string(kMaxTaskCharacters + 1, 'x') + R"("])"));
  std::string many = "[\"t\"";
  for (std::size_t i = 0; i < kMaxTasks; ++i) many += ",\"t\"";
  EXPECT_FALSE(request(many + "]"));
}

TEST(RunRequest, WhatIsJournaledReadsBackTheSame) {
  const auto run =
      request(R"({"tasks": ["one", {"task": "two", "working_directory": ["/a"], "max_rounds": 3, "keep_context": true}],
      "initial_directory": "/x", "servers": ["fs"], "timeout_s": 9, "on_error": "stop", "response_format": {"type": "json_object"}})")
          .value();
  const auto again = parse_run_request(request_json(run)).value();
  EXPECT_EQ(request_json(again), request_json(run));
}

TEST(ServerDefinitions, AreReadAsPeopleWriteThem) {
  const auto servers = parse_servers(R"({"mcpServers": {
      "filesystem": {"command": "npx", "args": ["-y", "@scope/fs"], "env": {"KEY": "hush"}, "cwd": "/w"},
      "old": {"command": "fs", "args": ["--x"], "rootsAt": "end", "rootsProbe": "list_dirs"},
      "far": {"type": "http", "url": "https://h/mcp?key=hush", "headers": {"Authorization": "Bearer hush"}},
      "off": {"command": "x", "disabled": true}}, "other": 1})")
                           .value();
  ASSERT_THAT(servers, SizeIs(4));
  EXPECT_THAT(servers[0].arguments, ElementsAre("-y", "@scope/fs"));
  EXPECT_EQ(servers[0].folder, "/w");
  EXPECT_EQ(servers[1].roots_at, 1U);
  EXPECT_EQ(servers[1].probe_tool, "list_dirs");
  EXPECT_EQ(servers[2].url, "https://h/mcp?key=hush");
  EXPECT_TRUE(servers[3].disabled);
}

TEST(ServerDefinitions, LoginsAreReadInEverySpelling) {
  const auto servers = parse_servers(R"({"mcpServers": {
      "a": {"url": "https://h/", "oauth": {"clientId": "i", "clientSecret": "s", "callbackPort": 8080, "scopes": ["x", "y"], "new": 1}},
      "b": {"url": "https://h/", "auth": {"CLIENT_ID": "i", "CLIENT_SECRET": "s", "scopes": "x  y"}},
      "c": {"url": "https://h/", "oauth": {"client_id": "i", "redirect_uri": "http://127.0.0.1:9/back", "callbackPort": 7}},
      "d": {"url": "https://h/", "oauth": false}, "e": {"url": "https://h/", "oauth": true}, "f": {"url": "https://h/"}}})")
                           .value();
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
  const auto servers = parse_servers(R"({"mcpServers": {
      "a": {"command": "x", "args": ["--token", "hush", "--api-key=hush", "plain"], "env": {"A": "hush"}},
      "b": {"url": "https://h/mcp?key=hush", "headers": {"Authorization": "hush"}},
      "c": {"url": "https://h/mcp", "oauth": {"clientId": "i", "clientSecret": "hush"}}}})")
                           .value();
  ASSERT_THAT(servers, SizeIs(3));
  for (const ServerDefinition& server : servers) EXPECT_THAT(describe(server), Not(HasSubstr("hush")));
}

TEST(ServerDefinitions, MistakesAreNamed) {
  for (const auto& [text, where] :
       {std::pair(R"({"mcpServers": {"a": {}}})", "mcpServers.a"),
        std::pair(R"({"mcpServers": {"a": {"command": "x", "args": "y"}}})", "a.args"),
        std::pair(R"({"mcpServers": {"a": {"command": "x", "env": {"k": 1}}}})", "a.env"),
        std::pair(R"({"mcpServers": {"a b": {"command": "x"}}})", "a b"),
        std::pair(R"({"mcpServers": {"a": {"command": "x", "url": "y"}}})", "mcpServers.a"),
        std::pair(R"({"mcpServers": {"a": {"command": "x", "rootsAt": 5}}})", "rootsAt"),
        std::pair(R"({"mcpServers": {"a": {"url": "y", "oauth": 3}}})", "a.oauth"),
        std::pair(R"({"mcpServers": {"a": {"url": "y", "oauth": {"clientId": 3}}}})", "clientId"),
        std::pair(R"({"mcpServers": {"a": {"url": "y", "oauth": {"clientSecret": "s"}}}})", "clientId"),
        std::pair(R"({"mcpServers": {"a": {"url": "y", "oauth": {"callbackPort": 0}}}})", "callbackPort"),
        std::pair(R"({"mcpServers": {"a": {"url": "y", "oauth": {"scopes": [1]}}}})", "scopes"),
        std::pair(R"({"servers": {}})", "mcpServers")}) {
    const auto refused = parse_servers(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr(where));
  }
}

TEST(ServerDefinitions, TheFirstFileThatExistsWins) {
  const TestFolder folder;
  const std::string home = folder / "home", work = folder / "work/deep";
  std::filesystem::create_directories(home + "/.lmstudio");
  std::filesystem::create_directories(work);
  std::map<std::string, std::string> variables{{"HOME", home}};
  const Lookup lookup = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const auto write = [](const std::string& path, const std::string& name) {
    ASSERT_TRUE(replace_file(path, R"({"mcpServers": {")" + name + R"(": {"command": "x"}}})"));
  };
  EXPECT_THAT(find_servers(lookup, work).value().servers, IsEmpty());
  const std::vector<std::string> worst_first = {work + "/../.mcp.json", home + "/.mcp.json", work + "/.mcp.json",
                                                home + "/.lmstudio/mcp.json", folder / "named.json"};
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    write(worst_first[i], "s" + std::to_string(i));
    if (i == 4) variables["MCP_JSON_PATH"] = worst_first[i];
    const auto found = find_servers(lookup, work).value();
    EXPECT_EQ(found.file, worst_first[i]);
    EXPECT_EQ(found.servers.at(0).name, "s" + std::to_string(i));
  }
  variables["MCP_JSON_PATH"] = folder / "nowhere.json";
  EXPECT_FALSE(find_servers(lookup, work));
  ASSERT_TRUE(replace_file(folder / "nowhere.json", "{\"mcpServers\": "));
  EXPECT_THAT(find_servers(lookup, work).error().message, HasSubstr("nowhere.json"));
}

TEST(ServerDefinitions, UnknownAndDisabledNamesAreErrors) {
  ServerList list{"f.json", parse_servers(R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "disabled": true},
      "me": {"command": "/usr/bin/holdfast", "args": ["mcp"]}}})")
                                .value()};
  EXPECT_THAT(choose_servers(list, {}).value(), SizeIs(1)) << "neither the disabled one nor ourselves";
  EXPECT_THAT(choose_servers(list, {"a"}).value(), SizeIs(1));
  const auto refused = choose_servers(list, {"a", "b", "c"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("b (disabled)"), HasSubstr("c")));
  EXPECT_THAT(refused.error().hint, HasSubstr("a, me"));
}

}  // namespace
}  // namespace holdfast::runner
