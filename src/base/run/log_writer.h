#pragma once

// For a program that draws on the terminal while others log: it gets the lines and writes them itself.

#include <functional>
#include <string_view>

namespace holdfast {

// The lines are whole, with their ends; empty: they go to stderr, as ever. Called under a lock: it must not log.
void set_log_writer(std::function<void(std::string_view line)> writer);

}  // namespace holdfast
