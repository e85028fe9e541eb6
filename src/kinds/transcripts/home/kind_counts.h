#pragma once

// How many files of each kind, under the names that results use (transcript-archive §3): "plan_files_restored",
// "tool_results_deleted", ...

#include "base/json/json.h"
#include "kinds/transcripts/home/inventory.h"

#include <map>

namespace holdfast::transcripts {

using KindCounts = std::map<ArtifactKind, std::uint64_t>;

// Counts per kind; of the session memory and the debug log there is one at most, so they are true or false. The main transcript
// is not among them.
void add_kind_counts(JsonObject& json, const KindCounts& counts, std::string_view ending);

std::uint64_t sum_of(const KindCounts& counts);

Json text_or_null(std::string_view text);  // null when empty

}  // namespace holdfast::transcripts
