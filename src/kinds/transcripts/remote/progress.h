#pragma once

// How far a long operation has come, and whether it should stop.

#include <cstdint>
#include <functional>
#include <string_view>

namespace holdfast::transcripts {

// Called often and cheaply, from the thread that works; counts bytes of the current step. False asks to stop: the operation then
// fails with `cancelled` and leaves nothing behind. May be empty.
using Progress = std::function<bool(std::string_view step, std::uint64_t done, std::uint64_t total)>;

}  // namespace holdfast::transcripts
