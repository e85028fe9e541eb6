// holdfast archive.

#include "base/ids.h"
#include "cli/program/context.h"
#include "cli/transcripts/copy_text.h"
#include "cli/transcripts/kept_session.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::cli {

namespace {

constexpr std::size_t kPrintedPiece = 256 * 1024;

struct Wanted {
  std::string id, output;
};

// One word is an id unless it holds what only a place can hold (design 8.24).
Wanted read_words(const operations::Given& given) {
  Wanted wanted{given.text("session"), given.text("output")};
  const bool is_place = wanted.id == kStandardOutput || wanted.id.find_first_of("/.") != std::string::npos;
  if (is_place && wanted.output.empty()) std::swap(wanted.id, wanted.output);
  return wanted;
}

std::string what_is_uploaded(const transcripts::SessionLine& line, const transcripts::Inventory& inventory,
                             const operations::Given& given, const std::string& output) {
  std::map<transcripts::ArtifactKind, std::uint64_t> counts;
  for (const auto& artifact : inventory.artifacts)
    if (artifact.kind != transcripts::ArtifactKind::file_history || given.flag("with_history")) ++counts[artifact.kind];
  const std::string parts = parts_text(counts);
  std::string where = output;
  if (transcripts::is_gist(output))
    where = given.text("gist_visibility") == "public" ? "a public gist"
                                                      : "a secret gist (unlisted: who knows its address can read it)";
  return fmt::format(
      "this uploads the whole session {}{}, {}{}{}, to {}.{}", line.session.id(),
      line.title.empty() ? "" : fmt::format(" \"{}\"", harmless(line.title, true)), size_text(inventory.bytes()),
      parts.empty() ? "" : ", with ", parts, where,
      given.flag("redact") ? "" : " Prompts, answers and tool output may hold secrets: --redact masks known ones.");
}

std::string archived_text(const transcripts::Archived& archived, const Terminal& terminal, bool verbose) {
  const transcripts::ArchiveReport& report = archived.report;
  std::string out;
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), harmless(value, true));
  };
  line("archive", archived.where);
  line("session", report.header.session_id);
  line("title", report.header.custom_title);
  line("project", report.header.original_project_path);
  line("format",
       fmt::format("{} {}, {}{}", report.header.version, archived.format == transcripts::ArchiveFormat::zst ? "zst" : "json",
                   size_text(report.size), report.header.byte_true ? "" : ", not byte-true"));
  line("records", fmt::format("{}, of subagents {}", report.counts.main_records, report.counts.agent_records));
  line("files", std::to_string(report.counts.files));
  if (verbose)
    for (const auto& file : report.counts.per_file) line("", fmt::format("{} ({} bytes)", file.path, file.bytes));
  if (report.redacted > 0) line("masked", fmt::format("{} credentials", report.redacted));
  for (const std::string& each : report.left_out) line("left out", each);
  return out;
}

Result<void> print_archived(Context& context, TranscriptWork& work, const transcripts::Archived& archived, JsonObject fields) {
  work.progress_done();
  if (context.json)
    print_json(fields);
  else
    print(archived_text(archived, context.terminal, context.verbose));
  work.warn(archived.warnings);
  return {};
}

// By way of a file, because an archive is written in two passes, and one that failed half-way must not have begun.
Result<void> archive_to_stdout(Context& context, TranscriptWork& work, const catalogue::Files& readable,
                               transcripts::ArchiveOptions options) {
  HF_TRY(options.format, format_for_stdout(context, work.given()));
  HF_TRY(const std::string folder, work.keeper().temporary_folder());
  const std::string path = fmt::format("{}/{}.archive", folder, make_uuid7());
  auto archived = readable.keeper->write(readable.session, path, options, work.progress());
  if (!archived) return fail(std::move(archived).error());
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int problem = errno;
  ::unlink(path.c_str());
  if (!file) return fail(system_error(path, problem));
  work.progress_done();
  std::string piece(kPrintedPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("the archive", errno));
    if (got == 0) break;
    HF_CHECK(print_bytes(std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
  }
  work.keeper().remember(*archived, std::string(kStandardOutput));
  print_note(archived_text(*archived, Terminal{}, context.verbose));
  work.warn(archived->warnings);
  return {};
}

Result<void> archive_remotely(Context& context, TranscriptWork& work, const catalogue::Files& readable, const std::string& output,
                              const transcripts::ArchiveOptions& options) {
  const transcripts::AnySession& session = readable.session;
  const transcripts::Keeper& keeper = *readable.keeper;
  if (work.given().text("format") == "json")
    return fail(ErrorKind::invalid, "what is uploaded is always zst", "leave --format out");
  HF_TRY(const auto line, keeper.homes().line_of(session));
  HF_TRY(const auto inventory, keeper.homes().inventory(session));
  HF_CHECK(work.confirm(what_is_uploaded(line, inventory, work.given(), output)));
  HF_TRY(const auto done, transcripts::upload(keeper, session, output, options, work.remote(), work.progress()));
  JsonObject fields = to_json(done.archived);
  if (!done.gist.gist_id.empty()) {
    fields["gist_id"] = done.gist.gist_id;
    fields["gist_url"] = done.gist.gist_url;
  }
  fields["restore_command"] = fmt::format("holdfast restore {}", transcripts::shell_quoted(done.archived.where));
  HF_CHECK(print_archived(context, work, done.archived, std::move(fields)));
  if (!context.json) {
    if (!done.gist.gist_url.empty()) print(done.gist.gist_url + "\n");
    print(fmt::format("{} holdfast restore {}\n", context.terminal.soft("restore  "),
                      transcripts::shell_quoted(done.archived.where)));
  }
  return {};
}

}  // namespace

Result<void> archive_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  auto [id, output] = read_words(given);
  HF_TRY(const auto found, work->find(id));
  if (found.record()) return archive_kept_session(context, *work, *found.record(), output);
  HF_TRY(const auto readable, work->files_of(found));
  const transcripts::AnySession& session = readable.session;
  transcripts::ArchiveOptions options;
  options.with_history = given.flag("with_history");
  options.redact = given.flag("redact");
  options.version_2_1 = given.text("format_version") == "2.1";
  if (transcripts::is_remote(output)) return archive_remotely(context, *work, readable, output, options);
  if (output == kStandardOutput) return archive_to_stdout(context, *work, readable, options);

  if (output.empty()) output = fmt::format("./{}{}", session.id(), given.text("format") == "json" ? ".json" : ".json.zst");
  HF_TRY(options.format, transcripts::archive_format(output, given.text("format")));
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(output, error).lexically_normal();
  if (error) return fail(system_error(output, error.value()));
  HF_TRY(auto archived, readable.keeper->write(session, path.string(), options, work->progress()));
  work->keeper().remember(archived, path.string());
  JsonObject fields = to_json(archived);
  return print_archived(context, *work, archived, std::move(fields));
}

}  // namespace holdfast::cli
