#include "base/text/text.h"
#include "kinds/threads/context.h"
#include "kinds/threads/flows/flows.h"
#include "kinds/threads/flows/idea_board.h"
#include "kinds/threads/flows/violations.h"
#include "model/wire/structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace holdfast::threads {
namespace {

using session::SessionRecord;

constexpr std::string_view kIdeateKind = "ideate";
constexpr std::string_view kIdeasKey = "ideas";  // in the record's data
constexpr std::array<std::string_view, 6> kActions = {"generate", "cluster", "score", "select", "elaborate", "status"};
constexpr std::array<std::string_view, 4> kPerspectives = {"technical", "creative", "practical", "visionary"};
constexpr std::array<std::string_view, 3> kCriteria = {"novelty", "feasibility", "impact"};
constexpr std::int64_t kDefaultIdeas = 5, kMostIdeas = 20;  // of one perspective
constexpr std::size_t kMaxLabels = 10;                      // perspectives or criteria: each perspective is a call of a model
constexpr std::size_t kMaxLabelCharacters = 100;
constexpr std::size_t kDefaultSelection = 2;
constexpr std::size_t kScoredAtOnce = 25;  // the scores of more would be cut off by usual limits of an answer
constexpr std::size_t kCharactersPerToken = 4;
constexpr std::size_t kLinesOfPrompt = 60;  // what instructions and topic take, in lines of ideas
constexpr std::size_t kShortestLine = 40;

// What an action does: it changes the board and says so. Nothing is kept when it fails.
struct Action {
  const Workplace& place;
  const IdeateRequest& request;
  const Begun& begun;
  IdeaBoard board;
  model::Reply last;  // of the model, when one was asked
  model::Tokens tokens;
  std::string content;
  std::vector<std::string> warnings;

  model::Ask question() const;
  std::string lines(std::span<const Idea> ideas) const;
  Result<model::StructuredReply> ask(std::string_view wanted, std::string form, std::string evidence);
  Result<void> generate();
  Result<void> cluster();
  Result<void> score();
  Result<void> select();
  Result<void> elaborate();
};

std::unexpected<Error> missing(std::string_view action, std::string_view what, std::string hint) {
  return fail(ErrorKind::refused, fmt::format("{} needs {}", action, what), std::move(hint), "VALIDATION_ERROR");
}

Result<void> check(const model::Models& models, const IdeateRequest& request) {
  Violations violations;
  violations.one_of("ideate_action", request.action, kActions);
  if (request.thread_id.empty()) violations.required("topic", request.topic);
  if (request.thread_id.empty() && request.action != "generate")
    violations.add(fmt::format("{} needs the thread_id of an ideate thread; generate begins one", request.action));
  violations.text("topic", request.topic, kMaxPromptCharacters);
  for (const auto& [name, labels] :
       {std::pair("perspectives", &request.perspectives), std::pair("criteria", &request.criteria)}) {
    if (labels->size() > kMaxLabels) violations.add(fmt::format("at most {} {} are allowed", kMaxLabels, name));
    for (const std::string& label : *labels) {
      violations.required(fmt::format("one of {}", name), label);
      violations.text(name, label, kMaxLabelCharacters);
    }
  }
  violations.provider(models, request.provider);
  if (request.count) violations.between("count", *request.count, 1, kMostIdeas);
  return violations.result();
}

// What can be refused without asking anybody (§9: each step refuses when its input is missing).
Result<void> check_input(const IdeaBoard& board, const IdeateRequest& request) {
  const std::string& action = request.action;
  if (action == "generate" || action == "status") return {};
  if (board.ideas.empty()) return missing(action, "ideas, and there are none yet", "use generate first");
  if (action == "select" && request.ids.empty() && board.best(1).empty())
    return missing(action, "scores or ids", "use score first, or name ids of clusters or ideas");
  if (action == "elaborate" && request.ids.empty() && board.selected.empty())
    return missing(action, "a selection or ids", "use select first, or name ids of clusters or ideas");
  if (action == "select" || action == "elaborate")
    for (const std::string& id : request.ids)
      if (!board.knows(id))
        return missing(action, fmt::format("ids that exist; there is no {}", shorten(id, 40)), "status shows them");
  return {};
}

IdeaBoard board_of(const SessionRecord& record, const IdeateRequest& request) {
  IdeaBoard board;
  if (const JsonObject* state = find_object(record.data, kIdeasKey)) board = IdeaBoard::from_json(*state);
  if (board.topic.empty())
    board.topic = !request.topic.empty() ? request.topic : record.title.empty() ? record.opening : record.title;
  if (!request.perspectives.empty()) board.perspectives = request.perspectives;
  if (board.perspectives.empty()) board.perspectives.assign(kPerspectives.begin(), kPerspectives.end());
  if (!request.criteria.empty() && request.criteria != board.criteria) {
    board.criteria = request.criteria;
    for (Idea& idea : board.ideas) idea.scores.clear();  // an average over other criteria means something else
  }
  if (board.criteria.empty()) board.criteria.assign(kCriteria.begin(), kCriteria.end());
  return board;
}

// A line each, as long as fits the window together.
std::string lines_of(std::span<const Idea> ideas, std::int64_t budget) {
  const auto share = static_cast<std::size_t>(budget) * kCharactersPerToken / (ideas.size() + kLinesOfPrompt);
  std::string text;
  for (const Idea& idea : ideas) text += fmt::format("{}: {}\n", idea.id, shorten(idea.text, std::max(share, kShortestLine)));
  return text;
}

model::Ask Action::question() const {
  model::Ask ask;
  ask.purpose = "chat";
  ask.provider = request.provider.empty() ? setting_of(begun.record, "provider") : request.provider;
  ask.cancelled = place.who.cancelled;
  return ask;
}

std::string Action::lines(std::span<const Idea> ideas) const {
  return lines_of(ideas, prompt_budget(place.models, question()));
}

Result<model::StructuredReply> Action::ask(std::string_view wanted, std::string form, std::string evidence) {
  model::Ask ask = question();
  ask.messages = {{"system", fmt::format("You help to find and sort ideas. Answer with exactly one JSON object: {}", form)},
                  {"user", fmt::format("Topic: {}\n\n{}\n\n{}", shorten(board.topic, kTopicCharacters), wanted, evidence)}};
  HF_TRY(auto answer, model::ask_object(place.models, ask));
  last = answer.reply;
  tokens += answer.tokens;
  return answer;
}

Result<void> Action::generate() {
  const std::int64_t count = request.count.value_or(kDefaultIdeas);
  std::optional<Error> failure;
  for (const std::string& perspective : board.perspectives) {
    auto answer = ask(fmt::format("Write {} different ideas from a {} perspective.", count, perspective),
                      R"({"ideas": ["…", "…"]})", board.ideas.empty() ? "" : "Known already:\n" + lines(board.ideas));
    if (!answer) {
      warnings.push_back(fmt::format("no ideas from the {} perspective: {}", perspective, answer.error().message));
      failure = std::move(answer).error();
      if (failure->kind == ErrorKind::cancelled) break;
      continue;
    }
    std::vector<std::string> texts;
    if (answer->object) {
      texts = model::texts_member(*answer->object, "ideas");
      for (const JsonObject* idea : model::objects_member(*answer->object, "ideas"))
        texts.push_back(model::text_member(*idea, "text"));
    }
    if (texts.empty()) warnings.push_back(fmt::format("the model gave no ideas from the {} perspective", perspective));
    const std::size_t before = board.ideas.size();
    board.add_ideas(perspective, texts);
    if (board.ideas.size() == before) continue;
    content += fmt::format("## {}\n\n", perspective);
    for (std::size_t at = before; at < board.ideas.size(); ++at)
      content += fmt::format("- {}: {}\n", board.ideas[at].id, board.ideas[at].text);
    content += '\n';
  }
  if (!content.empty()) {
    board.phase = IdeatePhase::divergent;
    return {};
  }
  if (failure) return fail(*std::move(failure));
  return fail(ErrorKind::unavailable, "the model gave no new idea", "ask again, with other perspectives perhaps",
              "PROVIDER_ERROR");
}

Result<void> Action::cluster() {
  HF_TRY(const auto answer, ask("Sort these ideas into two to six clusters and name each.",
                                R"({"clusters": [{"name": "…", "idea_ids": ["i1", "i4"]}]})", lines(board.ideas)));
  if (!answer.object || !board.set_clusters(*answer.object)) {
    board.cluster_by_perspective();
    warnings.push_back("the model gave no clusters; the ideas are sorted by their perspective");
  }
  board.phase = IdeatePhase::convergent;
  for (const Cluster& made : board.clusters) content += board.describe(made.id) + '\n';
  return {};
}

Result<void> Action::score() {
  std::string form = R"({"scores": [{"id": "i1")";
  for (const std::string& criterion : board.criteria) form += fmt::format(", {}: 7", to_json(Json(criterion)));
  std::size_t scored = 0;
  for (std::size_t first = 0; first < board.ideas.size(); first += kScoredAtOnce) {
    const auto batch = std::span<const Idea>(board.ideas).subspan(first, std::min(kScoredAtOnce, board.ideas.size() - first));
    auto answer =
        ask(fmt::format("Score each idea from 0 to 10 for {}.", fmt::join(board.criteria, ", ")), form + "}]}", lines(batch));
    if (!answer && scored == 0) return fail(std::move(answer).error());
    if (!answer) {  // what there is already is kept
      warnings.push_back(answer.error().message);
      break;
    }
    if (answer->object) scored = board.set_scores(*answer->object);
  }
  if (scored == 0)
    return fail(ErrorKind::unavailable, "the model gave no scores that can be read", "try again, or choose another model",
                "PROVIDER_ERROR");
  if (scored < board.ideas.size())
    warnings.push_back(fmt::format("{} of {} ideas were not scored in full", board.ideas.size() - scored, board.ideas.size()));
  board.phase = IdeatePhase::convergent;
  for (const Idea& idea : board.ideas)
    if (const auto average = idea.average()) content += fmt::format("- {} {:.1f}: {}\n", idea.id, *average, idea.text);
  return {};
}

Result<void> Action::select() {
  board.selected = request.ids.empty() ? board.best(kDefaultSelection) : request.ids;
  board.phase = IdeatePhase::selection;
  for (const std::string& id : board.selected) content += board.describe(id) + '\n';
  return {};
}

Result<void> Action::elaborate() {
  const std::vector<std::string> ids = request.ids.empty() ? board.selected : request.ids;
  for (const std::string& id : ids) {
    auto answer = ask("Elaborate this into something that can be done: what it is, how it works, first steps, risks.",
                      R"({"text": "…"})", board.describe(id));
    if (!answer && content.empty()) return fail(std::move(answer).error());
    if (!answer) {  // what there is already is kept
      warnings.push_back(fmt::format("{} was not elaborated: {}", id, answer.error().message));
      break;
    }
    std::string text = answer->object ? model::text_member(*answer->object, "text") : std::string();
    if (text.empty()) text = answer->reply.content;
    content += fmt::format("## {}\n\n{}\n\n", id, text);
    board.elaborate(id, text);
  }
  board.phase = IdeatePhase::elaboration;
  return {};
}

StepOutcome outcome_of(const SessionRecord& record, const IdeaBoard& board, const IdeateRequest& request, std::string content) {
  StepOutcome outcome;
  outcome.thread_id = record.id;
  outcome.data = board.to_json();
  outcome.data["thread_id"] = record.id;
  outcome.data["ideate_action"] = request.action;
  outcome.data["content"] = std::move(content);
  outcome.data["idea_count"] = board.ideas.size();
  outcome.data["cluster_count"] = board.clusters.size();
  outcome.data["step_count"] = record.count_of(kStepEntry);
  return outcome;
}

Result<void> run(Action& action) {
  const std::string& name = action.request.action;
  if (name == "generate") return action.generate();
  if (name == "cluster") return action.cluster();
  if (name == "score") return action.score();
  if (name == "select") return action.select();
  return action.elaborate();
}

}  // namespace

Result<StepOutcome> ideate(const Workplace& place, const IdeateRequest& request) {
  HF_CHECK(check(place.models, request));
  if (!request.thread_id.empty()) {
    HF_TRY(const SessionRecord record, find_thread(place.store, place.who, request.thread_id, kIdeateKind));
    const IdeaBoard board = board_of(record, request);
    HF_CHECK(check_input(board, request));
    if (request.action == "status") return outcome_of(record, board, request, "");
  }
  NewThread thread;
  thread.kind = kIdeateKind;
  thread.title = shorten(trim(request.topic), kMaxTitleCharacters - 1);
  thread.provider = request.provider;
  const std::string_view question = request.thread_id.empty() ? std::string_view(request.topic) : std::string_view();
  HF_TRY(const Begun begun, begin_step(place, thread, request.thread_id, question, kIdeasKey, board_of({}, request).to_json()));

  Action action{place, request, begun, board_of(begun.record, request), {}, {}, {}, {}};
  const IdeaBoard before = action.board;
  HF_CHECK(check_input(before, request));  // again: the call we waited for may have changed the board
  auto failed = [&](Error error) {
    StepOutcome outcome = outcome_of(begun.record, before, request, "");
    if (begun.question) outcome.data["message_id"] = begun.question->id;
    outcome.warnings = std::move(action.warnings);
    outcome.failure = std::move(error);
    return outcome;
  };
  if (auto ran = run(action); !ran) return failed(std::move(ran).error());

  StepResult result;
  result.key = kIdeasKey;
  result.state = action.board.to_json();
  result.step = {{"kind", kIdeateKind}, {"action", request.action}, {"phase", name_of(action.board.phase)}};
  result.message = answer_of(action.last, action.content, begun.question ? begun.question->id : "");
  result.message.tokens = action.tokens;
  auto kept = keep_result(place, begun, result);
  if (!kept) return failed(std::move(kept).error());
  StepOutcome outcome = outcome_of(kept->record, action.board, request, std::move(action.content));
  if (kept->message) outcome.data["message_id"] = kept->message->id;
  outcome.warnings = std::move(action.warnings);
  return outcome;
}

}  // namespace holdfast::threads
