#pragma once

// Is it whole? An archive by its hashes and counts, a session by its lines and links.

#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/source/session_source.h"

namespace holdfast::transcripts {

struct Finding {
  enum class Severity { note, warning, damage } severity = Severity::note;
  std::string path;        // below the home, or the archive's
  std::uint64_t line = 0;  // 0: the file as a whole
  std::string what;
};

struct VerifyReport {
  bool ok = true;         // no damage
  bool mendable = false;  // a copy without the damaged lines would be better
  std::uint64_t files = 0, records = 0, bytes = 0;
  std::uint64_t main_records = 0;  // of a session: in its main transcript
  std::vector<Finding> findings;   // at most kMaxFindings, then counted only
  std::uint64_t more = 0;
};
inline constexpr std::size_t kMaxFindings = 200;
JsonObject to_json(const VerifyReport& report);

// Reads everything, writes nothing.
Result<VerifyReport> verify_archive(ArchiveReader& archive, const Progress& progress = {});
// Broken, NUL, fused, blank lines; a missing final newline; parents that do not exist, cycles, the same uuid twice; links that
// were left out.
Result<VerifyReport> verify_session(SessionSource& source, const Progress& progress = {});

}  // namespace holdfast::transcripts
