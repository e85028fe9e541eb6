// What becomes of threads and runs: archive, delete, restore, pin, redact, purge, cleanup (threads-and-research §3–§7, §13).

#include "operations/sessions/moves.h"
#include "session/kinds.h"
#include "session/life/sweep.h"
#include "tools/research/research_actions.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::tools {

namespace {

using session::GateAction;
using session::SessionRecord;

// Actions over either kind take thread_id, research_id or id.
struct Subject {
  std::string_view kind, one, several;
};
constexpr Subject kThreadSubject{session::kThread, "thread_id", "thread_ids"};
constexpr Subject kRunSubject{session::kResearch, "research_id", "research_ids"};

Result<SessionRecord> either(ResearchCall& call, Deleted deleted) {
  const std::string_view given = call.arguments().contains("thread_id")     ? "thread_id"
                                 : call.arguments().contains("research_id") ? "research_id"
                                                                            : "id";
  if (!call.arguments().contains(given))
    return fail(ErrorKind::invalid, "thread_id or research_id is required", {}, "MISSING_REQUIRED");
  return named_session(call, given, {}, deleted);
}

Result<ResearchAnswer> moved(ResearchCall& call, const SessionRecord& record, std::string_view move) {
  HF_TRY(const session::Moved done, operations::make_move(call.room.store, record.id, move));
  ResearchAnswer answer;
  answer.data = {{"id", record.id},
                 {fmt::format("{}_id", record.kind), record.id},
                 {"changed", done.changed},
                 {"session", call.room.operations.item(done.record, call.now)}};
  if (move == "unarchive" && done.changed) answer.data["unarchived"] = true;
  return answer;
}

ResearchAction move_action(const char* name, const Subject& subject, const char* move) {
  return {name, {std::string(subject.one)}, {}, [subject, move](ResearchCall& call) -> Result<ResearchAnswer> {
            HF_TRY(const SessionRecord record, named_session(call, subject.one, subject.kind, Deleted::allow));
            return moved(call, record, move);
          }};
}

ResearchAction pin_action(const char* name) {
  return {name, {}, {"thread_id", "research_id", "id"}, [name](ResearchCall& call) -> Result<ResearchAnswer> {
            HF_TRY(const SessionRecord record, either(call, Deleted::allow));
            return moved(call, record, name);
          }};
}

Result<ResearchAnswer> pass_gate(ResearchCall& call, const operations::GatedAction& action) {
  HF_TRY(Confirmation::Outcome outcome, call.room.confirmation.pass(call.call, "research", action, call.now));
  ResearchAnswer answer;
  answer.input_required = outcome.input_required;
  answer.data = std::move(outcome.data);
  if (!outcome.summary.empty()) answer.data["summary"] = outcome.summary;
  return answer;
}

Result<std::vector<SessionRecord>> to_delete(ResearchCall& call, const Subject& subject) {
  std::vector<SessionRecord> records;
  std::set<std::string> seen;
  if (call.arguments().contains(subject.one)) {
    HF_TRY(SessionRecord record, named_session(call, subject.one, subject.kind, Deleted::allow));
    seen.insert(record.id);
    records.push_back(std::move(record));
  }
  for (const std::string& id : texts_of(call.arguments(), subject.several)) {
    if (!seen.insert(id).second) continue;
    HF_TRY(SessionRecord record, session_of(call, id, subject.kind, Deleted::allow));
    records.push_back(std::move(record));
  }
  if (records.empty()) return fail(ErrorKind::invalid, fmt::format("{} is required", subject.one), {}, "MISSING_REQUIRED");
  return records;
}

ResearchAction delete_action(const char* name, const Subject& subject) {
  return {name,
          {},
          {std::string(subject.one), std::string(subject.several), "confirmation_token", "choice"},
          [subject](ResearchCall& call) -> Result<ResearchAnswer> {
            operations::GatedAction action;
            HF_TRY(action.records, to_delete(call, subject));
            return pass_gate(call, action);
          }};
}

Result<ResearchAnswer> purge(ResearchCall& call) {
  operations::GatedAction action;
  action.action = GateAction::purge;
  HF_TRY(SessionRecord record, either(call, Deleted::allow));
  action.records.push_back(std::move(record));
  return pass_gate(call, action);
}

Result<ResearchAnswer> redact(ResearchCall& call) {
  operations::GatedAction action;
  action.action = GateAction::redact;
  HF_TRY(SessionRecord record, either(call, Deleted::allow));
  action.records.push_back(std::move(record));
  action.redaction = redaction_of(call.arguments());
  return pass_gate(call, action);
}

Result<ResearchAnswer> cleanup(ResearchCall& call) {
  session::SweepOptions options;
  options.dry_run = call.flag("dry_run", false);
  options.cancelled = [asked = &call.call] { return asked->cancelled(); };
  options.seen_by = &call.room.store;
  HF_TRY(const session::SweepReport report,
         session::sweep(call.room.stores.for_system(session::SystemWork::sweep), call.room.confirmation.policy(), options));
  ResearchAnswer answer;
  answer.data = session::report_json(report);
  answer.data["dry_run"] = options.dry_run;
  return answer;
}

}  // namespace

std::vector<ResearchAction> care_actions() {
  return {
      move_action("thread-archive", kThreadSubject, "archive"),
      move_action("thread-unarchive", kThreadSubject, "unarchive"),
      delete_action("thread-delete", kThreadSubject),
      move_action("thread-restore", kThreadSubject, "restore"),
      move_action("deep-research-archive", kRunSubject, "archive"),
      move_action("deep-research-unarchive", kRunSubject, "unarchive"),
      delete_action("deep-research-delete", kRunSubject),
      move_action("deep-research-restore", kRunSubject, "restore"),
      pin_action("pin"),
      pin_action("unpin"),
      {"redact",
       {},
       {"thread_id", "research_id", "id", "message_ids", "source_ids", "pattern", "regex", "confirmation_token", "choice"},
       redact},
      {"purge", {}, {"thread_id", "research_id", "id", "confirmation_token", "choice", "confirm_id"}, purge},
      {"cleanup", {}, {"dry_run"}, cleanup},
  };
}

}  // namespace holdfast::tools
