#pragma once

// A JSON value of any size, with its long strings cut: for looking at records that are too large to hold.
//
// Reads from front to back with the memory of what it keeps (pull.h). Of equal names the last value stands, as everywhere. What
// is left out is counted in bytes of text; arrays and objects end early, too, when there is more of them than anybody looks at.

#include "base/json/json.h"
#include "jsonl/pull.h"

#include <string_view>

namespace holdfast::jsonl {

struct CutLimits {
  std::size_t string_bytes = 64 * 1024;
  std::size_t total_bytes = 4 * 1024 * 1024;  // of all that is kept; what comes behind is skipped
  std::size_t depth = 100;                    // deeper values are skipped
  // Strings of this name (the bytes of an image) have a limit of their own, beside the total; what is cut of them is not counted.
  std::string_view wide_name;
  std::size_t wide_bytes = 0;
};

struct CutJson {
  Json value;
  std::uint64_t left_out = 0;  // bytes of strings, and one for every value skipped
};

// Exactly one value is read; what stands behind it is not looked at. Errors: those of PullParser.
Result<CutJson> read_cut_json(PullParser& in, const CutLimits& limits);

}  // namespace holdfast::jsonl
