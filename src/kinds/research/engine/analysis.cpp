#include "kinds/research/engine/phases.h"
#include "kinds/research/text/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::research {

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

}  // namespace holdfast::research
