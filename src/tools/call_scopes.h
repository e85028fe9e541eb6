#pragma once

// What a caller must be allowed to do for each thing that a tool with several of them can do (base/identity.h).
//
// One table for all, so that it can be read as a whole: what is not named as reading needs the scope write, also what is added
// later and forgotten here.

#include "base/identity.h"
#include "base/json/json.h"

namespace holdfast::tools {

Scope scope_of_session_operation(const JsonObject& arguments);  // tool session, by `operation`
Scope scope_of_init_operation(const JsonObject& arguments);     // tool init, by `operation`
Scope scope_of_research_action(const JsonObject& arguments);    // tool research, by `action`

}  // namespace holdfast::tools
