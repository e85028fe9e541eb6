#pragma once

// The names of Codex's session files (transcript-archive §12), taken apart; nothing on disk is looked at.

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

// Codex compresses what has been idle for long.
inline constexpr std::string_view kCompressedEnding = ".zst";

struct CodexFile {
  std::string id;           // lower case
  bool archived = false;    // archived_sessions/
  bool compressed = false;  // .jsonl.zst
};

// "sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl[.zst]", "archived_sessions/rollout-…"; nullopt for every other path.
std::optional<CodexFile> codex_file_of(std::string_view path);

}  // namespace holdfast::transcripts
