#include "kinds/transcripts/products/codex/codex_file_name.h"

#include "base/ids.h"
#include "base/text/text.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kRolloutBegin = "rollout-";

bool takes(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool drops(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "2026/11/15/"
bool takes_date(std::string_view& path) {
  for (const std::size_t digits : {4U, 2U, 2U}) {
    if (path.size() <= digits || path[digits] != '/') return false;
    if (!std::ranges::all_of(path.substr(0, digits), [](char c) { return c >= '0' && c <= '9'; })) return false;
    path.remove_prefix(digits + 1);
  }
  return true;
}

}  // namespace

std::optional<CodexFile> codex_file_of(std::string_view path) {
  CodexFile file;
  file.archived = takes(path, "archived_sessions/");
  if (!file.archived && !(takes(path, "sessions/") && takes_date(path))) return std::nullopt;
  file.compressed = drops(path, kCompressedEnding);
  // The time in between is the writer's affair; the id is always the last 36 characters, after a hyphen.
  if (path.contains('/') || !takes(path, kRolloutBegin) || !drops(path, ".jsonl") || path.size() < kUuidLength)
    return std::nullopt;
  const std::string_view id = path.substr(path.size() - kUuidLength);
  const std::string_view time = path.substr(0, path.size() - kUuidLength);
  if (!is_uuid(id) || (!time.empty() && !time.ends_with('-'))) return std::nullopt;
  file.id = to_ascii_lower(id);
  return file;
}

}  // namespace holdfast::transcripts
