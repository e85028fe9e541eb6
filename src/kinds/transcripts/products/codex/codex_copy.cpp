// Copies of Codex sessions: clone, and restore from an archive.

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "jsonl/splice.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/reading/read_session.h"
#include "kinds/transcripts/rewrite/path_map.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"

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

struct CodexPlan {
  std::string old_id, new_id;
  std::string path;                // where the rollout goes, below the home
  std::string old_root, new_root;  // either may be empty: nothing is translated
  bool private_mode = false;
};

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

// `read` gives the files to a receiver.
template <class Read>
Result<CopyResult> make_copy(const Home& home, std::string_view what, const CodexPlan& plan, const CodexCopyOptions& wanted,
                             Millis now, Read read) {
  // Restored in place before: it is only compared.
  HF_TRY(const auto standing, home.stat(plan.path));
  const bool there = standing && plan.new_id == plan.old_id;
  if (!there) HF_CHECK(check_free(home, {plan.path, plan.path + ".zst"}));
  PathMap paths;
  if (wanted.translate) {
    for (const auto& [from, to] : wanted.maps) paths.add(from, to);
    if (!plan.old_root.empty() && !plan.new_root.empty() && plan.old_root != plan.new_root)
      paths.add(plan.old_root, plan.new_root);
  }
  CopyResult result;
  result.paths_translated = !paths.empty();

  std::optional<Staging> staging;
  if (!wanted.dry_run && !there) {
    HF_TRY(Staging begun, Staging::begin(home, what, plan.old_id));
    staging.emplace(std::move(begun));
  }
  StageSession::Options options;
  options.staging = staging ? &*staging : nullptr;
  options.private_modes = plan.private_mode;
  options.hashes = there;
  options.place = [&](const Artifact& artifact) -> std::optional<std::string> {
    if (artifact.kind != ArtifactKind::main_transcript) return std::nullopt;
    return plan.path;
  };
  StageSession stage(std::move(options));
  CodexLines lines(stage, plan.old_id, plan.new_id, std::move(paths));
  HF_CHECK(read(lines));
  if (there) HF_CHECK(stage.check_there(home));
  if (staging) {
    staging->set_main(plan.path, "");
    HF_CHECK(staging->commit());
  }

  result.was_there = there;
  result.was_dry_run = wanted.dry_run;
  result.new_session_id = plan.new_id;
  result.original_session_id = plan.old_id;
  result.restored_at = now;
  result.project_path = plan.new_root.empty() ? plan.old_root : plan.new_root;
  result.main_session_file = home.absolute(plan.path);
  result.main_records = stage.counts().main_records;
  result.files = stage.counts().files;
  result.bytes = stage.counts().bytes;
  result.resume_command = "codex resume " + plan.new_id;
  result.rewritten.lines = lines.lines();
  result.rewritten.edited_lines = lines.edited_lines();
  result.rewritten.ids = lines.ids();
  result.rewritten.paths = lines.paths();
  result.warnings = stage.counts().warnings;
  return result;
}

// The one rollout that an archive of Codex holds. Its path is a stranger's word until it is known to be of the right shape.
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

Result<CopyResult> clone_codex(const Home& home, const CodexSession& source, const CodexCopyOptions& options, Millis now,
                               const Progress& progress) {
  HF_TRY(const Inventory inventory, codex_inventory(home, source));
  HF_TRY(const CodexSession summary, summarise_codex(home, source));
  CodexPlan plan;
  plan.old_id = source.id;
  plan.new_id = make_uuid7();
  plan.old_root = summary.cwd;
  HF_TRY(plan.new_root, canonical_target(options.target_project));
  HF_TRY(plan.path, place_of_copy(inventory.artifacts.front().path, plan.old_id, plan.new_id));
  return make_copy(home, "clone", plan, options, now,
                   [&](Receiver& to) { return read_session(home, inventory.artifacts, to, progress); });
}

Result<CopyResult> restore_codex(const Home& home, ArchiveReader& archive, bool in_place, const CodexCopyOptions& options,
                                 Millis now, const Progress& progress) {
  const ArchiveHeader header = archive.header();
  if (header.product != "codex") return fail(ErrorKind::invalid, "the archive does not hold a session of Codex");
  HF_TRY(const Inventory contents, archive.contents());
  HF_TRY(const Artifact rollout, rollout_of(contents, header.session_id));
  CodexPlan plan;
  plan.old_id = header.session_id;
  plan.new_id = in_place ? header.session_id : make_uuid7();
  plan.path = rollout.path;
  if (in_place) {
    HF_CHECK(check_codex_lives_nowhere_else(home, plan.new_id, plan.path));
  } else {
    HF_TRY(plan.path, place_of_copy(rollout.path, plan.old_id, plan.new_id));
  }
  plan.old_root = header.original_project_path;
  HF_TRY(plan.new_root, canonical_target(options.target_project));
  plan.private_mode = !header.byte_true;
  HF_TRY(CopyResult result, make_copy(home, "restore", plan, options, now, [&](Receiver& to) -> Result<void> {
           HF_TRY(const ArchiveCounts counts, archive.read(to, progress));
           return counts.per_file.empty() ? fail(ErrorKind::corrupt, "the archive holds no file") : Result<void>{};
         }));
  result.was_in_place = in_place;
  result.source_machine_id = header.machine_id;
  result.warnings.insert(result.warnings.end(), archive.warnings().begin(), archive.warnings().end());
  return result;
}

}  // namespace holdfast::transcripts
