// holdfast store backup FILE, holdfast store restore FILE.

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "store/backup.h"

#include <fmt/format.h>

#include <unistd.h>

namespace holdfast::cli {

namespace {

template <class Work>
Result<store::Backup> with_progress(std::string_view step, const Work& work) {
  ProgressBar bar([](std::string_view text) { print_note(text); });
  const bool shown = ::isatty(STDERR_FILENO) != 0;
  auto made = work([&](std::uint64_t done, std::uint64_t total) {
    if (shown) bar.update(steady_milliseconds(), step, done, total);
  });
  if (shown) bar.clear();
  return made;
}

JsonObject fields_of(const store::Backup& backup) {
  return {{"sessions", backup.sessions}, {"entries", backup.entries}, {"bytes", backup.bytes}, {"verified", backup.sound}};
}

}  // namespace

Result<void> back_up_store(Context& context) {
  const std::string& file = context.line.transcripts.words.at(0);
  HF_TRY(const store::Backup made, with_progress("copying", [&](const store::BackupProgress& tell) {
           return store::back_up(context.store_url(), file, tell);
         }));
  if (context.line.json) {
    JsonObject fields = fields_of(made);
    fields["file"] = file;
    print_json(fields);
  } else {
    print(fmt::format("{}: {} sessions, {} entries, {}, {}\n", file, made.sessions, made.entries,
                      size_text(static_cast<std::uint64_t>(made.bytes)),
                      made.sound ? "verified" : "damaged as the store is (holdfast store verify)"));
  }
  return {};
}

Result<void> restore_store(Context& context) {
  const std::string& file = context.line.transcripts.words.at(0);
  const bool replace = context.line.transcripts.force;
  HF_TRY(const store::Backup made, with_progress("restoring", [&](const store::BackupProgress& tell) {
           return store::restore(file, context.store_url(), replace, tell);
         }));
  if (context.line.json) {
    JsonObject fields = fields_of(made);
    fields["store"] = context.store_url();
    fields["put_aside"] = made.put_aside.empty() ? Json(nullptr) : Json(made.put_aside);
    print_json(fields);
    return {};
  }
  print(fmt::format("{}: {} sessions, {} entries, verified\n", context.store_url(), made.sessions, made.entries));
  if (!made.put_aside.empty()) print(fmt::format("the store that was there is now {}\n", made.put_aside));
  return {};
}

}  // namespace holdfast::cli
