#pragma once

// From when on, and until when: what a person says behind --since and --expires.

#include "base/run/clock.h"

#include <string_view>

namespace holdfast::cli {

inline constexpr std::string_view kSinceForms =
    "a time (2026-01-31T09:30:00Z), a date (2026-01-31, UTC) or an age (30m, 2h, 3d, 1w)";

// Errors: invalid, with what it takes as hint.
Result<Millis> parse_since(std::string_view text, Millis now);

// Until when, the other way round: an age from now on, a date or a time. Errors: invalid (another form, or a time that is over).
Result<Millis> parse_until(std::string_view text, Millis now);

}  // namespace holdfast::cli
