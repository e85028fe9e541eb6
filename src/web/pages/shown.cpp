#include "web/pages/shown.h"

#include "base/run/when.h"
#include "base/text/uri.h"
#include "reading/html/visible_text.h"
#include "session/kinds.h"
#include "session/life/retention.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace holdfast::web {

std::string readable_size(std::int64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string readable_day(Millis time) {
  constexpr std::array kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                  "July",    "August",   "September", "October", "November", "December"};
  const std::chrono::sys_time<std::chrono::milliseconds> instant{std::chrono::milliseconds(time)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(instant)};
  if (!day.ok()) return "unknown day";
  return fmt::format("{} {} {}", static_cast<unsigned>(day.day()), kMonths[static_cast<unsigned>(day.month()) - 1],
                     static_cast<int>(day.year()));
}

Period period_of(const Fields& query, Millis now) {
  Period period;
  if (const auto since = parse_when(query.get("since"), now)) period.since = *since;
  const std::string_view last = query.get("until");
  if (const auto until = parse_when(last, now)) period.until = is_date(last) ? *until + session::kDay : *until;
  return period;
}

std::string_view time_field_type(std::string_view value) {
  return value.empty() || is_date(value) ? "date" : "text";
}

void show_misread_times(Html& page, const Fields& query, Millis now) {
  constexpr std::size_t kTimeShown = 40;  // of what somebody gave as one
  for (const std::string_view name : {"since", "until"})
    if (const std::string_view text = query.get(name); !text.empty() && !parse_when(text, now))
      page.element(
          "p", fmt::format("“{}” is not a time; it was left out. Give {}.", reading::visible_line(text, kTimeShown), kWhenForms),
          {{"class", "notice"}, {"role", "status"}});
}

std::string session_path(std::string_view id, std::uint64_t line) {
  std::string path = "/sessions/" + percent_encode(id);
  if (line > 0) path += fmt::format("?line={}#L{}", line, line);
  return path;
}

void show_age(Html& page, Millis time, Millis now) {
  const std::string instant = iso8601(time);
  page.element("time", session::age(time, now), {{"datetime", instant}, {"title", instant}});
}

void show_badge(Html& page, std::string_view text, std::string_view css_class) {
  page.element("span", text, {{"class", css_class}});
}

void show_kind(Html& page, std::string_view kind) {
  const bool known = std::ranges::find(session::kKinds, kind) != session::kKinds.end();
  show_badge(page, kind, known ? fmt::format("badge kind-{}", kind) : "badge");
}

void show_command(Html& page, std::string_view command, std::string_view label) {
  page.open("span", {{"class", "command"}}).element("code", command);
  page.element("button", "Copy", {{"type", "button"}, {"data-copy", command}, {"aria-label", label}, {"hidden", ""}}).close();
}

void show_fact(Html& page, std::string_view name, std::string_view value, std::string_view css_class) {
  page.open("div", {{"class", css_class}}).element("dt", name).element("dd", value).close();
}

}  // namespace holdfast::web
