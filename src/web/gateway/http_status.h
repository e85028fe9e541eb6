#pragma once

#include "base/error.h"

namespace holdfast::web {

// The HTTP status of one of our errors (the one place where kinds become statuses).
int status_of(ErrorKind kind);

}  // namespace holdfast::web
