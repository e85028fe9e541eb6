#include "base/text/text.h"
#include "session/kinds.h"
#include "web/pages/shown.h"
#include "web/pages/timeline_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::web {

namespace {

using search::PassageRole;
using session::FindRequest;
using session::FindResult;
using session::FoundInSession;
using session::FoundPlace;

constexpr std::size_t kSessionsShown = 30;
constexpr std::array kRoles = {PassageRole::user,        PassageRole::assistant, PassageRole::thinking, PassageRole::tool_call,
                               PassageRole::tool_result, PassageRole::system,    PassageRole::title};
constexpr std::array kFilters = {"kind", "project", "role", "tool", "model", "branch", "file", "since", "until", "order"};

FindRequest read_request(session::Store& store, const PageRequest& request) {
  const Fields& query = request.query;
  FindRequest find;
  find.text = query.get("q");
  find.as_typed = query.get("typing") == "1";
  if (query.has("kind") && !query.get("kind").empty()) find.kinds = {std::string(query.get("kind"))};
  if (auto role = search::passage_role(query.get("role"))) find.roles = {*role};
  find.project = query.get("project");
  find.tool = query.get("tool");
  find.model = query.get("model");
  find.branch = query.get("branch");
  find.file = query.get("file");
  const Period period = period_of(query, request.now);
  find.since = period.since;
  find.until = period.until;
  if (query.get("order") == "newest") find.order = search::TextQuery::Order::newest;
  find.limit = kSessionsShown;
  find.store = &store;
  // Transcripts are files of the user who runs this server, and of nobody else.
  find.transcripts = request.principal == kLocalPrincipal;
  if (!find.transcripts) {
    std::erase(find.kinds, std::string(session::kTranscript));
    if (find.kinds.empty())
      for (const std::string_view kind : session::kKinds)
        if (kind != session::kTranscript) find.kinds.emplace_back(kind);
  }
  return find;
}

bool asks_for_anything(const Fields& query) {
  return !query.get("q").empty() || std::ranges::any_of(kFilters, [&](const char* name) {
    return std::string_view(name) != "order" && !query.get(name).empty();
  });
}

void text_field(Html& page, const Fields& query, std::string_view label, std::string_view name, std::string_view type = "text") {
  page.open("label").element("span", label);
  page.lone("input", {{"type", type}, {"name", name}, {"value", query.get(name)}, {"autocomplete", "off"}}).close();
}

void option(Html& page, std::string_view value, std::string_view shown, std::string_view chosen) {
  page.element("option", shown, {{"value", value}, {"selected", value == chosen ? "" : Html::kLeftOut}});
}

void write_form(Html& page, const Fields& query) {
  page.open("form", {{"method", "get"}, {"action", "/search"}, {"class", "filters"}, {"role", "search"}, {"data-search", ""}});
  page.open("label", {{"class", "wide"}}).element("span", "Words, \"a phrase\", start*, *inside*, -without");
  page.lone("input", {{"type", "search"},
                      {"name", "q"},
                      {"value", query.get("q")},
                      {"autocomplete", "off"},
                      {"autofocus", query.get("q").empty() ? "" : Html::kLeftOut},
                      {"data-find", ""}});
  page.close();
  page.open("label").element("span", "Kind").open("select", {{"name", "kind"}});
  option(page, "", "every kind", query.get("kind"));
  for (std::string_view kind : session::kKinds) option(page, kind, kind, query.get("kind"));
  page.close().close().open("label").element("span", "Said by").open("select", {{"name", "role"}});
  option(page, "", "anybody", query.get("role"));
  for (PassageRole role : kRoles) option(page, search::name_of(role), search::name_of(role), query.get("role"));
  page.close().close().open("label").element("span", "Order").open("select", {{"name", "order"}});
  option(page, "", "best first", query.get("order"));
  option(page, "newest", "newest first", query.get("order"));
  page.close().close().element("button", "Search", {{"type", "submit"}, {"class", "main"}});
  const bool narrowed = std::ranges::any_of(std::array{"project", "tool", "model", "branch", "file", "since", "until"},
                                            [&](const char* name) { return !query.get(name).empty(); });
  page.open("details", {{"class", "more-filters"}, {"open", narrowed ? "" : Html::kLeftOut}})
      .element("summary", "More filters")
      .open("div");
  text_field(page, query, "Project folder", "project");
  text_field(page, query, "Tool", "tool");
  text_field(page, query, "Model", "model");
  text_field(page, query, "Branch", "branch");
  text_field(page, query, "File touched", "file");
  text_field(page, query, "From", "since", time_field_type(query.get("since")));
  text_field(page, query, "Until", "until", time_field_type(query.get("until")));
  page.close().close().close();
}

using Clauses = std::vector<search::TextClause>;
using Range = std::pair<std::size_t, std::size_t>;

// Where the words stand in a snippet whose finder did not say it: by ASCII case alone, which is enough to guide the eye.
std::vector<Range> places_of_words(std::string_view snippet, const Clauses& clauses) {
  const std::string lower = to_ascii_lower(snippet);
  std::vector<Range> found;
  for (const search::TextClause& clause : clauses) {
    const std::string word = to_ascii_lower(clause.text);
    if (clause.excluded || word.empty()) continue;
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + word.size()))
      found.emplace_back(at, at + word.size());
  }
  std::ranges::sort(found);
  return found;
}

// Highlights are byte ranges in order; one that does not fit the snippet is left unmarked.
void write_snippet(Html& page, const FoundPlace& place, const Clauses& clauses) {
  page.open("span", {{"class", "snippet"}, {"dir", "auto"}});
  const std::string_view snippet = place.snippet;
  std::size_t at = 0;
  for (const auto& [begin, end] : place.highlights.empty() ? places_of_words(snippet, clauses) : place.highlights) {
    if (begin < at || end <= begin || end > snippet.size()) continue;
    page.text(snippet.substr(at, begin - at)).element("mark", snippet.substr(begin, end - begin));
    at = end;
  }
  page.text(snippet.substr(at)).close();
}

void write_place(Html& page, const FoundInSession& found, const FoundPlace& place, const Clauses& clauses, Millis now) {
  const std::string where = place.line == 0      ? "title"
                            : place.tool.empty() ? std::string(search::name_of(place.role))
                                                 : place.tool;
  page.open("li").open("a", {{"href", session_path(found.id, place.line)}});
  page.open("span", {{"class", "where"}}).text(where);
  if (place.line > 0) page.text(fmt::format(" · {}", place.line));
  if (place.time > 0) {
    page.text(" · ");
    show_age(page, place.time, now);
  }
  page.close();
  write_snippet(page, place, clauses);
  page.close().close();
}

void write_session(Html& page, const FoundInSession& found, const Clauses& clauses, Millis now) {
  page.open("li", {{"class", "row"}});
  page.element("a", found.title.empty() ? "untitled" : found.title,
               {{"class", "row-title"}, {"href", session_path(found.id)}, {"dir", "auto"}});
  page.open("span", {{"class", "badges"}});
  show_kind(page, found.kind);
  if (!found.product.empty()) show_badge(page, found.product);
  if (!found.status.empty()) show_badge(page, found.status, found.status == "running" ? "badge on" : "badge");
  page.close().open("span", {{"class", "row-facts"}});
  if (!found.project.empty()) page.element("span", found.project);
  if (!found.branch.empty()) page.element("span", "⎇ " + found.branch, {{"title", "branch"}});
  if (found.time > 0) show_age(page, found.time, now);
  page.close().open("ol", {{"class", "places"}});
  for (const FoundPlace& place : found.places) write_place(page, found, place, clauses, now);
  page.close();
  if (!found.resume.empty()) show_command(page, found.resume, "Copy the command that resumes this session");
  page.close();
}

std::string summary_of(const FindResult& result) {
  if (result.sessions.empty()) return "Nothing found.";
  std::size_t places = 0;
  for (const FoundInSession& found : result.sessions) places += found.places.size();
  return fmt::format("{}{} in {}.", result.more ? "The best " : "", counted(static_cast<std::int64_t>(places), "place", "places"),
                     counted(static_cast<std::int64_t>(result.sessions.size()), "session", "sessions"));
}

Html results(session::Finder* finder, session::Store& store, const PageRequest& request) {
  Html part;
  part.open("div", {{"id", "results"}});
  if (!finder) {
    part.element("p", "This server was started without a search.", {{"class", "notice"}});
    return part;
  }
  if (!asks_for_anything(request.query)) {
    part.element("p", "Everything said, thought, called and answered in every session is searched.", {{"class", "soft"}});
    return part;
  }
  const auto found = finder->find(read_request(store, request));
  if (!found) {
    part.element("p", found.error().message, {{"class", "notice"}, {"role", "alert"}});
    if (!found.error().hint.empty()) part.element("p", found.error().hint);
    return part;
  }
  part.element("p", summary_of(*found), {{"class", "soft"}, {"data-summary", ""}});
  if (found->sessions.empty()) return part;
  part.open("ol", {{"class", "rows"}});
  const Clauses clauses = search::parse_text_query(request.query.get("q")).value_or(Clauses());
  for (const FoundInSession& session : found->sessions) write_session(part, session, clauses, request.now);
  return part;
}

}  // namespace

Result<net::HttpResponse> search_page(session::Finder* finder, session::Store& store, const PageRequest& request) {
  if (request.wants_fragment) return show_fragment(results(finder, store, request));
  Frame frame{"Search", Section::search};
  frame.search_text = request.query.get("q");
  return show_page(request, frame, [&](Html& page) {
    page.element("h1", "Search");
    write_form(page, request.query);
    show_misread_times(page, request.query, request.now);
    page.add(results(finder, store, request));
  });
}

}  // namespace holdfast::web
