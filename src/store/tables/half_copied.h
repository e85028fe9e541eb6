#pragma once

// Of a store that `holdfast store copy` has begun to fill and not finished: nobody may use it yet.

#include "base/error.h"

#include <string>

namespace holdfast::store {

inline Error half_copied(const std::string& where) {
  return make_error(ErrorKind::refused, where + " holds a copy that is not finished",
                    "run the same holdfast store copy again: it goes on where it stopped");
}

}  // namespace holdfast::store
