// holdfast sessions delete|purge|redact: asks on the terminal before anything goes (threads-and-research §7).

#include "base/text/text.h"
#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "operations/sessions/gated_actions.h"
#include "session/query/lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace holdfast::cli {

namespace {

using operations::GatedAction;
using session::GateAction;

Result<operations::GatedAction> read_action(const Context& context, session::Store& store, GateAction kind) {
  operations::GatedAction action;
  action.action = kind;
  std::set<std::string> seen;
  for (const std::string& id : context.given.texts("session")) {
    HF_TRY(session::SessionRecord record, session::find_session(store, context.settings.text("principal"), id));
    if (seen.insert(record.id).second) action.records.push_back(std::move(record));
  }
  action.redaction = {context.given.texts("entry"), context.given.text("pattern"), context.given.flag("regex")};
  HF_CHECK(operations::check_action(store, action));
  return action;
}

// The choice of the person at the terminal.
Result<std::string> ask(const Context& context, const session::GateQuestion& question) {
  if (context.given.flag("yes")) return question.choices.front();
  if (!somebody_is_there())
    return fail(ErrorKind::refused, question.prompt, "there is nobody to ask; --yes does it without asking",
                "CONFIRMATION_UNAVAILABLE");
  const bool can_archive = std::ranges::find(question.choices, operations::kArchiveInstead) != question.choices.end();
  print_note(harmless(question.prompt, false));
  if (question.confirm_id) {
    print_note(fmt::format("\nType {} to go on: ", question.session));
    return read_answer() == question.session ? question.choices.front() : std::string(operations::kKeep);
  }
  print_note(can_archive ? "\nyes, No, or archive it instead? [y/N/a] " : "\nGo on? [y/N] ");
  const std::string answer = to_ascii_lower(read_answer());
  if (answer == "y" || answer == "yes") return question.choices.front();
  if (can_archive && (answer == "a" || answer == "archive")) return std::string(operations::kArchiveInstead);
  return std::string(operations::kKeep);
}

void report(const Context& context, const JsonObject& outcome, const GatedAction& action) {
  if (context.json) return print_json(outcome);
  const std::string_view word = find_string(outcome, "outcome").value_or("");
  std::string text = fmt::format("{}: {}\n", word, fmt::join(action.ids(), ", "));
  if (auto until = find_string(outcome, "restorable_until"))
    text += action.records.size() == 1
                ? fmt::format("holdfast sessions restore {} brings it back until {}\n", action.ids().front(), *until)
                : fmt::format("holdfast sessions restore ID brings one of them back until {}\n", *until);
  if (const JsonObject* counts = find_object(outcome, "counts"))
    for (const auto& count : *counts)
      text += fmt::format("{} {}\n", to_json(count.value()), std::string_view(count.key().data(), count.key().size()));
  print(text);
}

Result<void> gated(Context& context, GateAction kind) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const operations::GatedAction action, read_action(context, *store, kind));
  const session::RetentionPolicy policy = retention_policy(context.settings);
  if (operations::is_done_already(action)) {
    report(context, operations::done_already(action, policy), action);
    return {};
  }
  const session::GateQuestion question =
      session::make_question(kind, action.records, policy, context.clock->now(), action.described());
  HF_TRY(const std::string choice, ask(context, question));
  auto outcome = store->write([&](session::Transaction& transaction) -> Result<JsonObject> {
    std::vector<session::SessionRecord> fresh;
    for (const session::SessionRecord& record : action.records) {
      HF_TRY(session::SessionRecord now, transaction.get(record.id));
      if (now.rev != record.rev && choice != operations::kKeep && !context.given.flag("yes"))
        return fail(ErrorKind::conflict, fmt::format("{} has changed since you were asked; nothing was done", record.id),
                    "run the command again");
      fresh.push_back(std::move(now));
    }
    return operations::perform(transaction, action, fresh, choice, policy);
  });
  if (!outcome) return fail(std::move(outcome).error());
  report(context, *outcome, action);
  return {};
}

}  // namespace

Result<void> delete_sessions(Context& context) {
  return gated(context, GateAction::remove);
}

Result<void> purge_session(Context& context) {
  return gated(context, GateAction::purge);
}

Result<void> redact_session(Context& context) {
  return gated(context, GateAction::redact);
}

}  // namespace holdfast::cli
