#include "kinds/transcripts/verbs/clone.h"

#include "base/ids.h"
#include "kinds/transcripts/reading/read_session.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"

namespace holdfast::transcripts {
namespace {

Result<std::string> id_for(const CloneOptions& options) {
  if (options.new_session_id.empty()) return make_uuid7();
  if (!is_uuid(options.new_session_id)) return fail(ErrorKind::invalid, options.new_session_id + " is not a UUID");
  return options.new_session_id;
}

}  // namespace

Result<CopyResult> clone_session(const Home& home, const FoundSession& source, const CloneOptions& options, Millis now,
                                 const Progress& progress) {
  HF_TRY(const Inventory inventory, take_inventory(home, source.place));
  HF_TRY(const std::string root, project_root_of(home, source));
  ProjectTarget target{root, source.place.project_folder};
  if (options.target_project) {
    HF_TRY(target, project_target(home, *options.target_project));
  }
  HF_TRY(const std::string new_id, id_for(options));
  Identity identity = identity_of_copy(source.place, new_id, target.folder, flat_agent_ids(inventory), inventory.slugs);
  identity.new_home = home.folder();
  identity.fresh_uuids = options.fresh_uuids;
  PathMap paths = path_map_of(options.level, root, target.path, options.maps);

  std::vector<std::string> destinations;
  for (const Artifact& artifact : inventory.artifacts) {
    if (auto path = new_path(identity, artifact)) destinations.push_back(*std::move(path));
  }
  if (!options.new_session_id.empty()) HF_CHECK(check_lives_nowhere_else(home, {new_id, target.folder}));
  HF_CHECK(check_free(home, destinations));

  CopyResult result;
  result.paths_translated = !paths.empty();
  Rewriter rewriter(identity, std::move(paths), {options.level, options.translate_files, options.up_to});
  std::optional<Staging> staging;
  if (!options.dry_run) {
    HF_TRY(Staging begun, Staging::begin(home, "clone", source.place.session_id));
    staging.emplace(std::move(begun));
  }
  StageSession::Options stage_options;
  stage_options.staging = staging ? &*staging : nullptr;
  stage_options.rewriter = &rewriter;
  stage_options.place = [&identity](const Artifact& artifact) { return new_path(identity, artifact); };
  StageSession stage(std::move(stage_options));
  HF_CHECK(read_session(home, inventory.artifacts, stage, progress));

  const SessionPlace place{new_id, target.folder};
  if (staging) {
    HF_CHECK(staging->make_folder("session-env/" + new_id, 0700));  // the client wants it, however empty
    HF_CHECK(stage_folders(*staging, identity, inventory.folders, false));
    staging->set_main(place.transcript(), "");
    HF_CHECK(staging->commit());
  }

  result.new_session_id = new_id;
  result.original_session_id = source.place.session_id;
  result.restored_at = now;
  result.project_path = target.path;
  result.was_dry_run = options.dry_run;
  result.custom_title = clone_title(stage.counts().custom_title, identity.suffix);
  result.left_out = inventory.left_out;
  describe_copy(result, home, place, identity, stage.counts(), rewriter.counts());
  return result;
}

}  // namespace holdfast::transcripts
