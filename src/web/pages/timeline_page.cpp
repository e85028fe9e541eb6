#include "web/pages/timeline_page.h"

#include "session/kinds.h"
#include "session/life/retention.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::web {

namespace {

// Every word that a kind shows, and those of the visibility (docs/architecture.md).
constexpr std::array kStatuses = {"active",  "open",      "running",     "idle",      "kept",
                                  "created", "started",   "in_progress", "completed", "abandoned",
                                  "failed",  "cancelled", "expired",     "archived",  "deleted"};

TimelineFilter read_filter(const Fields& query, Millis now) {
  TimelineFilter filter;
  filter.kind = query.get("kind");
  filter.project = query.get("project");
  filter.status = query.get("status");
  filter.text = query.get("text");
  filter.pinned = query.get("pinned") == "1";
  const Period period = period_of(query, now);
  filter.since = period.since;
  filter.until = period.until;
  filter.now = now;
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

void write_badges(Html& page, const TimelineItem& item) {
  show_kind(page, item.kind);
  if (!item.product.empty()) show_badge(page, item.product);
  show_badge(page, item.status, item.status == "running" || item.status == "in_progress" ? "badge on" : "badge");
  if (item.visibility != session::Visibility::live && item.status != session::name_of(item.visibility))
    show_badge(page, session::name_of(item.visibility));
  if (item.pinned) show_badge(page, "pinned", "badge mark");
  if (item.damage) page.element("span", "damaged", {{"class", "badge bad"}, {"title", *item.damage}});
}

void write_row(Html& page, const TimelineItem& item, Millis now) {
  page.open("li", {{"id", "s-" + item.id}, {"class", "row"}});
  page.element("a", item.title, {{"class", "row-title"}, {"href", session_path(item.id)}, {"dir", "auto"}});
  page.open("span", {{"class", "badges"}});
  write_badges(page, item);
  page.close().open("span", {{"class", "row-facts"}});
  if (!item.project_name.empty())
    page.element("a", item.project_name,
                 {{"href", "/?" + Fields().with("project", item.project).encode()}, {"title", item.project}});
  show_age(page, item.time, now);
  page.element("span",
               item.bytes > 0 ? readable_size(static_cast<std::int64_t>(item.bytes)) : counted(item.entries, "entry", "entries"));
  page.close().close();
}

std::string day_name(Millis day, Millis now) {
  const Millis today = now - now % session::kDay;
  const std::string name = readable_day(day);
  if (day == today) return "Today, " + name;
  if (day == today - session::kDay) return "Yesterday, " + name;
  return name;
}

void write_days(Html& page, const TimelineSlice& slice, Millis now) {
  Millis shown = -1;
  for (const TimelineItem& item : slice.items) {
    const Millis day = item.time - item.time % session::kDay;
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

void write_nothing(Html& page, const PageRequest& request, const TimelineSlice& slice) {
  if (!slice.next.empty()) {
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

Result<net::HttpResponse> timeline_page(const Timeline& timeline, const PageRequest& request) {
  HF_TRY(const TimelineSlice slice,
         timeline.read(read_filter(request.query, request.now), request.principal, request.query.get("cursor")));
  return show_page(request, {"Timeline", Section::timeline}, [&](Html& page) {
    page.element("h1", "Timeline");
    write_filters(page, request.query);
    show_misread_times(page, request.query, request.now);
    page.open("div", {{"id", "timeline"}, {"data-live", "*"}});
    if (slice.items.empty()) write_nothing(page, request, slice);
    write_days(page, slice, request.now);
    page.open("nav", {{"id", "timeline-pages"}, {"class", "pages"}, {"aria-label", "Pages of the timeline"}});
    if (request.query.has("cursor")) page.element("a", "Newest", {{"href", "/?" + request.query.with("cursor", "").encode()}});
    if (!slice.next.empty())
      page.element("a", "Older", {{"rel", "next"}, {"href", "/?" + request.query.with("cursor", slice.next).encode()}});
    page.close().close();
  });
}

}  // namespace holdfast::web
