#include "base/text/text.h"
#include "kinds/research/engine/phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {

Engine& Workshop::thinker() const {
  if (!has_model()) return program;
  const auto spent = journal.budget().model();
  if (!spent) return engine;
  journal.note_cut(*spent);
  return program;
}

bool Workshop::takes_over(std::string_view step, const Error& error) const {
  if (journal.lease().ended()) return false;
  if (const auto spent = journal.budget().model()) {
    journal.note_cut(*spent);
    return true;
  }
  if (!is_no_use(error)) return false;
  journal.note_stand_in(step, error.message);
  return true;
}

bool is_no_use(const Error& error) {
  if (error.code == kNoUse || error.kind == ErrorKind::too_large) return true;
  return error.kind == ErrorKind::refused && error.code == "PROVIDER_ERROR";
}

session::NewEntry entry_of(const Unit& unit, std::string_view type, std::size_t index, std::string text, const JsonObject& data) {
  session::NewEntry entry;
  entry.type = type;
  entry.text = to_valid_utf8(text);
  entry.data = to_json(data);
  entry.idempotency_key = fmt::format("{}:{}:{}", type, unit.key(), index);
  return entry;
}

JsonArray admit(std::vector<SubQuery>& questions, const Limits& limits) {
  constexpr int kHighest = 10, kLowest = 1;
  std::vector<SubQuery> admitted;
  JsonArray listed;
  for (int priority = kHighest; priority >= kLowest; --priority) {
    for (SubQuery& question : questions) {
      if (std::clamp(question.priority, kLowest, kHighest) != priority) continue;
      if (admitted.size() == static_cast<std::size_t>(limits.max_sub_queries)) break;
      question.id = make_inner_id("subq-");
      listed.push_back(json_of(question));
      admitted.push_back(std::move(question));
    }
  }
  questions = std::move(admitted);
  return listed;
}

Result<void> plan(Workshop& shop) {
  Journal& journal = shop.journal;
  const Unit unit{1, "planning", "plan"};
  if (journal.state().is_done(unit)) return {};
  HF_CHECK(journal.enter(1, "planning"));
  HF_TRY(Planned planned, shop.think("planning", [&](Engine& engine) { return engine.plan(journal.job()); }));
  std::erase_if(planned.questions, [](const SubQuery& question) { return trim(question.query).empty(); });
  if (planned.questions.empty()) {
    SubQuery whole;
    whole.query = journal.job().query;
    planned.questions.push_back(std::move(whole));
  }
  JsonArray questions = admit(planned.questions, journal.job().limits);
  Change change;
  change.unit = unit;
  change.entries.push_back(
      entry_of(unit, "plan", 0, planned.brief,
               {{"iteration", 1}, {"sub_queries", std::move(questions)}, {"assumptions", to_json_array(planned.assumptions)}}));
  change.done = 1;
  change.event = "phase_done";
  change.message = planned.questions.size() == 1 ? "one question to look into"
                                                 : fmt::format("{} questions to look into", planned.questions.size());
  change.adjust = [total = planned.questions.size()](session::SessionRecord& record) {
    record.data["sub_queries"] = {{"total", total}, {"completed", 0}, {"failed", 0}};
  };
  return journal.commit(std::move(change));
}

}  // namespace holdfast::research
