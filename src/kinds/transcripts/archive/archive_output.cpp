#include "kinds/transcripts/archive/archive_output.h"

#include "base/files/file.h"
#include "base/files/zstd.h"
#include "kinds/transcripts/archive/archive_encode.h"
#include "kinds/transcripts/lines/hash_beside.h"
#include "kinds/transcripts/staging/write_back.h"

#include <optional>

namespace holdfast::transcripts {
namespace {

std::unexpected<Error> has_changed(const SurveyedFile& file) {
  return fail(ErrorKind::conflict, file.artifact.path + " changed while it was archived", "try again when nothing rewrites it");
}

}  // namespace

struct WritingOutput::State {
  const Home& home;
  int fd;
  const Progress& progress;
  std::uint64_t total;
  std::optional<ZstdWriter> zstd{};
  std::string gathered{};  // on its way to the file or the compressor
  HashBeside hash{};
  WriteBack write_back{};
  std::uint64_t size = 0, done = 0;
  std::string digest{};

  Result<void> to_file(std::string_view bytes) {
    hash.add(bytes);
    size += bytes.size();
    HF_CHECK(write_all(fd, bytes));
    write_back.wrote(fd, size);
    return {};
  }

  Result<void> flush() {
    HF_CHECK(zstd ? zstd->write(gathered) : to_file(gathered));
    gathered.clear();
    if (progress && !progress("write", done, std::max(done, total)))
      return fail(ErrorKind::cancelled, "stopped while the archive was written");
    return {};
  }

  // A long line is not worth a copy of it.
  Result<void> put(std::string_view bytes) {
    if (bytes.size() < jsonl::kWriteBytes) {
      gathered += bytes;
      return flush_if_large();
    }
    HF_CHECK(flush());
    return zstd ? zstd->write(bytes) : to_file(bytes);
  }

  Result<void> flush_if_large() { return gathered.size() < jsonl::kWriteBytes ? Result<void>{} : flush(); }

  // Which lines are records is known from the survey; nothing is looked into again.
  Result<void> records(const SurveyedFile& file, const Content& content) {
    std::size_t next_irregular = 0;
    std::uint64_t records = 0, record_bytes = 0;
    const auto take = [&](const jsonl::Line& line) -> Result<void> {
      done += line.text.size() + line.ending.size();
      if (line.ending.empty()) return {};
      if (next_irregular < file.irregular.size() && file.irregular[next_irregular].line == line.number) {
        ++next_irregular;
        return {};
      }
      if (records++ > 0) gathered += ",\n";
      record_bytes += line.text.size();
      return put(line.text);
    };
    HF_TRY(const Digest now, each_hashed_line(content.fd(), content.from(), content.to(), take));
    if (now != file.sha256 || records != file.records || record_bytes != file.record_bytes) return has_changed(file);
    return {};
  }

  template <class Encoder>
  Result<void> encoded(const SurveyedFile& file, const Content& content, Encoder encoder) {
    Sha256 now;
    HF_CHECK(content.each_piece([&](std::string_view piece) -> Result<void> {
      now.add(piece);
      encoder.add(piece, gathered);
      done += piece.size();
      return flush_if_large();
    }));
    encoder.finish(gathered);
    if (now.finish() != file.sha256) return has_changed(file);
    return {};
  }
};

WritingOutput::WritingOutput(std::unique_ptr<State> state) : state_(std::move(state)) {}
WritingOutput::~WritingOutput() = default;

Result<std::unique_ptr<WritingOutput>> WritingOutput::make(const Home& home, int fd, ArchiveFormat format,
                                                           std::uint64_t json_size, std::uint64_t total,
                                                           const Progress& progress) {
  auto state = std::unique_ptr<State>(new State{home, fd, progress, total});
  if (format == ArchiveFormat::zst) {
    State* const target = state.get();
    HF_TRY(ZstdWriter zstd, ZstdWriter::make(json_size, [target](std::string_view bytes) { return target->to_file(bytes); }, {}));
    state->zstd.emplace(std::move(zstd));
  }
  return std::unique_ptr<WritingOutput>(new WritingOutput(std::move(state)));
}

Result<void> WritingOutput::text(std::string_view text) {
  return state_->put(text);
}

Result<void> WritingOutput::content(const SurveyedFile& file, Form form) {
  auto content = Content::open(state_->home, file);
  if (!content) return content.error().kind == ErrorKind::not_found ? has_changed(file) : Result<void>(fail(content.error()));
  switch (form) {
    case Form::records:
      return state_->records(file, *content);
    case Form::text:
      return state_->encoded(file, *content, TextEncoder());
    case Form::base64:
      return state_->encoded(file, *content, Base64Encoder(Base64Encoder::Alphabet::standard));
    case Form::base64url:
      return state_->encoded(file, *content, Base64Encoder(Base64Encoder::Alphabet::url));
  }
  return {};
}

Result<void> WritingOutput::finish() {
  HF_CHECK(state_->flush());
  if (state_->zstd) HF_CHECK(state_->zstd->finish());
  state_->digest = to_hex(state_->hash.finish());
  return {};
}

std::uint64_t WritingOutput::size() const {
  return state_->size;
}

std::string WritingOutput::sha256() const {
  return state_->digest;
}

}  // namespace holdfast::transcripts
