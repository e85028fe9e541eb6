#include "cli/program/folders.h"

#include "base/files/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

namespace holdfast::cli {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
}

Result<Folders> find_folders(const Environment& environment) {
  auto below = [&](const std::string& variable, const std::string& usual) -> Result<std::string> {
    if (auto folder = environment(variable); folder && folder->starts_with('/')) return *folder + "/holdfast";
    auto home = environment("HOME");
    if (!home || !home->starts_with('/'))
      return fail(ErrorKind::invalid, "neither " + variable + " nor HOME names a folder", "set HOME");
    return *home + usual + "/holdfast";
  };
  Folders folders;
  HF_TRY(folders.config, below("XDG_CONFIG_HOME", "/.config"));
  HF_TRY(folders.data, below("XDG_DATA_HOME", "/.local/share"));
  return folders;
}

Result<void> make_data_folder(const Folders& folders) {
  HF_CHECK(make_private_folder(folders.data));
  struct stat status{};
  if (::stat(folders.data.c_str(), &status) != 0) return fail(system_error(folders.data, errno));
  if ((status.st_mode & 077) != 0 && ::chmod(folders.data.c_str(), 0700) != 0) return fail(system_error(folders.data, errno));
  return {};
}

}  // namespace holdfast::cli
