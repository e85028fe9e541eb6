// holdfast export.

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/text/uri.h"
#include "catalogue/files.h"
#include "catalogue/list.h"
#include "cli/program/context.h"
#include "cli/services/readable_kinds.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/rewrite/redact.h"
#include "reading/export.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace holdfast::cli {

namespace {

using reading::ExportFormat;

constexpr std::size_t kMostSessions = 100'000;

class Exporting {
 public:
  Exporting(Context& context, TranscriptWork& work)
      : context_(context), work_(work), given_(work.given()), kept_(work.homes_keeper()), asker_(work.asker()) {
    asker_.kept = &kept_;
  }

  Result<void> run() {
    options_.format = format();
    options_.detailed = given_.flag("detailed");
    options_.subagents = given_.flag("subagents");
    if (given_.flag("redact")) options_.filter = [this](std::string_view text) { return transcripts::redact(text, &redacted_); };
    options_.progress = [progress = work_.progress()](std::uint64_t line, std::uint64_t last) {
      return progress("export", line, last);
    };
    const bool several = given_.text("session").empty() && (given_.flag("all") || !given_.text("source_project").empty());
    return several ? export_folder() : export_one();
  }

 private:
  ExportFormat format() const {
    const std::string format = given_.text("format"), &name = output_;
    const bool markdown = format == "md" || (format.empty() && (name.ends_with(".md") || name.ends_with(".markdown")));
    const bool json = format == "json" || (format.empty() && name.ends_with(".json"));
    return markdown ? ExportFormat::markdown : json ? ExportFormat::json : ExportFormat::html;
  }

  Result<std::unique_ptr<reading::Reading>> open(const catalogue::Found& found, const transcripts::KeptVersion& version = {}) {
    transcripts::ReadingOptions options;
    options.all_branches = given_.flag("all_branches");
    return catalogue::open(asker_, found, readable_kinds(), options, nullptr, version);
  }

  // A version of which somebody speaks is taken from the guard, also when the client still has the session.
  Result<std::unique_ptr<reading::Reading>> open(const std::string& id) {
    HF_TRY(const auto version, work_.kept_version());
    const bool of_guard = version.number || version.as_of;
    HF_TRY(const auto found, of_guard ? catalogue::find_copy(work_.homes_keeper(), id, true)
                                      : work_.any_session(id, work_.given().text("source_project")));
    return open(found, version);
  }

  // All of it is there under its name, or nothing is.
  Result<reading::Exported> write_file(reading::Reading& reading, const std::string& path) {
    HF_TRY(auto file, NewFile::make(path));
    HF_TRY(const auto exported,
           reading::export_session(reading, options_, [&file](std::string_view bytes) { return write_all(file.fd(), bytes); }));
    HF_CHECK(file.commit());
    return exported;
  }

  Result<void> export_one() {
    HF_TRY(const auto opened, open(given_.text("session")));
    reading::Reading* const reading = opened.get();
    const std::string id = reading->heading().id;
    if (output_ == kStandardOutput) {
      if (context_.json)
        return fail(ErrorKind::invalid, "--json and --output - both want standard output", "leave one of them out");
      HF_CHECK(reading::export_session(*reading, options_, [this](std::string_view bytes) -> Result<void> {
        work_.progress_done();
        return print_bytes(bytes);
      }));
      return {};
    }
    HF_TRY(const std::string path,
           absolute(output_.empty() ? fmt::format("./{}{}", id, reading::ending_of(options_.format)) : output_));
    HF_TRY(const auto exported, write_file(*reading, path));
    work_.progress_done();
    const JsonObject told = {{"session", id},
                             {"kind", reading->heading().kind},
                             {"format", reading::ending_of(options_.format).substr(1)},
                             {"output", path},
                             {"bytes", exported.bytes},
                             {"turns", exported.turns},
                             {"prompts", exported.prompts},
                             {"subagents", exported.subagents},
                             {"redacted", redacted_}};
    if (context_.json)
      print_json(told);
    else
      print(fmt::format("{}\n{}\n", path,
                        context_.terminal.soft(fmt::format("{}, {} turns, {} prompts{}", size_text(exported.bytes),
                                                           exported.turns, exported.prompts, masked_text()))));
    return {};
  }

  Result<void> export_folder() {
    HF_TRY(const auto project, work_.source_project());
    catalogue::Filter filter;
    filter.query.kinds = {std::string(session::kTranscript)};
    filter.query.limit = kMostSessions;
    if (project) {
      HF_TRY(std::string root, canonical_root(*project));
      filter.query.roots = {std::move(root)};
    }
    catalogue::Asker asker = work_.asker();
    asker.store = {};  // it has no transcripts
    HF_TRY(const catalogue::Page page, catalogue::list(asker, filter));
    work_.warn(page.warnings());
    if (page.items.empty()) return fail(ErrorKind::not_found, "there are no transcripts to export");
    HF_TRY(const std::string folder, absolute(output_.empty() ? "./holdfast-export" : output_));
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error))
      return error ? Result<void>(fail(system_error(folder, error.value())))
                   : Result<void>(fail(ErrorKind::conflict, fmt::format("{} exists already", folder),
                                       "name another folder with --output"));
    std::vector<reading::ExportedFile> files;
    std::vector<std::string> failed;
    const auto write = [&](const catalogue::Found& found) -> Result<void> {
      const std::string& id = found.id();
      const std::string name = id + std::string(reading::ending_of(options_.format));
      const auto opened = open(found);
      auto exported = opened ? write_file(**opened, folder + "/" + name) : Result<reading::Exported>(fail(opened.error()));
      if (!exported && exported.error().kind == ErrorKind::cancelled) return fail(exported.error());
      if (exported)
        files.push_back({name, (*opened)->heading(), *exported});
      else
        failed.push_back(fmt::format("{}: {}", id, exported.error().message));
      return {};
    };
    for (const catalogue::Listed& each : page.items) HF_CHECK(write(each.found));
    if (options_.filter)
      for (auto& file : files)
        for (std::string* text : {&file.heading.title, &file.heading.project}) *text = options_.filter(*text);
    const std::string index = folder + (options_.format == ExportFormat::html ? "/index.html" : "/index.md");
    HF_CHECK(create_file(index, reading::export_index(project ? *project : "All sessions", files, options_.format)));
    work_.progress_done();
    work_.warn(failed);
    if (context_.json)
      print_json(JsonObject{
          {"output", folder}, {"index", index}, {"sessions", files.size()}, {"failed", failed.size()}, {"redacted", redacted_}});
    else
      print(fmt::format("{}\n{}\n", index, context_.terminal.soft(fmt::format("{} sessions{}", files.size(), masked_text()))));
    return {};
  }

  std::string masked_text() const {
    return given_.flag("redact") ? fmt::format(", {} credentials masked", redacted_) : std::string();
  }

  static Result<std::string> absolute(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    if (error) return fail(system_error(path, error.value()));
    return whole.string();
  }

  Context& context_;
  TranscriptWork& work_;
  const operations::Given& given_;
  const std::string output_ = given_.text("output");
  transcripts::KeptLines kept_;
  catalogue::Asker asker_;
  reading::ExportOptions options_;
  std::uint64_t redacted_ = 0;
};

}  // namespace

Result<void> export_any_session(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  return Exporting(context, *work).run();
}

}  // namespace holdfast::cli
