#pragma once

// What the reasoning tools answer (reasoning-sessions §4-§6): the field names of the contract, in one place.

#include "kinds/reasoning/append.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/recover.h"

namespace holdfast::tools {

// Null for what is empty.
Json text_or_null(const std::string& text);

// One candidate among several.
JsonObject session_summary(const session::SessionRecord& record, Millis now);

// L4, with maxChars for the texts of recentThoughts.
JsonObject loaded_state(const reasoning::Loaded& loaded, std::optional<std::int64_t> max_chars, Millis now);
// "Recovered session <id>: 47 thoughts, 2m ago."
std::string loaded_line(const reasoning::Loaded& loaded, Millis now);

// T8, T10.
JsonObject appended_state(const reasoning::AppendOutcome& outcome, bool verbose);

}  // namespace holdfast::tools
