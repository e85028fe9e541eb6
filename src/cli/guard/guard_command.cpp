// holdfast guard: keeps what clients write, once, as it happens, or from a hook.

#include "base/files/file.h"
#include "base/run/log.h"
#include "cli/program/context.h"
#include "cli/services/guard_unit.h"
#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/guard/guard.h"
#include "kinds/transcripts/guard/guard_watch.h"
#include "store/blobs/open.h"

#include <fmt/format.h>

#include <sys/eventfd.h>

namespace holdfast::cli {

namespace {

using transcripts::Guard;
using transcripts::GuardReport;

// What slips through the watching is found by then: clients delete after days.
constexpr std::chrono::minutes kFullPass{15};
// Some folders are not watched at all.
constexpr std::chrono::seconds kWithoutWatches{30};
constexpr std::chrono::seconds kAfterTrouble{5};
// A client waits for its hook. Whoever writes meanwhile takes less; else the next call or pass keeps it.
constexpr std::chrono::seconds kHookPatience{3};
constexpr std::size_t kMaxHookInput = 1024 * 1024;

// One pass; what could not be kept is told, and is no failure.
std::string guard_text(const operations::Facts& facts, const Context&) {
  const std::int64_t kept = number_in(facts, "kept_bytes"), stored = number_in(facts, "guard_bytes");
  std::string out = fmt::format("{} files, {} new or changed: {} read, {} of it new\n", number_in(facts, "files"),
                                number_in(facts, "changed"), size_in(facts, "bytes_read"), size_in(facts, "bytes_new"));
  out += fmt::format("the guard has {} files, {} in {}", number_in(facts, "kept_files"), size_in(facts, "kept_bytes"),
                     size_in(facts, "guard_bytes"));
  if (kept > 0) out += fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(stored) / static_cast<double>(kept));
  return out + "\n";
}

void log_troubles(const GuardReport& report) {
  for (const std::string& trouble : report.troubles) log(LogLevel::warn, "guard", trouble);
}

Result<void> keep_watching(Context& context) {
  HF_TRY(auto signals, StopSignals::watch());
  const Fd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return fail(system_error("eventfd", errno));
  signals->on_stop([&] { static_cast<void>(::eventfd_write(stop.get(), 1)); });
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(session::Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(auto watch, transcripts::GuardWatch::open(work->homes_keeper().homes()));
  Guard guard(work->homes_keeper().homes(), *blobs);
  std::chrono::milliseconds next{0};  // until the next full pass
  std::vector<transcripts::GuardedFile> changed;
  bool all = true;
  for (;;) {
    if (all) watch->watch_all();
    const auto kept = all ? guard.keep_all() : guard.keep_files(changed);
    if (kept) {
      log_troubles(*kept);
      if (kept->changed > 0) {
        log(LogLevel::info, "guard", fmt::format("{} files changed, {} new bytes kept", kept->changed, kept->bytes_new));
      }
      if (all) next = watch->unwatched() > 0 ? std::chrono::milliseconds(kWithoutWatches) : kFullPass;
    } else {
      // A full disk, a long pass of somebody else: later it may work.
      log(LogLevel::error, "guard", kept.error().message);
      next = kAfterTrouble;
    }
    HF_TRY(auto news, watch->wait(next, stop.get()));
    if (news.stopped) return {};
    all = news.all || !kept || news.files.empty();
    changed = std::move(news.files);
  }
}

// "…/projects/<project>/<session>.jsonl", as a hook is told.
struct HookPlace {
  std::string home;
  transcripts::SessionPlace place;
};
std::optional<HookPlace> hook_place(const std::string& transcript) {
  const std::size_t name = transcript.rfind('/');
  if (name == std::string::npos || name == 0 || !transcript.ends_with(".jsonl")) return std::nullopt;
  const std::size_t project = transcript.rfind('/', name - 1);
  constexpr std::string_view kProjects = "/projects";
  if (project == std::string::npos || !std::string_view(transcript).substr(0, project).ends_with(kProjects)) return std::nullopt;
  HookPlace found;
  found.home = transcript.substr(0, project - kProjects.size());
  found.place.project_folder = transcript.substr(project + 1, name - project - 1);
  found.place.session_id = transcript.substr(name + 1, transcript.size() - name - 1 - std::string_view(".jsonl").size());
  return found;
}

Result<void> keep_for_hook(Context& context) {
  HF_TRY(const std::string input, read_all(STDIN_FILENO, kMaxHookInput));
  HF_TRY(const Json told, parse_json(input));
  if (!told.is_object()) return fail(ErrorKind::invalid, "the hook was told no JSON object");
  const auto path = find_string(told.as_object(), "transcript_path");
  const auto place = path ? hook_place(std::string(*path)) : std::nullopt;
  if (!place) return fail(ErrorKind::invalid, "the hook was told no transcript_path below projects/");
  HF_TRY(auto homes, transcripts::Homes::open(place->home, transcripts::Home::codex_folder({}, place->home)));
  store::BlobOptions options;
  options.clock = context.clock;
  options.patience = kHookPatience;
  HF_TRY(const auto blobs, store::open_blobs(context.folders.data + "/guard", options));
  HF_TRY(const GuardReport report, Guard(homes, *blobs).keep_session(place->place));
  log_troubles(report);
  return {};
}

}  // namespace

Result<void> guard_transcripts(Context& context) {
  const operations::Given& given = context.given;
  if (given.flag("hook")) {
    // The client is none the worse for trouble of ours.
    if (auto kept = keep_for_hook(context); !kept) log(LogLevel::warn, "guard", "hook: " + kept.error().message);
    return {};
  }
  if (given.flag("install")) return install_guard(context);
  if (given.flag("uninstall")) return uninstall_guard(context);
  if (given.flag("install_hook")) return print_guard_hook(context);
  return given.flag("watch") ? keep_watching(context) : show(context, guard_text);
}

}  // namespace holdfast::cli
