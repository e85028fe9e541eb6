#pragma once

// Small things that several pages show the same way: times, sizes, badges, links to sessions.

#include "base/run/clock.h"
#include "web/gateway/fields.h"
#include "web/pages/html.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

// "1.4 MB": for people, in powers of 1,000.
std::string readable_size(std::int64_t bytes);
// "1 entry", "12 entries"
std::string counted(std::int64_t count, std::string_view one, std::string_view many);
// "15 November 2026", of UTC.
std::string readable_day(Millis time);
// `since` and `until` of a query (base/run/when.h); nullopt: absent, or no time. The day that `until` names is meant to be in.
struct Period {
  std::optional<Millis> since, until;
};
Period period_of(const Fields& query, Millis now);
// Of the input that holds one of them: "date", unless what it holds is an age or a time.
std::string_view time_field_type(std::string_view value);
// Says which of the two is not a time, and therefore not looked at; nothing when both are right or absent.
void show_misread_times(Html& page, const Fields& query, Millis now);

// Where a session is read; `line` is that of its file or the number of its entry, 0: the beginning.
std::string session_path(std::string_view id, std::uint64_t line = 0);

// <time>3h ago</time>, with the instant behind it.
void show_age(Html& page, Millis time, Millis now);
// A word in a frame; the class is "badge" and, for a colour of its own, one more.
void show_badge(Html& page, std::string_view text, std::string_view css_class = "badge");
// The kind of a session, in its colour.
void show_kind(Html& page, std::string_view kind);
// A command in a box, with a button that copies it (the button needs the script and is hidden without it).
void show_command(Html& page, std::string_view command, std::string_view label);
// <div><dt>name</dt><dd>value</dd></div>, inside of <dl class="facts">.
void show_fact(Html& page, std::string_view name, std::string_view value, std::string_view css_class = {});

}  // namespace holdfast::web
