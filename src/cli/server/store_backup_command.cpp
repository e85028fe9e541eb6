// holdfast store backup FILE, holdfast store restore FILE, holdfast store salvage FROM TO.

#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/server/store_text.h"
#include "store/backup.h"

#include <fmt/format.h>

#include <unistd.h>

namespace holdfast::cli {

namespace {

template <class Work>
auto with_progress(std::string_view step, const Work& work) {
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
  const std::string file = context.given.text("file");
  HF_TRY(const store::Backup made, with_progress("copying", [&](const store::BackupProgress& tell) {
           return store::back_up(context.store_url(), file, tell);
         }));
  if (context.json) {
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

Result<void> salvage_store(Context& context) {
  const std::string from = store_address(context.given.text("from"));
  const std::string file = context.given.text("file");
  HF_TRY(const store::Salvaged made,
         with_progress("salvaging", [&](const store::BackupProgress& tell) { return store::salvage(from, file, tell); }));
  if (context.json) {
    print_json(JsonObject{{"file", file},
                          {"sessions", made.sessions},
                          {"entries", made.entries},
                          {"bytes", made.bytes},
                          {"rebuilt", to_json_array(made.rebuilt)},
                          {"losses", to_json_array(made.losses)},
                          {"damaged", damaged_sessions(made.damaged)}});
    return {};
  }
  for (const std::string& loss : made.losses) print(harmless(loss, true) + "\n");
  print_damaged(made.damaged);
  print(fmt::format("{}: {} sessions, {} entries, {}, verified: {}\n", file, made.sessions, made.entries,
                    size_text(static_cast<std::uint64_t>(made.bytes)),
                    made.damaged.empty() ? "every session is whole"
                                         : fmt::format("all but {} are whole, and those are named above", made.damaged.size())));
  print(fmt::format("holdfast store restore {} --replace{} makes it the store; the damaged one is put aside\n", file,
                    made.damaged.empty() ? "" : " --with-damage"));
  return {};
}

Result<void> restore_store(Context& context) {
  const std::string file = context.given.text("file");
  const store::RestoreRules rules{context.given.flag("replace"), context.given.flag("with_damage")};
  HF_TRY(const store::Backup made, with_progress("restoring", [&](const store::BackupProgress& tell) {
           return store::restore(file, context.store_url(), rules, tell);
         }));
  if (context.json) {
    JsonObject fields = fields_of(made);
    fields["store"] = context.store_url();
    fields["put_aside"] = made.put_aside.empty() ? Json(nullptr) : Json(made.put_aside);
    print_json(fields);
    return {};
  }
  print(fmt::format("{}: {} sessions, {} entries, {}\n", context.store_url(), made.sessions, made.entries,
                    made.sound ? "verified" : "with the damage that is in it (holdfast store verify)"));
  if (!made.put_aside.empty()) print(fmt::format("the store that was there is now {}\n", made.put_aside));
  return {};
}

}  // namespace holdfast::cli
