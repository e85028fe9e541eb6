// archive, restore, clone: what makes a session again, elsewhere.

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/zstd.h"
#include "base/ids.h"
#include "catalogue/files.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/guard/restore_kept.h"
#include "kinds/transcripts/rewrite/redact.h"
#include "operations/context.h"
#include "operations/operation.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"
#include "session/query/display.h"
#include "session/session_archive.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>

namespace holdfast::operations {

namespace {

// archive and restore of a session that is kept in the store (design 8.24).

constexpr std::size_t kUnpackedAtOnce = 256 * 1024;
constexpr std::size_t kBeginning = 4096;

// The text of the file from its beginning, unpacked; at most `limit` bytes, and one more when there is more.
Result<std::string> unpacked_text(const Fd& file, std::size_t limit) {
  off_t at = 0;
  const auto read_on = [&file, &at](char* to, std::size_t room) -> Result<std::size_t> {
    for (;;) {
      const ssize_t got = ::pread(file.get(), to, room, at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading the archive", errno));
      at += got;
      return static_cast<std::size_t>(got);
    }
  };
  std::string head(kBeginning, '\0');
  HF_TRY(const std::size_t got, read_on(head.data(), head.size()));
  head.resize(got);
  at = 0;
  std::optional<ZstdReader> unpacked;
  if (looks_like_zstd(head)) {
    HF_TRY(ZstdReader reader, ZstdReader::make(read_on));
    unpacked.emplace(std::move(reader));
  }
  std::string text, piece(kUnpackedAtOnce, '\0');
  while (text.size() <= limit) {
    HF_TRY(const std::size_t more, unpacked ? unpacked->read(piece.data(), piece.size()) : read_on(piece.data(), piece.size()));
    if (more == 0) break;
    text.append(piece, 0, std::min(more, limit + 1 - text.size()));
  }
  return text;
}

// Errors: invalid (a remote place), conflict (the file exists).
Result<Facts> archive_of_store(Context& context, const Given& given, const session::SessionRecord& record,
                               const std::string& path) {
  if (transcripts::is_remote(path))
    return fail(ErrorKind::invalid, fmt::format("a {} session is archived to a file", record.kind), "name a path");
  HF_TRY(const auto format, transcripts::archive_format(path, given.text("format")));
  HF_TRY(session::Store* const store, context.store(true));
  std::uint64_t masked = 0;
  session::TextFilter filter;
  if (given.flag("redact")) filter = [&masked](std::string_view text) { return transcripts::redact(text, &masked); };
  const auto write = [&](const std::function<Result<void>(std::string_view)>& sink) {
    return session::write_session_archive(*store, record, filter, sink);
  };
  HF_TRY(auto file, NewFile::make(path));
  const auto give = [&file](std::string_view bytes) { return write_all(file.fd(), bytes); };
  // The frame carries its content's size, so it is counted first (design 8.26).
  HF_TRY(session::Written written, write([](std::string_view) { return Result<void>(); }));
  masked = 0;
  if (format == transcripts::ArchiveFormat::zst) {
    HF_TRY(auto packed, ZstdWriter::make(written.bytes, give, {}));
    HF_TRY(written, write([&packed](std::string_view bytes) { return packed.write(bytes); }));
    HF_CHECK(packed.finish());
  } else {
    HF_TRY(written, write(give));
  }
  HF_CHECK(file.commit());
  return Facts{{"session_id", record.id}, {"kind", record.kind},        {"title", session::shown_title(record)},
               {"output", path},          {"entries", written.entries}, {"bytes", written.bytes},
               {"redacted", masked}};
}

// Whether the file holds such an archive; looks at its beginning, compressed or not.
Result<bool> is_archive_of_store(const Fd& file) {
  auto head = unpacked_text(file, kBeginning);
  // What cannot be unpacked is for those to explain who know archives.
  return head && session::looks_like_session_archive(*head);
}

Result<Facts> restore_to_store(Context& context, const Given& given, const Fd& file, const std::string& origin) {
  HF_TRY(const std::string text, unpacked_text(file, session::kMaxArchiveBytes));
  if (text.size() > session::kMaxArchiveBytes)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} bytes", session::kMaxArchiveBytes));
  HF_TRY(const session::SessionArchive archive, session::read_session_archive(text));
  session::RestoreSessionOptions options;
  options.principal = context.identity().principal;
  options.origin = origin;
  options.new_id = given.flag("new_id");
  options.dry_run = given.flag("dry_run");
  session::Restored restored;
  auto store = context.store(options.dry_run);
  if (store) {
    HF_TRY(restored, session::restore_session_archive(**store, archive, options));
  } else if (options.dry_run && store.error().kind == ErrorKind::not_found) {  // nothing is kept yet that could be in the way
    restored.record = archive.record;
    restored.entries = static_cast<std::int64_t>(archive.entries.size());
  } else {
    return fail(std::move(store).error());
  }
  return Facts{{"session_id", restored.record.id}, {"original_id", archive.record.id},
               {"kind", archive.record.kind},      {"title", session::shown_title(restored.record)},
               {"entries", restored.entries},      {"unchanged", restored.unchanged},
               {"dry_run", options.dry_run}};
}

using enum Parameter::Type;

// ---- archive ----

constexpr std::array kArchiveParameters{
    kSession,
    Parameter{.name = "output",
              .help = "a path, - (standard output), gist://, gist://ID or s3://BUCKET/KEY",
              .fallback = "ID.json.zst",
              .option = "OUTPUT"},
    kSourceProject,
    one_of("format", "json|zst", "of the file", "by the name, else zst", "-f,--format"),
    Parameter{"with_history", flag, "also the copies of files before edits"},
    Parameter{"redact", flag, "mask what looks like a credential; then not byte-true"},
    one_of("format_version", "2.1|2.4", "2.4, or 2.1 for older readers", "2.4"),
    kGistToken,
    one_of("gist_visibility", "secret|public", "secret (unlisted, not private) or public", "secret"),
    Parameter{.name = "gist_description", .help = "what the gist is called"},
    Parameter{"yes", flag, "upload without asking"},
    Parameter{"force", flag, "replace what S3 has under that key"},
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
    needed("archive", "ARCHIVE", "a file, gist://ID, s3://BUCKET/KEY, - (standard input), or the id of a session that is gone"),
    Parameter{.name = "target_project",
              .help = "where it goes",
              .fallback = "this folder; in place: where it was",
              .value = "DIR",
              .option = kTargetProject.option},
    Parameter{"in_place", flag, "same id, same files, bit for bit"},
    kNoTranslate,
    kTranslate,
    kMap,
    kDryRun,
    Parameter{"with_session_env", flag, "also the shell scripts of a stranger's archive"},
    Parameter{.name = "no_session_env", .type = flag, .help = "never shell scripts", .against = "with_session_env"},
    kGistToken,
    kVersion,
    kAsOf,
    Parameter{"new_id", flag, "of a session that is kept in the store: also when it exists, under another id"},
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
    Parameter{"translate_files", flag, "with {translate} all: also in saved results and plans"},
    Parameter{.name = "up_to", .help = "leave out what follows this record", .value = "UUID"},
    Parameter{"fresh_uuids", flag, "new ids for records, too"},
    kDryRun,
};

Result<Facts> clone(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper_for(given.text("session")));
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
    adds("clone", "a second session with the whole history of the first", kCloneParameters, clone),
};

}  // namespace

std::span<const Operation> copying_operations() {
  return kCopying;
}

}  // namespace holdfast::operations
