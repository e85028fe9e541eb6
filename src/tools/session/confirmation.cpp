#include "tools/session/confirmation.h"

#include "operations/operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using session::GateAction;
using session::GateBinding;
using session::GateQuestion;

constexpr std::size_t kMostAtOnce = 50;  // one question names every one of them, and a person reads it
constexpr std::string_view kChanged = "CONFIRMATION_CHANGED";
// What call.state() keeps from run to run.
constexpr std::string_view kTokenState = "gate", kRoundState = "gate_round", kRemarkState = "gate_remark";

std::string_view title_of(std::string_view choice) {
  if (choice == "delete") return "Delete";
  if (choice == "purge") return "Erase for good";
  if (choice == "redact") return "Redact for good";
  if (choice == operations::kArchiveInstead) return "Archive instead";
  return "Keep";
}

JsonObject form_of(const GateQuestion& question) {
  JsonArray choices;
  for (const std::string& choice : question.choices)
    choices.push_back(JsonObject{{"const", choice}, {"title", title_of(choice)}});
  JsonObject properties{
      {"choice",
       JsonObject{{"type", "string"}, {"title", "Choice"}, {"oneOf", std::move(choices)}, {"default", operations::kKeep}}}};
  if (question.confirm_id)
    properties["confirm_id"] =
        JsonObject{{"type", "string"}, {"title", "Id"}, {"description", fmt::format("type {} to erase it", question.session)}};
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", JsonArray{"choice"}}};
}

// A form's token does not pass as an argument: who reads it out of a requestState has not been given the two steps.
GateBinding binding_of(std::string_view tool, bool form, const std::string& principal, const operations::GatedAction& action) {
  return {fmt::format("{}{}", tool, form ? "/form" : ""), action.action, principal, action.digest()};
}

bool id_is_confirmed(const GateQuestion& question, std::string_view choice, const JsonObject& given) {
  return !question.confirm_id || choice == operations::kKeep || find_string(given, "confirm_id") == question.session;
}

std::string command_of(const operations::GatedAction& action) {
  return fmt::format("holdfast sessions {} {}", name_of(action.action), fmt::join(action.ids(), " "));
}

}  // namespace

Result<JsonObject> Confirmation::pass(mcp::Call& call, std::string_view tool, const operations::GatedAction& action,
                                      Millis now) const {
  if (action.records.size() > kMostAtOnce)
    return fail(ErrorKind::invalid, fmt::format("{} sessions at once are too many to ask about", action.records.size()),
                fmt::format("at most {}", kMostAtOnce), "invalid_argument");
  // A confirmation is judged also when there is nothing left to do: one that was used before must not look like a success.
  if (auto token = find_string(call.arguments(), "confirmation_token")) return second_step(call, tool, action, *token, now);
  if (call.state().contains(kTokenState)) return ask(call, tool, action, now);
  if (operations::is_done_already(action)) return operations::done_already(action, policy_);
  if (call.caller().can_elicit_form()) return ask(call, tool, action, now);
  return offer_token(tool, call.caller().principal, action, now, false);
}

Result<JsonObject> Confirmation::ask(mcp::Call& call, std::string_view tool, const operations::GatedAction& action,
                                     Millis now) const {
  const GateQuestion question = session::make_question(action.action, action.records, policy_, now, action.described());
  const GateBinding binding = binding_of(tool, true, call.caller().principal, action);
  JsonObject& state = call.state();
  // A question that has to be put once more gets another key: the old one has its answer.
  for (;;) {
    const std::int64_t round = find_int(state, kRoundState).value_or(0);
    const std::string key = round == 0 ? "confirm" : fmt::format("confirm-{}", round + 1);
    const std::string remark(find_string(state, kRemarkState).value_or(""));
    mcp::Question form = mcp::Question::form(remark + question.prompt, form_of(question));
    form.sealed = true;
    form.patience = settings_.patience;
    const mcp::Answer* answer = call.ask(key, std::move(form));
    if (!answer) {
      state[kTokenState] = session::make_token(stores_.secret(), binding, action.records, now, settings_.token_ttl).text;
      return operations::asked();
    }
    if (answer->failure && answer->failure->kind == ErrorKind::timeout) return operations::nothing_done(action, "timeout");
    if (answer->failure) return offer_token(tool, call.caller().principal, action, now, false);
    const JsonObject* content = answer->content();
    const std::string token(find_string(state, kTokenState).value_or(""));
    if (!content) {
      static_cast<void>(
          act(call, action, binding, token, operations::kKeep));  // answered is answered: the token passes no second time
      const bool declined = find_string(answer->result, "action") == "decline";
      return operations::nothing_done(action, declined ? "declined" : "cancelled");
    }
    const std::string choice(find_string(*content, "choice").value_or(operations::kKeep));
    if (!id_is_confirmed(question, choice, *content)) {
      state[kRemarkState] = "The id that was typed is not this session's. ";
    } else {
      HF_TRY(std::optional<JsonObject> done, act(call, action, binding, token, choice));
      if (done) return std::move(*done);
      if (operations::is_done_already(action)) return operations::done_already(action, policy_);
      state[kRemarkState] = "It has changed since you were asked. ";
    }
    state[kRoundState] = round + 1;
  }
}

Result<JsonObject> Confirmation::second_step(mcp::Call& call, std::string_view tool, const operations::GatedAction& action,
                                             std::string_view token, Millis now) const {
  const GateQuestion question = session::make_question(action.action, action.records, policy_, now, action.described());
  const std::string choice(find_string(call.arguments(), "choice").value_or(""));
  if (std::ranges::find(question.choices, choice) == question.choices.end())
    return fail(ErrorKind::invalid, fmt::format("choice: must be one of {}", fmt::join(question.choices, ", ")),
                "ask the user, and pass on what they chose", "VALIDATION_ERROR");
  if (!id_is_confirmed(question, choice, call.arguments()))
    return fail(ErrorKind::invalid, fmt::format("confirm_id: must be {}", question.session),
                "the user has to type the id of what is erased for good", "VALIDATION_ERROR");
  const std::string& principal = call.caller().principal;
  HF_TRY(std::optional<JsonObject> done, act(call, action, binding_of(tool, false, principal, action), token, choice));
  if (done) return std::move(*done);
  if (operations::is_done_already(action)) return operations::done_already(action, policy_);
  return offer_token(tool, principal, action, now, true);
}

Result<JsonObject> Confirmation::offer_token(std::string_view tool, const std::string& principal,
                                             const operations::GatedAction& action, Millis now, bool changed) const {
  if (!settings_.token_fallback)
    return fail(ErrorKind::refused, fmt::format("this client cannot ask its user, and {} needs a yes", name_of(action.action)),
                fmt::format("the user can run: {}", command_of(action)), "CONFIRMATION_UNAVAILABLE");
  const GateQuestion question = session::make_question(action.action, action.records, policy_, now, action.described());
  const session::GateToken token =
      session::make_token(stores_.secret(), binding_of(tool, false, principal, action), action.records, now, settings_.token_ttl);
  JsonObject data = operations::nothing_done(action, "confirmation_required");
  JsonArray choices;
  for (const std::string& choice : question.choices) choices.emplace_back(choice);
  data["prompt"] = question.prompt;
  data["choices"] = std::move(choices);
  data["confirmation_token"] = token.text;
  data["expires_at"] = iso8601(token.expires_at);
  if (question.confirm_id) data["confirm_id"] = "required: the id, typed by the user";
  if (changed) data["changed"] = true;
  data["summary"] = fmt::format(
      "{}Nothing has been done. The user must decide, not you: show them the prompt, then repeat the call with "
      "confirmation_token "
      "and their choice.",
      changed ? "It has changed since the last question. " : "");
  return data;
}

Result<std::optional<JsonObject>> Confirmation::act(const mcp::Call& call, const operations::GatedAction& action,
                                                    const GateBinding& binding, std::string_view token,
                                                    std::string_view choice) const {
  session::StoreView store(stores_, call.caller());
  auto done = store.write([&](session::Transaction& transaction) -> Result<JsonObject> {
    std::vector<session::SessionRecord> fresh;
    for (const session::SessionRecord& record : action.records) {
      HF_TRY(session::SessionRecord now, transaction.get(record.id));
      fresh.push_back(std::move(now));
    }
    HF_CHECK(session::use_token(transaction, stores_.secret(), token, binding, fresh, transaction.now()));
    return operations::perform(transaction, action, fresh, choice, policy_);
  });
  if (done) return std::optional(std::move(*done));
  if (done.error().code != kChanged) return fail(std::move(done).error());
  if (choice == operations::kKeep) return std::optional(operations::nothing_done(action, "kept"));
  return std::nullopt;
}

JsonObject confirmation_arguments() {
  return {{"confirmation_token",
           JsonObject{{"type", "string"}, {"description", "of the first call, together with the user's choice"}}},
          {"choice", JsonObject{{"type", "string"}, {"description", "what the user chose"}}},
          {"confirm_id", JsonObject{{"type", "string"}, {"description", "purge: the id, typed by the user"}}}};
}

}  // namespace holdfast::tools
