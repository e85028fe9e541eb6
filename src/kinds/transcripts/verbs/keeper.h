#pragma once

// The verbs as people use them: a session of either product, the rules of its verb, and what happened remembered in the store.
//
// Commands and MCP tools both stand on this; the verbs themselves (copy.h, move.h, ...) know one product and no store. The
// store is only asked for when a verb needs it, and one that cannot be opened is a warning in the result: the family tree then
// lacks an event, the session is none the worse.
//
// Any thread; several verbs may run at once.

#include "kinds/transcripts/family/lineage.h"
#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/verbs/copy.h"
#include "session/blobs.h"

#include <mutex>

namespace holdfast::transcripts {

struct KeeperOptions {
  std::string data_folder;  // backups go to deleted/ below it, temporary files to tmp/
  std::string home_folder;  // of the person; where the original kept its lineage
  std::shared_ptr<const Clock> clock;
  // Opens it on first use, and lives as long as the keeper. to_read: nothing is made; not_found when there is none yet.
  std::function<Result<session::Store*>(bool to_read)> store;
  // Opens the guard on first use, likewise. Empty: there is none.
  std::function<Result<session::Blobs*>()> guard;
};

struct Archived {
  ArchiveReport report;
  ArchiveFormat format = ArchiveFormat::zst;
  std::string where;  // the file, or gist://..., s3://...
  std::vector<std::string> warnings;
};
JsonObject to_json(const Archived& archived);  // the field names of §3, save_current_session

class Keeper {
 public:
  Keeper(Homes homes, KeeperOptions options);

  const Homes& homes() const { return homes_; }
  Millis now() const { return options_.clock->now(); }
  std::string backup_folder() const { return options_.data_folder + "/deleted"; }
  // Made when it is not there; only this user can look into it.
  Result<std::string> temporary_folder() const;

  // What operations left behind in either home whose process died is undone or finished (staging.h).
  Recovered recover() const;

  // Of a session on disk, and of an archive: its file, and what it is called in the family tree.
  std::unique_ptr<SessionSource> source(const AnySession& session) const { return source_on_disk(homes_.of(session), session); }
  Result<std::unique_ptr<SessionSource>> source(Fd archive, std::string origin) const;

  // Writes the file; not recorded. Machine and time in the options are filled in here.
  Result<Archived> write(SessionSource& source, const std::string& path, ArchiveOptions options,
                         const Progress& progress = {}) const;
  // That it now lies there.
  void remember(Archived& archived, const std::string& where) const;

  // Of options, made_by_us, written_by_us, backup_folder and machine_id are filled in here. Errors: those of the verbs; invalid
  // for what a Codex session does not have.
  Result<CopyResult> clone(const AnySession& session, const CopyOptions& options, const Progress& progress = {}) const;
  // Of what is not on disk. In place, the backup of a move takes the session back: with all that was written since, and the same
  // paths translated the other way.
  Result<CopyResult> restore(SessionSource& source, CopyOptions options, const Progress& progress = {}) const;
  // That a session was put back or copied by other means: from the guard. What goes wrong is a warning in the result.
  void remember_copy(CopyResult& result, const std::string& project, const std::string& origin, const std::string& hash) const;
  // A repaired copy of a damaged one, with the id that it is to have (doctor.h); in the family it is a clone.
  Result<CopyResult> repair(const FoundSession& session, const std::string& new_session_id) const;
  Result<MoveResult> move(const AnySession& session, MoveOptions options, const Progress& progress = {}) const;
  Result<EraseResult> erase(const AnySession& session, EraseOptions options, const Progress& progress = {}) const;
  // Of a session that is `not_found`: the delete of it that recovery has just finished, or that was done before, so that a delete
  // can be typed again by whoever does not know whether it was done. Errors: `not_found`, when nothing tells of one.
  Result<EraseResult> finished_erase(const Recovered& recovered, std::string_view id_or_prefix, const EraseOptions& options,
                                     Error not_found) const;
  Result<RelocateResult> relocate(const std::string& old_path, const std::string& new_path, MoveOptions options,
                                  const Progress& progress = {}) const;

  // Whether sessions were moved so before, by the backups that are left of it; those that nobody heard of are remembered.
  Result<bool> was_relocated(const std::string& old_path, const std::string& new_path, const MoveOptions& options) const;

  // nullopt: nothing is known. Works for sessions whose files are gone.
  Result<std::optional<LineageTree>> lineage(const std::string& session_id) const;
  // Without looking for forks that the client made of others: no transcript but the session's own is opened for it.
  Result<std::optional<LineageTree>> lineage_seen_from(SessionSource& source) const;
  // The id of a session whose files are gone, by its start. Errors: `not_found` as it was given, ambiguous.
  Result<std::string> remembered(const std::string& id_or_prefix, Error not_found) const;
  // nullptr: there is no store yet.
  Result<session::Store*> store_to_read() const;
  // nullptr: there is none.
  Result<session::Blobs*> guard() const { return options_.guard ? options_.guard() : Result<session::Blobs*>(nullptr); }
  // The original's lineage is taken over on the way, once.
  Result<session::Store*> store_to_write() const;

 private:
  Result<CopyResult> copy(SessionSource& source, const CopyOptions& options, const Progress& progress) const;
  Result<std::optional<CopyResult>> undo_move(SessionSource& source, const CopyOptions& options, const Progress& progress) const;
  // A move that was done, and whose process died before anything but its backup told of it.
  void hear_of_move(MoveResult& result, const SessionPlace& place, const MoveOptions& options) const;
  // In the family tree; then the backup goes that was not to be kept: what is gone is told of by one of them at any time.
  void remember_erase(EraseResult& result, bool no_backup) const;
  Result<std::optional<EraseResult>> done_before(std::string_view id_or_prefix) const;
  using Note = std::function<Result<void>(session::Store&)>;
  void note(std::vector<std::string>& warnings, const Note& note) const;
  Result<std::optional<LineageTree>> tree_of(const std::string& session_id, const std::vector<NativeFork>& forks) const;
  bool is_ours(const std::string& session_id) const;
  // The time of its transcript when nobody has written to it since we put it there.
  std::optional<Millis> written_by_us(const AnySession& session) const;

  Homes homes_;
  KeeperOptions options_;
  mutable std::once_flag imported_;
};

}  // namespace holdfast::transcripts
