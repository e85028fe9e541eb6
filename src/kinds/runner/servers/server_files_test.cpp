// Which file of definitions counts, and what must hold before that of a project does.

#include "kinds/runner/servers/server_files.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

namespace holdfast::runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct ServerFiles : testing::Test {
  ServerFiles() {
    std::filesystem::create_directories(home + "/.lmstudio");
    std::filesystem::create_directories(work);
    places.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    places.folder = work;
    places.consent = [this](const ProjectServers& seen) -> Result<void> {
      asked.push_back(seen);
      if (agrees) return {};
      return fail(ErrorKind::refused, "no", {}, std::string(kNotAgreed));
    };
  }
  static void write(const std::string& path, const std::string& name, const std::string& more = R"("command": "x")") {
    ASSERT_TRUE(replace_file(path, fmt::format(R"({{"mcpServers": {{"{}": {{{}}}}}}})", name, more)));
  }
  Result<ServerList> find() const { return find_servers(places); }

  TestFolder folder;
  const std::string home = folder / "home", work = folder / "work/deep", project = work + "/.mcp.json";
  std::map<std::string, std::string> variables{{"HOME", home}};
  ServerPlaces places;
  bool agrees = true;
  std::vector<ProjectServers> asked;
};

TEST_F(ServerFiles, TheFirstFileThatExistsWins) {
  EXPECT_THAT(find().value().servers, IsEmpty());
  const std::vector<std::string> worst_first = {home + "/.mcp.json",          project,
                                                home + "/.lmstudio/mcp.json", folder / "named.json",
                                                folder / "remembered.json",   folder / "typed.json"};
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    write(worst_first[i], "s" + std::to_string(i));
    if (i == 3) variables["MCP_JSON_PATH"] = worst_first[i];
    if (i == 4) places.remembered.path = worst_first[i];
    if (i == 5) places.named = worst_first[i];
    const auto found = find().value();
    EXPECT_EQ(found.file.path, worst_first[i]);
    EXPECT_EQ(found.file.from_project, i == 1);
    EXPECT_EQ(found.servers.at(0).name, "s" + std::to_string(i));
  }
  places.named = folder / "nowhere.json";
  EXPECT_EQ(find().error().kind, ErrorKind::not_found);
  ASSERT_TRUE(replace_file(folder / "nowhere.json", "{\"mcpServers\": "));
  EXPECT_THAT(find().error().message, HasSubstr("nowhere.json"));
}

TEST_F(ServerFiles, WhereTheyWereFoundIsAbsolute) {
  ASSERT_TRUE(replace_file(folder / "m.json", R"({"mcpServers": {}})"));
  const std::string relative = std::filesystem::relative(folder / "m.json", std::filesystem::current_path());
  ASSERT_FALSE(relative.starts_with('/'));
  variables["MCP_JSON_PATH"] = relative;
  const auto found = find().value();
  EXPECT_TRUE(std::filesystem::equivalent(found.file.path, folder / "m.json"));
  EXPECT_TRUE(found.file.path.starts_with('/')) << found.file.path;
}

TEST_F(ServerFiles, P1TheFolderAboveIsNotTheProject) {
  write(work + "/../.mcp.json", "above");
  EXPECT_THAT(find().value().servers, IsEmpty());
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(ServerFiles, P1AProjectsFileNeedsConsentForEachTextOfIt) {
  write(project, "a", R"("command": "x", "args": ["${SECRET}"], "env": {"LD_PRELOAD": "evil.so"})");
  agrees = false;
  EXPECT_EQ(find().error().code, kNotAgreed);
  places.consent = {};
  EXPECT_EQ(find().error().code, kNotAgreed) << "nobody agrees where nobody is there";
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].path, project);
  EXPECT_THAT(asked[0].definitions, ElementsAre(R"(a: {"command":"x","args":["${SECRET}"],"env":{"LD_PRELOAD":"evil.so"}})"))
      << "all of it, and nothing put in";

  const TrustedFiles trusted(folder / "trusted.json");
  places.consent = [&](const ProjectServers& seen) -> Result<void> {
    asked.push_back(seen);
    HF_TRY(const Trust trust, trusted.of(seen.path, seen.digest));
    if (trust == Trust::agreed) return {};
    return fail(ErrorKind::refused, "no", {}, std::string(kNotAgreed));
  };
  EXPECT_EQ(trusted.of(project, asked[0].digest).value(), Trust::unknown);
  ASSERT_TRUE(trusted.agree(project, asked[0].digest));
  EXPECT_TRUE(find());
  write(project, "b");
  EXPECT_EQ(find().error().code, kNotAgreed);
  EXPECT_EQ(trusted.of(project, asked.back().digest).value(), Trust::changed);
  EXPECT_EQ(trusted.of(folder / "elsewhere", asked[0].digest).value(), Trust::unknown) << "the place counts, too";
  ASSERT_TRUE(replace_file(folder / "trusted.json", "[]"));
  EXPECT_EQ(find().error().kind, ErrorKind::corrupt);
}

TEST_F(ServerFiles, P1WhatAPersonNamesOrKeepsAtHomeIsTheirOwn) {
  write(project, "a", R"("command": "${SECRET}")");
  variables["SECRET"] = "hush";
  agrees = false;
  places.named = project;
  EXPECT_EQ(find().value().servers.at(0).command, "hush");
  places.named = "";
  places.folder = home;
  write(home + "/.mcp.json", "b", R"("command": "${SECRET}")");
  EXPECT_EQ(find().value().servers.at(0).command, "hush");
  places.remembered = {project, false};  // it was named when the run began
  EXPECT_EQ(find().value().servers.at(0).command, "hush");
  EXPECT_THAT(asked, IsEmpty());
  places.remembered = {project, true};
  EXPECT_EQ(find().error().code, kNotAgreed);
}

TEST_F(ServerFiles, P1AProjectsFileIsItsUsersAlone) {
  write(project, "a");
  ASSERT_TRUE(find());
  for (const mode_t wrong : {0620U, 0602U, 0666U}) {
    ASSERT_EQ(::chmod(project.c_str(), wrong), 0);
    EXPECT_THAT(find().error().message, AllOf(HasSubstr("written by others"), HasSubstr(project)));
  }
  ASSERT_EQ(::chmod(project.c_str(), 0644), 0);
  for (const mode_t wrong : {0770U, 0707U}) {
    ASSERT_EQ(::chmod(work.c_str(), wrong), 0);
    EXPECT_EQ(find().error().kind, ErrorKind::refused) << "who can write the folder can put another file there";
  }
  ASSERT_EQ(::chmod(work.c_str(), 01777), 0);
  EXPECT_TRUE(find()) << "nobody takes away there what is another's";
  ASSERT_EQ(::chmod(work.c_str(), 0755), 0);
  EXPECT_TRUE(find());
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(project.c_str(), 12345, 12345), 0);
    EXPECT_THAT(find().error().message, HasSubstr("another user"));
    ASSERT_EQ(::chown(project.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(work.c_str(), 12345, 12345), 0);
    EXPECT_THAT(find().error().message, HasSubstr("another user"));
    ASSERT_EQ(::chown(work.c_str(), 0, 0), 0);
  }
  asked.clear();
  std::filesystem::rename(project, folder / "real.json");
  std::filesystem::create_symlink(folder / "real.json", project);
  EXPECT_THAT(find().error().message, HasSubstr("link"));
  std::filesystem::remove(project);
  ASSERT_EQ(::mkfifo(project.c_str(), 0600), 0);
  EXPECT_EQ(find().error().kind, ErrorKind::refused) << "and nobody waits for a writer";
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(ServerFiles, P1AProjectsFileSeesTheVariablesThatAreAllowed) {
  variables["SECRET"] = "hush";
  variables["PORT"] = "81";
  places.project_variables = {"PORT"};
  for (const char* definition :
       {R"("url": "https://h/?k=${SECRET}")", R"("url": "https://h/", "headers": {"K": "${SECRET:-none}"})",
        R"("url": "https://h/", "oauth": {"clientId": "${SECRET}"})", R"("command": "x", "args": ["${SECRET}"])",
        R"("command": "x", "env": {"K": "${SECRET}"})", R"("command": "${SECRET}")", R"("command": "x", "cwd": "${SECRET}")"}) {
    write(project, "a", definition);
    const auto found = find().value();
    EXPECT_THAT(found.servers, IsEmpty()) << definition;
    ASSERT_THAT(found.broken, SizeIs(1));
    EXPECT_THAT(found.broken[0].error.message, AllOf(HasSubstr("SECRET"), HasSubstr("runner.project_variables")));
  }
  write(project, "a", R"("url": "https://h:${PORT}/${NOT_SET:-x}")");
  EXPECT_EQ(find().value().servers.at(0).url, "https://h:81/x");
}

TEST_F(ServerFiles, P29ABrokenFileKeepsWhatItSaidBefore) {
  ServerFinder finder;
  write(home + "/.mcp.json", "a");
  EXPECT_EQ(finder.find(places).value().warning, "");
  for (const char* broken : {"{\"mcpServers\": {\"b\": ", "{}", ""}) {
    ASSERT_TRUE(replace_file(home + "/.mcp.json", broken));
    const auto found = finder.find(places).value();
    EXPECT_EQ(found.servers.at(0).name, "a");
    EXPECT_THAT(found.warning, AllOf(HasSubstr(".mcp.json"), HasSubstr("before")));
    EXPECT_EQ(find().error().kind, ErrorKind::invalid) << "who has not seen it before has nothing to go by";
  }
  write(home + "/.mcp.json", "c");
  EXPECT_EQ(finder.find(places).value().servers.at(0).name, "c");
  std::filesystem::remove(home + "/.mcp.json");
  EXPECT_THAT(finder.find(places).value().servers, IsEmpty()) << "who takes it away means it";
  write(project, "p");
  EXPECT_TRUE(finder.find(places));
  agrees = false;
  EXPECT_EQ(finder.find(places).error().code, kNotAgreed);
}

}  // namespace
}  // namespace holdfast::runner
