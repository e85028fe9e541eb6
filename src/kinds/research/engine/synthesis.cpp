#include "kinds/research/engine/phases.h"
#include "kinds/research/engine/report_text.h"

#include <fmt/format.h>

namespace holdfast::research {

namespace {

// The model writes when it may; the program writes from the findings when it may not, or when the model cannot.
Result<Draft> write_draft(Workshop& shop) {
  Journal& journal = shop.journal;
  if (!shop.has_model()) return shop.program.synthesise(journal.job(), journal.state());
  const auto by_program = [&]() -> Result<Draft> { return shop.program.synthesise(journal.job(), journal.state()); };
  if (const auto spent = journal.budget().report()) {
    journal.note_cut(*spent);
    return by_program();
  }
  auto draft = shop.engine.synthesise(journal.job(), journal.state());
  if (journal.lease().ended()) return draft;
  constexpr std::string_view kStep = "writing the report";
  if (draft) {
    // Prose that cites none of the sources says nothing about them.
    if (check_citations(draft->text, journal.state().sources).check.cited > 0) return draft;
    journal.note_stand_in(kStep, "what the model wrote cites no source");
    return by_program();
  }
  // The call took the rest of the budget with it: the work is not lost for that.
  if (const auto spent = journal.budget().report())
    journal.note_cut(*spent);
  else if (is_no_use(draft.error()))
    journal.note_stand_in(kStep, draft.error().message);
  else
    return draft;
  return by_program();
}

}  // namespace

Result<void> synthesise(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  const Unit unit{iteration, "synthesis", "synthesise"};
  if (journal.state().is_done(unit)) return {};
  HF_CHECK(journal.enter(iteration, "synthesis"));
  StoredReport report;
  report.iteration = iteration;
  report.findings = static_cast<std::int64_t>(journal.state().findings.size());
  Draft draft;
  report.empty = journal.state().findings.empty();
  if (report.empty) {
    draft = {empty_report(journal.job(), journal.state()), shop.program.name(), false};
  } else {
    HF_TRY(draft, write_draft(shop));
  }
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  report.engine = draft.engine;
  report.truncated = draft.truncated;
  const std::string body = draft.text + closing_notes(journal.job(), journal.state(), journal.cut(), journal.stand_ins());
  CheckedReport checked = check_citations(body, journal.state().sources, journal.job().query);
  report.check = checked.check;
  if (report.truncated) report.warnings.emplace_back("the model's answer was cut at its length limit; the report may end early");
  Change change;
  change.unit = unit;
  change.entries.push_back(entry_of(unit, "report", 0, std::move(checked.text), json_of(report)));
  change.done = 1;
  change.event = "phase_done";
  change.message = iteration == 1 ? "a first report is written" : fmt::format("report {} is written", iteration);
  change.adjust = [report](session::SessionRecord& record) {
    record.data["engine"] = report.engine;
    record.data["empty"] = report.empty;
    record.data["has_report"] = true;
  };
  return journal.commit(std::move(change));
}

}  // namespace holdfast::research
