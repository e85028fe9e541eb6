#pragma once

// Lines of a damaged transcript on their way to a sound one.
//
// Stands between a reader and any receiver of a session. Files of lines pass as records, one a line, each with a newline; all
// other files pass as they are. Links between records are left alone: the client bridges a parent that is missing.

#include "jsonl/scan.h"
#include "kinds/transcripts/lines/pieces.h"

namespace holdfast::transcripts {

class RepairLines final : public Receiver {
 public:
  explicit RepairLines(Receiver& next) : next_(next) {}

  Result<void> begin(const Artifact& artifact) override { return next_.begin(artifact); }
  bool judges_lines() const override { return true; }
  Result<void> line(const Piece& piece) override;
  Result<void> bytes(std::string_view bytes) override { return next_.bytes(bytes); }
  Result<void> end() override { return next_.end(); }

 private:
  Result<void> pass_records();
  // Of a line that is not JSON: the record it ends with, or empty.
  std::string_view saved_part(std::string_view text);
  bool is_record(std::string_view text);

  Receiver& next_;
  jsonl::Scanner scanner_;
  std::vector<std::string_view> values_;
};

}  // namespace holdfast::transcripts
