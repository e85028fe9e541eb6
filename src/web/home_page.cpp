#include "web/home_page.h"

#include "session/display.h"
#include "web/page.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::web {

namespace {

constexpr std::size_t kShown = 50;  // sessions on the first page

void fact(Html& page, std::string_view name, std::string_view value, std::string_view width = {}) {
  page.open("div", {{"class", width}}).element("dt", name).element("dd", value).close();
}

void store_facts(Html& page, const session::StoreInfo& info) {
  page.open("dl", {{"class", "facts"}});
  fact(page, "Sessions", std::to_string(info.sessions));
  fact(page, "Entries", std::to_string(info.entries));
  fact(page, "Size", readable_size(info.bytes));
  fact(page, "Schema", std::to_string(info.schema_version));
  fact(page, "Store", info.path.empty() ? info.url : info.path, "wide");
  page.close();
  if (info.read_only) page.element("p", fmt::format("The store is read-only: {}", info.read_only_reason), {{"class", "notice"}});
}

void session_row(Html& page, const session::SessionRecord& record, Millis now) {
  page.open("tr");
  page.open("td", {{"class", "title"}});
  if (record.pinned) page.element("span", "★ ", {{"class", "pin"}, {"title", "pinned"}});
  page.text(session::shown_title(record));
  if (record.damage) page.element("small", fmt::format("damaged: {}", *record.damage));
  page.element("small", record.id).close();
  page.element("td", record.kind);
  page.element("td", record.root_name, {{"title", record.root_uri}});
  page.element("td", session::shown_status(record));
  const std::string updated = iso8601(record.updated_at);
  page.open("td").element("time", session::age(record.updated_at, now), {{"datetime", updated}, {"title", updated}}).close();
  const std::int64_t entries = record.entry_count();
  page.element("td", std::to_string(entries), {{"class", "number"}, {"data-label", entries == 1 ? "entry" : "entries"}});
  page.close();
}

void session_table(Html& page, const session::Page& sessions, Millis now) {
  page.element("h2", "Sessions");
  if (sessions.items.empty()) {
    page.open("p", {{"class", "soft"}}).text("None yet. They appear here as soon as an agent connects and works: ");
    page.element("code", "claude mcp add holdfast -- holdfast mcp").close();
    return;
  }
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Sessions"}});
  page.open("table").open("thead").open("tr");
  for (std::string_view heading : {"Title", "Kind", "Root", "Status", "Updated"}) page.element("th", heading, {{"scope", "col"}});
  page.element("th", "Entries", {{"scope", "col"}, {"class", "number"}});
  page.close().close().open("tbody");
  for (const session::SessionRecord& record : sessions.items) session_row(page, record, now);
  page.close().close().close();
  if (sessions.total > static_cast<std::int64_t>(sessions.items.size()))
    page.element("p", fmt::format("The latest {} of {}.", sessions.items.size(), sessions.total), {{"class", "soft"}});
}

}  // namespace

std::string readable_size(std::int64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

Result<net::HttpResponse> home_page(session::Store& store, const PageRequest& request) {
  HF_TRY(session::StoreInfo info, store.info());
  session::Query query;
  query.principal = request.principal;
  query.limit = kShown;
  HF_TRY(session::Page sessions, store.list(query));
  return show_page(request, {"Timeline", Section::timeline}, [&](Html& page) {
    page.element("h1", "Timeline");
    store_facts(page, info);
    session_table(page, sessions, request.now);
  });
}

}  // namespace holdfast::web
