#include "kinds/runner/servers/server_files.h"

#include "base/crypto/hash.h"
#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace holdfast::runner {
namespace {

constexpr std::size_t kMaxFileBytes = 1024 * 1024;  // a list of servers, written by hand
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr std::string_view kNameYourOwn = "or name a file of your own with --mcp-json or MCP_JSON_PATH";

// Whoever goes on with a run may stand in another folder.
std::string absolute_path(const std::string& path) {
  std::error_code problem;
  const auto place = std::filesystem::absolute(path, problem);
  return problem ? path : place.lexically_normal().string();
}

Error written_by_others(const std::string& what, const std::string& file) {
  return make_error(ErrorKind::refused, fmt::format("{} can be written by others: no server of {} is started", what, file),
                    fmt::format("chmod go-w {}; {}", what, kNameYourOwn));
}

Error owned_by_another(const std::string& what, const std::string& file) {
  return make_error(ErrorKind::refused, fmt::format("{} belongs to another user: no server of {} is started", what, file),
                    fmt::format("read it, and keep a copy that is yours; {}", kNameYourOwn));
}

// Who can write a folder can put another file into it, unless its sticky bit keeps them from touching what is not theirs.
Result<void> require_own_folder(int folder, const std::string& path, const std::string& file) {
  struct stat facts{};
  if (::fstat(folder, &facts) != 0) return fail(system_error(path, errno));
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) return fail(owned_by_another(path, file));
  if ((facts.st_mode & kOthersWrite) != 0 && (facts.st_mode & S_ISVTX) == 0) return fail(written_by_others(path, file));
  return {};
}

// What is judged, read and agreed to is one and the same open file: nobody can put another one in between.
Result<std::string> read_of_project(const std::string& path) {
  const std::filesystem::path place(path);
  const Fd folder(::open(place.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail(system_error(path, errno));
  const Fd file(::openat(folder.get(), place.filename().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file && errno == ELOOP)
    return fail(ErrorKind::refused, fmt::format("{} is a link: no server of it is started", path),
                "name the file it leads to with --mcp-json or MCP_JSON_PATH");
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0) return fail(system_error(path, errno));
  HF_CHECK(require_own_folder(folder.get(), place.parent_path().string(), path));
  if (!S_ISREG(facts.st_mode)) return fail(ErrorKind::refused, fmt::format("{} is no file", path));
  if (facts.st_uid != ::geteuid()) return fail(owned_by_another(path, path));
  if ((facts.st_mode & kOthersWrite) != 0) return fail(written_by_others(path, path));
  return read_all(file.get(), kMaxFileBytes);
}

struct PlaceOfServers {
  ServersFile file;
  bool must_exist = false;
};

std::vector<PlaceOfServers> places_to_look(const ServerPlaces& places) {
  if (!places.named.empty()) return {{{absolute_path(places.named), false}, true}};
  const std::string home = places.environment("HOME").value_or("");
  std::vector<std::string> own;
  if (!home.empty()) own = {home + "/.lmstudio/mcp.json", home + "/.mcp.json"};
  if (!places.remembered.path.empty()) {
    const bool at_home = std::ranges::find(own, places.remembered.path) != own.end();
    return {{{places.remembered.path, places.remembered.from_project && !at_home}, true}};
  }
  if (const auto named = places.environment("MCP_JSON_PATH"); named && !named->empty())
    return {{{absolute_path(*named), false}, true}};
  std::vector<PlaceOfServers> all;
  if (!own.empty()) all.push_back({{own.front(), false}});
  // By its real name: a link to the folder is no second project.
  std::error_code problem;
  const auto folder = std::filesystem::canonical(places.folder, problem);
  if (!problem && !(!home.empty() && std::filesystem::equivalent(folder, home, problem)))
    all.push_back({{(folder / ".mcp.json").string(), true}});
  if (!own.empty()) all.push_back({{own.back(), false}});
  return all;
}

Result<void> require_consent(const ServerPlaces& places, const std::string& path, std::string_view text) {
  HF_TRY(std::vector<std::string> definitions, definitions_as_written(text));
  const ProjectServers project{path, to_hex(sha256(text)), std::move(definitions)};
  if (places.consent) return places.consent(project);
  return fail(ErrorKind::refused, fmt::format("nobody has agreed to the servers of {}", path), {}, std::string(kNotAgreed));
}

Result<ServerList> servers_of_text(const ServerPlaces& places, const ServersFile& file, std::string_view text) {
  if (file.from_project) HF_CHECK(require_consent(places, file.path, text));
  HF_TRY(ServerList list,
         parse_servers(text, places.environment, file.from_project ? AllowedVariables(places.project_variables) : std::nullopt));
  list.file = file;
  return list;
}

Result<JsonObject> read_trusted(const std::string& list) {
  const auto text = read_file(list);
  if (!text && text.error().kind == ErrorKind::not_found) return JsonObject();
  if (!text) return fail(text.error());
  auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_object())
    return fail(ErrorKind::corrupt, list + " is no list of files that were agreed to",
                "remove it: everything is asked about again");
  return std::move(parsed->as_object());
}

}  // namespace

Result<ServerList> find_servers(const ServerPlaces& places) {
  return ServerFinder().find(places);
}

Result<ServerList> ServerFinder::former(const std::string& path, Error error) {
  const std::lock_guard lock(mutex_);
  const auto known = former_.find(path);
  if (error.kind != ErrorKind::invalid || known == former_.end()) return fail(std::move(error).within(path));
  ServerList list = known->second;
  list.warning = fmt::format("{} is broken now, and the servers that it named before are used: {}", path, error.message);
  return list;
}

Result<ServerList> ServerFinder::find(const ServerPlaces& places) {
  for (const auto& [file, must_exist] : places_to_look(places)) {
    const auto text = file.from_project ? read_of_project(file.path) : read_file(file.path, kMaxFileBytes);
    if (!text && text.error().kind == ErrorKind::not_found && !must_exist) continue;
    if (!text) return fail(text.error());
    auto list = servers_of_text(places, file, *text);
    if (!list && list.error().kind == ErrorKind::refused) return list;  // it names the file already
    if (!list) return former(file.path, std::move(list).error());
    const std::lock_guard lock(mutex_);
    former_[file.path] = *list;
    return list;
  }
  return ServerList{};
}

Result<Trust> TrustedFiles::of(const std::string& path, const std::string& digest) const {
  HF_TRY(const JsonObject trusted, read_trusted(list_));
  const auto known = find_string(trusted, to_valid_utf8(path));
  if (!known) return Trust::unknown;
  return *known == digest ? Trust::agreed : Trust::changed;
}

Result<void> TrustedFiles::agree(const std::string& path, const std::string& digest) const {
  HF_TRY(const FileLock lock, FileLock::acquire(list_ + ".lock"));
  HF_TRY(JsonObject trusted, read_trusted(list_));
  trusted[to_valid_utf8(path)] = digest;
  return replace_file(list_, to_json_pretty(Json(std::move(trusted))) + "\n");
}

}  // namespace holdfast::runner
