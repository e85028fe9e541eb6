#pragma once

// The first pass of the archive writer: what every file of a session holds, so that the second only has to copy.
//
// Counts and hashes everything, decides in which field a file stands and what of it is not a plain record. Memory is that of the
// longest line and of the irregular lines that are kept, which are limited. Internal to the archive writer.

#include "base/crypto/hash.h"
#include "kinds/transcripts/archive/archive_slots.h"
#include "kinds/transcripts/archive/archive_writer.h"
#include "kinds/transcripts/source/session_source.h"

#include <functional>

namespace holdfast::transcripts {

// Irregular lines and tails of all transcripts together, with kIrregularCost for each. A transcript that would exceed it is kept
// as a whole in `raw`: bytes that come by in base64 cost no memory.
inline constexpr std::size_t kMaxIrregularBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kIrregularCost = 64;

// A larger task file is no task; it is kept among the extra files, which are never held whole.
inline constexpr std::size_t kMaxTaskBytes = 1024 * 1024;

struct IrregularLine {
  std::uint64_t line = 0;  // from 1
  std::string bytes;       // with its ending when that is not the file's
};

// Bytes to be archived: of a file of the session, or of a changed copy of it in the writer's own temporary file.
struct Origin {
  std::string path;  // in the source; empty: in `copy`
  int copy = -1;
  std::uint64_t from = 0;
};

struct SurveyedFile {
  Artifact artifact;  // as it was when it was read
  Slot slot;
  Origin origin;
  std::uint64_t bytes = 0;
  Digest sha256{};
  bool raw = false;  // its bytes stand in `raw`, because the field of its kind cannot give them back

  // Of transcripts.
  std::uint64_t record_lines = 0;  // complete lines that are records, wherever they stand in the archive
  std::uint64_t records = 0;       // those of them in the list of records
  std::uint64_t record_bytes = 0;  // their text
  bool crlf = false;
  std::vector<IrregularLine> irregular;
  std::string tail;

  std::uint64_t text_bytes = 0;  // of text fields: as the inside of a JSON string
  std::string object;            // of tasks: the object
};

struct Survey {
  std::vector<SurveyedFile> files;  // in the order of the inventory
  std::string custom_title;         // the last one in the main transcript
  std::string client_version;       // the last one there
  std::vector<std::string> left_out;
  std::uint64_t redacted = 0;

  std::uint64_t bytes() const;
};

// Transcript lines, agents' and the main one's: those whose field is a list of records.
bool holds_records(const SurveyedFile& file);

// Errors: conflict (a file was cut while it was read), not_found (the main transcript), io, cancelled. `copies` is made on
// demand.
Result<Survey> survey_session(SessionSource& source, const Inventory& inventory, const ArchiveOptions& options,
                              const std::function<Result<int>()>& copies, const Progress& progress);

// The bytes of a surveyed file, opened again. Errors: conflict (it has become shorter), not_found, io.
Result<reading::ByteSource> content_of(SessionSource& source, const SurveyedFile& file);
// Always in pieces of the same size. Errors: conflict, io, those of `take`.
Result<void> each_piece(const reading::ByteSource& content, const std::function<Result<void>(std::string_view)>& take);

}  // namespace holdfast::transcripts
