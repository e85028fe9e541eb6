// holdfast guard verify, repair, forget.

#include "base/text/text.h"
#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/guard/kept_session.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

using session::Blobs;

Result<void> print_check(Context& context, TranscriptWork& work, const Blobs::Check& check, bool repaired) {
  work.progress_done();
  const bool ok = check.problems.empty();
  if (context.json) {
    JsonArray problems;
    for (const Blobs::Problem& each : check.problems) problems.push_back(JsonObject{{"key", each.key}, {"what", each.what}});
    print_json(JsonObject{{"ok", ok}, {"chunks", check.chunks}, {"bytes", check.bytes}, {"problems", std::move(problems)}});
  } else {
    for (const Blobs::Problem& each : check.problems) {
      print(fmt::format("{}{}{}\n", harmless(each.key, true), each.key.empty() ? "" : ": ", harmless(each.what, true)));
    }
    print(fmt::format("{} chunks, {}: {}\n", check.chunks, size_text(check.bytes), ok ? "all is well" : "damage found"));
  }
  if (ok) return {};
  if (repaired) {
    if (!context.json) print("what is damaged is set aside; holdfast guard takes it again from what is still there\n");
    return {};
  }
  return fail(ErrorKind::corrupt, "the guard is damaged",
              "holdfast guard repair sets it aside; then holdfast guard takes it again");
}

}  // namespace

Result<void> check_guard(Context& context) {
  const bool repair = context.command->name() == "repair";
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(Blobs* const blobs, work->homes_keeper().guard());
  const auto progress = work->progress();
  const auto told = [&](std::uint64_t done, std::uint64_t total) { progress("checking", done, total); };
  HF_TRY(const auto check, repair ? blobs->repair(told) : blobs->verify(told));
  return print_check(context, *work, check, repair);
}

Result<void> forget_guarded(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(Blobs* const blobs, work->homes_keeper().guard());
  HF_TRY(const auto there, transcripts::ids_on_disk(work->homes()));
  std::vector<std::string> keys, ids;
  std::string what;
  for (const std::string& word : context.given.texts("session")) {
    HF_TRY(const auto session, transcripts::find_kept_session(*blobs, word));
    HF_TRY(const auto files, transcripts::files_of(*blobs, session));
    std::uint64_t bytes = 0;
    for (const session::KeptFile& file : files) {
      keys.push_back(file.key);
      bytes += file.size;
    }
    ids.push_back(session.id);
    what += fmt::format("{}{}: {} files, {}; {}", what.empty() ? "" : "\n", session.id, files.size(), size_text(bytes),
                        there.contains(session.id) ? "the original is there, and the next pass will keep it again"
                                                   : "the original is gone: this cannot be undone");
  }
  work->progress_done();
  if (!context.given.flag("yes")) {
    if (!somebody_is_there()) return fail(ErrorKind::refused, what, "--yes forgets it without asking");
    print_note(what + "\nForget it for good? [y/N] ");
    const std::string answer = to_ascii_lower(read_answer());
    if (answer != "y" && answer != "yes") return fail(ErrorKind::refused, "not done");
  }
  HF_CHECK(blobs->forget(keys));
  HF_CHECK(blobs->scrub());
  if (context.json) {
    JsonArray forgotten;
    for (const std::string& id : ids) forgotten.emplace_back(id);
    print_json(JsonObject{{"forgotten", std::move(forgotten)}, {"files", keys.size()}});
  } else {
    print(fmt::format("forgot {} files of {} {}; no byte of them is left in the guard\n", keys.size(), ids.size(),
                      ids.size() == 1 ? "session" : "sessions"));
  }
  return {};
}

}  // namespace holdfast::cli
