#include "jsonl/scan.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"
#include "kinds/transcripts/verbs/doctor.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::transcripts {
namespace {

// How the client begins its records. A torn line that runs into the next record has one of them where that begins.
constexpr std::array<std::string_view, 2> kBeginnings = {"{\"parentUuid\":", "{\"type\":"};
// Blocks inside messages begin like records; after this many places that were none there is nothing to be saved.
constexpr int kMaxBeginningsTried = 64;

// Lines of a damaged transcript on their way to a sound one.
//
// Stands between a reader and any receiver of a session. Files of lines pass as records, one a line, each with a newline; all
// other files pass as they are. Links between records are left alone: the client bridges a parent that is missing.
class RepairLines final : public Receiver {
 public:
  explicit RepairLines(Receiver& next) : next_(next) {}

  Result<void> begin(const Artifact& artifact) override { return next_.begin(artifact); }
  bool judges_lines() const override { return true; }
  Result<void> line(const Piece& piece) override;
  Result<void> bytes(std::string_view bytes) override { return next_.bytes(bytes); }
  Result<void> end() override { return next_.end(); }

 private:
  Result<void> pass_records();
  // Of a line that is not JSON: the record it ends with, or empty.
  std::string_view saved_part(std::string_view text);
  bool is_record(std::string_view text);

  Receiver& next_;
  jsonl::Scanner scanner_;
  std::vector<std::string_view> values_;
};

std::string_view without_nul(std::string_view text) {
  while (text.starts_with('\0')) text.remove_prefix(1);
  while (text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<void> RepairLines::line(const Piece& piece) {
  if (piece.overlong) return next_.line(piece);
  const jsonl::LineReport report = scanner_.values(piece.text, values_);
  switch (report.shape) {
    case jsonl::LineShape::too_deep:  // not looked into, so not judged either
    case jsonl::LineShape::too_long:
      return next_.line({piece.text, "\n", false, false});
    case jsonl::LineShape::nul:
    case jsonl::LineShape::broken:
      values_ = {saved_part(piece.text)};
      break;
    default:
      break;
  }
  return pass_records();
}

Result<void> RepairLines::pass_records() {
  for (const std::string_view value : values_) {
    if (!value.starts_with('{')) continue;
    HF_CHECK(next_.line({value, "\n", scanner_.shape(value).is_record(), false}));
  }
  return {};
}

std::string_view RepairLines::saved_part(std::string_view text) {
  text = without_nul(text);
  if (is_record(text)) return text;
  for (const std::string_view beginning : kBeginnings) {
    std::size_t at = text.find(beginning);
    for (int tries = 0; at != std::string_view::npos && tries < kMaxBeginningsTried; ++tries, at = text.find(beginning, at + 1))
      if (is_record(text.substr(at))) return text.substr(at);
  }
  return {};
}

bool RepairLines::is_record(std::string_view text) {
  constexpr std::array<std::string_view, 1> kNames = {"type"};
  std::array<jsonl::Token, 1> found;
  const jsonl::LineReport report = scanner_.fields(text, kNames, found);
  return report.shape == jsonl::LineShape::object && found[0].kind == jsonl::TokenKind::string;
}

std::string id_of_repaired(const SessionPlace& place, const VerifyReport& report) {
  std::string damage;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Finding::Severity::damage) continue;
    // Without the project: the session may be moved.
    const std::string_view name = std::string_view(finding.path).substr(finding.path.rfind('/') + 1);
    damage += fmt::format("{}:{}:{}\n", name, finding.line, finding.what);
  }
  std::string id = fresh_uuid(place.session_id, damage);
  constexpr std::size_t kVersionAt = 14;
  id[kVersionAt] = '7';  // as every id that is ours
  return id;
}

Result<CopyResult> write_repaired_copy(const Home& home, const FoundSession& session, const std::string& new_session_id,
                                       Millis now) {
  HF_CHECK(check_lives_nowhere_else(home, {new_session_id, session.place.project_folder}));
  HF_TRY(const Inventory inventory, take_inventory(home, session.place));
  CopyResult result;
  HF_TRY(result.project_path, project_root_of(home, session));
  const SessionPlace place{new_session_id, session.place.project_folder};
  const Identity identity =
      identity_of_copy(session.place, place.session_id, place.project_folder, flat_agent_ids(inventory), inventory.slugs);
  Rewriter rewriter(identity, PathMap(), {PathLevel::none, false, {}});
  HF_TRY(Staging staging, Staging::begin(home, "repair", session.place.session_id));
  StageSession::Options options;
  options.staging = &staging;
  options.rewriter = &rewriter;
  options.place = [&identity](const Artifact& artifact) { return new_path(identity, artifact); };
  StageSession stage(std::move(options));
  RepairLines repair(stage);
  HF_CHECK(source_on_disk(home, session.place)->read(inventory.artifacts, repair));
  HF_CHECK(staging.make_folder("session-env/" + place.session_id, 0700));  // the client wants it, however empty
  HF_CHECK(stage_folders(staging, identity, inventory.folders, false));
  staging.set_main(place.transcript(), "");
  HF_CHECK(staging.commit());

  result.new_session_id = place.session_id;
  result.original_session_id = session.place.session_id;
  result.restored_at = now;
  result.custom_title = clone_title(stage.counts().custom_title, identity.suffix);
  describe_copy(result, home, place, identity, stage.counts(), rewriter.counts());
  return result;
}

}  // namespace holdfast::transcripts
