#pragma once

// What the commands of `holdfast store` say alike.

#include "base/json/json.h"
#include "session/store.h"

#include <string>
#include <vector>

namespace holdfast::cli {

// A path is a file; "sqlite:" need not be written.
std::string store_address(const std::string& word);

// One line for each problem of each session.
void print_damaged(const std::vector<session::Verification>& damaged);
JsonArray damaged_sessions(const std::vector<session::Verification>& damaged);

}  // namespace holdfast::cli
