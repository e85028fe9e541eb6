#pragma once

// What a foreign archive holds, found by reading it through once: the path of every entry in the order of the document. Internal
// to the archive reader.

#include "jsonl/pull.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/archive/archive_members.h"
#include "kinds/transcripts/archive/archive_reader.h"

#include <functional>
#include <set>

namespace holdfast::transcripts {

// The records of an archive's list, each as the bytes it is.
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

struct ArchiveIndex {
  std::vector<Artifact> files;  // sizes unknown
  std::set<std::string, std::less<>> slugs;

  // As it would lie on disk: folders are made from the paths.
  Inventory inventory(const SessionPlace& place) const;
};

class Indexer final : public MemberContent {
 public:
  // `decides_nesting`: version 1, where only the records tell whether subagents lay in the session's own folder.
  Indexer(const SessionPlace& place, const ArchiveLimits& limits, bool decides_nesting, ArchiveIndex& index,
          std::vector<std::string>& warnings)
      : place_(place), limits_(limits), decides_nesting_(decides_nesting), index_(index), warnings_(warnings) {}

  Result<std::uint64_t> records(const Slot& slot, jsonl::PullParser& in) override;
  Result<void> file(const Slot& slot, Spelling spelling, jsonl::PullParser& in) override;
  Result<void> task(jsonl::PullParser& in) override;
  Result<void> end(const Slot& slot) override;
  void unknown_field(std::string_view name) override;
  // What stands there is what there is: it is told, and restored.
  Result<void> wrong_count(const std::string& what) override;

 private:
  const SessionPlace& place_;
  const ArchiveLimits& limits_;
  bool decides_nesting_;
  ArchiveIndex& index_;
  std::vector<std::string>& warnings_;
  RecordReader reader_{false};
  jsonl::Scanner scanner_;
  bool nested_by_version_ = false;  // of the last list of records
  std::set<std::string, std::less<>> seen_;
};

// The id of a task in an archive: a string, or a number as it is spelled. Errors: corrupt.
Result<std::string> id_of_task(jsonl::Scanner& scanner, std::string_view object);

// A task is small; anything larger is an attack.
inline constexpr std::size_t kMaxArchivedTaskBytes = 16 * 1024 * 1024;

// More unknown fields than this are not told.
inline constexpr std::size_t kMaxWarnings = 20;

}  // namespace holdfast::transcripts
