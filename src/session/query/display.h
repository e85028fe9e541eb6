#pragma once

// How a session is named to a person, the same in results, tables and pages (threads-and-research §8).

#include "session/kinds.h"
#include "session/record.h"

#include <array>
#include <string>

namespace holdfast::session {

// The title, else the start of what the session began with, else its kind.
std::string shown_title(const SessionRecord& record);
// Kinds that show their visibility as status when it is not live (design 8.6).
inline constexpr std::array kVisibilityAsStatus = {kReasoning, kThread};

// The kind's word; reasoning and thread show the visibility instead when it is not live (design 8.6).
std::string shown_status(const SessionRecord& record);
// "just now", "5m ago", "3h ago", "2d ago": floored.
std::string age(Millis then, Millis now);

}  // namespace holdfast::session
