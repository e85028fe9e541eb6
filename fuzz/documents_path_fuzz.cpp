// Names of documents made by strangers, in a folder full of links made by strangers: whatever is read or created lies in the
// library. The input is a list of lines. "l NAME TARGET" makes a link, "d NAME" a folder, "f NAME" a file; any other line is a
// path that is asked for.

#include "base/files/file.h"
#include "kinds/documents/files/document_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

using namespace holdfast;
using namespace holdfast::documents;
namespace fs = std::filesystem;

constexpr std::size_t kMaxLines = 64;
constexpr std::string_view kSecret = "secret";

void require(bool holds) {
  if (!holds) std::abort();
}

// Made once: kb/ is emptied before each input, outside/ must stay as it is.
struct Folders {
  std::string base;
  Folders() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    base = std::string(in_memory ? "/dev/shm" : "/tmp") + "/holdfast-fuzz-XXXXXX";
    require(::mkdtemp(base.data()) != nullptr);
    fs::create_directories(base + "/kb-outside/inner");
    require(create_file(base + "/kb-outside/secret.md", kSecret).has_value());
    require(create_file(base + "/kb-outside/inner/secret.md", kSecret).has_value());
  }
  ~Folders() {
    std::error_code ignored;
    fs::remove_all(base, ignored);
  }
  std::size_t outside_entries() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(base + "/kb-outside")) count += entry.exists() ? 1 : 0;
    return count;
  }
};

// Where the fuzzer may put things: plain names, so that only links lead out, as it chooses.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() < 100 && name.find('\0') == name.npos && name.find("..") == name.npos &&
         name.front() != '/';
}

void arrange(const std::string& root, std::string_view line) {
  const std::string_view rest = line.substr(2);
  const std::size_t blank = rest.find(' ');
  const std::string name(rest.substr(0, blank));
  if (!is_plain(name)) return;
  // O_NOFOLLOW is not enough for folders on the way, so things are only put where no link is.
  const std::string path = root + '/' + name;
  std::error_code error;
  const fs::path parent = fs::weakly_canonical(fs::path(path).parent_path(), error);
  if (error || !(parent.string() + '/').starts_with(root + '/')) return;
  if (line[0] == 'd') fs::create_directories(path, error);
  if (line[0] == 'f') static_cast<void>(create_file(path, "inside"));
  if (line[0] == 'l' && blank != rest.npos) fs::create_symlink(std::string(rest.substr(blank + 1, 200)), path, error);
}

void ask(Library& library, const std::string& root, std::string_view path) {
  if (const auto place = library.find(path)) {
    require(place->key == root || place->key.starts_with(root + '/'));
    require(!place->key.contains("/.") && !(place->key + '/').starts_with(root + "/state/"));
    const auto state = read_document(library, *place);
    require(!state || state->bytes == "inside" || state->bytes == "made");
    const auto again = library.find(place->path);
    require(again && again->key == place->key);
  }
  if (const auto place = library.find_new(path)) {
    require(place->key.starts_with(root + '/'));
    FileStep step;
    step.kind = FileStep::Kind::create;
    step.place = *place;
    step.bytes = "made";
    if (!apply_steps(library, {step}, {"create", {}, "fuzz"})) return;
    const auto found = library.find(place->path);
    require(found && found->key == place->key);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folders folders;
  const std::string root = folders.base + "/kb";
  std::error_code error;
  fs::remove_all(root, error);
  fs::create_directory(root, error);
  LibrarySettings settings;
  settings.folders = {{"kb", root, false}};
  settings.state_folder = root + "/state";
  const auto library = Library::open(settings);
  require(library.has_value());
  const std::size_t outside = folders.outside_entries();

  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t lines = 0; lines < kMaxLines && !text.empty(); ++lines) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == text.npos ? text.size() : newline + 1);
    const bool arranges = line.starts_with("l ") || line.starts_with("d ") || line.starts_with("f ");
    if (arranges)
      arrange(root, line);
    else
      ask(**library, root, line);
  }
  require(folders.outside_entries() == outside);
  require(read_file(folders.base + "/kb-outside/secret.md").value_or("") == kSecret);
  return 0;
}
