#include "kinds/transcripts/archive/archive_writer.h"

#include "base/files/new_file.h"
#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_layout.h"
#include "kinds/transcripts/archive/archive_output.h"
#include "kinds/transcripts/archive/archive_survey.h"

#include <fmt/format.h>

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

class Writing {
 public:
  Writing(const Home& home, const Inventory& inventory, const std::string& project_root, const std::string& path,
          const ArchiveOptions& options, const Progress& progress)
      : home_(home), inventory_(inventory), project_root_(project_root), path_(path), options_(options), progress_(progress) {}

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
    HF_TRY(const Survey survey, survey_session(home_, inventory_, options_, copies, progress_));
    ArchiveReport report;
    report.header = header_of(inventory_, project_root_, options_, survey);
    const Document document{report.header, survey, inventory_, options_.with_history, options_.without_shared};
    CountingOutput count;
    HF_CHECK(write_document(document, count));
    HF_TRY(const auto out, WritingOutput::make(home_, file.fd(), options_.format, count.size(), survey.bytes(), progress_));
    HF_CHECK(write_document(document, *out));
    HF_CHECK(out->finish());
    report.counts = counts_of(survey, report.header);
    report.size = out->size();
    report.json_size = count.size();
    report.sha256 = out->sha256();
    report.redacted = survey.redacted;
    report.left_out = survey.left_out;
    name_what_is_lost(survey, report.header, report.left_out);
    return report;
  }

  const Home& home_;
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

Result<ArchiveReport> write_archive(const Home& home, const Inventory& inventory, const std::string& project_root,
                                    const std::string& path, const ArchiveOptions& options, const Progress& progress) {
  return Writing(home, inventory, project_root, path, options, progress).run();
}

}  // namespace holdfast::transcripts
