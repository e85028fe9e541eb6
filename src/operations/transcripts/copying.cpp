// archive, restore, clone: what makes a session again, elsewhere.

#include "base/files/file.h"
#include "base/ids.h"
#include "catalogue/files.h"
#include "kinds/transcripts/guard/restore_kept.h"
#include "operations/table.h"
#include "operations/transcripts/store_archive.h"
#include "operations/transcripts/transcript_parameters.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <filesystem>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr std::string_view kStandardOutput = "-";

// ---- archive ----

constexpr std::array kArchiveParameters{
    kSession,
    Parameter{.name = "output",
              .help = "a path, - (standard output), gist://, gist://ID or s3://BUCKET/KEY",
              .fallback = "ID.json.zst",
              .option = "OUTPUT"},
    kSourceProject,
    Parameter{.name = "format",
              .help = "of the file",
              .fallback = "by the name, else zst",
              .words = "json|zst",
              .option = "-f,--format"},
    Parameter{.name = "with_history", .type = flag, .help = "also the copies of files before edits"},
    Parameter{.name = "redact", .type = flag, .help = "mask what looks like a credential; then not byte-true"},
    Parameter{.name = "format_version", .help = "2.4, or 2.1 for older readers", .fallback = "2.4", .words = "2.1|2.4"},
    kGistToken,
    Parameter{.name = "gist_visibility",
              .help = "secret (unlisted, not private) or public",
              .fallback = "secret",
              .words = "secret|public"},
    Parameter{.name = "gist_description", .help = "what the gist is called"},
    Parameter{.name = "yes", .type = flag, .help = "upload without asking"},
    Parameter{.name = "force", .type = flag, .help = "replace what S3 has under that key"},
};

std::string what_is_uploaded(const transcripts::SessionLine& line, const transcripts::Inventory& inventory, const Given& given) {
  const std::string output = given.text("output");
  std::string where = output;
  if (transcripts::is_gist(output))
    where = given.text("gist_visibility") == "public" ? "a public gist"
                                                      : "a secret gist (unlisted: who knows its address can read it)";
  return fmt::format(
      "this uploads the whole session {}{}, {} bytes in {} files, to {}.{}", line.session.id(),
      line.title.empty() ? "" : fmt::format(" \"{}\"", line.title), inventory.bytes(), inventory.artifacts.size(), where,
      given.flag("redact") ? "" : " Prompts, answers and tool output may hold secrets: {redact} masks known ones.");
}

Result<Facts> upload(Context& context, const Given& given, const transcripts::Keeper& keeper, transcripts::SessionSource& source,
                     const transcripts::ArchiveOptions& options) {
  if (given.text("format") == "json") return fail(ErrorKind::invalid, "what is uploaded is always zst", "leave {format} out");
  if (!given.flag("yes")) {
    HF_TRY(const auto line, source.line());
    HF_TRY(const auto inventory, source.inventory());
    HF_CHECK(context.agree(what_is_uploaded(line, inventory, given), {}));
  }
  HF_TRY(const auto done,
         transcripts::upload(keeper, source, given.text("output"), options, remote_of(context, given), context.progress()));
  Facts facts = to_json(done.archived);
  if (!done.gist.gist_id.empty()) {
    facts["gist_id"] = done.gist.gist_id;
    facts["gist_url"] = done.gist.gist_url;
  }
  facts["restore_command"] = fmt::format("holdfast restore {}", transcripts::shell_quoted(done.archived.where));
  return facts;
}

// To standard output by way of a file, because an archive is written in two passes, and one that failed half-way must not have
// begun.
Result<std::string> path_to_write(Context& context, const transcripts::Keeper& keeper, const Given& given,
                                  const std::string& id) {
  const std::string output = given.text("output");
  const std::string ending = given.text("format") == "json" ? ".json" : ".json.zst";
  if (output.empty()) return context.archive_path(id, ending);
  if (transcripts::is_remote(output)) return output;
  if (output != kStandardOutput) return context.absolute(output);
  HF_TRY(const std::string folder, keeper.temporary_folder());
  return fmt::format("{}/{}{}", folder, make_uuid7(), ending);
}

Result<Facts> archive_transcript(Context& context, const Given& given, const transcripts::Keeper& keeper,
                                 const catalogue::Found& found, const std::string& path, const std::string& where) {
  HF_TRY(const auto source, catalogue::source_of(keeper, found));
  transcripts::ArchiveOptions options;
  options.with_history = given.flag("with_history");
  options.redact = given.flag("redact");
  options.version_2_1 = given.text("format_version") == "2.1";
  Facts facts;
  if (transcripts::is_remote(path)) {
    HF_TRY(facts, upload(context, given, keeper, *source, options));
  } else {
    HF_TRY(options.format, transcripts::archive_format(path, given.text("format")));
    HF_TRY(auto archived, keeper.write(*source, path, options, context.progress()));
    keeper.remember(archived, where);
    facts = to_json(archived);
    facts["byte_true"] = archived.report.header.byte_true;
  }
  return facts;
}

Result<Facts> archive(Context& context, const Given& given) {
  HF_TRY(const auto found, context.any_session(given.text("session"), given.text("source_project")));
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(const std::string path, path_to_write(context, *keeper, given, found.id()));
  const bool printed = given.text("output") == kStandardOutput;
  auto facts = found.record()
                   ? archive_of_store(context, given, *found.record(), path)
                   : archive_transcript(context, given, *keeper, found, path, printed ? std::string(kStandardOutput) : path);
  if (!facts || !printed) return facts;
  const auto done = context.print_file(path);
  ::unlink(path.c_str());
  if (!done) return fail(done.error());
  return facts;
}

// ---- restore ----

constexpr std::array kRestoreParameters{
    Parameter{.name = "archive",
              .help = "a file, gist://ID, s3://BUCKET/KEY, - (standard input), or the id of a session that is gone",
              .required = true,
              .may_be_empty = false,
              .option = "ARCHIVE"},
    Parameter{.name = "target_project",
              .help = "where it goes",
              .fallback = "this folder; in place: where it was",
              .value = "DIR",
              .option = kTargetProject.option},
    Parameter{.name = "in_place", .type = flag, .help = "same id, same files, bit for bit"},
    kNoTranslate,
    kTranslate,
    kMap,
    kDryRun,
    Parameter{.name = "with_session_env", .type = flag, .help = "also the shell scripts of a stranger's archive"},
    Parameter{.name = "no_session_env", .type = flag, .help = "never shell scripts", .against = "with_session_env"},
    kGistToken,
    kVersion,
    kAsOf,
    Parameter{
        .name = "new_id", .type = flag, .help = "of a session that is kept in the store: also when it exists, under another id"},
};

Facts told_of(const transcripts::CopyResult& result, std::string_view product) {
  Facts facts = to_json(result);
  facts["product"] = product;
  return facts;
}

// Where a copy goes that nobody placed: the caller's project, else where it was, if that is still there.
Result<std::string> folder_for_copy(Context& context, transcripts::SessionSource& source) {
  HF_TRY(auto project, context.project());
  if (project) return std::move(*project);
  HF_TRY(const auto header, source.header());
  const std::string original = header.original_project_path;
  std::error_code ignored;
  if (!original.empty() && std::filesystem::is_directory(original, ignored)) return original;
  return fail(ErrorKind::invalid, "it is not known which project to restore into", "give {target_project}");
}

Result<Facts> restore(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  std::string place = given.text("archive");
  if (place != "-" && !transcripts::is_remote(place) && !transcripts::looks_like_id(place)) {
    HF_TRY(place, context.absolute(place));
  }
  transcripts::CopyOptions options;
  options.in_place = given.flag("in_place");
  HF_TRY(options.target_project, target_of(context, given));
  HF_TRY(Translation translation, translation_of(given));
  options.level = translation.level;
  options.maps = std::move(translation.maps);
  options.dry_run = given.flag("dry_run");
  options.caller_sessions = context.calling_sessions();
  if (given.flag("with_session_env")) options.session_env = transcripts::SessionEnv::always;
  if (given.flag("no_session_env")) options.session_env = transcripts::SessionEnv::never;
  const transcripts::Progress progress = context.progress();
  HF_TRY(const auto version, version_of(given, context.now()));
  const bool asks_for_version = version.number || version.as_of;
  HF_TRY(const auto copy, catalogue::copy_at_place(*keeper, place, asks_for_version));
  if (!copy && asks_for_version)
    return fail(ErrorKind::invalid, "{version} and {as_of} are for sessions that the guard has", "give the id of one");
  // Where it was: straight from the guard. Elsewhere its paths are translated, as those of any archive.
  if (copy && copy->in_guard() && options.in_place && !options.target_project) {
    HF_TRY(const auto kept, transcripts::KeptLines(*keeper).transcript(*copy->in_guard(), version));
    const transcripts::RestoreKeptOptions kept_options{version, options.session_env != transcripts::SessionEnv::never,
                                                       options.dry_run};
    HF_TRY(const auto result, restore_kept(*keeper, kept, kept_options, progress));
    return told_of(result, kept.line.session.product());
  }
  std::unique_ptr<transcripts::SessionSource> source;
  if (copy) {
    HF_TRY(source, catalogue::source_of(*keeper, *copy, version));
  } else {
    HF_TRY(auto archive, transcripts::open_archive(*keeper, place, remote_of(context, given), progress));
    HF_TRY(const bool of_store, is_archive_of_store(archive.file));
    if (of_store) return restore_to_store(context, given, archive.file, archive.origin);
    HF_TRY(source, keeper->source(std::move(archive.file), archive.origin));
  }
  if (given.flag("new_id"))
    return fail(ErrorKind::invalid, "{new_id} is for sessions of the store", "a transcript gets another id unless {in_place}");
  if (!options.in_place && !options.target_project) {
    HF_TRY(options.current_folder, folder_for_copy(context, *source));
  }
  HF_TRY(auto result, keeper->restore(*source, options, progress));
  return told_of(result, source->session().product());
}

// ---- clone ----

constexpr std::array kCloneParameters{
    kSession,
    kOnlySourceProject,
    Parameter{.name = "target_project",
              .help = "where the second goes",
              .fallback = "where the first is",
              .value = "DIR",
              .option = kTargetProject.option},
    kNoTranslate,
    kTranslate,
    kMap,
    Parameter{.name = "translate_files", .type = flag, .help = "with {translate} all: also in saved results and plans"},
    Parameter{.name = "up_to", .help = "leave out what follows this record", .value = "UUID"},
    Parameter{.name = "fresh_uuids", .type = flag, .help = "new ids for records, too"},
    kDryRun,
};

Result<Facts> clone(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  transcripts::CopyOptions options;
  HF_TRY(options.target_project, target_of(context, given));
  HF_TRY(Translation translation, translation_of(given));
  options.level = translation.level;
  options.maps = std::move(translation.maps);
  options.fresh_uuids = given.flag("fresh_uuids");
  options.translate_files = given.flag("translate_files");
  options.up_to = given.text("up_to");
  options.dry_run = given.flag("dry_run");
  HF_TRY(const auto found, context.transcript(given.text("session"), given.text("source_project")));
  HF_TRY(const auto line, catalogue::line_of(*keeper, nullptr, found));
  // Where a kept one goes whose project is not known.
  HF_TRY(const auto here, context.project());
  HF_TRY(const auto result, catalogue::clone(*keeper, found, options, here.value_or(""), context.progress()));
  return told_of(result, line.session.product());
}

constexpr std::array kCopying{
    Operation{.name = "archive",
              .summary = "keep a session in one file, a gist or S3",
              .parameters = kArchiveParameters,
              .scope = Scope::read,
              .effect = Effect::adds,
              .reaches_out = true,
              .run = archive},
    Operation{.name = "restore",
              .summary = "a session out of an archive: a copy, or in place",
              .parameters = kRestoreParameters,
              .scope = Scope::write,
              .effect = Effect::adds,
              .reaches_out = true,
              .run = restore},
    Operation{.name = "clone",
              .summary = "a second session with the whole history of the first",
              .parameters = kCloneParameters,
              .scope = Scope::write,
              .effect = Effect::adds,
              .run = clone},
};

}  // namespace

std::span<const Operation> copying_operations() {
  return kCopying;
}

}  // namespace holdfast::operations
