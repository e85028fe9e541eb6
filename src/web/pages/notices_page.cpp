#include "web/pages/notices_page.h"

#include "base/text/uri.h"
#include "kinds/transcripts/products/claude/retention.h"
#include "session/life/lifecycle.h"
#include "session/life/notices.h"
#include "session/query/display.h"
#include "session/query/lookup.h"
#include "web/pages/actions.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::web {

namespace {

using session::Notice;
using session::SessionRecord;

constexpr std::size_t kShownNotices = 100;
constexpr std::size_t kShownDue = 200;
constexpr std::size_t kShownExpiring = 100;
constexpr Millis kAhead = 90 * session::kDay;           // of the calendar
constexpr Millis kExpiringWithin = 14 * session::kDay;  // of transcripts: time enough to come back from a holiday

void pin_form(Html& page, const PageRequest& request, const std::string& id, std::string_view title, bool pin) {
  open_form(page, request, action_path(id, pin ? "sessions pin" : "sessions unpin"));
  page.lone("input", {{"type", "hidden"}, {"name", "back"}, {"value", "/notices"}});
  page.element("button", pin ? "Pin" : "Unpin", {{"aria-label", fmt::format("{} {}", pin ? "Pin" : "Unpin", title)}}).close();
}

std::string title_of(session::Store& store, const std::string& id) {
  auto record = store.get(id);
  return record ? session::shown_title(*record) : id;
}

void write_notice(Html& page, session::Store& store, const PageRequest& request, const Notice& notice) {
  const std::string title = title_of(store, notice.session);
  page.open("li", {{"class", "row"}, {"id", notice.id}});
  page.element("a", title, {{"class", "row-title"}, {"href", session_path(notice.session)}, {"dir", "auto"}});
  page.open("span", {{"class", "badges"}});
  show_kind(page, notice.kind);
  show_badge(page, session::name_of(notice.step), notice.step == session::Step::archive ? "badge mark" : "badge bad");
  if (notice.acked_at) show_badge(page, "acknowledged");
  page.close().element("p", notice.text).open("div", {{"class", "actions"}});
  pin_form(page, request, notice.session, title, true);
  if (!notice.acked_at) {
    open_form(page, request, "/notices/acknowledge");
    page.lone("input", {{"type", "hidden"}, {"name", "id"}, {"value", notice.id}});
    page.element("button", "Acknowledge", {{"aria-label", "Acknowledge the notice about " + title}}).close();
  }
  page.close().close();
}

void write_notices(Html& page, session::Store& store, const PageRequest& request, const session::NoticeList& list) {
  if (list.notices.empty()) {
    page.element("p", "No notices: nothing will happen by itself in the next days.", {{"class", "soft"}});
    return;
  }
  page.open("ul", {{"class", "rows"}, {"id", "notice-rows"}});
  for (const Notice& notice : list.notices) write_notice(page, store, request, notice);
  page.close();
  if (list.more > 0) page.element("p", fmt::format("And {} more.", list.more), {{"class", "soft"}});
  if (std::ranges::all_of(list.notices, [](const Notice& notice) { return notice.acked_at.has_value(); })) return;
  open_form(page, request, "/notices/acknowledge", "actions");
  page.lone("input", {{"type", "hidden"}, {"name", "all"}, {"value", "1"}});
  page.element("button", "Acknowledge all").close();
}

void write_calendar(Html& page, const PageRequest& request, const std::vector<SessionRecord>& due,
                    const session::RetentionPolicy& policy) {
  page.element("h2", "Calendar");
  if (due.empty()) {
    page.element("p", "Nothing is due in the next three months.", {{"class", "soft"}});
    return;
  }
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Calendar"}});
  page.open("table").open("thead").open("tr");
  for (std::string_view heading : {"Day", "What happens", "Session", "Kind", "Keep"})
    page.element("th", heading, {{"scope", "col"}});
  page.close().close().open("tbody");
  for (const SessionRecord& record : due) {
    const auto step = session::next_step(record, policy);
    if (!step) continue;
    const std::string title = session::shown_title(record), instant = iso8601(step->due);
    page.open("tr").open("td").element("time", readable_day(step->due), {{"datetime", instant}, {"title", instant}}).close();
    page.element("td", session::name_of(step->step)).open("td");
    page.element("a", title, {{"href", session_path(record.id)}, {"dir", "auto"}}).close();
    page.open("td");
    show_kind(page, record.kind);
    page.close().open("td");
    pin_form(page, request, record.id, title, true);
    page.close().close();
  }
  page.close().close().close();
}

struct Expiring {
  transcripts::FoundSession session;
  Millis at = 0;
};

std::vector<Expiring> expiring_transcripts(const transcripts::Homes& homes, const transcripts::Retention& retention, Millis now) {
  std::vector<Expiring> expiring;
  auto sessions = transcripts::all_sessions(homes.claude);
  if (!sessions) return expiring;
  for (auto& session : *sessions)
    if (const Millis at = transcripts::expires_at(retention, session.mtime); at < now + kExpiringWithin)
      expiring.push_back({std::move(session), at});
  std::ranges::sort(expiring, {}, &Expiring::at);
  return expiring;
}

void write_expiring(Html& page, const transcripts::Homes& homes, Millis now) {
  const transcripts::Retention retention = transcripts::read_retention(homes.claude);
  const std::vector<Expiring> expiring = expiring_transcripts(homes, retention, now);
  page.element("h2", "Transcripts that Claude Code will delete");
  page.element("p",
               fmt::format("It removes what was not written for {} days ({}). {}", retention.days,
                           retention.is_default ? "its default" : retention.source,
                           expiring.empty() ? "None is due in the next two weeks." : "holdfast guard keeps copies."),
               {{"class", "soft"}});
  for (const std::string& trouble : retention.trouble) page.element("p", trouble, {{"class", "notice"}});
  if (expiring.empty()) return;
  page.open("ul", {{"class", "rows"}});
  for (std::size_t i = 0; i < std::min(expiring.size(), kShownExpiring); ++i) {
    const Expiring& each = expiring[i];
    auto summary = transcripts::summarise(homes.claude, each.session);
    const std::string& id = each.session.place.session_id;
    const std::string instant = iso8601(each.at);
    page.open("li", {{"class", "row"}});
    page.element("a", summary && !summary->title.empty() ? summary->title : id,
                 {{"class", "row-title"}, {"href", session_path(id)}, {"dir", "auto"}});
    page.open("span", {{"class", "badges"}})
        .element("time", each.at <= now ? "any time now" : readable_day(each.at), {{"datetime", instant}})
        .close()
        .close();
  }
  page.close();
  if (expiring.size() > kShownExpiring)
    page.element("p", fmt::format("And {} more.", expiring.size() - kShownExpiring), {{"class", "soft"}});
}

}  // namespace

Result<net::HttpResponse> notices_page(session::Store& store, const session::RetentionPolicy& policy,
                                       const transcripts::Keeper* keeper, const PageRequest& request) {
  HF_TRY(const session::NoticeList list, session::list_notices(store, request.principal, true, kShownNotices));
  session::Query query;
  query.principal = request.principal;
  query.sort = session::Sort::due;
  query.due_before = request.now + kAhead;
  query.visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
  query.limit = kShownDue;
  query.count = false;
  HF_TRY(const session::Page due, store.list(query));
  return show_page(request, {"Notices", Section::notices}, [&](Html& page) {
    page.element("h1", "Notices");
    page.open("div", {{"id", "notices"}, {"data-live", "*"}});
    write_notices(page, store, request, list);
    write_calendar(page, request, due.items, policy);
    page.close();
    if (keeper && request.principal == kLocalPrincipal) write_expiring(page, keeper->homes(), request.now);
  });
}

Result<net::HttpResponse> acknowledge_notices(session::Store& store, const PageRequest& request) {
  const std::vector<std::string> ids = request.form.all("id");
  if (ids.empty() && request.form.get("all") != "1") return fail(ErrorKind::invalid, "which notice?");
  HF_CHECK(session::acknowledge(store, request.principal, ids));
  return see_other("/notices");
}

}  // namespace holdfast::web
