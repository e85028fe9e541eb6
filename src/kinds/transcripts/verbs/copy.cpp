#include "kinds/transcripts/verbs/copy.h"

#include "base/ids.h"
#include "kinds/transcripts/products/claude/slugs.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"

#include <algorithm>
#include <set>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kSessionEnv = "session-env/";

struct Plan {
  ProjectTarget target;
  Identity identity;
  PathMap paths;
  bool verbatim = false;  // in place, and nothing in it changes
};

Result<std::string> id_for(const CopyOptions& options) {
  if (options.new_session_id.empty()) return make_uuid7();
  if (!is_uuid(options.new_session_id)) return fail(ErrorKind::invalid, options.new_session_id + " is not a UUID");
  return options.new_session_id;
}

// The original folder by its name, because several paths share one; never by where we happen to be.
Result<Plan> plan_in_place(const Home& home, const ArchiveHeader& header, const Inventory& contents, const CopyOptions& options) {
  Plan plan;
  plan.target = {header.original_project_path, header.project_folder};
  if (plan.target.folder.empty() && !options.target_project) {
    if (header.original_project_path.empty()) {
      return fail(ErrorKind::invalid, "the archive does not say which project the session was in",
                  "say where it belongs ({target_project})");
    }
    HF_TRY(plan.target.folder, folder_for_project(home, header.original_project_path));
  }
  plan.verbatim = true;
  if (options.target_project) {
    HF_TRY(const ProjectTarget asked, project_target(home, *options.target_project));
    plan.verbatim = asked.path == header.original_project_path;
    if (!plan.verbatim || plan.target.folder.empty()) plan.target = asked;
  }
  plan.identity = identity_of_move(contents.place, plan.target.folder);
  if (!plan.verbatim) {
    plan.paths = path_map_of(options.level, header.original_project_path, plan.target.path, options.maps);
  }
  return plan;
}

Result<Plan> plan_copy(const Home& home, const ArchiveHeader& header, const Inventory& contents, const CopyOptions& options) {
  Plan plan;
  plan.target = {header.original_project_path, header.project_folder};
  if (options.target_project || !options.current_folder.empty() || plan.target.folder.empty()) {
    HF_TRY(plan.target, project_target(home, options.target_project.value_or(options.current_folder)));
  }
  HF_TRY(const std::string new_id, id_for(options));
  plan.identity = identity_of_copy(contents.place, new_id, plan.target.folder, flat_agent_ids(contents), contents.slugs);
  plan.identity.new_home = home.folder();
  plan.identity.fresh_uuids = options.fresh_uuids;
  plan.paths = path_map_of(options.level, header.original_project_path, plan.target.path, options.maps);
  return plan;
}

SessionPlace place_in(const Identity& identity) {
  return {identity.new_session, identity.new_folder};
}

bool may_have_session_env(const CopyOptions& options, const SessionSource& source) {
  return options.session_env == SessionEnv::always ||
         (options.session_env == SessionEnv::if_trusted && (options.trusted || source.is_ours()));
}

class Restoring {
 public:
  Restoring(const Home& home, const CopyOptions& options, bool with_env, Plan plan)
      : home_(home), options_(options), with_env_(with_env), plan_(std::move(plan)) {}

  // Where a file goes; nullopt: nowhere.
  std::optional<std::string> place(const Artifact& artifact) const {
    if (is_refused_env(artifact) || kept_plans_.contains(artifact.path)) return std::nullopt;
    // Of no use to a copy; in place the tree is to be what it was.
    if (artifact.kind == ArtifactKind::task_lock && plan_.verbatim && !lock_is_there_) return artifact.path;
    return new_path(plan_.identity, artifact);
  }

  bool is_refused_env(const Artifact& artifact) const { return artifact.path.starts_with(kSessionEnv) && !with_env_; }

  // A plan belongs to its slug: in place it may be there already, and if it is the same it stays. One that another session uses
  // stays whatever is in it, for it may have been written to since.
  Result<void> check(const Inventory& contents) {
    const SessionPlace to = place_in(plan_.identity);
    if (options_.in_place || !options_.new_session_id.empty()) HF_CHECK(check_lives_nowhere_else(home_, to));
    if (options_.in_place) {
      HF_TRY(const auto transcript, home_.stat(to.transcript()));
      there_ = transcript.has_value();
    }
    std::vector<std::string> paths;
    for (const Artifact& artifact : contents.artifacts) {
      if (options_.in_place && artifact.kind == ArtifactKind::plan) {
        HF_TRY(const auto status, home_.stat(artifact.path));
        if (status) kept_plans_.insert(artifact.path);
      }
      if (artifact.kind == ArtifactKind::task_lock) {
        HF_TRY(const auto status, home_.stat(artifact.path));
        lock_is_there_ = status.has_value();
      }
      if (auto path = place(artifact)) paths.push_back(*std::move(path));
    }
    if (!kept_plans_.empty()) {
      HF_TRY(shared_plans_, plans_in_use_elsewhere(home_, contents));
    }
    return there_ ? Result<void>{} : check_free(home_, paths);
  }

  // It is only compared then.
  bool is_there() const { return there_; }

  Result<std::optional<Fd>> kept_plan(const Artifact& artifact) const {
    if (!kept_plans_.contains(artifact.path) || shared_plans_.contains(artifact.path)) return std::nullopt;
    HF_TRY(Fd file, home_.open_file(artifact.path));
    return file;
  }

  Plan& plan() { return plan_; }
  // What stays as it is, with the reason.
  std::vector<std::string> kept_plans() const {
    std::vector<std::string> kept;
    for (const std::string& path : kept_plans_)
      kept.push_back(path + (shared_plans_.contains(path) ? ": there already, and another session uses it"
                                                          : ": there already, with the same content"));
    return kept;
  }

 private:
  const Home& home_;
  const CopyOptions& options_;
  const bool with_env_;
  Plan plan_;
  std::set<std::string> kept_plans_, shared_plans_;
  bool lock_is_there_ = false;
  bool there_ = false;
};

}  // namespace

Result<CopyResult> copy_session(const Home& home, SessionSource& source, const CopyOptions& options, Millis now,
                                const Progress& progress) {
  if (source.session().codex()) return fail(ErrorKind::invalid, "this is a session of Codex, not of Claude Code");
  HF_TRY(const Inventory contents, source.inventory(progress));
  HF_TRY(const ArchiveHeader header, source.header());
  HF_TRY(Plan plan,
         options.in_place ? plan_in_place(home, header, contents, options) : plan_copy(home, header, contents, options));
  Restoring restoring(home, options, may_have_session_env(options, source), std::move(plan));
  HF_CHECK(restoring.check(contents));

  const Identity identity = restoring.plan().identity;
  const ProjectTarget target = restoring.plan().target;
  CopyResult result;
  result.paths_translated = !restoring.plan().paths.empty();
  std::optional<Rewriter> rewriter;
  if (!restoring.plan().verbatim)
    rewriter.emplace(identity, std::move(restoring.plan().paths),
                     RewriteOptions{options.level, options.translate_files, options.up_to});
  std::optional<Staging> staging;
  if (!options.dry_run && !restoring.is_there()) {
    HF_TRY(Staging begun, Staging::begin(home, source.on_disk() ? "clone" : "restore", header.session_id));
    staging.emplace(std::move(begun));
  }
  StageSession::Options stage_options;
  stage_options.staging = staging ? &*staging : nullptr;
  stage_options.rewriter = rewriter ? &*rewriter : nullptr;
  stage_options.place = [&](const Artifact& artifact) { return restoring.place(artifact); };
  stage_options.compare_with = [&](const Artifact& artifact) { return restoring.kept_plan(artifact); };
  stage_options.private_modes = !header.byte_true;
  stage_options.hashes = restoring.is_there();
  StageSession stage(std::move(stage_options));
  HF_CHECK(source.read(contents.artifacts, stage, progress));
  if (restoring.is_there()) HF_CHECK(stage.check_there(home));

  const SessionPlace place = place_in(identity);
  if (staging) {
    // The client wants it, however empty.
    if (!options.in_place) HF_CHECK(staging->make_folder("session-env/" + place.session_id, 0700));
    HF_CHECK(stage_folders(*staging, identity, contents.folders, !header.byte_true));
    staging->set_main(place.transcript(), "");
    HF_CHECK(staging->commit());
  }

  result.new_session_id = identity.new_session;
  result.original_session_id = header.session_id;
  result.restored_at = now;
  result.project_path = target.path;
  result.was_in_place = options.in_place;
  result.was_dry_run = options.dry_run;
  result.source_machine_id = header.machine_id;
  const std::string& title = header.custom_title.empty() ? stage.counts().custom_title : header.custom_title;
  result.custom_title = options.in_place ? title : clone_title(title, identity.suffix);
  result.left_out = contents.left_out;
  for (const Artifact& artifact : contents.artifacts) {
    if (restoring.is_refused_env(artifact)) {
      result.left_out.push_back(artifact.path + ": a script the client would run, from an archive not written here");
    }
  }
  for (std::string& each : restoring.kept_plans()) result.left_out.push_back(std::move(each));
  result.was_there = restoring.is_there();
  result.warnings = source.warnings();
  if (header.redacted) result.warnings.push_back("credentials were masked in this archive: it is not what the session was");
  describe_copy(result, home, place, identity, stage.counts(), rewriter ? rewriter->counts() : RewriteCounts{});
  return result;
}

}  // namespace holdfast::transcripts
