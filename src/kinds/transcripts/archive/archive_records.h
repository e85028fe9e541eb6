#pragma once

// The records of an archive's list, each as the bytes it is. Internal to the archive reader.

#include "jsonl/pull.h"
#include "jsonl/scan.h"

#include <functional>

namespace holdfast::transcripts {

class RecordReader {
 public:
  // `by_line`: an archive of ours, one record a line, which is found faster. In foreign ones blanks between the tokens of a
  // record that spans lines are dropped: a line is a line.
  explicit RecordReader(bool by_line) : by_line_(by_line) {}

  // Takes the whole array; returns how many there were. Errors: corrupt (one is no object, or not UTF-8), those of `take`.
  Result<std::uint64_t> read(jsonl::PullParser& in, const std::function<Result<void>(std::string_view)>& take);

 private:
  Result<std::string_view> next(jsonl::PullParser& in);

  bool by_line_;
  jsonl::Scanner scanner_;
  std::string compact_;
};

}  // namespace holdfast::transcripts
