#pragma once

#include "kinds/transcripts/family/lineage.h"
#include "web/pictures/picture.h"

namespace holdfast::web {

// A family of sessions from its root on, children indented below their parents. `title_of` answers with nothing for a session
// that is gone, or that whoever asks may not see.
Picture family_picture(const transcripts::LineageTree& tree, const std::function<std::string(const std::string& id)>& title_of);

}  // namespace holdfast::web
