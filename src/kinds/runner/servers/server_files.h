#pragma once

// Where the MCP servers of a person are defined: the file they name, one in their home folder, or that of the project.
//
// What a person names, or keeps in their home folder, is their own. A file in a project's folder came with the project: somebody
// else may have written it, and it says which programs are started. It is used only when it and its folder belong to the person
// and nobody else can write them, and after the person agreed to exactly this text. Of the environment it sees the variables
// that they allow, and no others.

#include "base/result.h"
#include "kinds/runner/servers/server_definitions.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::runner {

// A file of a project, before anything of it is used.
struct ProjectServers {
  std::string path, digest;              // where, and of which bytes (SHA-256)
  std::vector<std::string> definitions;  // "name: {...}" as they are written there, nothing put in and nothing left out
};
// Whether the person agrees that it is used: ok, or why not (refused).
using Consent = std::function<Result<void>(const ProjectServers&)>;

// Code of the error when nobody has agreed to a project's file as it is.
inline constexpr std::string_view kNotAgreed = "not_agreed";

struct ServerPlaces {
  Lookup environment;
  std::string folder;                               // of the project
  std::string named = {};                           // by the person; "": $MCP_JSON_PATH
  ServersFile remembered = {};                      // of the run that goes on
  std::vector<std::string> project_variables = {};  // of the environment, that a project's file may have
  Consent consent = {};                             // empty: nobody agrees
};

// Those of the file that is named, or remembered, or of the first of ~/.lmstudio/mcp.json, .mcp.json of the project's folder
// (never of the one above), ~/.mcp.json that exists; an empty list when none does. Errors: those of the file, with its name;
// not_found when one that is named or remembered is not there; refused, for a project's file that somebody else owns or can
// write, or nobody agreed to.
Result<ServerList> find_servers(const ServerPlaces& places);

// The same, again and again: while somebody is in the middle of changing a file, so that it cannot be read, what it said before
// counts, with a warning. Thread-safe.
class ServerFinder {
 public:
  Result<ServerList> find(const ServerPlaces& places);

 private:
  Result<ServerList> former(const std::string& path, Error error);

  std::mutex mutex_;
  std::map<std::string, ServerList, std::less<>> former_;  // by path
};

// Files that somebody has agreed to, each with what was in it: a file that has changed is another file.
//
// Kept in a file of its own, {"PATH": "SHA-256"}, mode 0600: consent is given by one person on one machine, while the store may
// be shared by many.
enum class Trust { unknown, changed, agreed };

class TrustedFiles {
 public:
  explicit TrustedFiles(std::string list) : list_(std::move(list)) {}

  // Errors: corrupt (the list), those of reading it.
  Result<Trust> of(const std::string& path, const std::string& digest) const;
  // In place of what was agreed to there before. Errors: as of(), io.
  Result<void> agree(const std::string& path, const std::string& digest) const;

 private:
  const std::string list_;
};

}  // namespace holdfast::runner
