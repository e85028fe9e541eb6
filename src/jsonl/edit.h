#pragma once

// Changes to a text as a list, so that they can be looked at, joined with others, applied and taken back.

#include "base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::jsonl {

// `length` bytes at `offset` give way to `bytes`. Length 0 inserts.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string bytes;

  bool operator==(const Edit&) const = default;
};

// Appends `text` with the edits made: the slices between them are copied, nothing else is looked at. The edits are
// ascending and do not overlap; several insertions at one place keep their order. Errors: invalid (they do not fit
// the text; nothing is appended).
Result<void> append_edited(std::string& out, std::string_view text, std::span<const Edit> edits);

// The edits that turn the edited text back into `text`, byte by byte, whatever it holds. Errors as above.
Result<std::vector<Edit>> inverse_of(std::string_view text, std::span<const Edit> edits);

}  // namespace holdfast::jsonl
