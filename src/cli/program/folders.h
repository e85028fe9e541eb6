#pragma once

// Where holdfast keeps its things: the XDG base directories.

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>

namespace holdfast::cli {

// A variable of the environment; replaced in tests.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

struct Folders {
  std::string config;  // $XDG_CONFIG_HOME/holdfast
  std::string data;    // $XDG_DATA_HOME/holdfast

  std::string config_file() const { return config + "/config.json"; }
  std::string token_file() const { return data + "/token"; }
  std::string default_store() const { return "sqlite:" + data + "/store.db"; }
};

// Relative XDG paths are ignored, as their specification says. Errors: invalid, when there is no HOME either.
Result<Folders> find_folders(const Environment& environment);

// Makes the data folder, mode 0700; one that others could look into is closed to them.
Result<void> make_data_folder(const Folders& folders);

}  // namespace holdfast::cli
