#include "web/pages/research_pages.h"

#include "base/text/uri.h"
#include "kinds/research/run/job.h"
#include "session/kinds.h"
#include "session/query/display.h"
#include "web/pages/actions.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

using session::SessionRecord;

constexpr std::size_t kShownRuns = 50;

bool is_working(const SessionRecord& record) {
  return record.status == "started" || record.status == "in_progress";
}

int percent_of(const SessionRecord& record) {
  const std::int64_t percent = find_int(record.data, "progress_percent").value_or(record.status == "completed" ? 100 : 0);
  return static_cast<int>(std::clamp<std::int64_t>(percent, 0, 100));
}

std::string run_path(std::string_view id) {
  return "/research/" + percent_encode(id);
}

void write_progress(Html& page, const SessionRecord& record) {
  const std::string percent = std::to_string(percent_of(record));
  page.element("progress", percent + " %",
               {{"value", percent}, {"max", "100"}, {"aria-label", "Progress of " + session::shown_title(record)}});
}

void write_run(Html& page, const SessionRecord& record, Millis now) {
  page.open("li", {{"class", "row"}, {"id", "s-" + record.id}});
  page.element("a", session::shown_title(record), {{"class", "row-title"}, {"href", run_path(record.id)}, {"dir", "auto"}});
  page.open("span", {{"class", "badges"}});
  show_badge(page, record.status, is_working(record) ? "badge on" : record.status == "failed" ? "badge bad" : "badge");
  if (find_bool(record.data, "partial").value_or(false)) show_badge(page, "partial");
  if (record.pinned) show_badge(page, "pinned", "badge mark");
  page.close().open("span", {{"class", "row-facts"}});
  if (is_working(record)) page.element("span", find_string(record.data, "phase").value_or("waiting"));
  page.element("span", counted(find_int(record.data, "source_count").value_or(0), "source", "sources"));
  show_age(page, record.updated_at, now);
  page.close();
  if (is_working(record)) {
    page.open("p");
    write_progress(page, record);
    page.close();
  }
  page.close();
}

void write_facts(Html& page, const SessionRecord& record, const research::RunState& state, Millis now) {
  page.open("dl", {{"class", "facts"}});
  show_fact(page, "Status", record.status);
  show_fact(page, "Round", std::to_string(state.iteration()));
  show_fact(page, "Units done", std::to_string(state.units.size()));
  show_fact(page, "Sources", std::to_string(state.sources.size()));
  show_fact(page, "Findings", std::to_string(state.findings.size()));
  page.open("div").element("dt", "Last progress").open("dd");
  show_age(page, record.updated_at, now);
  page.close().close().close();
}

void write_what_stopped(Html& page, const SessionRecord& record) {
  if (const JsonObject* error = find_object(record.data, "error"))
    page.element("p", find_string(*error, "message").value_or("it failed"), {{"class", "notice bad"}});
  if (const auto reason = find_string(record.data, "stop_reason"); reason && !reason->empty())
    page.element("p", fmt::format("It ended early: {}.", *reason), {{"class", "soft"}});
  if (record.status == "failed" || record.status == "cancelled")
    show_command(page, "holdfast research resume " + record.id, "Copy the command that resumes this run");
}

}  // namespace

Result<net::HttpResponse> research_page(session::Store& store, const PageRequest& request) {
  session::Query query;
  query.kinds = {std::string(session::kResearch)};
  query.principal = request.principal;
  query.limit = kShownRuns;
  query.cursor = request.query.get("cursor");
  HF_TRY(const session::Page runs, store.list(query));
  return show_page(request, {"Research", Section::research}, [&](Html& page) {
    page.element("h1", "Research");
    page.open("div", {{"id", "research"}, {"data-live", "*"}});
    if (runs.items.empty()) {
      page.open("p", {{"class", "soft"}}).text("No research yet. It answers from your own documents and past sessions: ");
      page.element("code", "holdfast research start \"what did we decide about retries?\"").close();
    } else {
      page.open("ul", {{"class", "rows"}, {"id", "research-rows"}});
      for (const SessionRecord& record : runs.items) write_run(page, record, request.now);
      page.close();
    }
    if (!runs.next_cursor.empty()) {
      page.open("nav", {{"class", "pages"}, {"aria-label", "Pages of research"}});
      page.element("a", "Older", {{"href", "/research?" + Fields().with("cursor", runs.next_cursor).encode()}}).close();
    }
    page.close();
  });
}

Result<net::HttpResponse> research_run_page(session::Store& store, const ResearchOpener& open, const PageRequest& request) {
  HF_TRY(const SessionRecord record, research::find_run(store, request.principal, request.parts.front()));
  HF_TRY(const research::RunState state, research::read_state(store, record.id));
  const std::string title = session::shown_title(record);
  return show_page(request, {title, Section::research}, [&](Html& page) {
    page.open("p").element("a", "Research", {{"href", "/research"}}).close().element("h1", title, {{"dir", "auto"}});
    page.open("div", {{"id", "run"}, {"data-live", record.id}});
    show_phases(page, find_string(record.data, "phase").value_or(""), record.status);
    if (is_working(record)) write_progress(page, record);
    write_facts(page, record, state, request.now);
    write_what_stopped(page, record);
    if (is_working(record) && open) {
      open_form(page, request, action_path(record.id, "deep-research cancel"), "actions");
      page.lone("input", {{"type", "hidden"}, {"name", "back"}, {"value", run_path(record.id)}});
      page.element("button", "Cancel this run", {{"class", "danger"}}).close();
    }
    show_warnings(page, record);
    show_report(page, state);
    show_questions(page, state);
    show_findings(page, state);
    show_sources(page, state);
    page.close();
    page.open("p").element("a", "Every entry of this session", {{"href", session_path(record.id)}}).close();
  });
}

}  // namespace holdfast::web
