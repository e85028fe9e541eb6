#pragma once

// Which sessions to list, from arguments as people and models write them (threads-and-research §8). The same for `session list`,
// the lists of `research` and `holdfast sessions list`.

#include "session/query/query.h"

namespace holdfast::tools {

// Sessions of one answer: a model reads all of it.
inline constexpr std::int64_t kListLimit = 20, kMaxList = 200;

// type, completed, status, kind, visibility, pinned, tags, q, project, updated_since, updated_before, sort, cursor, offset.
// Errors: INVALID_FILTER for conditions that contradict each other or ask for what does not exist; invalid_argument.
Result<session::Query> read_filters(const JsonObject& arguments, Millis now);

// The schemas of these arguments.
JsonObject filter_arguments();

}  // namespace holdfast::tools
