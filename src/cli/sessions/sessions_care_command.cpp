// What is done with sessions: holdfast sessions update|archive|unarchive|restore|pin|unpin|delete|purge|redact|notices, holdfast
// note, holdfast cleanup. What is deleted, erased or redacted is asked for first (session_work.h).

#include "cli/program/context.h"
#include "cli/sessions/session_work.h"
#include "cli/transcripts/transcript_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::cli {

namespace {

std::string done_text(std::string_view change, const operations::Facts& facts) {
  const JsonObject& session = *find_object(facts, "session");
  const std::string title = fmt::format("{} '{}'", text_in(session, "id"), text_in(session, "title"));
  if (!find_bool(facts, "changed").value_or(false)) return fmt::format("{} was so already\n", title);
  if (change == "update") return fmt::format("{} is changed\n", title);
  if (change == "pin") return fmt::format("{} is pinned: nothing happens to it by itself\n", title);
  if (change == "unpin") return fmt::format("{} is not pinned any more\n", title);
  const std::string visibility = text_in(session, "visibility");
  return fmt::format("{} is {}\n", title, visibility == "live" ? "live again" : visibility);
}

std::string gone_text(const operations::Facts& facts) {
  std::vector<std::string> ids = texts_in(facts, "ids");
  if (const auto id = find_string(facts, "id")) ids.emplace_back(*id);
  std::string text = fmt::format("{}: {}\n", text_in(facts, "outcome"), fmt::join(ids, ", "));
  if (auto until = find_string(facts, "restorable_until"))
    text += ids.size() == 1 ? fmt::format("holdfast sessions restore {} brings it back until {}\n", ids.front(), *until)
                            : fmt::format("holdfast sessions restore ID brings one of them back until {}\n", *until);
  if (const JsonObject* counts = find_object(facts, "counts"))
    for (const auto& count : *counts)
      text += fmt::format("{} {}\n", to_json(count.value()), std::string_view(count.key().data(), count.key().size()));
  return text;
}

std::string swept_text(const operations::Facts& facts) {
  std::string text;
  const bool plan = find_bool(facts, "dry_run").value_or(false);
  for (const auto& [what, planned] : {std::pair{"archived", "archive"}, {"deleted", "delete"}, {"purged", "purge"}})
    if (const auto ids = texts_in(facts, what); !ids.empty())
      text += fmt::format("{} {}: {}\n", plan ? fmt::format("would {}", planned) : what, ids.size(), fmt::join(ids, ", "));
  text += fmt::format("{}{} notices; {} pinned are left alone\n", plan ? "would open " : "",
                      find_int(facts, "notices_created").value_or(0), find_int(facts, "skipped_pinned").value_or(0));
  if (const auto next = find_string(facts, "next_due_at")) text += fmt::format("next: {}\n", *next);
  return text;
}

}  // namespace

// update, archive, unarchive, restore, pin, unpin: as the command is called.
Result<void> change_session(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(harmless(done_text(context.command->name(), facts), false));
  return {};
}

Result<void> note_session(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(find_array(facts, "notes")->empty() ? "no notes\n" : notes_text(*find_array(facts, "notes")));
  return {};
}

// delete, purge, redact: as the command is called.
Result<void> take_away_sessions(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  operations::Given given = context.given;
  given.set("sessions", to_json_array(context.given.texts("session")));
  given.remove("session");
  given.set("message_ids", to_json_array(context.given.texts("entry")));
  HF_TRY(const operations::Facts facts, work->perform(context.command->path, given));
  if (context.json)
    print_json(facts);
  else
    print(gone_text(facts));
  return {};
}

Result<void> show_notices(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_CHECK(work->store(false));
  HF_TRY(operations::Facts facts, work->perform("sessions notices", context.given));
  if (!facts.contains("more")) facts["more"] = 0;
  if (context.given.flag("ack")) {
    HF_TRY(const operations::Facts done, work->perform("sessions notices-ack", operations::Given({{"all", true}})));
    facts["acknowledged"] = done.at("acknowledged");
  }
  if (context.json) {
    print_json(facts);
    return {};
  }
  const JsonArray& notices = *find_array(facts, "notices");
  if (notices.empty()) print("no notices\n");
  for (const Json& notice : notices)
    print(fmt::format("{} {}\n", context.terminal.bold(text_in(notice.as_object(), "effective_at")),
                      harmless(text_in(notice.as_object(), "text"), true)));
  if (const auto more = find_int(facts, "more"); more && *more > 0) print(fmt::format("and {} more\n", *more));
  return {};
}

Result<void> clean_up(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json) {
    print_json(facts);
    return {};
  }
  print(swept_text(facts));
  for (const std::string& failed : texts_in(facts, "failed"))
    print_note("left for the next time: " + harmless(failed, true) + "\n");
  return {};
}

}  // namespace holdfast::cli
