// Deleting a Codex session: a verified backup, then the file.

#include "kinds/transcripts/products/codex/codex.h"
#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/removal_rules.h"

#include <chrono>

namespace holdfast::transcripts {
namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

Result<EraseResult> erase_codex(const Home& home, const CodexSession& session, const EraseOptions& options, Millis now,
                                const Progress& progress) {
  const auto began = SteadyClock::now();
  if (options.cross_session_artifacts)
    return fail(ErrorKind::invalid, "a Codex session is one file", "leave {delete_cross_session_artifacts} out");
  const auto source = source_on_disk(home, AnySession{session});
  HF_TRY(const Inventory inventory, source->inventory());
  HF_TRY(const CodexSession summary, summarise_codex(home, session));
  const RemovalRules rules{.verb = "delete",
                           .force = options.force,
                           .made_by_us = options.made_by_us,
                           .terminate = options.terminate,
                           .dry_run = options.dry_run,
                           .caller_sessions = options.caller_sessions,
                           .written_by_us = options.written_by_us,
                           .clients_are_known = false};
  HF_TRY(const RemovalCheck check, check_removal(home, session.id, session.path, rules, now));

  EraseResult result;
  result.session_id = session.id;
  result.was_dry_run = options.dry_run;
  result.was_running = check.was_running;
  result.warnings = check.warnings;
  result.project_path = summary.cwd;
  result.deleted_at = now;
  result.size_freed = session.size;
  result.deleted_files.push_back(home.absolute(session.path));
  ++result.counts[ArtifactKind::main_transcript];
  if (options.dry_run) return result;

  // Looked at before the backup reads it: what is written after that look is noticed, and nothing is removed.
  HF_TRY(Staging staging, Staging::begin(home, "delete", session.id));
  staging.remove(session.path);
  staging.set_main("", session.path);
  const BackupOptions backup_options{options.backup_folder, false, options.machine_id};
  HF_TRY(Backup backup, write_backup(*source, inventory, summary.cwd, backup_options, now, progress));
  if (auto committed = staging.commit(); !committed) {
    static_cast<void>(drop_backup(backup));
    return fail(std::move(committed).error());
  }
  result.backup_path = backup.path;
  result.backup_sha256 = backup.sha256;
  if (!backup.path.empty()) result.undo_command = undo_command(backup.path);
  result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began).count();
  return result;
}

}  // namespace holdfast::transcripts
