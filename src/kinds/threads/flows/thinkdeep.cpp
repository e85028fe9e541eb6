#include "base/text/text.h"
#include "kinds/threads/context.h"
#include "kinds/threads/flows/flows.h"
#include "kinds/threads/flows/investigation.h"
#include "kinds/threads/flows/violations.h"
#include "model/models.h"
#include "model/wire/structured.h"

#include <fmt/format.h>

namespace holdfast::threads {
namespace {

using session::SessionRecord;

constexpr std::string_view kThinkdeepKind = "thinkdeep";
constexpr std::string_view kInvestigationKey = "investigation";  // in the record's data
constexpr std::string_view kGoOn = "Go one step deeper.";

constexpr std::string_view kInstructions =
    "You investigate a topic step by step. Each step examines the hypotheses so far, finds evidence for and against them, and "
    "adds "
    "hypotheses where they are missing. Answer with exactly one JSON object:\n"
    R"({"content": "what this step found, in prose", "hypotheses": [{"id": "h1 for a known one, left out for a new one", )"
    R"("statement": "…", "evidence": [{"text": "…", "strength": "strong|moderate|weak", "supports": true}]}]})"
    "\nName new evidence only; what is known already is counted.";

Result<void> check(const model::Models& models, const ThinkdeepRequest& request) {
  Violations violations;
  if (request.thread_id.empty()) violations.required("topic", request.topic);
  violations.text("topic", request.topic, kMaxPromptCharacters);
  violations.text("query", request.query, kMaxPromptCharacters);
  violations.provider(models, request.provider);
  if (request.max_depth) violations.between("max_depth", *request.max_depth, 1, kMaxDepth);
  return violations.result();
}

Investigation investigation_of(const SessionRecord& record, const ThinkdeepRequest& request) {
  if (const JsonObject* state = find_object(record.data, kInvestigationKey)) {
    Investigation known = Investigation::from_json(*state);
    if (known.convergence() == Convergence::none && request.max_depth) known.max_depth = *request.max_depth;
    return known;
  }
  Investigation fresh;  // a thread made by thread-create: its topic is what it was opened or called with
  fresh.topic = !request.topic.empty() ? request.topic : record.title.empty() ? record.opening : record.title;
  fresh.max_depth = request.max_depth.value_or(kDefaultDepth);
  return fresh;
}

StepOutcome outcome_of(const SessionRecord& record, const Investigation& investigation, std::string content) {
  StepOutcome outcome;
  outcome.thread_id = record.id;
  const Convergence convergence = investigation.convergence();
  outcome.data = {{"thread_id", record.id},
                  {"content", std::move(content)},
                  {"current_depth", investigation.depth},
                  {"max_depth", investigation.max_depth},
                  {"converged", convergence != Convergence::none},
                  {"hypothesis_count", investigation.hypotheses.size()},
                  {"step_count", record.count_of(kStepEntry)},
                  {"hypotheses", investigation.to_json()["hypotheses"]}};
  if (convergence != Convergence::none) outcome.data["convergence_reason"] = name_of(convergence);
  return outcome;
}

std::string system_prompt(const Investigation& investigation) {
  return fmt::format("{}\n\nTopic: {}\nStep {} of {}.\nKnown so far: {}", kInstructions,
                     shorten(investigation.topic, kTopicCharacters), investigation.depth + 1, investigation.max_depth,
                     investigation.brief());
}

// The step itself: an error means that it was not made.
Result<StepOutcome> step(const Workplace& place, const ThinkdeepRequest& request, const Begun& begun,
                         Investigation investigation) {
  model::Ask ask;
  ask.purpose = "chat";
  ask.provider = request.provider.empty() ? setting_of(begun.record, "provider") : request.provider;
  ask.cancelled = place.who.cancelled;
  const std::string system = system_prompt(investigation);
  HF_TRY(const Context context,
         context_of(place.store, begun.record.id, system, begun.question->seq, prompt_budget(place.models, ask)));
  ask.messages = context.messages;
  HF_TRY(model::StructuredReply answer, model::ask_object(place.models, ask));

  std::vector<std::string> warnings;
  std::string content;
  if (answer.object) {
    warnings = investigation.add(*answer.object);
    content = model::text_member(*answer.object, "content");
  } else {
    warnings.push_back("the model did not answer in the form asked for; its text is kept, the hypotheses are unchanged");
  }
  if (content.empty()) content = answer.reply.content;
  if (const std::string_view why = model::cut_off(answer.reply.finish_reason); !why.empty()) warnings.emplace_back(why);
  investigation.depth += 1;

  StepResult result;
  result.key = kInvestigationKey;
  result.state = investigation.to_json();
  result.step = {{"kind", kThinkdeepKind}, {"depth", investigation.depth}};
  if (answer.object) result.step["update"] = *answer.object;
  result.message = answer_of(answer.reply, content, begun.question->id);
  result.message.tokens = answer.tokens;
  HF_TRY(const KeptStep kept, keep_result(place, begun, result));
  StepOutcome outcome = outcome_of(kept.record, investigation, std::move(content));
  outcome.data["message_id"] = kept.message->id;
  outcome.data["provider"] = answer.reply.provider;
  outcome.data["model"] = answer.reply.model;
  outcome.warnings = std::move(warnings);
  return outcome;
}

}  // namespace

Result<StepOutcome> thinkdeep(const Workplace& place, const ThinkdeepRequest& request) {
  HF_CHECK(check(place.models, request));
  if (!request.thread_id.empty()) {
    HF_TRY(const SessionRecord record, find_thread(place.store, place.who, request.thread_id, kThinkdeepKind));
    const Investigation known = investigation_of(record, request);
    if (known.convergence() != Convergence::none) return outcome_of(record, known, known.summary());
  }
  NewThread thread;
  thread.kind = kThinkdeepKind;
  thread.title = shorten(trim(request.topic), kMaxTitleCharacters - 1);
  thread.provider = request.provider;
  std::string question = request.query;
  if (question.empty()) question = request.thread_id.empty() ? request.topic : std::string(kGoOn);
  const JsonObject first = investigation_of({}, request).to_json();
  HF_TRY(const Begun begun, begin_step(place, thread, request.thread_id, question, kInvestigationKey, first));

  const Investigation investigation = investigation_of(begun.record, request);
  if (investigation.convergence() != Convergence::none)  // by the call we waited for
    return outcome_of(begun.record, investigation, investigation.summary());
  auto made = step(place, request, begun, investigation);
  if (made) return made;
  StepOutcome outcome = outcome_of(begun.record, investigation, "");
  outcome.data["message_id"] = begun.question->id;
  outcome.failure = std::move(made).error();
  return outcome;
}

}  // namespace holdfast::threads
