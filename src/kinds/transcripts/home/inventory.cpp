#include "kinds/transcripts/home/inventory.h"

#include "jsonl/line_reader.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/products/claude/slugs.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

void sort_files(std::vector<Artifact>& files) {
  std::ranges::sort(files,
                    [](const Artifact& a, const Artifact& b) { return a.kind != b.kind ? a.kind < b.kind : a.path < b.path; });
}

class Taking {
 public:
  Taking(const Home& home, const SessionPlace& place) : home_(home) { inventory_.place = place; }

  Result<Inventory> run() {
    const SessionPlace& place = inventory_.place;
    HF_CHECK(take_main());
    HF_CHECK(take_flat_agents());
    HF_CHECK(take_folder(place.folder()));
    HF_CHECK(take_todos());
    for (const std::string_view area : {"tasks", "session-env", "file-history"})
      HF_CHECK(take_folder(std::string(area) + "/" + place.session_id));
    HF_CHECK(take_named("debug/" + place.session_id + ".txt"));
    HF_CHECK(take_plans());
    sort_files(inventory_.artifacts);
    std::ranges::sort(inventory_.folders, {}, &ArtifactFolder::path);
    return std::move(inventory_);
  }

 private:
  Result<void> take_main() {
    const std::string path = inventory_.place.transcript();
    HF_TRY(const auto status, home_.stat(path));
    if (status && S_ISREG(status->st_mode)) {
      add_file(path, *status);
      return {};
    }
    return fail(ErrorKind::not_found, home_.absolute(path) + (status ? ": not a regular file" : ": no such transcript"));
  }

  void add_file(const std::string& path, const struct stat& status) {
    Artifact artifact;
    artifact.kind = kind_of_path(path, inventory_.place).value_or(ArtifactKind::other);
    artifact.path = path;
    artifact.size = static_cast<std::uint64_t>(status.st_size);
    artifact.mode = status.st_mode & 07777;
    artifact.mtime = mtime_of(status);
    inventory_.artifacts.push_back(std::move(artifact));
  }

  // A file or anything else with a name of ours; nothing when it does not exist.
  Result<void> take_named(const std::string& path) {
    HF_TRY(const auto status, home_.stat(path));
    if (!status) return {};
    if (S_ISREG(status->st_mode)) {
      add_file(path, *status);
    } else {
      inventory_.left_out.push_back(path);
    }
    return {};
  }

  // With all that is in it. No recursion: the depth is the choice of whoever made the folders.
  Result<void> take_folder(const std::string& top) {
    std::vector<std::string> waiting = {top};
    while (!waiting.empty()) {
      const std::string path = std::move(waiting.back());
      waiting.pop_back();
      HF_TRY(const auto status, home_.stat(path));
      if (!status) continue;
      if (!S_ISDIR(status->st_mode)) {
        inventory_.left_out.push_back(path);
        continue;
      }
      inventory_.folders.push_back({path, status->st_mode & 07777});
      HF_TRY(const auto entries, home_.entries(path));
      for (const Home::Entry& entry : entries) {
        const std::string below = path + "/" + entry.name;
        if (entry.type == DT_DIR) {
          waiting.push_back(below);
        } else {
          HF_CHECK(take_named(below));
        }
      }
    }
    return {};
  }

  Result<void> take_flat_agents() {
    const std::string folder = "projects/" + inventory_.place.project_folder;
    HF_TRY(const auto entries, home_.entries(folder));
    for (const Home::Entry& entry : entries) {
      const std::string path = folder + "/" + entry.name;
      if (kind_of_path(path, inventory_.place) != ArtifactKind::flat_agent) continue;
      if (entry.type == DT_DIR) continue;
      auto mine = is_agent_of_this_session(path);
      if (!mine) {
        if (mine.error().kind != ErrorKind::not_found) inventory_.left_out.push_back(path);
      } else if (*mine) {
        HF_CHECK(take_named(path));
      }
    }
    return {};
  }

  // By the first record that names a session. Searching the text would find forkedFrom, too, which names another one.
  Result<bool> is_agent_of_this_session(const std::string& path) {
    HF_TRY(Fd fd, home_.open_file(path));
    HF_TRY(const auto file, jsonl::LiveFile::of(std::move(fd)));
    auto lines = file.lines();
    constexpr std::array<std::string_view, 1> kNames = {"sessionId"};
    std::array<jsonl::Token, 1> found;
    for (;;) {
      HF_TRY(const auto line, lines.next());
      if (!line) return false;
      if (line->overlong) continue;
      scanner_.fields(line->text, kNames, found);
      if (found[0].kind == jsonl::TokenKind::string) return found[0].is(inventory_.place.session_id);
    }
  }

  Result<void> take_todos() {
    HF_TRY(const auto entries, home_.entries("todos"));
    for (const Home::Entry& entry : entries) {
      const std::string path = "todos/" + entry.name;
      if (kind_of_path(path, inventory_.place) == ArtifactKind::todo) HF_CHECK(take_named(path));
    }
    return {};
  }

  Result<void> take_plans() {
    Slugs slugs;
    for (const Artifact& artifact : inventory_.artifacts) {
      if (!is_line_file(artifact.kind) || artifact.kind == ArtifactKind::workflow_journal) continue;
      auto fd = home_.open_file(artifact.path);
      if (!fd && fd.error().kind == ErrorKind::not_found) continue;  // gone meanwhile; whoever reads it will say so
      if (!fd) return fail(std::move(fd).error());
      HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
      HF_CHECK(collect_slugs(file.fd(), file.size(), slugs));
    }
    for (const std::string& slug : slugs.refused) inventory_.left_out.push_back("slug " + slug + ": not a name for a plan");
    inventory_.slugs.assign(slugs.names.begin(), slugs.names.end());
    for (const std::string& slug : inventory_.slugs) HF_CHECK(take_named("plans/" + slug + ".md"));
    return {};
  }

  const Home& home_;
  Inventory inventory_;
  jsonl::Scanner scanner_;
};

}  // namespace

Millis mtime_of(const struct stat& status) {
  return static_cast<Millis>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

std::string SessionPlace::transcript() const {
  return folder() + ".jsonl";
}

std::string SessionPlace::folder() const {
  return "projects/" + project_folder + "/" + session_id;
}

std::uint64_t Inventory::bytes() const {
  std::uint64_t sum = 0;
  for (const Artifact& artifact : artifacts) sum += artifact.size;
  return sum;
}

const Artifact* Inventory::find(std::string_view path) const {
  const auto found = std::ranges::find(artifacts, path, &Artifact::path);
  return found == artifacts.end() ? nullptr : &*found;
}

void Inventory::lie_as_on_disk() {
  sort_files(artifacts);
  std::set<std::string> named;
  for (const Artifact& file : artifacts) {
    for (std::size_t slash = file.path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = file.path.rfind('/', slash - 1)) {
      const std::string folder = file.path.substr(0, slash);
      if (kind_of_path(folder + "/x", place)) named.insert(folder);
    }
  }
  folders.clear();
  for (const std::string& folder : named) folders.push_back({folder, 0700});
}

Result<Inventory> take_inventory(const Home& home, const SessionPlace& place) {
  return Taking(home, place).run();
}

}  // namespace holdfast::transcripts
