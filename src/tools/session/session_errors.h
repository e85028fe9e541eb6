#pragma once

// Code words of `session` keep the spelling of the kind's contract (design 8.1): threads and research write
// INVALID_STATE_TRANSITION, the others say refused.

#include "base/error.h"

#include <string_view>

namespace holdfast::tools {

Error in_words_of(std::string_view kind, Error error);

}  // namespace holdfast::tools
