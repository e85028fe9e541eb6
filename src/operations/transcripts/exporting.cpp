// export: any session as a document that people read, or all transcripts as a folder of them.

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "catalogue/files.h"
#include "kinds/transcripts/rewrite/redact.h"
#include "operations/readable_kinds.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"
#include "reading/export.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;
using reading::ExportFormat;

constexpr std::size_t kMostSessions = 100'000;

constexpr std::array kExportParameters{
    kSession,
    kOfFolder,
    Parameter{.name = "all", .type = flag, .help = "all transcripts, into a folder with an index", .against = "source_project"},
    one_of("format", "html|md|json", "what it becomes", "by the name of the output, else html", "-f,--format"),
    Parameter{.name = "output",
              .help = "a file, - (standard output), or a folder for several",
              .fallback = "./ID.html",
              .option = "-o,--output"},
    Parameter{"detailed", flag, "Markdown: also tools and thinking"},
    Parameter{"subagents", flag, "also the conversations of subagents"},
    Parameter{"all_branches", flag, "every line in the order of the file, not only the current branch"},
    kVersion,
    kAsOf,
    kRedact};

class Exporting {
 public:
  Exporting(Context& context, const Given& given, const transcripts::Keeper* keeper)
      : context_(context), given_(given), keeper_(keeper), asker_(context.asker()) {
    if (keeper) asker_.kept = &kept_.emplace(*keeper);
    options_.format = format();
    options_.detailed = given.flag("detailed");
    options_.subagents = given.flag("subagents");
    if (given.flag("redact")) options_.filter = [this](std::string_view text) { return transcripts::redact(text, &redacted_); };
    options_.progress = [progress = context.progress()](std::uint64_t line, std::uint64_t last) {
      return progress ? progress("export", line, last) : true;
    };
  }
  Exporting(const Exporting&) = delete;  // the options know where it is
  Exporting& operator=(const Exporting&) = delete;

  Result<Facts> run() {
    const bool several = given_.text("session").empty() && (given_.flag("all") || given_.has("source_project"));
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
    HF_TRY(const auto version, version_of(given_, context_.now()));
    if (!version.number && !version.as_of) {
      HF_TRY(const auto found, context_.any_session(id, given_.text("source_project")));
      return open(found);
    }
    HF_TRY(keeper_, context_.keeper());
    HF_TRY(const auto found, catalogue::find_copy(*keeper_, id, true));
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

  Result<Facts> export_one() {
    HF_TRY(const auto opened, open(given_.text("session")));
    reading::Reading* const reading = opened.get();
    const std::string id = reading->heading().id;
    std::string path = output_;
    reading::Exported exported;
    if (output_ == kStandardOutput) {
      HF_TRY(exported,
             reading::export_session(*reading, options_, [this](std::string_view bytes) { return context_.print(bytes); }));
    } else {
      HF_TRY(path, context_.absolute(output_.empty() ? fmt::format("./{}{}", id, reading::ending_of(options_.format)) : output_));
      HF_TRY(exported, write_file(*reading, path));
    }
    return Facts{{"session", id},
                 {"kind", reading->heading().kind},
                 {"format", reading::ending_of(options_.format).substr(1)},
                 {"output", path},
                 {"bytes", exported.bytes},
                 {"turns", exported.turns},
                 {"prompts", exported.prompts},
                 {"subagents", exported.subagents},
                 {"redacted", redacted_}};
  }

  Result<Facts> export_folder() {
    HF_TRY(const auto project, context_.folder(given_.text("source_project")));
    HF_TRY(const catalogue::Page page, transcripts_of(context_, project, {}, kMostSessions));
    if (page.items.empty()) return fail(ErrorKind::not_found, "there are no transcripts to export");
    HF_TRY(const std::string folder, context_.absolute(output_.empty() ? "./holdfast-export" : output_));
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error)) {
      if (error) return fail(system_error(folder, error.value()));
      return fail(ErrorKind::conflict, fmt::format("{} exists already", folder), "name another folder with {output}");
    }
    std::vector<reading::ExportedFile> files;
    std::vector<std::string> warnings = page.warnings();
    const std::size_t unread = warnings.size();
    for (const catalogue::Listed& each : page.items) {
      const std::string& id = each.found.id();
      const std::string name = id + std::string(reading::ending_of(options_.format));
      const auto opened = open(each.found);
      auto exported = opened ? write_file(**opened, folder + "/" + name) : Result<reading::Exported>(fail(opened.error()));
      if (exported)
        files.push_back({name, (*opened)->heading(), *exported});
      else if (exported.error().kind == ErrorKind::cancelled)
        return fail(std::move(exported).error());
      else
        warnings.push_back(fmt::format("{}: {}", id, exported.error().message));
    }
    if (options_.filter)
      for (auto& file : files)
        for (std::string* text : {&file.heading.title, &file.heading.project}) *text = options_.filter(*text);
    const std::string index = folder + (options_.format == ExportFormat::html ? "/index.html" : "/index.md");
    HF_CHECK(create_file(index, reading::export_index(project ? *project : "All sessions", files, options_.format)));
    Facts facts{{"output", folder},
                {"index", index},
                {"sessions", files.size()},
                {"failed", warnings.size() - unread},
                {"redacted", redacted_}};
    if (!warnings.empty()) facts["warnings"] = to_json_array(warnings);
    return facts;
  }

  Context& context_;
  const Given& given_;
  const std::string output_ = given_.text("output");
  const transcripts::Keeper* keeper_;  // nullptr: there are no transcripts for who asks
  std::optional<transcripts::KeptLines> kept_;
  catalogue::Asker asker_;
  reading::ExportOptions options_;
  std::uint64_t redacted_ = 0;
};

Result<Facts> export_session(Context& context, const Given& given) {
  const auto keeper = context.keeper();
  return Exporting(context, given, keeper ? *keeper : nullptr).run();
}

constexpr std::array kExporting{Operation{.name = "export",
                                          .summary = "any session as a document: HTML, Markdown or JSON",
                                          .parameters = kExportParameters,
                                          .scope = Scope::read,
                                          .effect = Effect::adds,
                                          .run = export_session}};

}  // namespace

std::span<const Operation> exporting_operations() {
  return kExporting;
}

}  // namespace holdfast::operations
