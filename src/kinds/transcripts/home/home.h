#pragma once

// The folder of a client (~/.claude, ~/.codex), and every path below it that we touch.
//
// Paths are relative to the folder and start with one of its areas: "projects/-home-u-p/<id>.jsonl", "tasks/<id>/1.json". People
// keep the folder, or an area of it, elsewhere and leave a symbolic link; those links are followed, once, when the area is first
// used. Below an area no link is followed and nothing can lead outside, whoever named the path. Nothing is written through a
// Home: what is new is staged (staging.h).
//
// Any thread.

#include "base/files/fd.h"
#include "base/files/path_below.h"
#include "base/result.h"

#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// The name of a file for people and for JSON: what is not UTF-8 in it is written as \xff, so that it can be told and typed.

std::string shown_path(std::string_view path);

class Home {
 public:
  // The folder need not exist: then everything in it is not_found. Errors: invalid (relative), io.
  static Result<Home> open(const std::string& folder);
  // $CLAUDE_CONFIG_DIR, else <home>/.claude, NFC. `home` may be empty when the variable is set.
  static std::string claude_folder(const std::optional<std::string>& config_dir, const std::string& home);
  static std::string codex_folder(const std::optional<std::string>& codex_home, const std::string& home);

  const std::string& folder() const;
  std::string absolute(std::string_view path) const;  // for people to read

  // A file for reading: regular, not a link, never blocks. Errors: not_found, refused (a link, would leave), invalid (not a
  // file), io.
  Result<Fd> open_file(std::string_view path) const;
  Result<Fd> open_folder(std::string_view path) const;  // O_DIRECTORY; an area itself ("projects") may be a link
  // not_found is nullopt. Never follows a link below the area.
  Result<std::optional<struct stat>> stat(std::string_view path) const;

  struct Entry {
    std::string name;
    unsigned char type;  // DT_REG, DT_DIR, DT_LNK, ...; never DT_UNKNOWN
  };
  // Sorted bytewise, without "." and ".."; empty when there is no such folder.
  Result<std::vector<Entry>> entries(std::string_view path) const;

 private:
  struct State;
  explicit Home(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace holdfast::transcripts
