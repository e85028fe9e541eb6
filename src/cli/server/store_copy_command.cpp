// holdfast store copy FROM TO: everything a store holds into another one, in a file or in a database.

#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/server/store_text.h"
#include "store/open.h"

#include <fmt/format.h>

#include <unistd.h>

namespace holdfast::cli {

namespace {

// The target says of itself that it is sound, or is damaged exactly where the source is.
Result<session::Integrity> verify_copy(const std::string& from, const std::string& to) {
  store::OpenOptions options;
  options.read_only = true;
  HF_TRY(const auto copy, store::open_store(to, options));
  HF_TRY(session::Integrity integrity, copy->integrity());
  if (integrity.ok) return integrity;
  HF_TRY(const auto original, store::open_store(from, options));
  HF_TRY(const session::Integrity before, original->integrity());
  const auto problems = [](const session::Integrity& of) {
    std::vector<std::string> all;
    for (const session::Verification& each : of.damaged)
      for (const std::string& problem : each.problems) all.push_back(each.session + ": " + problem);
    return all;
  };
  if (problems(integrity) == problems(before)) return integrity;
  return fail(ErrorKind::corrupt, "the copy differs from its source", "holdfast store verify --store TO says where");
}

}  // namespace

Result<void> copy_store(Context& context) {
  const std::string from = store_address(context.given.text("from"));
  const std::string to = store_address(context.given.text("to"));
  if (from == to) return fail(ErrorKind::invalid, "source and target are the same store");
  ProgressBar bar([](std::string_view text) { print_note(text); });
  const bool shown = ::isatty(STDERR_FILENO) != 0;
  auto copied = store::copy_store(from, to, [&](const store::CopyProgress& progress) {
    if (shown) {
      bar.update(steady_milliseconds(), "copying", static_cast<std::uint64_t>(progress.done),
                 static_cast<std::uint64_t>(progress.total));
    }
  });
  if (shown) bar.clear();
  if (!copied) return fail(std::move(copied).error());
  HF_TRY(const session::Integrity integrity, verify_copy(from, to));
  if (context.json) {
    print_json(JsonObject{{"sessions", copied->sessions},
                          {"entries", copied->entries},
                          {"tombstones", copied->tombstones},
                          {"lineage", copied->lineage},
                          {"values", copied->values},
                          {"verified", integrity.ok}});
  } else {
    print(fmt::format("{} sessions, {} entries, {} lineage events, {} values: copied and verified{}\n", copied->sessions,
                      copied->entries, copied->lineage, copied->values,
                      integrity.ok ? "" : "; what is damaged in the source is damaged in the copy"));
  }
  return {};
}

}  // namespace holdfast::cli
