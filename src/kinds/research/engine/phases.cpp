#include "kinds/research/engine/phases.h"

#include "base/text/text.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/text/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

namespace {

std::string known_word(const std::string& word, std::initializer_list<std::string_view> allowed, std::string_view otherwise) {
  return std::ranges::find(allowed, std::string_view(word)) != allowed.end() ? word : std::string(otherwise);
}

// Sources must exist and quotations must stand in them: an engine is not believed.
void check_finding(Finding& finding, const RunState& state) {
  std::erase_if(finding.source_ids, [&](const std::string& id) { return !state.source(id); });
  for (Quote& quote : finding.quotes) {
    // A model may name the wrong one of the finding's sources: the quotation belongs where it stands.
    const Source* named = state.source(quote.source_id);
    quote.verified = named && stands_in(quote.text, named->text());
    for (const std::string& id : finding.source_ids) {
      if (quote.verified) break;
      const Source* other = state.source(id);
      if (!stands_in(quote.text, other->text())) continue;
      quote.source_id = id;
      quote.verified = true;
    }
  }
  finding.confidence = known_word(finding.confidence, {"low", "medium", "high"}, "medium");
}

void check(Analysis& analysis, const RunState& state) {
  for (Finding& finding : analysis.findings) check_finding(finding, state);
  std::erase_if(analysis.findings,
                [](const Finding& finding) { return finding.source_ids.empty() || fold_blanks(finding.content).empty(); });
  std::erase_if(analysis.gaps, [](const Gap& gap) { return fold_blanks(gap.description).empty(); });
  std::set<std::string> findings;
  for (const Finding& finding : state.findings) findings.insert(finding.id);
  for (const Finding& finding : analysis.findings) findings.insert(finding.id);
  for (Contradiction& conflict : analysis.contradictions) {
    std::erase_if(conflict.finding_ids, [&](const std::string& id) { return !findings.contains(id); });
    conflict.severity = known_word(conflict.severity, {"major", "minor"}, "minor");
    if (!state.source(conflict.preferred_source_id)) conflict.preferred_source_id.clear();
  }
  std::erase_if(analysis.contradictions, [](const Contradiction& conflict) {
    const std::set<std::string> different(conflict.finding_ids.begin(), conflict.finding_ids.end());
    return different.size() < 2 || fold_blanks(conflict.description).empty();
  });
}

Change change_of(const Unit& unit, const Analysis& analysis, const std::vector<const Source*>& batch) {
  Change change;
  change.unit = unit;
  std::size_t index = 0;
  for (const Finding& finding : analysis.findings)
    change.entries.push_back(entry_of(unit, "finding", index++, finding.content, json_of(finding)));
  for (const Gap& gap : analysis.gaps) change.entries.push_back(entry_of(unit, "gap", index++, gap.description, json_of(gap)));
  for (const Contradiction& conflict : analysis.contradictions)
    change.entries.push_back(entry_of(unit, "contradiction", index++, conflict.description, json_of(conflict)));
  JsonArray analysed;
  for (const Source* source : batch) analysed.emplace_back(source->id);
  JsonObject fidelity;
  for (const auto& [id, word] : analysis.fidelity) fidelity[id] = word;
  change.mark = {
      {"analysed", std::move(analysed)}, {"fidelity", std::move(fidelity)}, {"resolved", to_json_array(analysis.resolved)}};
  change.event = "llm_done";
  change.message = analysis.findings.size() == 1 ? "1 finding" : fmt::format("{} findings", analysis.findings.size());
  return change;
}

}  // namespace

Result<void> analyse(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  const auto unread = [&] {
    std::vector<const Source*> sources;
    for (const Source& source : journal.state().sources)
      if (!source.analysed) sources.push_back(&source);
    return sources;
  };
  const std::size_t total = unread().size();
  if (total == 0) return {};
  HF_CHECK(journal.enter(iteration, "analysis"));
  for (std::vector<const Source*> sources = unread(); !sources.empty(); sources = unread()) {
    sources.resize(std::clamp<std::size_t>(shop.thinker().batch(journal.job(), sources), 1, sources.size()));
    HF_TRY(Analysis analysis, shop.think("reading the sources", [&](Engine& engine) {
      return engine.analyse(journal.job(), journal.state(), sources);
    }));
    if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
    check(analysis, journal.state());
    Change change = change_of({iteration, "analysis", fmt::format("analyse/{}", sources.front()->citation)}, analysis, sources);
    // The percentage of the contract knows analysis as done or not done (§11).
    const bool last = unread().size() == sources.size();
    change.done = last ? 1 : 0;
    if (last) change.event = "phase_done";
    HF_CHECK(journal.commit(std::move(change)));
  }
  return {};
}

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
