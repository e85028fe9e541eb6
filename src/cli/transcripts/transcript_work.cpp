#include "cli/transcripts/transcript_work.h"

#include "base/files/file.h"
#include "base/run/when.h"
#include "base/text/text.h"
#include "cli/services/keeper_of_home.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/operation.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace holdfast::cli {

namespace {

Result<std::optional<std::string>> canonical(const std::string& path) {
  if (path.empty()) return std::nullopt;
  HF_TRY(std::string project, transcripts::canonical_project(path));
  return project;
}

}  // namespace

TranscriptWork::TranscriptWork(Context& context) : context_(context), bar_(print_note) {}

TranscriptWork::~TranscriptWork() {
  bar_.clear();
}

Result<std::unique_ptr<TranscriptWork>> TranscriptWork::begin(Context& context, Died died) {
  std::unique_ptr<TranscriptWork> work(new TranscriptWork(context));
  HF_TRY(work->keeper_, open_keeper(context, [raw = work.get()](bool to_read) { return raw->store(to_read); }));
  if (died == Died::end) work->recovered_ = work->keeper_->recover();
  for (const std::string& note : work->recovered_.notes) print_note("note: " + harmless(note, true) + "\n");
  return work;
}

Result<session::Store*> TranscriptWork::store(bool to_read) {
  if (store_ && (to_read || !store_is_to_read_)) return store_.get();
  HF_TRY(store_, context_.open_store(to_read));
  store_is_to_read_ = to_read;
  return store_.get();
}

catalogue::Asker TranscriptWork::asker() const {
  return {[this] { return keeper_->store_to_read(); }, context_.settings.text("principal"), keeper_.get()};
}

Result<catalogue::Found> TranscriptWork::find(const std::string& id) const {
  HF_TRY(const auto project, source_project());
  // A project to search in is about transcripts alone.
  if (id.empty() || project) return transcript(id);
  return catalogue::find(asker(), id);
}

Result<catalogue::Found> TranscriptWork::transcript(const std::string& id) const {
  HF_TRY(const auto project, source_project());
  if (!id.empty()) return catalogue::find_transcript(asker(), id, project);
  if (project)
    return fail(ErrorKind::invalid, "a project to search in needs the id of a session", "give the id, or leave --sp out");
  HF_TRY(auto current, transcripts::current_session(homes().claude, caller_hints()));
  return catalogue::Found{transcripts::AnySession{std::move(current.session)}};
}

Result<catalogue::Files> TranscriptWork::files_of(const catalogue::Found& found) {
  HF_TRY(auto files, catalogue::files_of(*keeper_, found, progress()));
  warn(files.left_out());
  return files;
}

transcripts::CallerHints TranscriptWork::caller_hints() const {
  transcripts::CallerHints hints;
  hints.environment = context_.environment("CLAUDE_CODE_SESSION_ID").value_or("");
  if (auto here = this_folder()) hints.project_path = std::move(*here);
  return hints;
}

Result<transcripts::KeptVersion> TranscriptWork::kept_version() const {
  transcripts::KeptVersion version;
  version.number = given().number("version");
  if (const std::string as_of = given().text("as_of"); !as_of.empty()) {
    HF_TRY(version.as_of, parse_when(as_of, keeper_->now()));
  }
  return version;
}

std::vector<std::string> TranscriptWork::caller_sessions() const {
  return transcripts::caller_sessions(homes().claude, caller_hints());
}

Result<std::optional<std::string>> TranscriptWork::source_project() const {
  return canonical(given().text("source_project"));
}

Result<std::optional<std::string>> TranscriptWork::target_project() const {
  const std::string target = given().text("target_project");
  if (target.empty()) return std::nullopt;
  HF_TRY(std::string project, transcripts::existing_project(target));
  return project;
}

Result<std::string> TranscriptWork::this_folder() const {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the working directory", error.value()));
  return transcripts::canonical_project(here.string());
}

Result<transcripts::PathLevel> TranscriptWork::level() const {
  using enum transcripts::PathLevel;
  if (given().flag("no_translate")) return none;
  if (given().text("translate") == "cwd") return cwd;
  if (given().text("translate") == "all") return all;
  return fields;
}

Result<std::vector<std::pair<std::string, std::string>>> TranscriptWork::maps() const {
  std::vector<std::pair<std::string, std::string>> maps;
  for (const std::string& text : given().texts("map")) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return fail(ErrorKind::invalid, fmt::format("--map {}: not of the form OLD=NEW", text), "as in --map /old/lib=/new/lib");
    maps.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return maps;
}

transcripts::RemoteOptions TranscriptWork::remote() const {
  transcripts::RemoteOptions options;
  options.environment = context_.environment;
  options.replace = given().flag("force");
  options.gist.token = given().text("gist_token");
  options.gist.api = context_.settings.text("gist.api");
  options.gist.is_public = given().text("gist_visibility") == "public";
  if (const std::string text = given().text("gist_description"); !text.empty()) options.gist.description = text;
  return options;
}

transcripts::Progress TranscriptWork::progress() {
  // Without it an interrupted verb is cleaned up by the next one; with it, at once.
  if (!signals_) {
    if (auto signals = StopSignals::watch()) {
      signals_ = std::move(*signals);
      signals_->on_stop([this] { stopped_ = true; });
    }
  }
  const bool shown = ::isatty(STDERR_FILENO) != 0;
  return [this, shown](std::string_view step, std::uint64_t done, std::uint64_t total) {
    if (shown) bar_.update(steady_milliseconds(), step, done, total);
    return !stopped_.load();
  };
}

Result<void> TranscriptWork::confirm(const std::string& what) const {
  if (given().flag("yes")) return {};
  if (!somebody_is_there()) return fail(ErrorKind::refused, what, "--yes does it without asking");
  print_note(what + "\nGo on? [y/N] ");
  const std::string answer = to_ascii_lower(read_answer());
  if (answer == "y" || answer == "yes") return {};
  return fail(ErrorKind::refused, "not done");
}

void TranscriptWork::warn(const std::vector<std::string>& warnings) const {
  const auto spell = [this](std::string_view parameter) { return spelled(context_.command, parameter); };
  for (const std::string& warning : warnings)
    print_note("warning: " + harmless(operations::in_spelling_of(warning, spell), true) + "\n");
}

}  // namespace holdfast::cli
