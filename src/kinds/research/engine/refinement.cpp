#include "base/text/text.h"
#include "kinds/research/engine/phases.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::research {

namespace {

// What was asked before is not asked again.
void drop_repeated(std::vector<SubQuery>& questions, const RunState& state) {
  std::set<std::string> asked;
  for (const auto& [iteration, earlier] : state.questions)
    for (const SubQuery& question : earlier) asked.insert(fold_case(trim(question.query)));
  std::erase_if(questions, [&](const SubQuery& question) {
    return trim(question.query).empty() || !asked.insert(fold_case(trim(question.query))).second;
  });
}

}  // namespace

Result<bool> refine(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  const Job& job = journal.job();
  const Unit unit{iteration, "refinement", "refine"};
  if (journal.state().is_done(unit)) return journal.state().questions.contains(iteration + 1);
  if (iteration >= job.limits.max_iterations || !journal.state().has_open_gaps()) return false;
  if (const auto spent = journal.budget().gathering()) {
    journal.note_cut(*spent);
    return false;
  }
  HF_CHECK(journal.enter(iteration, "refinement"));
  auto refined = shop.think("looking for gaps", [&](Engine& engine) { return engine.refine(job, journal.state()); });
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  if (!journal.cut().empty()) return false;  // nothing more may be gathered
  if (!refined) {
    journal.warn(fmt::format("no further round: {}", refined.error().message));
    return false;
  }
  drop_repeated(refined->questions, journal.state());
  JsonArray questions = admit(refined->questions, job.limits);
  Change change;
  change.unit = unit;
  change.mark = {{"resolved", to_json_array(refined->resolved)}};
  if (!refined->questions.empty()) {
    change.entries.push_back(
        entry_of(unit, "plan", 0, "", {{"iteration", iteration + 1}, {"sub_queries", std::move(questions)}}));
  }
  change.done = 1;
  change.event = "phase_done";
  change.message =
      refined->questions.empty() ? "nothing more to ask" : fmt::format("{} more to look into", refined->questions.size());
  HF_CHECK(journal.commit(std::move(change)));
  return journal.state().questions.contains(iteration + 1);
}

Result<void> run_phases(Workshop& shop) {
  Journal& journal = shop.journal;
  HF_CHECK(plan(shop));
  for (std::int64_t iteration = journal.state().iteration();; ++iteration) {
    HF_CHECK(gather(shop, iteration));
    HF_CHECK(analyse(shop, iteration));
    // A round that added nothing leaves the report of the one before as it is.
    const RunState& state = journal.state();
    const bool up_to_date =
        !state.reports.empty() && state.reports.back().findings == static_cast<std::int64_t>(state.findings.size());
    if (!up_to_date) HF_CHECK(synthesise(shop, iteration));
    HF_TRY(const bool goes_on, refine(shop, iteration));
    if (!goes_on) return {};
  }
}

}  // namespace holdfast::research
