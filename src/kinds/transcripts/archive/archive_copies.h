#pragma once

// Files that are archived otherwise than they lie in the session: without credentials (redact.h).
//
// The changed bytes are written to one temporary file, so that both passes of the writer see the same. Internal to the writer.

#include "jsonl/splice.h"
#include "kinds/transcripts/archive/archive_survey.h"

namespace holdfast::transcripts {

class ArchiveCopies {
 public:
  // `make` gives the temporary file, the same one each time.
  ArchiveCopies(SessionSource& source, bool redact, std::function<Result<int>()> make);

  // Points the file's origin, size and path to a changed copy when it needs one.
  Result<void> replace(SurveyedFile& file);
  std::uint64_t redacted() const { return redacted_; }

 private:
  Result<void> mask(SurveyedFile& file);
  void mask_json(std::string_view json, std::string_view text, std::string& out);
  Result<void> mask_lines(const reading::ByteSource& content);
  Result<void> mask_text(const reading::ByteSource& content, bool json);
  Result<void> begin();
  Result<void> write(std::string_view bytes);
  void end(SurveyedFile& file);

  SessionSource& source_;
  bool redact_;
  std::function<Result<int>()> make_;
  jsonl::Splicer splicer_;
  std::uint64_t redacted_ = 0;
  int fd_ = -1;
  std::uint64_t start_ = 0, size_ = 0;  // of the copy being written; of all copies
};

}  // namespace holdfast::transcripts
