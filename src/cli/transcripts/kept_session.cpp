#include "cli/transcripts/kept_session.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/zstd.h"
#include "cli/transcripts/copy_text.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/rewrite/redact.h"
#include "session/query/display.h"
#include "session/session_archive.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

namespace holdfast::cli {

namespace {

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

}  // namespace

Result<transcripts::ArchiveFormat> format_for_stdout(const Context& context, const TranscriptArguments& given) {
  if (context.line.json)
    return fail(ErrorKind::invalid, "--json and the archive both want standard output", "leave --json out, or name a file");
  if (given.format == "json") return transcripts::ArchiveFormat::json;
  if (::isatty(STDOUT_FILENO) != 0)
    return fail(ErrorKind::refused, "a compressed archive is nothing for a terminal", "redirect it, or ask for --format json");
  return transcripts::ArchiveFormat::zst;
}

Result<void> archive_kept_session(Context& context, TranscriptWork& work, const session::SessionRecord& record,
                                  std::string output) {
  const TranscriptArguments& given = work.given();
  if (transcripts::is_remote(output))
    return fail(ErrorKind::invalid, fmt::format("a {} session is archived to a file", record.kind), "name a path");
  if (output.empty()) output = fmt::format("./{}{}", record.id, given.format == "json" ? ".json" : ".json.zst");
  const bool printed = output == kStandardOutput;
  HF_TRY(const auto format, printed ? format_for_stdout(context, given) : transcripts::archive_format(output, given.format));
  std::error_code error;
  const std::string path = printed ? output : std::filesystem::absolute(output, error).lexically_normal().string();
  if (error) return fail(system_error(output, error.value()));
  HF_TRY(session::Store* const store, work.keeper().store_to_read());
  if (!store) return fail(ErrorKind::not_found, "there is no store");
  std::uint64_t masked = 0;
  session::TextFilter filter;
  if (given.redact) filter = [&masked](std::string_view text) { return transcripts::redact(text, &masked); };
  const auto write = [&](const std::function<Result<void>(std::string_view)>& sink) {
    return session::write_session_archive(*store, record, filter, sink);
  };
  std::optional<NewFile> file;
  if (!printed) {
    HF_TRY(NewFile made, NewFile::make(path));
    file.emplace(std::move(made));
  }
  const auto give = [&file](std::string_view bytes) { return file ? write_all(file->fd(), bytes) : print_bytes(bytes); };
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
  if (!file) return {};
  HF_CHECK(file->commit());
  const JsonObject told = {{"session_id", record.id},    {"kind", record.kind},    {"output", path},
                           {"entries", written.entries}, {"bytes", written.bytes}, {"redacted", masked}};
  if (context.line.json)
    print_json(told);
  else
    print(fmt::format(
        "{}\n{}\n", path,
        context.terminal.soft(fmt::format("{} '{}', {} entries, {}", record.kind, harmless(session::shown_title(record), true),
                                          written.entries, size_text(written.bytes)))));
  return {};
}

Result<bool> is_kept_session(const Fd& file) {
  auto head = unpacked_text(file, kBeginning);
  // What cannot be unpacked is for those to explain who know archives.
  return head && session::looks_like_session_archive(*head);
}

Result<void> restore_kept_session(Context& context, TranscriptWork& work, const Fd& file, const std::string& origin) {
  const TranscriptArguments& given = work.given();
  HF_TRY(const std::string text, unpacked_text(file, session::kMaxArchiveBytes));
  if (text.size() > session::kMaxArchiveBytes)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} bytes", session::kMaxArchiveBytes));
  HF_TRY(const session::SessionArchive archive, session::read_session_archive(text));
  session::RestoreSessionOptions options;
  options.principal = context.settings.text("principal");
  options.origin = origin;
  options.new_id = given.new_id;
  options.dry_run = given.dry_run;
  session::Restored restored;
  HF_TRY(auto* const store, given.dry_run ? work.keeper().store_to_read() : work.keeper().store_to_write());
  if (store) {
    HF_TRY(restored, session::restore_session_archive(*store, archive, options));
  } else {  // nothing is kept yet that could be in the way
    restored.record = archive.record;
    restored.entries = static_cast<std::int64_t>(archive.entries.size());
  }
  const JsonObject told = {{"session_id", restored.record.id}, {"original_id", archive.record.id}, {"kind", archive.record.kind},
                           {"entries", restored.entries},      {"unchanged", restored.unchanged},  {"dry_run", given.dry_run}};
  if (context.line.json) {
    print_json(told);
    return {};
  }
  const std::string_view what = restored.unchanged ? "is there already:" : given.dry_run ? "would restore" : "restored";
  print(fmt::format("{} {} '{}', {} entries\n", what, restored.record.id, harmless(session::shown_title(restored.record), true),
                    restored.entries));
  if (!given.dry_run)
    print(fmt::format("{} holdfast sessions show {}\n", context.terminal.soft("read it  "), restored.record.id));
  return {};
}

}  // namespace holdfast::cli
