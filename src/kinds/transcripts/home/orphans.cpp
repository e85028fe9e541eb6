#include "kinds/transcripts/home/orphans.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"

#include <fmt/format.h>

#include <dirent.h>

#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kMaxIndexBytes = 64 * 1024 * 1024;  // the client's index of a project with tens of thousands of sessions

std::string_view without_ending(std::string_view name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string_view();
}

class Searching {
 public:
  explicit Searching(const Home& home) : home_(home) {}

  Result<void> list_sessions() {
    HF_TRY(const auto sessions, all_sessions(home_));
    for (const FoundSession& session : sessions) ids_.insert(session.place.session_id);
    return {};
  }

  Result<void> search_project(const std::string& folder) {
    const std::string path = "projects/" + folder;
    HF_TRY(const auto entries, home_.entries(path));
    std::set<std::string, std::less<>> here;
    for (const Home::Entry& entry : entries)
      if (const auto id = without_ending(entry.name, ".jsonl"); is_uuid(id)) here.emplace(id);
    for (const Home::Entry& entry : entries) {
      const std::string below = path + "/" + entry.name;
      if (entry.type == DT_DIR && is_uuid(entry.name) && !here.contains(entry.name)) HF_CHECK(add_folder(below));
      if (entry.type != DT_REG || !entry.name.starts_with("agent-") || !entry.name.ends_with(".jsonl")) continue;
      const std::string session = session_of_agent(below);
      if (!session.empty() && !here.contains(session)) found_.push_back(below);
    }
    return {};
  }

  // Where files or folders are named by the session they belong to.
  Result<void> search_area(const std::string& area) {
    HF_TRY(const auto entries, home_.entries(area));
    for (const Home::Entry& entry : entries) {
      const std::string_view id = std::string_view(entry.name).substr(0, kUuidLength);
      if (!is_uuid(id) || ids_.contains(id)) continue;
      const std::string path = area + "/" + entry.name;
      if (entry.type == DT_DIR) {
        HF_CHECK(add_folder(path));
      } else {
        found_.push_back(path);
      }
    }
    return {};
  }

  std::vector<std::string> found() { return std::move(found_); }

 private:
  Result<void> add_folder(const std::string& path) {
    HF_TRY(const auto entries, home_.entries(path));
    if (!entries.empty()) found_.push_back(path);
    return {};
  }

  // By its first record that names one; empty when none does.
  std::string session_of_agent(const std::string& path) {
    constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
    std::array<jsonl::Token, 1> found;
    auto fd = home_.open_file(path);
    if (!fd) return {};
    const auto file = jsonl::LiveFile::of(*std::move(fd));
    if (!file) return {};
    auto lines = file->lines();
    while (true) {
      const auto line = lines.next();
      if (!line || !*line) return {};
      if (!(*line)->overlong) scanner_.fields((*line)->text, kNames, found);
      if (found[0].kind == jsonl::TokenKind::string) return found[0].text();
    }
  }

  const Home& home_;
  std::set<std::string, std::less<>> ids_;
  std::vector<std::string> found_;
  jsonl::Scanner scanner_;
};

}  // namespace

Result<std::vector<std::string>> find_orphans(const Home& home, const std::vector<std::string>& project_folders,
                                              bool everywhere) {
  Searching searching(home);
  for (const std::string& folder : project_folders) HF_CHECK(searching.search_project(folder));
  if (everywhere) {
    HF_CHECK(searching.list_sessions());
    for (const char* area : {"tasks", "file-history", "session-env", "todos", "debug"}) HF_CHECK(searching.search_area(area));
  }
  return searching.found();
}

Result<std::optional<std::string>> stale_index(const Home& home, const std::string& project_folder) {
  const std::string path = "projects/" + project_folder + "/sessions-index.json";
  const auto fd = home.open_file(path);
  if (!fd) return std::nullopt;
  const auto text = read_all(fd->get(), kMaxIndexBytes);
  const auto index = text ? parse_json(*text) : Result<Json>(fail(text.error()));
  if (!index) return path + " cannot be read";
  const JsonObject* object = index->if_object();
  const JsonArray* entries = object ? find_array(*object, "entries") : nullptr;
  if (!entries) return std::nullopt;
  std::size_t gone = 0;
  for (const Json& value : *entries) {
    const JsonObject* entry = value.if_object();
    const auto id = entry ? find_string(*entry, "sessionId") : std::nullopt;
    if (!id || !is_uuid(*id)) continue;
    HF_TRY(const auto status, home.stat(SessionPlace{std::string(*id), project_folder}.transcript()));
    if (!status) ++gone;
  }
  if (gone == 0) return std::nullopt;
  return fmt::format("{} lists {} {} without a transcript", path, gone, gone == 1 ? "session" : "sessions");
}

}  // namespace holdfast::transcripts
