// holdfast sessions update|archive|unarchive|restore|pin|unpin|resume|export|notices, holdfast note, holdfast cleanup.

#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "cli/services/research_service.h"
#include "cli/sessions/session_text.h"
#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/reasoning/read/export.h"
#include "kinds/runner/run_export.h"
#include "session/kinds.h"
#include "session/life/notices.h"
#include "session/life/sweep.h"
#include "session/query/display.h"
#include "session/query/lookup.h"
#include "tools/research/conversation_operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::cli {

namespace {

using session::SessionRecord;

constexpr std::size_t kNoticesShown = 100;

Result<SessionRecord> named(const Context& context, session::Store& store) {
  return session::find_session(store, context.settings.text("principal"), context.given.text("session"));
}

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

}  // namespace

// update, archive, unarchive, restore, pin, unpin: as the command is called.
Result<void> change_session(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(harmless(done_text(context.command->name(), facts), false));
  return {};
}

Result<void> note_session(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  HF_TRY(const operations::Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(find_array(facts, "notes")->empty() ? "no notes\n" : notes_text(*find_array(facts, "notes")));
  return {};
}

Result<void> resume_session(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const SessionRecord record, named(context, *store));
  HF_TRY(auto service, ResearchService::make(context, *store));
  if (record.kind == session::kThread) return show_thread(context, *service, record, tools::kResumedMessages);
  if (record.kind == session::kResearch) return show_run(context, *service, record);
  context.given.set("session", Json(record.id));
  if (record.kind == session::kRun) return show_task_run(context);
  if (record.kind == session::kReasoning) return print_brief(context);
  return show_session(context);
}

Result<void> export_kept_session(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const SessionRecord record, named(context, *store));
  const std::string format = context.given.has("format") ? context.given.text("format") : "markdown";
  std::string content;
  if (record.kind == session::kReasoning) {
    reasoning::ExportOptions options;
    options.format = format;
    HF_TRY(content, reasoning::export_session(*store, record, options, context.clock->now()));
  } else if (record.kind == session::kThread || record.kind == session::kResearch) {
    HF_TRY(auto service, ResearchService::make(context, *store));
    HF_TRY(content, record.kind == session::kThread ? tools::export_thread(service->threads(), *store, record, format)
                                                    : tools::export_run(service->research(), record, format));
  } else if (record.kind == session::kRun) {
    HF_TRY(content, runner::export_report(*store, record.id, format));
  } else {
    return fail(ErrorKind::invalid, fmt::format("a {} session cannot be exported", record.kind));
  }
  if (context.json)
    print_json(JsonObject{{"sessionId", record.id}, {"format", format}, {"content", content}});
  else
    print(context.terminal.width > 0 ? harmless(content, false) : content);
  return {};
}

Result<void> show_notices(Context& context) {
  HF_TRY(auto store, context.open_store());
  const std::string& principal = context.settings.text("principal");
  HF_TRY(const session::NoticeList list, session::list_notices(*store, principal, context.given.flag("all"), kNoticesShown));
  std::size_t acknowledged = 0;
  if (context.given.flag("ack")) {
    HF_TRY(acknowledged, session::acknowledge(*store, principal, {}));
  }
  if (context.json) {
    JsonArray notices;
    for (const session::Notice& notice : list.notices) notices.push_back(session::notice_json(notice));
    JsonObject state{{"notices", std::move(notices)}, {"count", list.notices.size()}, {"more", list.more}};
    if (context.given.flag("ack")) state["acknowledged"] = acknowledged;
    print_json(state);
    return {};
  }
  if (list.notices.empty()) print("no notices\n");
  for (const session::Notice& notice : list.notices)
    print(fmt::format("{} {}\n", context.terminal.bold(iso8601(notice.effective_at)), harmless(notice.text, true)));
  if (list.more > 0) print(fmt::format("and {} more\n", list.more));
  return {};
}

Result<void> clean_up(Context& context) {
  HF_TRY(auto store, context.open_store());
  session::SweepOptions options;
  options.dry_run = context.given.flag("dry_run");
  HF_TRY(const session::SweepReport report, session::sweep(*store, retention_policy(context.settings), options));
  if (context.json) {
    JsonObject state = session::report_json(report);
    state["dry_run"] = options.dry_run;
    print_json(state);
    return {};
  }
  const auto line = [](std::string_view what, const std::vector<std::string>& ids) {
    if (!ids.empty()) print(fmt::format("{} {}: {}\n", what, ids.size(), fmt::join(ids, ", ")));
  };
  const bool plan = options.dry_run;
  line(plan ? "would archive" : "archived", report.archived);
  line(plan ? "would delete" : "deleted", report.deleted);
  line(plan ? "would purge" : "purged", report.purged);
  print(fmt::format("{}{} notices; {} pinned are left alone\n", plan ? "would open " : "", report.notices_created,
                    report.skipped_pinned));
  if (report.next_due_at) print(fmt::format("next: {}\n", iso8601(*report.next_due_at)));
  for (const std::string& failed : report.failed) print_note("left for the next time: " + harmless(failed, true) + "\n");
  return {};
}

}  // namespace holdfast::cli
