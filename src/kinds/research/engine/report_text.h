#pragma once

// The report as text (threads-and-research §10): what the program writes itself, and what it does to a text a model wrote.
//
// No times, no ids of ours: the same run gives the same text.

#include "kinds/research/run/job.h"
#include "kinds/research/run/run_state.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// A report by template from findings, gaps and contradictions; without the list of sources. Needs no model.
std::string compose_report(const Job& job, const RunState& state);
// Nothing was found: says so, and what to try.
std::string empty_report(const Job& job, const RunState& state);
// What is known in the middle of a run that has no report yet: plan, sources, findings so far.
std::string interim_digest(const Job& job, const RunState& state);

// What was assumed about the question, why the run ended early, and what was done without the model; may be empty. `cut`: the
// stop reason of a spent budget; `stand_ins`: steps (Journal::stand_ins).
std::string closing_notes(const Job& job, const RunState& state, std::string_view cut, const std::vector<std::string>& stand_ins);

// Two reports about one question as one: the second without its title.
std::string merge_drafts(std::string_view first, std::string_view second);

// Addresses in a report that a model made up.
//
// An address is genuine when it is that of a source, when it stands in a source's text, or in the question. Any other is taken
// out, in whatever form it stands: bare, in angle brackets, as a link or a picture, by reference, in a footnote, in HTML, or
// alone between backticks. The words of a link stay; a link whose words are a number becomes a citation, and it is judged as one.
// Code is left alone. Pure.
struct CheckedLinks {
  std::string text;
  std::int64_t removed = 0;
};
CheckedLinks without_invented_links(std::string_view markdown, const std::vector<Source>& sources, std::string_view question);

struct CheckedReport {
  std::string text;
  CitationCheck check;
};
// Drops a list of sources the text has, removes addresses that no source and not the question has and [n] that
// lead nowhere, appends "## Sources" from the registry. Code is left as it is.
CheckedReport check_citations(std::string_view text, const std::vector<Source>& sources, std::string_view question = {});

struct Section {
  int level = 1;
  std::string title;
};
std::vector<Section> sections_of(std::string_view markdown);

// For a line of text: no line breaks, and nothing markdown would take for itself at its start.
std::string title_of_report(const Job& job);

}  // namespace holdfast::research
