#pragma once

// Bytes that arrive in any pieces, as the lines jsonl::LineReader would make of the same file.

#include "jsonl/limits.h"
#include "kinds/transcripts/lines/pieces.h"

#include <functional>

namespace holdfast::transcripts {

class LineCutter {
 public:
  // Receives text, ending and overlong; whether it is a record is for the taker to find out. Views live during the call.
  using Take = std::function<Result<void>(std::string_view text, std::string_view ending, bool overlong)>;
  explicit LineCutter(Take take, std::size_t max_line_bytes = jsonl::kMaxLineBytes)
      : take_(std::move(take)), max_line_bytes_(max_line_bytes) {}

  Result<void> add(std::string_view bytes);
  Result<void> finish();  // what stands behind the last newline; begins anew

 private:
  Result<void> give(std::string_view line);
  Result<void> give_piece();

  Take take_;
  std::size_t max_line_bytes_;
  std::string held_;  // the beginning of a line
  bool inside_overlong_ = false;
};

}  // namespace holdfast::transcripts
