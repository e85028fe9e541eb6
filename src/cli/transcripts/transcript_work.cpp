#include "cli/transcripts/transcript_work.h"

#include "base/text/text.h"
#include "cli/program/care_settings.h"
#include "cli/services/keeper_of_home.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/table.h"

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

namespace holdfast::cli {

TranscriptWork::TranscriptWork(cli::Context& context)
    : context_(context),
      identity_(full_identity(context.settings.text("principal"))),
      policy_(retention_policy(context.settings)),
      bar_(print_note) {}

TranscriptWork::~TranscriptWork() {
  bar_.clear();
}

Result<std::unique_ptr<TranscriptWork>> TranscriptWork::begin(cli::Context& context, Died died) {
  std::unique_ptr<TranscriptWork> work(new TranscriptWork(context));
  HF_CHECK(work->open(died));
  return work;
}

Result<void> TranscriptWork::open(Died died) {
  auto keeper = open_keeper(context_, [this](bool to_read) { return store(to_read); });
  if (keeper)
    keeper_ = *std::move(keeper);
  else if (died == Died::leave)
    no_keeper_ = std::move(keeper).error();
  else
    return fail(std::move(keeper).error());
  if (died == Died::end) recovered_ = keeper_->recover();
  for (const std::string& note : recovered_.notes) print_note("note: " + harmless(note, true) + "\n");
  return {};
}

Result<session::Store*> TranscriptWork::store(bool to_read) {
  if (view_ && (to_read || !store_is_to_read_)) return view_.get();
  HF_CHECK(open_whole(to_read));
  view_ = std::make_unique<session::StoreView>(session::SharedStore(*store_), identity_);
  return view_.get();
}

Result<operations::Context::Search> TranscriptWork::search() {
  if (!search_) {
    HF_TRY(search_, SearchService::open(context_, keeper_->homes(), false));
  }
  return Search{&search_->finder(), &search_->sources(), &search_->index(), SearchService::index_folder(context_), false};
}

std::string TranscriptWork::prices_file() {
  return context_.folders.config + "/prices.json";
}

Result<operations::Facts> TranscriptWork::perform() {
  auto facts = perform(context_.command->path, given());
  if (facts)
    if (const JsonArray* warnings = find_array(*facts, "warnings"))
      for (const Json& each : *warnings) warn({std::string(view(each.as_string()))});
  return facts;
}

Result<const transcripts::Keeper*> TranscriptWork::keeper() {
  if (!keeper_) return fail(no_keeper_);
  return keeper_.get();
}

Result<operations::Facts> TranscriptWork::perform(std::string_view name, const operations::Given& all) {
  const operations::Operation& operation = *operations::find_operation(name);
  operations::Given own;  // what is the command's alone stays here
  for (const operations::Parameter& each : operation.parameters)
    if (const Json* value = find(all.values(), each.name)) own.set(each.name, *value);
  auto facts = operation.run(*this, own);
  progress_done();
  return facts;
}

Result<catalogue::Found> TranscriptWork::named_transcript() {
  return transcript(given().text("session"), given().text("source_project"));
}

Result<transcripts::AnySession> TranscriptWork::calling_session() {
  HF_TRY(auto current, transcripts::current_session(keeper_->homes().claude, caller_hints()));
  return transcripts::AnySession{std::move(current.session)};
}

transcripts::CallerHints TranscriptWork::caller_hints() const {
  transcripts::CallerHints hints;
  hints.environment = context_.environment("CLAUDE_CODE_SESSION_ID").value_or("");
  if (auto here = this_folder()) hints.project_path = std::move(*here);
  return hints;
}

std::vector<std::string> TranscriptWork::calling_sessions() {
  return transcripts::caller_sessions(keeper_->homes().claude, caller_hints());
}

Result<std::optional<std::string>> TranscriptWork::project() {
  HF_TRY(std::string here, this_folder());
  return here;
}

Result<std::string> TranscriptWork::absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error).lexically_normal();
  if (error) return fail(system_error(path, error.value()));
  return full.string();
}

Result<std::string> TranscriptWork::archive_path(const std::string& id, std::string_view ending) {
  return absolute(fmt::format("./{}{}", id, ending));
}

Result<std::string> TranscriptWork::this_folder() const {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the working directory", error.value()));
  return transcripts::canonical_project(here.string());
}

transcripts::RemoteOptions TranscriptWork::remote() const {
  transcripts::RemoteOptions options;
  options.environment = context_.environment;
  options.gist.api = context_.settings.text("gist.api");
  return options;
}

void TranscriptWork::watch_signals() {
  if (signals_) return;
  if (auto signals = StopSignals::watch()) {
    signals_ = std::move(*signals);
    signals_->on_stop([this] { stopped_ = true; });
  }
}

std::function<bool()> TranscriptWork::cancelled() {
  watch_signals();
  return [this] { return stopped_.load(); };
}

transcripts::Progress TranscriptWork::progress() {
  watch_signals();  // without it an interrupted verb is cleaned up by the next one; with it, at once
  const bool shown = ::isatty(STDERR_FILENO) != 0;
  return [this, shown](std::string_view step, std::uint64_t done, std::uint64_t total) {
    if (shown) bar_.update(steady_milliseconds(), step, done, total);
    return !stopped_.load();
  };
}

Result<void> TranscriptWork::agree(const std::string& what, const JsonObject& plan) {
  progress_done();
  if (show_plan_) print_note(show_plan_(plan, {}));
  const auto spell = [this](std::string_view parameter) { return spelled(context_.command, parameter); };
  const std::string question = operations::in_spelling_of(what, spell);
  if (!somebody_is_there()) return fail(ErrorKind::refused, question, "{yes} does it without asking");
  print_note(harmless(question, true) + "\nGo on? [y/N] ");
  const std::string answer = to_ascii_lower(read_answer());
  if (answer == "y" || answer == "yes") return {};
  return fail(ErrorKind::refused, "not done");
}

Result<void> TranscriptWork::print(std::string_view bytes) {
  progress_done();
  return print_bytes(bytes);
}

void TranscriptWork::warn(const std::vector<std::string>& warnings) const {
  const auto spell = [this](std::string_view parameter) { return spelled(context_.command, parameter); };
  for (const std::string& warning : warnings)
    print_note("warning: " + harmless(operations::in_spelling_of(warning, spell), true) + "\n");
}

Result<void> show(Context& context, Words words, TranscriptWork::Died died) {
  HF_TRY(auto work, TranscriptWork::begin(context, died));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(words(facts, context));
  return {};
}

}  // namespace holdfast::cli
