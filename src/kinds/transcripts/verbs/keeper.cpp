#include "kinds/transcripts/verbs/keeper.h"

#include "base/files/file.h"
#include "base/run/log.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/doctor.h"

#include <fmt/format.h>

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <future>

namespace holdfast::transcripts {

namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

// Where import_original_lineage looks.
bool has_original_lineage(const std::string& home_folder) {
  std::error_code ignored;
  return std::filesystem::exists(home_folder + "/.claude-session-mcp/lineage.json", ignored) ||
         std::filesystem::exists(home_folder + "/.claude-workspace/claude-session/lineage.json", ignored);
}

// Where the resume command leads.
void warn_of_missing_folder(CopyResult& result) {
  std::error_code error;
  if (!result.project_path.empty() && !std::filesystem::is_directory(result.project_path, error))
    result.warnings.push_back(result.project_path + " is not there: make the folder before you resume the session in it");
}

bool has_session_env(const Inventory& inventory) {
  return std::ranges::any_of(inventory.artifacts, [](const Artifact& each) { return each.kind == ArtifactKind::session_env; });
}

}  // namespace

JsonObject to_json(const Archived& archived) {
  const ArchiveReport& report = archived.report;
  JsonArray files, left_out, warnings;
  for (const ArchiveCounts::File& file : report.counts.per_file)
    files.push_back(JsonObject{{"filename", file.path}, {"record_count", file.records}, {"bytes", file.bytes}});
  for (const std::string& each : report.left_out) left_out.emplace_back(each);
  for (const std::string& each : archived.warnings) warnings.emplace_back(each);
  return {{"file_path", archived.where},
          {"session_id", report.header.session_id},
          {"product", report.header.product},
          {"format", archived.format == ArchiveFormat::zst ? "zst" : "json"},
          {"size_mb", static_cast<double>(report.size) / kMegabyte},
          {"size_bytes", report.size},
          {"sha256", report.sha256},
          {"archived_at", report.header.archived_at},
          {"version", report.header.version},
          {"project_path", report.header.original_project_path},
          {"session_records", report.counts.main_records},
          {"agent_records", report.counts.agent_records},
          {"irregular_lines", report.counts.irregular_lines},
          {"file_count", report.counts.files},
          {"files", std::move(files)},
          {"custom_title", report.header.custom_title.empty() ? Json(nullptr) : Json(report.header.custom_title)},
          {"redacted", report.redacted},
          {"left_out", std::move(left_out)},
          {"warnings", std::move(warnings)}};
}

Keeper::Keeper(Homes homes, KeeperOptions options) : homes_(std::move(homes)), options_(std::move(options)) {}

Result<std::string> Keeper::temporary_folder() const {
  std::string folder = options_.data_folder + "/tmp";
  HF_CHECK(make_private_folder(folder));
  // Earlier versions laid sessions out here, and left them when they died: "kept-<pid>-<uuid>".
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kLaidOut = "kept-";
    if (!name.starts_with(kLaidOut)) continue;
    const long pid = std::strtol(name.c_str() + kLaidOut.size(), nullptr, 10);
    if (pid <= 0 || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) std::filesystem::remove_all(entry.path(), error);
  }
  return folder;
}

Result<session::Store*> Keeper::store_to_write() const {
  HF_TRY(session::Store * store, options_.store(false));
  std::call_once(imported_, [&] {
    if (auto warning = import_original_lineage(*store, options_.home_folder)) log(LogLevel::warn, "transcripts", *warning);
  });
  return store;
}

Result<session::Store*> Keeper::store_to_read() const {
  // Taking over the original's lineage is writing; without it there is nothing to write for.
  if (has_original_lineage(options_.home_folder)) return store_to_write();
  auto store = options_.store(true);
  if (!store && store.error().kind == ErrorKind::not_found) return nullptr;
  return store;
}

void Keeper::note(std::vector<std::string>& warnings, const Note& note) const {
  auto store = store_to_write();
  Result<void> done = store ? note(**store) : Result<void>(fail(store.error()));
  if (!done) warnings.push_back("done, but the family tree does not know of it: " + done.error().message);
}

bool Keeper::is_ours(const std::string& session_id) const {
  auto store = store_to_read();
  if (!store || !*store) return false;
  return made_by_us(**store, session_id).value_or(false);
}

std::optional<Millis> Keeper::written_by_us(const AnySession& session) const {
  auto store = store_to_read();
  if (!store || !*store || !is_as_we_wrote_it(**store, session.id(), session.mtime()).value_or(false)) return std::nullopt;
  return session.mtime();
}

Result<std::unique_ptr<SessionSource>> Keeper::source(Fd archive, std::string origin) const {
  HF_TRY(std::string folder, temporary_folder());
  return source_in_archive(std::move(archive), std::move(origin), std::move(folder));
}

Result<Archived> Keeper::write(SessionSource& source, const std::string& path, ArchiveOptions options,
                               const Progress& progress) const {
  HF_TRY(const Inventory inventory, source.inventory(progress));
  HF_TRY(const ArchiveHeader header, source.header());
  options.machine_id = machine_id();
  options.archived_at = now();
  Archived archived;
  archived.format = options.format;
  archived.where = path;
  HF_TRY(archived.report, write_archive(source, inventory, header.original_project_path, path, options, progress));
  if (!source.on_disk())  // what is damaged in the guard
    archived.warnings.insert(archived.warnings.end(), inventory.left_out.begin(), inventory.left_out.end());
  if (const std::uint64_t lines = archived.report.counts.irregular_lines; lines > 0 && archived.report.header.byte_true)
    archived.warnings.push_back(fmt::format("{} not one record (torn, blank, fused or damaged); the archive keeps {} as {}",
                                            lines == 1 ? "1 line is" : fmt::format("{} lines are", lines),
                                            lines == 1 ? "it" : "them", lines == 1 ? "it is" : "they are"));
  return archived;
}

void Keeper::remember(Archived& archived, const std::string& where) const {
  archived.where = where;
  note(archived.warnings, [&](session::Store& store) { return record_archive(store, archived.report, where); });
}

Result<CopyResult> Keeper::copy(SessionSource& source, const CopyOptions& options, const Progress& progress) const {
  HF_TRY(CopyResult result, source.session().codex() ? copy_codex(homes_.codex, source, options, now(), progress)
                                                     : copy_session(homes_.claude, source, options, now(), progress));
  if (source.is_ours() && !source.on_disk()) result.source_machine_id = machine_id();
  warn_of_missing_folder(result);
  return result;
}

Result<CopyResult> Keeper::clone(const AnySession& session, const CopyOptions& options, const Progress& progress) const {
  HF_TRY(const std::string project, homes_.project_of(session));
  HF_TRY(CopyResult result, copy(*source(session), options, progress));
  if (!result.was_dry_run)
    note(result.warnings, [&](session::Store& store) { return record_copy(store, result, "clone", project, {}); });
  return result;
}

Result<CopyResult> Keeper::restore(SessionSource& source, CopyOptions options, const Progress& progress) const {
  HF_TRY(auto moved_back, undo_move(source, options, progress));
  if (moved_back) return *std::move(moved_back);
  // Beside the restoring: it takes as long as a good part of it, and is rarely needed before the end.
  auto hashing = std::async(std::launch::async | std::launch::deferred, [&source] { return source.hash(); }).share();
  HF_TRY(const ArchiveHeader header, source.header());
  if (options.session_env == SessionEnv::if_trusted && !source.is_ours() && header.byte_true) {
    HF_TRY(const Inventory contents, source.inventory());
    auto store = has_session_env(contents) ? store_to_read() : Result<session::Store*>(nullptr);
    if (!options.trusted && store && *store && hashing.get())
      options.trusted = wrote_archive(**store, *hashing.get()).value_or(false);
  }
  HF_TRY(CopyResult result, copy(source, options, progress));
  const std::vector<std::string> warnings = source.warnings();
  for (const std::string& warning : warnings)
    if (std::ranges::find(result.warnings, warning) == result.warnings.end()) result.warnings.push_back(warning);
  if (result.was_there)
    result.warnings.push_back(result.new_session_id + " is there already, as the archive has it: nothing was written");
  if (result.was_dry_run) return result;
  note(result.warnings, [&](session::Store& store) -> Result<void> {
    HF_TRY(const std::string hash, hashing.get());
    if (result.was_there) {
      HF_TRY(const bool known, was_restored(store, result.new_session_id, hash));
      if (known) return {};
    }
    return record_copy(store, result, result.was_in_place ? "in-place" : "restore", header.original_project_path,
                       {source.name(), hash});
  });
  return result;
}

void Keeper::remember_copy(CopyResult& result, const std::string& project, const std::string& origin,
                           const std::string& hash) const {
  warn_of_missing_folder(result);
  if (result.was_dry_run) return;
  note(result.warnings, [&](session::Store& store) {
    return record_copy(store, result, result.was_in_place ? "in-place" : "restore", project, {origin, hash});
  });
}

Result<CopyResult> Keeper::repair(const FoundSession& session, const std::string& new_session_id) const {
  HF_TRY(CopyResult result, write_repaired_copy(homes_.claude, session, new_session_id, now()));
  note(result.warnings, [&](session::Store& store) { return record_copy(store, result, "clone", result.project_path, {}); });
  return result;
}

Result<MoveResult> Keeper::move(const AnySession& session, MoveOptions options, const Progress& progress) const {
  if (session.codex())
    return fail(ErrorKind::invalid, "a Codex session cannot be moved", "it belongs to no folder: codex resume finds it anywhere");
  options.made_by_us = is_ours(session.id());
  options.written_by_us = written_by_us(session);
  options.backup_folder = backup_folder();
  options.machine_id = machine_id();
  HF_TRY(MoveResult result, move_session(homes_.claude, *session.claude(), options, now(), progress));
  const bool moved = !result.was_dry_run && result.files_moved > 0;
  if (!result.was_dry_run && !moved) hear_of_move(result, session.claude()->place, options);
  if (moved) note(result.warnings, [&](session::Store& store) { return record_move(store, result); });
  return result;
}

Result<EraseResult> Keeper::erase(const AnySession& session, EraseOptions options, const Progress& progress) const {
  options.made_by_us = is_ours(session.id());
  options.written_by_us = written_by_us(session);
  options.backup_folder = backup_folder();
  options.machine_id = machine_id();
  auto erase = [&] {
    if (session.codex()) return erase_codex(homes_.codex, *session.codex(), options, now(), progress);
    return erase_session(homes_.claude, *session.claude(), options, now(), progress);
  };
  HF_TRY(EraseResult result, erase());
  if (!result.was_dry_run) remember_erase(result, options.no_backup);
  return result;
}

Result<RelocateResult> Keeper::relocate(const std::string& old_path, const std::string& new_path, MoveOptions options,
                                        const Progress& progress) const {
  options.backup_folder = backup_folder();
  options.machine_id = machine_id();
  HF_TRY(RelocateResult result, relocate_project(homes_.claude, old_path, new_path, options, now(), progress));
  for (MoveResult& each : result.moved)
    if (!each.was_dry_run && each.files_moved > 0)
      note(each.warnings, [&](session::Store& store) { return record_move(store, each); });
  return result;
}

Result<std::optional<LineageTree>> Keeper::lineage(const std::string& session_id) const {
  HF_TRY(const std::vector<NativeFork> forks, native_forks(homes_.claude));
  return tree_of(session_id, forks);
}

Result<std::optional<LineageTree>> Keeper::lineage_seen_from(SessionSource& source) const {
  std::vector<NativeFork> forks;
  const AnySession& session = source.session();
  if (session.claude())
    if (const auto bytes = source.stored(session.path()))
      if (auto parent = forked_from(*bytes, session.id())) forks.push_back({session.id(), *std::move(parent)});
  return tree_of(session.id(), forks);
}

Result<std::optional<LineageTree>> Keeper::tree_of(const std::string& session_id, const std::vector<NativeFork>& forks) const {
  HF_TRY(session::Store * store, store_to_read());
  const auto title_of = [this](const std::string& id) -> std::string {
    auto found = homes_.find(id);
    if (!found) return {};
    auto line = homes_.line_of(*found);
    return line ? line->custom_title : std::string();
  };
  return lineage_tree(store, session_id, title_of, forks);
}

Result<std::string> Keeper::remembered(const std::string& id_or_prefix, Error not_found) const {
  HF_TRY(session::Store * store, store_to_read());
  if (!store) return fail(std::move(not_found));
  auto id = remembered_id(*store, id_or_prefix);
  if (!id && id.error().kind == ErrorKind::not_found) return fail(std::move(not_found));
  return id;
}

}  // namespace holdfast::transcripts
