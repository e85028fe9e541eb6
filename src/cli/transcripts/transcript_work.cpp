#include "cli/transcripts/transcript_work.h"

#include "base/files/file.h"
#include "base/text/text.h"
#include "cli/program/care_settings.h"
#include "cli/services/keeper_of_home.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::cli {

namespace {

constexpr std::size_t kPrintedPiece = 256 * 1024;

}  // namespace

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
  auto keeper = open_keeper(context, [raw = work.get()](bool to_read) { return raw->store(to_read); });
  if (keeper)
    work->keeper_ = *std::move(keeper);
  else if (died == Died::leave)
    work->no_keeper_ = std::move(keeper).error();
  else
    return fail(std::move(keeper).error());
  if (died == Died::end) work->recovered_ = work->keeper_->recover();
  for (const std::string& note : work->recovered_.notes) print_note("note: " + harmless(note, true) + "\n");
  return work;
}

Result<session::Store*> TranscriptWork::store(bool to_read) {
  return whole_store(to_read);
}

Result<session::Store*> TranscriptWork::whole_store(bool to_read) {
  if (store_ && (to_read || !store_is_to_read_)) return store_.get();
  HF_TRY(store_, context_.open_store(to_read));
  store_is_to_read_ = to_read;
  return store_.get();
}

Result<operations::Facts> TranscriptWork::perform() {
  const operations::Operation& operation = *operations::find_operation(context_.command->path);
  operations::Given own;  // what is the command's alone stays here
  for (const operations::Parameter& each : operation.parameters)
    if (const Json* value = find(given().values(), each.name)) own.set(each.name, *value);
  auto facts = operation.run(*this, own);
  progress_done();
  if (facts)
    if (const JsonArray* warnings = find_array(*facts, "warnings"))
      for (const Json& each : *warnings) warn({std::string(view(each.as_string()))});
  return facts;
}

Result<const transcripts::Keeper*> TranscriptWork::keeper() {
  if (!keeper_) return fail(no_keeper_);
  return keeper_.get();
}

Result<operations::Documents> TranscriptWork::documents() {
  if (!review_) {
    HF_TRY(review_, ReviewWorkspace::open(context_));
  }
  return review_->documents();
}

// The bar of work that nobody can stop: Ctrl-C ends the program.
Result<operations::Administration> TranscriptWork::administration() {
  return operations::Administration{
      .store = [this](bool to_read) { return whole_store(to_read); },
      .store_url = context_.store_url(),
      .token_file = context_.folders.token_file(),
      .tell =
          [this, shown = ::isatty(STDERR_FILENO) != 0](std::string_view step, std::uint64_t done, std::uint64_t total) {
            if (shown) bar_.update(steady_milliseconds(), step, done, total);
          }};
}

Result<catalogue::Found> TranscriptWork::named() {
  return any_session(given().text("session"), given().text("source_project"));
}

Result<catalogue::Found> TranscriptWork::named_transcript() {
  return transcript(given().text("session"), given().text("source_project"));
}

Result<transcripts::AnySession> TranscriptWork::calling_session() {
  HF_TRY(auto current, transcripts::current_session(homes().claude, caller_hints()));
  return transcripts::AnySession{std::move(current.session)};
}

transcripts::CallerHints TranscriptWork::caller_hints() const {
  transcripts::CallerHints hints;
  hints.environment = context_.environment("CLAUDE_CODE_SESSION_ID").value_or("");
  if (auto here = this_folder()) hints.project_path = std::move(*here);
  return hints;
}

Result<transcripts::KeptVersion> TranscriptWork::kept_version() const {
  return operations::version_of(given(), keeper_->now());
}

std::vector<std::string> TranscriptWork::calling_sessions() {
  return transcripts::caller_sessions(homes().claude, caller_hints());
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

Result<void> TranscriptWork::print_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(path, errno));
  progress_done();
  std::string piece(kPrintedPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("the archive", errno));
    if (got == 0) return {};
    HF_CHECK(print_bytes(std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
  }
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
