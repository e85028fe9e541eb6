// Copies of Codex sessions, wherever their bytes come from.

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "jsonl/splice.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/rewrite/path_map.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"
#include "kinds/transcripts/verbs/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::transcripts {

namespace {

// A Codex rollout on its way into a copy (transcript-archive §12): the session's own id in its first session_meta, cwd of every
// record by the path map, and not one other byte.
//
// Stands between a reader and another receiver, which must outlive it. One thread, one file.

class CodexLines final : public Receiver {
 public:
  // Equal ids: only paths change, and a missing newline at the end stays missing.
  CodexLines(Receiver& to, std::string old_id, std::string new_id, PathMap paths);
  CodexLines(const CodexLines&) = delete;
  CodexLines& operator=(const CodexLines&) = delete;

  Result<void> begin(const Artifact& artifact) override;
  Result<void> line(const Piece& piece) override;
  Result<void> bytes(std::string_view bytes) override;
  Result<void> end() override;

  std::uint64_t lines() const { return lines_; }
  std::uint64_t edited_lines() const { return edited_lines_; }
  std::uint64_t ids() const { return ids_; }
  std::uint64_t paths() const { return translated_; }

 private:
  bool is_own_meta(std::string_view line);
  void decide(jsonl::StringSite& site);

  Receiver& to_;
  const std::string old_id_, new_id_;
  const PathMap paths_;
  jsonl::Scanner scanner_;
  jsonl::Splicer splicer_;
  std::string spliced_;
  bool seen_meta_ = false, in_meta_ = false, complete_ = true;
  std::uint64_t lines_ = 0, edited_lines_ = 0, ids_ = 0, translated_ = 0;
};

// Could the line have a member of that name? Only a "\u" could spell it otherwise.
bool may_name(std::string_view line, std::string_view name) {
  return find_bytes(line, name) != std::string_view::npos || jsonl::may_have_escape(line, 'u');
}

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

// A copy is in use: also one of an archived session lies where Codex keeps the sessions of the day in its name.
Result<std::string> place_of_copy(const std::string& path, const std::string& old_id, const std::string& new_id) {
  constexpr std::string_view kBegin = "rollout-";
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t at = name.rfind(old_id);
  // rollout-YYYY-MM-DDThh-mm-ss-<id>
  if (!name.starts_with(kBegin) || at == std::string::npos || name.size() < kBegin.size() + 10)
    return fail(ErrorKind::invalid, path + " is not the name of a Codex session");
  name.replace(at, old_id.size(), new_id);
  if (!path.starts_with("archived_sessions/")) return path.substr(0, path.rfind('/') + 1) + name;
  const std::string day = name.substr(kBegin.size(), 10);
  return "sessions/" + day.substr(0, 4) + "/" + day.substr(5, 2) + "/" + day.substr(8, 2) + "/" + name;
}

Result<std::string> canonical_target(const std::optional<std::string>& target_project) {
  if (!target_project) return std::string();
  return canonical_project(*target_project);
}

// The one rollout that a source of Codex holds. Its path is a stranger's word until it is known to be of the right shape.
Result<Artifact> rollout_of(const Inventory& contents, const std::string& id) {
  if (contents.artifacts.size() == 1) {
    const Artifact& only = contents.artifacts.front();
    const auto file = codex_file_of(only.path);
    if (file && !file->compressed && file->id == id) return only;
  }
  return fail(ErrorKind::corrupt, "the archive does not hold one Codex session " + id);
}

}  // namespace

Result<void> check_codex_lives_nowhere_else(const Home& home, const std::string& id, const std::string& path) {
  const auto lives = find_codex_session(home, id);
  if (!lives && lives.error().kind == ErrorKind::not_found) return {};
  if (!lives) return fail(lives.error());
  if (lives->path == path || lives->path == path + std::string(kCompressedEnding)) return {};
  return fail(ErrorKind::conflict, fmt::format("{} lives elsewhere: {}", id, home.absolute(lives->path)),
              "nothing was written; a restore without {in_place} makes a copy");
}

Result<CopyResult> copy_codex(const Home& home, SessionSource& source, const CopyOptions& options, Millis now,
                              const Progress& progress) {
  if (!options.up_to.empty() || options.fresh_uuids)
    return fail(ErrorKind::invalid, "a Codex session cannot be cloned up to a record, or with fresh uuids",
                "its records have no uuids; clone all of it");
  HF_TRY(const ArchiveHeader header, source.header());
  HF_TRY(const Inventory contents, source.inventory(progress));
  HF_TRY(const Artifact rollout, rollout_of(contents, header.session_id));
  const std::string& old_id = header.session_id;
  const std::string new_id = options.in_place ? old_id : make_uuid7();
  std::string path = rollout.path;  // where it goes, below the home
  if (options.in_place) {
    HF_CHECK(check_codex_lives_nowhere_else(home, new_id, path));
  } else {
    HF_TRY(path, place_of_copy(rollout.path, old_id, new_id));
  }
  const std::string& old_root = header.original_project_path;
  HF_TRY(const std::string new_root, canonical_target(options.target_project));
  // Restored in place before: it is only compared.
  HF_TRY(const auto standing, home.stat(path));
  const bool there = standing && new_id == old_id;
  if (!there) HF_CHECK(check_free(home, {path, path + std::string(kCompressedEnding)}));
  PathMap paths = path_map_of(options.level, old_root, new_root, options.maps);
  CopyResult result;
  result.paths_translated = !paths.empty();

  std::optional<Staging> staging;
  if (!options.dry_run && !there) {
    HF_TRY(Staging begun, Staging::begin(home, source.on_disk() ? "clone" : "restore", old_id));
    staging.emplace(std::move(begun));
  }
  StageSession::Options stage_options;
  stage_options.staging = staging ? &*staging : nullptr;
  stage_options.private_modes = !header.byte_true;
  stage_options.hashes = there;
  stage_options.place = [&](const Artifact& artifact) -> std::optional<std::string> {
    if (artifact.kind != ArtifactKind::main_transcript) return std::nullopt;
    return path;
  };
  StageSession stage(std::move(stage_options));
  CodexLines lines(stage, old_id, new_id, std::move(paths));
  HF_CHECK(source.read(contents.artifacts, lines, progress));
  if (there) HF_CHECK(stage.check_there(home));
  if (staging) {
    staging->set_main(path, "");
    HF_CHECK(staging->commit());
  }

  result.was_there = there;
  result.was_in_place = options.in_place;
  result.was_dry_run = options.dry_run;
  result.new_session_id = new_id;
  result.original_session_id = old_id;
  result.restored_at = now;
  result.project_path = new_root.empty() ? old_root : new_root;
  result.source_machine_id = header.machine_id;
  result.main_session_file = home.absolute(path);
  result.main_records = stage.counts().main_records;
  result.files = stage.counts().files;
  result.bytes = stage.counts().bytes;
  result.resume_command = "codex resume " + new_id;
  result.rewritten.lines = lines.lines();
  result.rewritten.edited_lines = lines.edited_lines();
  result.rewritten.ids = lines.ids();
  result.rewritten.paths = lines.paths();
  result.warnings = stage.counts().warnings;
  const std::vector<std::string> warnings = source.warnings();
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

}  // namespace holdfast::transcripts
