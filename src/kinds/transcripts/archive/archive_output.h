#pragma once

// The second pass of the archive writer: the document into its file. Internal to the archive writer.

#include "kinds/transcripts/archive/archive_layout.h"

#include <memory>

namespace holdfast::transcripts {

// The size of the document, from the survey alone.
class CountingOutput final : public DocumentOutput {
 public:
  Result<void> text(std::string_view text) override {
    size_ += text.size();
    return {};
  }
  Result<void> content(const SurveyedFile& file, Form form) override {
    size_ += size_of_content(file, form);
    return {};
  }
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_ = 0;
};

// Writes to a descriptor, compressed or not, and hashes what it writes. What it reads is hashed again and compared with the
// survey.
class WritingOutput final : public DocumentOutput {
 public:
  // `total`: bytes of the session, for progress. Errors of all calls beside io: conflict (a file is not what the survey saw),
  // cancelled.
  static Result<std::unique_ptr<WritingOutput>> make(const Home& home, int fd, ArchiveFormat format, std::uint64_t json_size,
                                                     std::uint64_t total, const Progress& progress);
  ~WritingOutput() override;

  Result<void> text(std::string_view text) override;
  Result<void> content(const SurveyedFile& file, Form form) override;
  Result<void> finish();

  std::uint64_t size() const;  // of the file
  std::string sha256() const;  // of the file, after finish()

 private:
  struct State;
  explicit WritingOutput(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::transcripts
