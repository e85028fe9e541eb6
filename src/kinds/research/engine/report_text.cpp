#include "kinds/research/engine/report_text.h"

#include "base/text/text.h"
#include "kinds/research/text/markdown_text.h"
#include "kinds/research/text/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::research {

namespace {

constexpr std::size_t kTitleCharacters = 120;
constexpr std::size_t kFirstAnswers = 3;  // what the summary shows of the findings
constexpr std::size_t kSourcesInDigest = 50;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string citations_of(const Finding& finding, const RunState& state) {
  std::string citations;
  for (const std::string& id : finding.source_ids)
    if (const Source* source = state.source(id)) citations += fmt::format("[{}]", source->citation);
  return citations;
}

std::string as_heading(std::string_view text) {
  std::string heading = shorten(fold_blanks(text), kTitleCharacters);
  if (!heading.empty() && heading[0] >= 'a' && heading[0] <= 'z') heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
  return heading;
}

// A finding that is a quotation and nothing else is shown as one.
std::string shown_finding(const Finding& finding, const RunState& state) {
  const bool quoted = std::ranges::any_of(finding.quotes, [&](const Quote& quote) { return quote.text == finding.content; });
  const std::string content = as_quoted(fold_blanks(finding.content), Brackets::numbers);
  return quoted ? fmt::format("“{}” {}", content, citations_of(finding, state))
                : fmt::format("{} {}", content, citations_of(finding, state));
}

// By category, in the order in which categories first appear.
std::vector<std::pair<std::string, std::vector<const Finding*>>> grouped(const RunState& state) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> groups;
  for (const Finding& finding : state.findings) {
    auto place = std::ranges::find(groups, finding.category, [](const auto& group) { return group.first; });
    if (place == groups.end()) place = groups.insert(groups.end(), {finding.category, {}});
    place->second.push_back(&finding);
  }
  return groups;
}

std::size_t cited_sources(const RunState& state) {
  return static_cast<std::size_t>(std::ranges::count_if(state.sources, [&](const Source& source) {
    return std::ranges::any_of(state.findings, [&](const Finding& finding) {
      return std::ranges::find(finding.source_ids, source.id) != finding.source_ids.end();
    });
  }));
}

bool all_quoted(const RunState& state) {
  return std::ranges::all_of(state.findings, [](const Finding& finding) {
    return std::ranges::any_of(finding.quotes, [&](const Quote& quote) { return quote.text == finding.content; });
  });
}

void add_findings(std::string& out, const RunState& state) {
  const auto groups = grouped(state);
  for (const auto& [category, findings] : groups) {
    if (groups.size() > 1) out += fmt::format("\n### {}\n", category.empty() ? "More" : as_heading(category));
    out += '\n';
    for (const Finding* finding : findings) out += fmt::format("- {}\n", shown_finding(*finding, state));
  }
}

void add_conflicts(std::string& out, const RunState& state) {
  if (state.contradictions.empty()) return;
  out += "\n## Conflicts\n\n";
  for (const Contradiction& conflict : state.contradictions) {
    out += fmt::format("- {}", fold_blanks(conflict.description));
    if (!conflict.resolution.empty()) out += fmt::format(" {}", fold_blanks(conflict.resolution));
    out += '\n';
  }
}

void add_gaps(std::string& out, const RunState& state) {
  if (!state.has_open_gaps()) return;
  out += "\n## What was not found\n\n";
  for (const Gap& gap : state.gaps)
    if (!gap.resolved) out += fmt::format("- {}\n", fold_blanks(gap.description));
}

}  // namespace

std::string title_of_report(const Job& job) {
  return as_heading(job.title.empty() ? job.query : job.title);
}

std::string compose_report(const Job& job, const RunState& state) {
  std::string out = fmt::format("# {}\n\n", title_of_report(job));
  if (state.findings.size() > kFirstAnswers) {  // fewer can be read at a glance below
    out += "## In short\n\n";
    for (std::size_t i = 0; i < kFirstAnswers; ++i)
      out += fmt::format("{}> {}\n", i == 0 ? "" : ">\n", shown_finding(state.findings[i], state));
    out += '\n';
  }
  const std::string from = fmt::format("{} in {}, best first.", counted(state.findings.size(), "passage", "passages"),
                                       counted(cited_sources(state), "source", "sources"));
  out += all_quoted(state) ? fmt::format(
                                 "{} Everything in quotation marks stands word for word in its source: this report was put "
                                 "together without a language model.\n",
                                 from)
                           : fmt::format("{} This report was put together by template from the findings of the run.\n", from);
  if (!state.contradictions.empty()) out += "\nThe sources disagree: see Conflicts below.\n";
  out += "\n## Findings\n";
  add_findings(out, state);
  add_conflicts(out, state);
  add_gaps(out, state);
  return out;
}

std::string empty_report(const Job& job, const RunState& state) {
  std::string out =
      fmt::format("# {}\n\nNothing was found that answers this question.\n\n## What was tried\n\n", title_of_report(job));
  for (const auto& [iteration, questions] : state.questions)
    for (const SubQuery& question : questions) out += fmt::format("- {}\n", fold_blanks(question.query));
  if (state.sources.empty()) {
    out +=
        "\nNo search returned a source. Other words may help, or other places to look in: folders with documents "
        "(`--corpus DIR`), past sessions, or a web search provider.\n";
  } else {
    out += fmt::format("\n{} read; none of them has a sentence about it.\n",
                       counted(state.sources.size(), "source was", "sources were"));
  }
  return out;
}

std::string interim_digest(const Job& job, const RunState& state) {
  std::string out = fmt::format("# {}\n\nThis run is not finished. What it has so far:\n\n## Plan\n\n", title_of_report(job));
  for (const auto& [iteration, questions] : state.questions)
    for (const SubQuery& question : questions) out += fmt::format("- {}\n", fold_blanks(question.query));
  out += "\n## Findings so far\n";
  if (state.findings.empty())
    out += "\nNone yet.\n";
  else
    add_findings(out, state);
  add_conflicts(out, state);
  add_gaps(out, state);
  if (state.findings.empty()) {
    out += "\n## Sources so far\n\n";
    const std::size_t shown_count = std::min(kSourcesInDigest, state.sources.size());
    for (std::size_t i = 0; i < shown_count; ++i)
      out += fmt::format("- {} [{}]\n", as_quoted(fold_blanks(state.sources[i].title), Brackets::all), state.sources[i].citation);
    if (state.sources.size() > shown_count) out += fmt::format("- and {} more\n", state.sources.size() - shown_count);
  }
  return out;
}

std::string closing_notes(const Job& job, const RunState& state, std::string_view cut,
                          const std::vector<std::string>& stand_ins) {
  std::string out;
  if (!state.assumptions.empty() || !job.clarifications.empty()) {
    out += "\n## Assumptions\n\n";
    for (const auto& [question, answer] : job.clarifications)
      if (answer.is_string())
        out += fmt::format("- {} {}\n", fold_blanks(std::string_view(question)), fold_blanks(view(answer.get_string())));
    for (const std::string& assumption : state.assumptions) out += fmt::format("- {}\n", fold_blanks(assumption));
  }
  if (!cut.empty() || !stand_ins.empty()) out += "\n## Limits\n\n";
  if (!cut.empty()) {
    const std::string_view spent = cut == "budget_time"     ? "time it was given was"
                                   : cut == "budget_tokens" ? "model tokens it was given were"
                                                            : "calls it was given were";
    out += fmt::format("The run ended early because the {} used up; there may be more to find.\n", spent);
  }
  if (!stand_ins.empty())
    out += fmt::format("{}The model's answers were of no use for: {}. This was done without it.\n", cut.empty() ? "" : "\n",
                       fmt::join(stand_ins, ", "));
  return out;
}

std::string merge_drafts(std::string_view first, std::string_view second) {
  second = trim(second);
  if (second.starts_with("# ")) second.remove_prefix(std::min(second.find('\n'), second.size()));
  return fmt::format("{}\n\n{}\n", trim(first), trim(second));
}

}  // namespace holdfast::research
