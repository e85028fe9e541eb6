#include "kinds/research/engine/evidence.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/run/budget.h"
#include "kinds/research/run/find_run.h"
#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::research {

namespace {

JsonArray sources_of(const RunState& state) {
  JsonArray list;
  for (const Source& source : state.sources) list.push_back(json_of(source));
  return list;
}

JsonArray findings_of(const RunState& state) {
  JsonArray list;
  for (const Finding& finding : state.findings) {
    JsonObject item = json_of(finding);
    item["content"] = finding.content;
    list.push_back(std::move(item));
  }
  return list;
}

JsonArray gaps_of(const RunState& state) {
  JsonArray list;
  for (const Gap& gap : state.gaps) {
    JsonObject item = json_of(gap);
    item["description"] = gap.description;
    item["resolved"] = gap.resolved;
    list.push_back(std::move(item));
  }
  return list;
}

JsonArray contradictions_of(const RunState& state) {
  JsonArray list;
  for (const Contradiction& conflict : state.contradictions) {
    JsonObject item = json_of(conflict);
    item["description"] = conflict.description;
    list.push_back(std::move(item));
  }
  return list;
}

JsonObject check_of(const CitationCheck& check, const RunState& state) {
  std::int64_t verified = 0, unverified = 0;
  for (const Finding& finding : state.findings)
    for (const Quote& quote : finding.quotes) ++(quote.verified ? verified : unverified);
  return {{"cited", check.cited},
          {"dangling_removed", check.dangling_removed},
          {"unreferenced", check.unreferenced},
          {"links_removed", check.links_removed},
          {"quotes_verified", verified},
          {"quotes_unverified", unverified}};
}

std::unexpected<Error> not_ready(const session::SessionRecord& record) {
  if (record.status != "started" && record.status != "in_progress")
    return fail(ErrorKind::refused, fmt::format("{} {} before it had anything to show", record.id, record.status),
                "deep-research with deep_research_action resume goes on with it", "REPORT_NOT_READY");
  return fail(ErrorKind::unavailable,
              fmt::format("{} has nothing to show yet: it is {}, {} %", record.id, record.status,
                          find_int(record.data, "progress_percent").value_or(0)),
              "deep-research-status says how far it is", "REPORT_NOT_READY");
}

}  // namespace

Result<JsonObject> Research::report(std::string_view principal, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(tools_.store, principal, id));
  HF_TRY(const RunState state, read_state(tools_.store, id));
  const Job job = read_job(record);
  const bool completed = record.status == "completed";
  StoredReport report;
  if (!state.reports.empty()) {
    report = state.reports.back();
  } else {
    if (completed && !state.damaged.empty())
      return fail(ErrorKind::corrupt, fmt::format("the report of {} is damaged", record.id),
                  "holdfast store verify says more; a backup may have it", "STORAGE_CORRUPT");
    if (state.sources.empty()) return not_ready(record);
    CheckedReport digest = check_citations(interim_digest(job, state), state.sources, job.query);
    report.text = std::move(digest.text);
    report.check = digest.check;
    report.engine = "extractive";
  }
  JsonArray sections;
  for (const Section& section : sections_of(report.text))
    sections.push_back(JsonObject{{"level", section.level}, {"title", section.title}});
  const Usage used = read_usage(record.data);
  JsonArray warnings = to_json_array(texts_in(record.data, "warnings"));
  for (const std::string& warning : report.warnings) warnings.emplace_back(warning);
  if (!state.damaged.empty())
    warnings.emplace_back(fmt::format("entries of this run are damaged and left out: {}", fmt::join(state.damaged, ", ")));
  JsonObject reply{{"research_id", record.id},
                   {"status", record.status},
                   {"report", report.text},
                   {"partial", !completed || find_bool(record.data, "partial").value_or(false)},
                   {"report_kind", completed               ? "final"
                                   : state.reports.empty() ? "interim"
                                                           : "draft"},
                   {"engine", report.engine},
                   {"empty", report.empty},
                   {"truncated", report.truncated},
                   {"sections", std::move(sections)},
                   {"sources", sources_of(state)},
                   {"findings", findings_of(state)},
                   {"contradictions", contradictions_of(state)},
                   {"gaps", gaps_of(state)},
                   {"citation_check", check_of(report.check, state)},
                   {"stats",
                    {{"iterations", state.iteration()},
                     {"llm_calls", used.llm_calls},
                     {"search_calls", used.search_calls},
                     {"tokens", {{"in", used.tokens.in}, {"out", used.tokens.out}, {"estimated", used.tokens.estimated}}},
                     {"duration_ms", used.active_ms}}},
                   {"warnings", std::move(warnings)}};
  if (const std::string reason = text_in(record.data, "stop_reason"); !reason.empty()) reply["stop_reason"] = reason;
  return reply;
}

}  // namespace holdfast::research
