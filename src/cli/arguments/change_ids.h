#pragma once

// Ids of pending changes as a person types them: whole, or a unique start (design 8.20).

#include "base/result.h"
#include "kinds/documents/text/pending_change.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// The id that is meant; what fits none is given back as it is, for whoever looks for it next. Errors: ambiguous, naming those
// that fit.
Result<std::string> whole_id(const std::vector<documents::PendingChange>& changes, std::string_view typed);

}  // namespace holdfast::cli
