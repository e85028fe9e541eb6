// holdfast guard list|show|cat|forget|status|verify|repair: what the guard has, in words.

#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::cli {

using operations::Facts;

std::string guard_list_text(const Facts& facts, const Context& context) {
  const JsonArray& sessions = *find_array(facts, "sessions");
  if (sessions.empty())
    return context.given.flag("gone") ? "nothing is gone that the guard has\n"
                                      : "the guard has nothing yet; holdfast guard keeps what is there\n";
  Table table({{"ID"}, {"PRODUCT"}, {"ORIGINAL"}, {"UPDATED"}, {"SIZE", true}, {"PROJECT"}, {"TITLE", false, true}});
  for (const Json& each : sessions) {
    const JsonObject& session = each.get_object();
    const std::int64_t missing = number_in(session, "missing_files");
    const std::string original = is_true(session, "gone") ? "gone"
                                 : missing == 0           ? "there"
                                                          : fmt::format("lacks {} {}", missing, missing == 1 ? "file" : "files");
    table.add({text_in(session, "session_id"), text_in(session, "product"), original,
               session::age(time_in(session, "modified_at"), context.clock->now()), size_in(session, "size_bytes"),
               text_in(session, "project_path"), text_in(session, "title")});
  }
  return table.text(context.terminal);
}

std::string guard_show_text(const Facts& facts, const Context& context) {
  Table table({{"FILE"}, {"VERSION", true}, {"ORIGINAL"}, {"SIZE", true}, {"MODIFIED"}, {"KEPT"}});
  for (const Json& each : *find_array(facts, "files")) {
    const JsonObject& file = each.get_object();
    table.add({text_in(file, "key"), std::to_string(number_in(file, "version")),
               fmt::format("{}{}", is_true(file, "missing") ? "gone" : "there", file.contains("lost") ? "; damaged here" : ""),
               std::to_string(number_in(file, "size_bytes")), text_in(file, "modified_at"), text_in(file, "kept_at")});
  }
  const std::string restore = text_in(facts, "restore_command");
  const std::int64_t missing = number_in(facts, "missing_files");
  std::string text = table.text(context.terminal);
  if (is_true(facts, "gone")) return text + fmt::format("the original is gone; this puts it back: {}\n", restore);
  if (missing == 0) return text + "the original is there\n";
  return text + fmt::format("{} of its files {} gone; this puts back what is missing: {}\n", missing, missing == 1 ? "is" : "are",
                            restore);
}

Result<void> print_guarded(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  for (const Json& each : *find_array(facts, "lost")) {
    const JsonObject& gap = each.get_object();
    print_note(fmt::format("lost: bytes {} to {} of {} ({})\n", number_in(gap, "begin"), number_in(gap, "end"),
                           number_in(facts, "size_bytes"), harmless(text_in(gap, "why"), true)));
  }
  return {};
}

std::string guard_forget_text(const Facts& facts, const Context&) {
  const std::size_t count = find_array(facts, "forgotten")->size();
  return fmt::format("forgot {} files of {} {}; no byte of them is left in the guard\n", number_in(facts, "files"), count,
                     count == 1 ? "session" : "sessions");
}

std::string guard_status_text(const Facts& facts, const Context&) {
  return fmt::format(
      "{} files in {} versions, {}\nstored in {}, of that {} to be packed anew\n{} sessions that the client no longer has\n",
      number_in(facts, "files"), number_in(facts, "versions"), size_in(facts, "bytes"), size_in(facts, "stored_bytes"),
      size_in(facts, "garbage_bytes"), number_in(facts, "gone_sessions"));
}

// verify and repair, as the command is called.
Result<void> check_guard(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  const bool ok = is_true(facts, "ok"), repaired = context.command->name() == "repair";
  std::string text;
  for (const Json& each : *find_array(facts, "problems")) {
    const std::string key = text_in(each.get_object(), "key");
    text +=
        fmt::format("{}{}{}\n", harmless(key, true), key.empty() ? "" : ": ", harmless(text_in(each.get_object(), "what"), true));
  }
  text += fmt::format("{} chunks, {}: {}\n", number_in(facts, "chunks"), size_in(facts, "bytes"),
                      ok ? "all is well" : "damage found");
  if (!ok && repaired) text += "what is damaged is set aside; holdfast guard takes it again from what is still there\n";
  if (context.json)
    print_json(facts);
  else
    print(text);
  if (ok || repaired) return {};
  return fail(ErrorKind::corrupt, "the guard is damaged",
              "holdfast guard repair sets it aside; then holdfast guard takes it again");
}

}  // namespace holdfast::cli
