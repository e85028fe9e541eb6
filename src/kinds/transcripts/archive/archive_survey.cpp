#include "kinds/transcripts/archive/archive_survey.h"

#include "base/text/text.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/archive/archive_copies.h"
#include "kinds/transcripts/archive/archive_encode.h"
#include "kinds/transcripts/lines/hash_beside.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

namespace holdfast::transcripts {
namespace {

std::unexpected<Error> was_cut(const std::string& path) {
  return fail(ErrorKind::conflict, path + " was cut while it was read", "try again when nothing rewrites it");
}

bool is_shared(ArtifactKind kind) {
  using enum ArtifactKind;
  return kind == plan || kind == todo || kind == task || kind == task_metadata || kind == task_lock || kind == session_env ||
         kind == file_history || kind == debug_log;
}

bool is_text(Holder holder) {
  using enum Holder;
  return holder == agent_metadata || holder == workflow_journals || holder == workflow_runs || holder == plan_files ||
         holder == todos || holder == session_env || holder == task_metadata || holder == session_memory || holder == debug_log;
}

class Surveying {
 public:
  Surveying(SessionSource& source, const Inventory& inventory, const ArchiveOptions& options,
            const std::function<Result<int>()>& copies, const Progress& progress)
      : source_(source), inventory_(inventory), options_(options), copies_(source, options.redact, copies), progress_(progress) {}

  Result<Survey> run() {
    survey_.left_out = inventory_.left_out;
    total_ = inventory_.bytes();
    std::uint64_t history = 0;
    for (const Artifact& artifact : inventory_.artifacts) {
      if (options_.without_shared && is_shared(artifact.kind)) continue;
      if (artifact.kind == ArtifactKind::file_history && !options_.with_history) {
        ++history;
        continue;
      }
      HF_CHECK(take(artifact));
    }
    if (history > 0) survey_.left_out.push_back(fmt::format("{} files of the file history: only kept on request", history));
    survey_.redacted = copies_.redacted();
    return std::move(survey_);
  }

 private:
  Result<void> take(const Artifact& artifact) {
    if (!is_safe_path(artifact.path)) {
      survey_.left_out.push_back(to_valid_utf8(artifact.path) + ": a name that an archive cannot hold");
      return {};
    }
    SurveyedFile file;
    file.artifact = artifact;
    file.slot = slot_of(artifact, inventory_.place);
    file.origin.path = artifact.path;
    auto read = read_file(file);
    if (!read) {
      const bool main = artifact.kind == ArtifactKind::main_transcript;
      if (read.error().kind != ErrorKind::not_found || main) return fail(std::move(read).error());
      survey_.left_out.push_back(artifact.path + ": gone before it was read");
      return {};
    }
    if (file.slot.holder == Holder::nothing && file.bytes > 0) {
      survey_.left_out.push_back(artifact.path + ": a lock that is not empty belongs to its process");
      return {};
    }
    survey_.files.push_back(std::move(file));
    return {};
  }

  Result<void> read_file(SurveyedFile& file) {
    HF_CHECK(look_at(file));
    HF_CHECK(copies_.replace(file));
    HF_TRY(const reading::ByteSource content, content_of(source_, file));
    if (holds_records(file)) {
      HF_CHECK(read_lines(file, content, false));
      if (other_endings_ > own_endings_) HF_CHECK(read_lines(file, content, true));
    } else if (file.artifact.kind == ArtifactKind::flat_agent || file.artifact.kind == ArtifactKind::nested_agent) {
      HF_CHECK(count_lines(file, content));
    } else if (file.slot.holder == Holder::tasks) {
      HF_CHECK(read_task(file, content));
    } else {
      HF_CHECK(read_bytes(file, content));
    }
    return tell(file.bytes);
  }

  // Size, mode and time of the moment, which may be newer than those of the inventory.
  Result<void> look_at(SurveyedFile& file) {
    HF_TRY(const SessionSource::Bytes stored, source_.stored(file.origin.path));
    file.bytes = stored.size;
    if (stored.compressed) {
      HF_TRY(const reading::ByteSource plain, source_.open(file.origin.path));
      file.bytes = plain.size;
    }
    file.artifact.size = file.bytes;
    file.artifact.mode = stored.mode & 0777;
    file.artifact.mtime = stored.mtime;
    return {};
  }

  // A file's own ending is that of most of its lines: the others are irregular.
  Result<void> read_lines(SurveyedFile& file, const reading::ByteSource& content, bool crlf) {
    file.record_lines = file.records = file.record_bytes = 0;
    file.irregular.clear();
    file.tail.clear();
    file.crlf = crlf;
    file.raw = false;
    own_endings_ = other_endings_ = 0;
    const std::size_t budget = kMaxIrregularBytes - irregular_bytes_;
    std::size_t kept = 0;
    std::uint64_t read = 0;
    const auto take = [&](const jsonl::Line& line) -> Result<void> {
      read += line.text.size() + line.ending.size();
      const bool own_ending = line.ending == (crlf ? "\r\n" : "\n");
      if (!line.ending.empty()) ++(own_ending ? own_endings_ : other_endings_);
      if (line.overlong) file.raw = true;
      const bool record = !line.overlong && is_record(file, line.text);
      if (record && !line.ending.empty()) ++file.record_lines;
      if (record && own_ending) {
        ++file.records;
        file.record_bytes += line.text.size();
      } else if (!file.raw) {
        kept += line.text.size() + line.ending.size() + kIrregularCost;
        file.raw = kept > budget;
        if (file.raw)
          std::vector<IrregularLine>().swap(file.irregular);
        else if (line.ending.empty())
          file.tail = line.text;
        else
          file.irregular.push_back({line.number, std::string(own_ending ? line.text : line.bytes())});
      }
      return tell_soon(read);
    };
    HF_TRY(file.sha256, each_hashed_line(content, take));
    if (file.raw) {
      file.records = file.record_bytes = 0;
      std::vector<IrregularLine>().swap(file.irregular);
    } else if (other_endings_ <= own_endings_) {
      irregular_bytes_ += kept;
    }
    return {};
  }

  // A transcript whose name no list of records can say stands among the extra files.
  Result<void> count_lines(SurveyedFile& file, const reading::ByteSource& content) {
    const auto take = [&](const jsonl::Line& line) -> Result<void> {
      if (!line.overlong && !line.ending.empty() && is_record(file, line.text)) ++file.record_lines;
      return {};
    };
    HF_TRY(file.sha256, each_hashed_line(content, take));
    return {};
  }

  bool is_record(const SurveyedFile& file, std::string_view text) {
    if (file.artifact.kind != ArtifactKind::main_transcript) return scanner_.shape(text).is_record();
    static constexpr std::array<std::string_view, 2> kNames = {"customTitle", "version"};
    std::array<jsonl::Token, 2> found;
    const bool record = scanner_.fields(text, kNames, found).is_record();
    if (record && found[0].kind == jsonl::TokenKind::string) survey_.custom_title = found[0].text();
    if (record && found[1].kind == jsonl::TokenKind::string && found[1].raw != last_version_) {
      last_version_ = found[1].raw;
      survey_.client_version = found[1].text();
    }
    return record;
  }

  // Its bytes are the object when it is nothing else, whatever its layout.
  Result<void> read_task(SurveyedFile& file, const reading::ByteSource& content) {
    if (file.bytes <= kMaxTaskBytes) {
      std::string text;
      HF_CHECK(each_piece(content, [&](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
      }));
      static constexpr std::array<std::string_view, 1> kNames = {"id"};
      std::array<jsonl::Token, 1> found;
      const jsonl::LineReport report = scanner_.fields(text, kNames, found);
      const bool object = report.shape == jsonl::LineShape::object || report.shape == jsonl::LineShape::padded;
      if (object && report.valid_utf8 && (found[0].is(file.slot.id) || found[0].raw == file.slot.id)) {
        std::vector<std::string_view> values;
        scanner_.values(text, values);
        file.object = values.at(0);
        file.raw = report.shape == jsonl::LineShape::padded;
        file.sha256 = sha256(text);
        return {};
      }
    }
    file.slot = Slot{Holder::extra_files, {}, {}, {}, false};
    return read_bytes(file, content);
  }

  Result<void> read_bytes(SurveyedFile& file, const reading::ByteSource& content) {
    Sha256 hash;
    TextEncoder text;
    std::string encoded;
    HF_CHECK(each_piece(content, [&](std::string_view piece) -> Result<void> {
      hash.add(piece);
      if (!is_text(file.slot.holder)) return {};
      text.add(piece, encoded);
      file.text_bytes += encoded.size();
      encoded.clear();
      return {};
    }));
    text.finish(encoded);
    file.text_bytes += encoded.size();
    file.raw = !text.exact();
    file.sha256 = hash.finish();
    return {};
  }

  Result<void> tell(std::uint64_t bytes) {
    done_ += bytes;
    return tell_soon(0);
  }
  Result<void> tell_soon(std::uint64_t of_this_file) {
    const std::uint64_t done = done_ + of_this_file;
    if (of_this_file > 0 && done < told_ + kTellBytes) return {};
    told_ = done;
    if (progress_ && !progress_("read", done, std::max(done, total_)))
      return fail(ErrorKind::cancelled, "stopped while the session was read");
    return {};
  }

  static constexpr std::uint64_t kTellBytes = 1024 * 1024;

  SessionSource& source_;
  const Inventory& inventory_;
  const ArchiveOptions& options_;
  ArchiveCopies copies_;
  const Progress& progress_;
  Survey survey_;
  jsonl::Scanner scanner_;
  std::string last_version_;
  std::uint64_t own_endings_ = 0, other_endings_ = 0;
  std::size_t irregular_bytes_ = 0;
  std::uint64_t done_ = 0, told_ = 0, total_ = 0;
};

}  // namespace

std::uint64_t Survey::bytes() const {
  std::uint64_t sum = 0;
  for (const SurveyedFile& file : files) sum += file.bytes;
  return sum;
}

bool holds_records(const SurveyedFile& file) {
  return file.slot.holder == Holder::main_session || file.slot.holder == Holder::agent_files;
}

Result<Survey> survey_session(SessionSource& source, const Inventory& inventory, const ArchiveOptions& options,
                              const std::function<Result<int>()>& copies, const Progress& progress) {
  return Surveying(source, inventory, options, copies, progress).run();
}

Result<reading::ByteSource> content_of(SessionSource& source, const SurveyedFile& file) {
  reading::ByteSource content;
  if (file.origin.path.empty()) {
    content.read = [fd = file.origin.copy, from = file.origin.from](std::uint64_t offset,
                                                                    std::span<char> to) -> Result<std::size_t> {
      for (;;) {
        const ssize_t got = ::pread(fd, to.data(), to.size(), static_cast<off_t>(from + offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return fail(system_error("reading a copy for the archive", errno));
      }
    };
  } else {
    HF_TRY(content, source.open(file.origin.path));
    if (content.size < file.bytes) return was_cut(file.origin.path);
  }
  content.size = file.bytes;
  return content;
}

Result<void> each_piece(const reading::ByteSource& content, const std::function<Result<void>(std::string_view)>& take) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(jsonl::kReadBytes);
  for (std::uint64_t at = 0; at < content.size;) {
    const std::size_t wanted = std::min<std::uint64_t>(jsonl::kReadBytes, content.size - at);
    std::size_t filled = 0;
    while (filled < wanted) {
      HF_TRY(const std::size_t got, content.read(at + filled, std::span(buffer.get() + filled, wanted - filled)));
      if (got == 0) return was_cut("a file of the session");
      filled += got;
    }
    HF_CHECK(take({buffer.get(), filled}));
    at += filled;
  }
  return {};
}

}  // namespace holdfast::transcripts
