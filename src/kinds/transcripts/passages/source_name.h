#pragma once

// What the key of a source says: which file of which product, of which session, and what part of it. Nothing on disk is looked
// at.
//
// Keys are "claude:<path below its home>" and "codex:<path below its home>".

#include "kinds/transcripts/home/inventory.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::transcripts {

inline constexpr std::string_view kClaudeKeys = "claude:", kCodexKeys = "codex:";

struct SourceName {
  bool codex = false;
  std::string path;     // below the home
  std::string session;  // empty for a flat subagent, which names it inside
  std::string project_folder;
  ArtifactKind kind = ArtifactKind::main_transcript;

  bool is_conversation() const { return codex || is_line_file(kind); }
  bool is_compressed() const { return codex && path.ends_with(".zst"); }
};
// nullopt: no part of a session that can be searched.
std::optional<SourceName> source_name(std::string_view key);

}  // namespace holdfast::transcripts
