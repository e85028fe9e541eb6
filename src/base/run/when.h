#pragma once

// A time as a person or a model gives it, wherever one is asked for: commands, tools, pages.

#include "base/run/clock.h"

#include <string_view>

namespace holdfast {

inline constexpr std::string_view kWhenForms =
    "an age (30m, 2h, 3d, 1w), a date (2026-07-01, midnight UTC) or a time (2026-07-01T09:30:00Z)";

// Counted back from now when it is an age. Errors: invalid, with the forms as hint.
Result<Millis> parse_when(std::string_view text, Millis now);

// Until when: an age counts from now on. Errors: invalid (another form, or a time that is over).
Result<Millis> parse_until(std::string_view text, Millis now);

// What moves with the clock, and what means a whole day.
bool is_age(std::string_view text);
bool is_date(std::string_view text);

}  // namespace holdfast
