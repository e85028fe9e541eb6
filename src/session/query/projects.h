#pragma once

// In which projects a session stands.

#include "session/record.h"

#include <string>
#include <vector>

namespace holdfast::session {

// Where a session is found: its own root and those it is linked to.
std::vector<std::string> roots_of(const SessionRecord& record);
// Whether it stands in one of these projects; when none are named, everything does.
bool is_inside(const std::vector<std::string>& projects, const SessionRecord& record);

}  // namespace holdfast::session
