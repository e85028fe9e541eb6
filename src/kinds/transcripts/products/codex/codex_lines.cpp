#include "kinds/transcripts/products/codex/codex_lines.h"

#include "base/text/find_bytes.h"

#include <array>

namespace holdfast::transcripts {
namespace {

// Could the line have a member of that name? Only a "\u" could spell it otherwise.
bool may_name(std::string_view line, std::string_view name) {
  return find_bytes(line, name) != std::string_view::npos || jsonl::may_have_escape(line, 'u');
}

}  // namespace

CodexLines::CodexLines(Receiver& to, std::string old_id, std::string new_id, PathMap paths)
    : to_(to), old_id_(std::move(old_id)), new_id_(std::move(new_id)), paths_(std::move(paths)), splicer_([this] {
        jsonl::SpliceRules rules;
        rules.decide = [this](jsonl::StringSite& site) { decide(site); };
        return rules;
      }()) {}

Result<void> CodexLines::begin(const Artifact& artifact) {
  return to_.begin(artifact);
}

// Those behind the first are copies of another session's: a fork carries its parent's records along.
bool CodexLines::is_own_meta(std::string_view line) {
  if (seen_meta_ || !may_name(line, "session_meta")) return false;
  constexpr std::array<std::string_view, 1> kNames = {"type"};
  std::array<jsonl::Token, 1> found;
  scanner_.fields(line, kNames, found);
  seen_meta_ = found[0].is("session_meta");
  return seen_meta_;
}

void CodexLines::decide(jsonl::StringSite& site) {
  const jsonl::Path& path = site.path();
  if (site.is_key() || path.depth() != 2 || !path[0].is("payload")) return;
  if (in_meta_ && path[1].is("id") && site.is(old_id_)) {
    ids_ += site.replace(new_id_) ? 1 : 0;
  } else if (path[1].is("cwd")) {
    if (const auto root = paths_.root_of(site.text()))
      translated_ += site.replace(root->from, root->to, root->replacement) ? 1 : 0;
  }
}

Result<void> CodexLines::line(const Piece& piece) {
  complete_ = !piece.ending.empty();
  lines_ += complete_ ? 1 : 0;
  if (piece.overlong) return to_.line(piece);
  in_meta_ = is_own_meta(piece.text) && old_id_ != new_id_;
  if (!in_meta_ && (paths_.empty() || !may_name(piece.text, "cwd"))) return to_.line(piece);
  spliced_.clear();
  splicer_.splice(piece.text, spliced_);
  edited_lines_ += splicer_.last_edits() > 0 ? 1 : 0;
  return to_.line({spliced_, piece.ending, piece.record, false});
}

Result<void> CodexLines::bytes(std::string_view bytes) {
  return to_.bytes(bytes);
}

Result<void> CodexLines::end() {
  // Codex appends to the file when it resumes: two records must not become one.
  if (!complete_ && old_id_ != new_id_) HF_CHECK(to_.line({"", "\n", false, false}));
  return to_.end();
}

}  // namespace holdfast::transcripts
