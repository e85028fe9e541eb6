#pragma once

namespace holdfast::cli {

// The whole program: reads the command line, runs the command, returns the exit code.
int run(int count, const char* const* words);

}  // namespace holdfast::cli
