#include "web/pages/timeline_page.h"

#include "base/run/log.h"
#include "base/run/when.h"
#include "base/text/uri.h"
#include "catalogue/list.h"
#include "session/life/retention.h"
#include "session/query/display.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::web {

namespace {

// Every word that a kind shows, and those of the visibility (docs/architecture.md).
constexpr std::array kStatuses = {"active",  "open",      "running",     "idle",      "kept",
                                  "created", "started",   "in_progress", "completed", "abandoned",
                                  "failed",  "cancelled", "expired",     "archived",  "deleted"};

// Looked at for one page when hardly anything fits the filter; then the page is short and says that there is more.
constexpr std::size_t kRowsLookedAt = 2'000;

std::string age_of(const Fields& given, std::string_view name) {
  const std::string_view text = given.get(name);
  return is_age(text) ? std::string(text) : std::string();
}

Result<catalogue::Filter> read_filter(const PageRequest& request) {
  const Fields& given = request.query;
  catalogue::Filter filter;
  filter.look_at_most = kRowsLookedAt;
  session::Query& query = filter.query;
  query.principal = request.principal;
  query.limit = kTimelineRows;
  query.count = false;
  query.cursor = given.get("cursor");
  query.text = given.get("text");
  if (const std::string_view kind = given.get("kind"); !kind.empty()) query.kinds = {std::string(kind)};
  if (given.get("pinned") == "1") query.pinned = true;
  const Period period = period_of(given, request.now);
  query.updated_since = period.since;
  query.updated_before = period.until;
  query.since_age = age_of(given, "since");
  query.before_age = age_of(given, "until");
  const std::string_view status = given.get("status");
  const auto visibility = session::parse_visibility(status);
  if (visibility && *visibility != session::Visibility::live)
    query.visibilities = {*visibility};
  else if (!status.empty())
    query.statuses = {std::string(status)};
  // A path or root is exactly this one, a word a part of its name.
  const std::string_view project = given.get("project");
  if (project.starts_with('/') || project.contains("://")) {
    HF_TRY(std::string root, canonical_root(project));
    query.roots = {std::move(root)};
  } else {
    filter.root_name = project;
  }
  return filter;
}

template <class Words>
void choice(Html& page, std::string_view label, std::string_view name, std::string_view all, const Words& words,
            std::string_view chosen) {
  page.open("label").element("span", label).open("select", {{"name", name}});
  page.element("option", all, {{"value", ""}});
  for (std::string_view word : words)
    page.element("option", word, {{"value", word}, {"selected", word == chosen ? "" : Html::kLeftOut}});
  page.close().close();
}

void field(Html& page, std::string_view label, std::string_view type, std::string_view name, std::string_view value) {
  page.open("label").element("span", label).lone("input", {{"type", type}, {"name", name}, {"value", value}}).close();
}

void write_filters(Html& page, const Fields& query) {
  page.open("form", {{"method", "get"}, {"action", "/"}, {"class", "filters"}, {"aria-label", "Filter the timeline"}});
  choice(page, "Kind", "kind", "every kind", session::kKinds, query.get("kind"));
  choice(page, "Status", "status", "any status", kStatuses, query.get("status"));
  field(page, "Project", "text", "project", query.get("project"));
  field(page, "Title holds", "text", "text", query.get("text"));
  field(page, "From", time_field_type(query.get("since")), "since", query.get("since"));
  field(page, "Until", time_field_type(query.get("until")), "until", query.get("until"));
  page.open("label", {{"class", "tick"}});
  page.lone(
      "input",
      {{"type", "checkbox"}, {"name", "pinned"}, {"value", "1"}, {"checked", query.get("pinned") == "1" ? "" : Html::kLeftOut}});
  page.text("pinned only").close();
  page.element("button", "Filter", {{"type", "submit"}});
  if (!query.empty()) page.element("a", "Clear", {{"href", "/"}});
  page.close();
}

void write_badges(Html& page, const session::SessionRecord& item) {
  show_kind(page, item.kind);
  if (const auto product = find_string(item.data, "product"); product && item.kind == session::kTranscript)
    show_badge(page, *product);
  const std::string status = session::shown_status(item);
  show_badge(page, status, status == "running" || status == "in_progress" ? "badge on" : "badge");
  if (item.visibility != session::Visibility::live && status != session::name_of(item.visibility))
    show_badge(page, session::name_of(item.visibility));
  if (item.pinned) show_badge(page, "pinned", "badge mark");
  if (item.damage) page.element("span", "damaged", {{"class", "badge bad"}, {"title", *item.damage}});
}

void write_row(Html& page, const session::SessionRecord& item, Millis now) {
  page.open("li", {{"id", "s-" + item.id}, {"class", "row"}});
  const bool untitled = item.kind == session::kTranscript && item.title.empty();
  page.element("a", untitled ? "untitled transcript" : session::shown_title(item),
               {{"class", "row-title"}, {"href", session_path(item.id)}, {"dir", "auto"}});
  page.open("span", {{"class", "badges"}});
  write_badges(page, item);
  page.close().open("span", {{"class", "row-facts"}});
  if (!item.root_name.empty())
    page.element("a", item.root_name,
                 {{"href", "/?" + Fields().with("project", item.root_uri).encode()}, {"title", item.root_uri}});
  show_age(page, item.updated_at, now);
  if (item.kind != session::kTranscript)
    page.element("span", counted(item.entry_count(), "entry", "entries"));
  else if (const auto bytes = find_int(item.data, "size_bytes"))
    page.element("span", readable_size(*bytes));
  page.close().close();
}

std::string day_name(Millis day, Millis now) {
  const Millis today = now - now % session::kDay;
  const std::string name = readable_day(day);
  if (day == today) return "Today, " + name;
  if (day == today - session::kDay) return "Yesterday, " + name;
  return name;
}

void write_days(Html& page, const catalogue::Page& slice, Millis now) {
  Millis shown = -1;
  for (const auto& [found, item, line] : slice.items) {
    const Millis day = item.updated_at - item.updated_at % session::kDay;
    if (day != shown) {
      if (shown != -1) page.close().close();
      const std::string id = fmt::format("day-{}", day / session::kDay);
      page.open("section", {{"id", id}, {"aria-labelledby", id + "-name"}});
      page.element("h2", day_name(day, now), {{"id", id + "-name"}}).open("ul", {{"class", "rows"}, {"id", id + "-rows"}});
      shown = day;
    }
    write_row(page, item, now);
  }
  if (shown != -1) page.close().close();
}

void write_nothing(Html& page, const PageRequest& request, const catalogue::Page& slice) {
  if (!slice.next_cursor.empty()) {
    page.element("p", "None of the newest sessions fits these filters; older ones were not looked at yet.", {{"class", "soft"}});
    return;
  }
  if (!request.query.empty()) {
    page.element("p", "Nothing fits these filters.", {{"class", "soft"}});
    return;
  }
  page.open("p", {{"class", "soft"}}).text("Nothing yet. Sessions appear here as soon as an agent connects and works: ");
  page.element("code", "claude mcp add holdfast -- holdfast mcp").close();
}

}  // namespace

Result<net::HttpResponse> timeline_page(const catalogue::Asker& asker, const PageRequest& request) {
  HF_TRY(const catalogue::Filter filter, read_filter(request));
  HF_TRY(const catalogue::Page slice, catalogue::list(asker, filter));
  for (const std::string& place : slice.warnings()) log(LogLevel::warn, "web", "the timeline is not whole: " + place);
  return show_page(request, {"Timeline", Section::timeline}, [&](Html& page) {
    page.element("h1", "Timeline");
    write_filters(page, request.query);
    show_misread_times(page, request.query, request.now);
    page.open("div", {{"id", "timeline"}, {"data-live", "*"}});
    if (slice.items.empty()) write_nothing(page, request, slice);
    write_days(page, slice, request.now);
    page.open("nav", {{"id", "timeline-pages"}, {"class", "pages"}, {"aria-label", "Pages of the timeline"}});
    if (request.query.has("cursor")) page.element("a", "Newest", {{"href", "/?" + request.query.with("cursor", "").encode()}});
    if (!slice.next_cursor.empty())
      page.element("a", "Older", {{"rel", "next"}, {"href", "/?" + request.query.with("cursor", slice.next_cursor).encode()}});
    page.close().close();
  });
}

}  // namespace holdfast::web
