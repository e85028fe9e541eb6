// holdfast store info|verify|copy|backup|restore|salvage: what the operations found and did, in words.

#include "cli/program/progress_bar.h"
#include "cli/transcripts/transcript_work.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

using operations::Facts;

std::int64_t count_in(const Facts& facts, std::string_view name) {
  return find_int(facts, name).value_or(0);
}

bool is_so(const Facts& facts, std::string_view name) {
  return find_bool(facts, name).value_or(false);
}

// "3 sessions, 40 entries"
std::string amount_text(const Facts& facts) {
  return fmt::format("{} sessions, {} entries", count_in(facts, "sessions"), count_in(facts, "entries"));
}

std::string file_text(const Facts& facts) {
  return fmt::format("{}: {}, {}", text_in(facts, "file"), amount_text(facts),
                     size_text(static_cast<std::uint64_t>(count_in(facts, "bytes"))));
}

// One line for each problem of each session.
std::string damaged_text(const Facts& facts) {
  std::string text;
  for (const Json& each : *find_array(facts, "damaged"))
    for (const Json& problem : *find_array(each.as_object(), "problems"))
      text += fmt::format("{}: {}\n", text_in(each.as_object(), "session"), harmless(view(problem.as_string()), true));
  return text;
}

std::string verified_text(const Facts& facts) {
  std::string text;
  for (const Json& problem : *find_array(facts, "problems"))
    text += fmt::format("store: {}\n", harmless(view(problem.as_string()), true));
  return text + damaged_text(facts) +
         fmt::format("{}: {}\n", amount_text(facts), is_so(facts, "ok") ? "all is well" : "damage found");
}

}  // namespace

std::string store_info_text(const Facts& facts, const Context& context) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{} {}\n", context.terminal.soft(fmt::format("{:<9}", name)), value);
  };
  const std::string path = text_in(facts, "path");
  line("store", path.empty() ? text_in(facts, "url") : path);
  line("schema", std::to_string(count_in(facts, "schema_version")));
  line("sessions", std::to_string(count_in(facts, "sessions")));
  line("entries", std::to_string(count_in(facts, "entries")));
  line("size", fmt::format("{} bytes, index {} bytes", count_in(facts, "bytes"), count_in(facts, "index_bytes")));
  return text;
}

std::string copied_store_text(const Facts& facts, const Context&) {
  return fmt::format("{}, {} lineage events, {} values: copied and verified{}\n", amount_text(facts), count_in(facts, "lineage"),
                     count_in(facts, "values"),
                     is_so(facts, "verified") ? "" : "; what is damaged in the source is damaged in the copy");
}

std::string store_backup_text(const Facts& facts, const Context&) {
  return fmt::format("{}, {}\n", file_text(facts),
                     is_so(facts, "verified") ? "verified" : "damaged as the store is (holdfast store verify)");
}

std::string restored_store_text(const Facts& facts, const Context&) {
  const std::string put_aside = text_in(facts, "put_aside");
  return fmt::format("{}: {}, {}\n", text_in(facts, "store"), amount_text(facts),
                     is_so(facts, "verified") ? "verified" : "with the damage that is in it (holdfast store verify)") +
         (put_aside.empty() ? "" : fmt::format("the store that was there is now {}\n", put_aside));
}

std::string salvaged_store_text(const Facts& facts, const Context&) {
  std::string text;
  for (const Json& loss : *find_array(facts, "losses")) text += harmless(view(loss.as_string()), true) + "\n";
  const std::size_t damaged = find_array(facts, "damaged")->size();
  return text + damaged_text(facts) +
         fmt::format(
             "{}, verified: {}\n", file_text(facts),
             damaged == 0 ? "every session is whole" : fmt::format("all but {} are whole, and those are named above", damaged)) +
         fmt::format("holdfast store restore {} --replace{} makes it the store; the damaged one is put aside\n",
                     text_in(facts, "file"), damaged == 0 ? "" : " --with-damage");
}

Result<void> verify_store(Context& context) {
  HF_TRY(const auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  HF_TRY(const Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(verified_text(facts));
  if (is_so(facts, "ok")) return {};
  return fail(ErrorKind::corrupt, "the store is damaged", "what is damaged is shown and isolated; the rest can be used");
}

}  // namespace holdfast::cli
