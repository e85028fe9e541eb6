#include "base/text/text.h"
#include "reading/html/critic_marks.h"
#include "reading/html/markdown.h"
#include "web/pages/research_pages.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::web {

namespace {

constexpr std::array<std::string_view, 5> kPhases = {"planning", "gathering", "analysis", "synthesis", "refinement"};
constexpr std::size_t kShownSources = 500, kShownFindings = 500;
constexpr std::size_t kSnippetChars = 300;
constexpr unsigned kReportHeading = 3;  // below the page's "Report"

bool is_web_address(std::string_view uri) {
  return uri.starts_with("https://") || uri.starts_with("http://");
}

// The number in "[12]" at the start of the text, with its length; 0 when there is none.
std::pair<std::size_t, std::size_t> citation_at(std::string_view text) {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr == text.data() + text.size() || *read.ptr != ']') return {0, 0};
  return {number, static_cast<std::size_t>(read.ptr - text.data()) + 1};
}

}  // namespace

void show_phases(Html& page, std::string_view phase, std::string_view status) {
  const auto at = static_cast<std::size_t>(std::ranges::find(kPhases, phase) - kPhases.begin());
  page.open("ol", {{"class", "steps"}, {"aria-label", "Phases"}});
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    const bool is_now = i == at && status == "in_progress";
    const bool is_done = status == "completed" || (at < kPhases.size() && i < at);
    page.element("li", kPhases[i],
                 {{"class", is_now    ? "now"
                            : is_done ? "done"
                                      : Html::kLeftOut},
                  {"aria-current", is_now ? "step" : Html::kLeftOut}});
  }
  page.close();
}

std::string with_citation_links(std::string_view markdown, std::size_t sources) {
  std::string linked;
  bool in_code = false;
  for (std::size_t at = 0; at < markdown.size();) {
    if (markdown[at] == '`') in_code = !in_code;
    const auto [number, length] =
        markdown[at] == '[' && !in_code ? citation_at(markdown.substr(at)) : std::pair<std::size_t, std::size_t>();
    if (number == 0 || number > sources) {
      linked += markdown[at++];
      continue;
    }
    linked += fmt::format("[\\[{0}\\]](#source-{0})", number);
    at += length;
  }
  return linked;
}

void show_warnings(Html& page, const session::SessionRecord& record) {
  for (const std::string& warning : strings_in(record.data, "warnings"))
    page.element("p", warning, {{"class", "notice"}, {"dir", "auto"}});
}

void show_report(Html& page, const research::RunState& state) {
  if (state.reports.empty()) return;
  const research::StoredReport& report = state.reports.back();
  page.element("h2", "Report", {{"id", "report"}});
  page.element(
      "p",
      fmt::format(
          "{} from {}; {}.",
          report.engine.empty() || report.engine == "extractive" ? "Put together without a model" : "Written by " + report.engine,
          counted(report.findings, "finding", "findings"), counted(report.check.cited, "source is cited", "sources are cited")),
      {{"class", "soft"}});
  for (const std::string& warning : report.warnings) page.element("p", warning, {{"class", "notice"}});
  page.open("div", {{"class", "prose card"}, {"dir", "auto"}});
  reading::write_markdown(page, with_citation_links(report.text, state.sources.size()), kReportHeading);
  page.close();
}

void show_questions(Html& page, const research::RunState& state) {
  if (state.questions.empty()) return;
  page.element("h2", "Questions");
  if (!state.brief.empty()) page.element("p", state.brief, {{"class", "prose"}, {"dir", "auto"}});
  for (const auto& [iteration, questions] : state.questions) {
    if (state.questions.size() > 1) page.element("h3", fmt::format("Round {}", iteration));
    page.open("ol");
    for (const research::SubQuery& question : questions)
      page.element("li", question.query, {{"title", question.rationale}, {"dir", "auto"}});
    page.close();
  }
  for (const research::Gap& gap : state.gaps)
    if (!gap.resolved) page.open("p").element("strong", "Open: ").text(gap.description).close();
}

void show_findings(Html& page, const research::RunState& state) {
  if (state.findings.empty()) return;
  page.element("h2", "Findings").open("ul", {{"class", "rows"}});
  for (std::size_t i = 0; i < std::min(state.findings.size(), kShownFindings); ++i) {
    const research::Finding& finding = state.findings[i];
    page.open("li", {{"class", "row"}}).element("span", finding.content, {{"dir", "auto"}});
    page.open("span", {{"class", "badges"}});
    show_badge(page, finding.confidence + " confidence");
    page.close().open("span", {{"class", "row-facts"}});
    for (const std::string& id : finding.source_ids)
      if (const research::Source* source = state.source(id))
        page.element("a", fmt::format("[{}] {}", source->citation, shorten(source->title, 60)),
                     {{"href", fmt::format("#source-{}", source->citation)}});
    page.close().close();
  }
  page.close();
}

void show_sources(Html& page, const research::RunState& state) {
  if (state.sources.empty()) return;
  page.element("h2", "Sources").open("ol", {{"class", "rows"}});
  for (std::size_t i = 0; i < std::min(state.sources.size(), kShownSources); ++i) {
    const research::Source& source = state.sources[i];
    page.open("li", {{"class", "row"}, {"id", fmt::format("source-{}", source.citation)}});
    page.element("strong", fmt::format("[{}] {}", source.citation, source.title.empty() ? source.uri : source.title),
                 {{"dir", "auto"}});
    page.open("span", {{"class", "badges"}});
    show_badge(page, source.provider.empty() ? source.type : source.provider);
    page.close().open("span", {{"class", "row-facts"}});
    if (is_web_address(source.uri))
      page.element("a", source.uri, {{"href", source.uri}, {"rel", "noopener noreferrer external"}});
    else
      page.element("code", source.uri);
    if (!source.locator.empty()) page.element("span", source.locator);
    page.close()
        .element("p", shorten(reading::without_marks(source.text()), kSnippetChars), {{"class", "soft"}, {"dir", "auto"}})
        .close();
  }
  page.close();
}

}  // namespace holdfast::web
