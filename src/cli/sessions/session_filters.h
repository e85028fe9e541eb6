#pragma once

// `holdfast sessions list`: flags (--type research --completed) and words (type=research completed=true) mean the same filters.

#include "cli/program/context.h"
#include "session/query/query.h"

namespace holdfast::cli {

// Errors: invalid (code INVALID_FILTER for a word that is no filter, or filters that contradict each other).
Result<session::Query> read_session_filters(const Context& context);

}  // namespace holdfast::cli
