#pragma once

// The journal of one operation on a home: what it is about to put in place and to take away, and how far it has come
// (docs/formats/staging.md).
//
// JSON lines, only ever appended to. A line counts when it is whole: what a crash tore at the end was never acted upon,
// because every phase is synced before its first step. One process owns a journal: it holds a lock on the file for as long as it
// lives.

#include "base/files/fd.h"
#include "base/files/file_mark.h"
#include "base/result.h"
#include "base/run/clock.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

inline constexpr std::string_view kJournalName = "journal";
inline constexpr std::size_t kMaxJournalBytes = 512 * 1024 * 1024;  // a line a file: more than a million files

// Where something lies while it is in the operation's hands: which of its folders, under which number.
struct StagedAt {
  std::size_t part = 0;
  std::size_t number = 0;
};
struct JournaledFile {
  std::string path;
  StagedAt at;
  FileMark mark;
};
struct NewFolder {
  std::string path;
  StagedAt at;
  mode_t mode = 0700;
  std::uint64_t inode = 0;
};
struct OldFile {
  std::string path;
  StagedAt at;
  FileMark mark;
};

enum class Phase {
  staging,  // nothing outside the operation's folders has changed
  placing,  // new files are being put in place
  taking,   // all are; old files are being taken away
  taken,    // all are: from here on it is finished, never undone
  undoing   // it failed
};

struct JournalContent {
  std::string what, about;
  Millis began_at = 0;
  std::string owner;                     // process, as process_name() gives it
  std::vector<std::string> parts;        // folders on other file systems, below the home; part 1 is the first of them
  std::vector<NewFolder> new_folders;    // parents before children
  std::vector<JournaledFile> new_files;  // in the order they are put in place
  std::vector<OldFile> old_files;        // in the order they are taken away
  std::vector<std::string> old_folders;  // children before parents
  Phase phase = Phase::staging;
};

// The lines; each function gives whole ones.
std::string journal_opening(std::string_view what, std::string_view about, Millis now);
std::string journal_part(std::string_view folder);
std::string journal_plan(const JournalContent& content);  // folders and files, new and old
std::string journal_phase(Phase phase);

// Errors: corrupt (a whole line that is not ours).
Result<JournalContent> parse_journal(std::string_view text);

// Host, process and its start time: for file systems without locks.
std::string process_name();
// Not so sure for another host's process: that counts as alive.
bool may_be_alive(std::string_view process_name);

}  // namespace holdfast::transcripts
