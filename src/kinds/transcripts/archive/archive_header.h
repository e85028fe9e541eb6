#pragma once

// What an archive says about itself, in every version (transcript-archive §4; docs/formats/archive.md).

#include "base/json/json.h"
#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

inline constexpr std::string_view kArchiveVersion = "2.4";

struct ArchiveHeader {
  std::string version;
  std::string session_id;
  std::string archived_at;            // as written
  std::string original_project_path;  // data, never a place to write to; may be empty
  std::string project_folder;         // from the byte-true block; empty in foreign archives
  std::string claude_code_version;
  std::string machine_id;    // "user@host"; may be empty
  std::string custom_title;  // may be empty
  std::string product;       // "claude" or "codex"
  bool byte_true = false;    // has the extension block: hashes, modes, irregular lines
  bool redacted = false;     // credentials were masked before it was written
};

struct ArchiveCounts {
  std::uint64_t main_records = 0;
  std::uint64_t agent_records = 0;
  std::uint64_t files = 0;
  std::uint64_t irregular_lines = 0;
  struct File {
    std::string path;
    std::uint64_t records = 0;  // lines that are records; 0 for other files
    std::uint64_t bytes = 0;
    std::string sha256;
  };
  std::vector<File> per_file;
};

}  // namespace holdfast::transcripts
