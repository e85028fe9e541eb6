#include "kinds/transcripts/archive/archive_writer.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/zstd.h"
#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_encode.h"
#include "kinds/transcripts/archive/archive_layout.h"
#include "kinds/transcripts/lines/hash_beside.h"
#include "kinds/transcripts/staging/write_back.h"

#include <fmt/format.h>

#include <optional>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kOldVersion = "2.1";

ArchiveHeader header_of(const Inventory& inventory, const std::string& project_root, const ArchiveOptions& options,
                        const Survey& survey) {
  ArchiveHeader header;
  header.version = options.version_2_1 ? kOldVersion : kArchiveVersion;
  header.session_id = inventory.place.session_id;
  header.archived_at = iso8601(options.archived_at);
  header.original_project_path = to_valid_utf8(project_root);
  header.project_folder = inventory.place.project_folder;
  header.claude_code_version = survey.client_version;
  header.machine_id = to_valid_utf8(options.machine_id);
  header.custom_title = survey.custom_title;
  header.product = inventory.place.project_folder.empty() ? "codex" : "claude";
  header.byte_true = !options.version_2_1;
  header.redacted = options.redact;
  return header;
}

ArchiveCounts counts_of(const Survey& survey, const ArchiveHeader& header) {
  ArchiveCounts counts;
  for (const SurveyedFile& file : survey.files) {
    if (!is_written(file, header)) continue;
    (file.slot.holder == Holder::main_session ? counts.main_records : counts.agent_records) += file.record_lines;
    ++counts.files;
    counts.irregular_lines += file.irregular.size() + (file.tail.empty() ? 0 : 1);
    counts.per_file.push_back({file.artifact.path, file.record_lines, file.bytes, to_hex(file.sha256)});
  }
  return counts;
}

void name_what_is_lost(const Survey& survey, const ArchiveHeader& header, std::vector<std::string>& left_out) {
  if (header.byte_true) return;
  for (const SurveyedFile& file : survey.files) {
    if (!is_written(file, header)) {
      left_out.push_back(fmt::format("{}: version {} has no place for it", file.artifact.path, header.version));
    } else if (file.raw || !file.irregular.empty() || !file.tail.empty()) {
      left_out.push_back(fmt::format("{}: version {} cannot hold all of its bytes", file.artifact.path, header.version));
    }
  }
}

// The size of the document, from the survey alone.
class CountingOutput final : public DocumentOutput {
 public:
  Result<void> text(std::string_view text) override {
    size_ += text.size();
    return {};
  }
  Result<void> content(const SurveyedFile& file, Form form) override {
    size_ += size_of_content(file, form);
    return {};
  }
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_ = 0;
};

std::unexpected<Error> has_changed(const SurveyedFile& file) {
  return fail(ErrorKind::conflict, file.artifact.path + " changed while it was archived", "try again when nothing rewrites it");
}

// The document into its file, compressed or not, and hashed on the way. What is read is hashed again and compared with the
// survey. Errors beside io: conflict (a file is not what the survey saw), cancelled.
class WritingOutput final : public DocumentOutput {
 public:
  // `total`: bytes of the session, for progress.
  WritingOutput(SessionSource& source, int fd, std::uint64_t total, const Progress& progress)
      : source_(source), fd_(fd), total_(total), progress_(progress) {}

  Result<void> compress(std::uint64_t json_size) {
    HF_TRY(ZstdWriter zstd, ZstdWriter::make(json_size, [this](std::string_view bytes) { return to_file(bytes); }, {}));
    zstd_.emplace(std::move(zstd));
    return {};
  }

  Result<void> text(std::string_view text) override { return put(text); }

  Result<void> content(const SurveyedFile& file, Form form) override {
    const auto content = content_of(source_, file);
    if (!content) return content.error().kind == ErrorKind::not_found ? has_changed(file) : Result<void>(fail(content.error()));
    switch (form) {
      case Form::records:
        return records(file, *content);
      case Form::text:
        return encoded(file, *content, TextEncoder());
      case Form::base64:
        return encoded(file, *content, Base64Encoder(Base64Encoder::Alphabet::standard));
      case Form::base64url:
        return encoded(file, *content, Base64Encoder(Base64Encoder::Alphabet::url));
    }
    return {};
  }

  Result<void> finish() {
    HF_CHECK(flush());
    if (zstd_) HF_CHECK(zstd_->finish());
    sha256_ = to_hex(hash_.finish());
    return {};
  }

  std::uint64_t size() const { return size_; }           // of the file
  const std::string& sha256() const { return sha256_; }  // of the file, after finish()

 private:
  Result<void> to_file(std::string_view bytes) {
    hash_.add(bytes);
    size_ += bytes.size();
    HF_CHECK(write_all(fd_, bytes));
    write_back_.wrote(fd_, size_);
    return {};
  }

  Result<void> flush() {
    HF_CHECK(zstd_ ? zstd_->write(gathered_) : to_file(gathered_));
    gathered_.clear();
    if (progress_ && !progress_("write", done_, std::max(done_, total_)))
      return fail(ErrorKind::cancelled, "stopped while the archive was written");
    return {};
  }

  // A long line is not worth a copy of it.
  Result<void> put(std::string_view bytes) {
    if (bytes.size() < jsonl::kWriteBytes) {
      gathered_ += bytes;
      return flush_if_large();
    }
    HF_CHECK(flush());
    return zstd_ ? zstd_->write(bytes) : to_file(bytes);
  }

  Result<void> flush_if_large() { return gathered_.size() < jsonl::kWriteBytes ? Result<void>{} : flush(); }

  // Which lines are records is known from the survey; nothing is looked into again.
  Result<void> records(const SurveyedFile& file, const reading::ByteSource& content) {
    std::size_t next_irregular = 0;
    std::uint64_t records = 0, record_bytes = 0;
    const auto take = [&](const jsonl::Line& line) -> Result<void> {
      done_ += line.text.size() + line.ending.size();
      if (line.ending.empty()) return {};
      if (next_irregular < file.irregular.size() && file.irregular[next_irregular].line == line.number) {
        ++next_irregular;
        return {};
      }
      if (records++ > 0) gathered_ += ",\n";
      record_bytes += line.text.size();
      return put(line.text);
    };
    HF_TRY(const Digest now, each_hashed_line(content, take));
    if (now != file.sha256 || records != file.records || record_bytes != file.record_bytes) return has_changed(file);
    return {};
  }

  template <class Encoder>
  Result<void> encoded(const SurveyedFile& file, const reading::ByteSource& content, Encoder encoder) {
    Sha256 now;
    HF_CHECK(each_piece(content, [&](std::string_view piece) -> Result<void> {
      now.add(piece);
      encoder.add(piece, gathered_);
      done_ += piece.size();
      return flush_if_large();
    }));
    encoder.finish(gathered_);
    if (now.finish() != file.sha256) return has_changed(file);
    return {};
  }

  SessionSource& source_;
  const int fd_;
  const std::uint64_t total_;
  const Progress& progress_;
  std::optional<ZstdWriter> zstd_;
  std::string gathered_;  // on its way to the file or the compressor
  HashBeside hash_;
  WriteBack write_back_;
  std::uint64_t size_ = 0, done_ = 0;
  std::string sha256_;
};

class Writing {
 public:
  Writing(SessionSource& source, const Inventory& inventory, const std::string& project_root, const std::string& path,
          const ArchiveOptions& options, const Progress& progress)
      : source_(source),
        inventory_(inventory),
        project_root_(project_root),
        path_(path),
        options_(options),
        progress_(progress) {}

  Result<ArchiveReport> run() {
    HF_TRY(NewFile file, NewFile::make(path_));
    auto report = attempt(file);
    // A session in use may be rewritten under our eyes once; twice means that it will not hold still.
    if (!report && report.error().kind == ErrorKind::conflict) {
      HF_CHECK(file.clear());
      report = attempt(file);
    }
    if (!report) return fail(std::move(report).error());
    HF_CHECK(file.commit());
    return report;
  }

 private:
  Result<ArchiveReport> attempt(NewFile& file) {
    const auto copies = [this]() -> Result<int> {
      if (!copies_) {
        const std::size_t slash = path_.rfind('/');
        HF_TRY(copies_, make_temporary(slash == path_.npos ? "." : path_.substr(0, slash + 1)));
      }
      return copies_.get();
    };
    copies_.reset();
    HF_TRY(const Survey survey, survey_session(source_, inventory_, options_, copies, progress_));
    ArchiveReport report;
    report.header = header_of(inventory_, project_root_, options_, survey);
    const Document document{report.header, survey, inventory_, options_.with_history, options_.without_shared};
    CountingOutput count;
    HF_CHECK(write_document(document, count));
    WritingOutput out(source_, file.fd(), survey.bytes(), progress_);
    if (options_.format == ArchiveFormat::zst) HF_CHECK(out.compress(count.size()));
    HF_CHECK(write_document(document, out));
    HF_CHECK(out.finish());
    report.counts = counts_of(survey, report.header);
    report.size = out.size();
    report.json_size = count.size();
    report.sha256 = out.sha256();
    report.redacted = survey.redacted;
    report.left_out = survey.left_out;
    name_what_is_lost(survey, report.header, report.left_out);
    return report;
  }

  SessionSource& source_;
  const Inventory& inventory_;
  const std::string& project_root_;
  const std::string& path_;
  const ArchiveOptions& options_;
  const Progress& progress_;
  Fd copies_;
};

}  // namespace

Result<ArchiveFormat> archive_format(std::string_view path, std::string_view asked) {
  if (!asked.empty() && asked != "json" && asked != "zst") {
    return fail(ErrorKind::invalid, fmt::format("unknown archive format \"{}\"", asked), "json or zst");
  }
  const std::string_view named = path.ends_with(".zst") ? "zst" : path.ends_with(".json") ? "json" : "";
  if (named.empty() && asked.empty()) {
    return fail(ErrorKind::invalid, fmt::format("{}: the extension does not say which format is wanted", path),
                "name it .json or .json.zst, or say {format} json or zst");
  }
  if (!named.empty() && !asked.empty() && named != asked) {
    return fail(ErrorKind::invalid, fmt::format("{} is named as {}, and {} was asked for", path, named, asked),
                "change one of them");
  }
  return (named.empty() ? asked : named) == "zst" ? ArchiveFormat::zst : ArchiveFormat::json;
}

Result<ArchiveReport> write_archive(SessionSource& source, const Inventory& inventory, const std::string& project_root,
                                    const std::string& path, const ArchiveOptions& options, const Progress& progress) {
  return Writing(source, inventory, project_root, path, options, progress).run();
}

}  // namespace holdfast::transcripts
