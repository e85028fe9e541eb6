// A session of the store as one file, and back.

#include "operations/transcripts/store_archive.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/zstd.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/rewrite/redact.h"
#include "session/query/display.h"
#include "session/session_archive.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <optional>

namespace holdfast::operations {

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

}  // namespace holdfast::operations
