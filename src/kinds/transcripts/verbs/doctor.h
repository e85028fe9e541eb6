#pragma once

// What is wrong, or soon will be, with a home full of sessions (transcript-archive §11, §1.3 Retention).

#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/verbs/copy_result.h"
#include "kinds/transcripts/verbs/verify.h"

namespace holdfast::transcripts {

struct DoctorOptions {
  std::optional<std::string> project_path;
  bool deep = true;   // read every transcript, not only names and times
  int warn_days = 7;  // sessions that the client's clean-up will take within that many days
  Millis now = 0;
};

inline constexpr std::size_t kMaxOrphans = 200;
// Of sessions about to expire, the soonest get their titles read.
inline constexpr std::size_t kTitledExpiring = 200;

struct DoctorReport {
  int cleanup_days = 30;            // in force, from settings files
  bool cleanup_is_default = true;   // nobody set it
  std::string cleanup_source;       // the file that sets it
  std::vector<std::string> advice;  // whole sentences: what to do
  struct Expiring {
    SessionPlace place;
    Millis at = 0;  // when the clean-up may take it
    std::string title;
  };
  std::vector<Expiring> expiring;  // soonest first
  struct Duplicate {
    std::string session_id;
    std::vector<std::string> project_folders;
  };
  std::vector<Duplicate> duplicates;
  std::vector<Leftover> leftovers;  // of operations that died
  struct Sick {
    SessionPlace place;
    VerifyReport report;
    bool in_use = false;
    std::string repaired_in;  // the session that is its repaired copy; empty: there is none
    bool to_repair() const { return report.mendable && report.main_records > 0 && !in_use && repaired_in.empty(); }
  };
  std::vector<Sick> sick;                  // torn, NUL, dangling, cyclic: those with a warning or damage
  std::vector<std::string> stale_indexes;  // the client's own caches that list transcripts which are gone; it makes them anew
  std::vector<std::string> orphans;        // what sessions without a transcript left, at most kMaxOrphans; notes, no illness
  std::uint64_t orphans_more = 0;
  std::uint64_t sessions = 0, bytes = 0;
  bool healthy() const;  // nothing lost, expiring, twice or half done
};
JsonObject to_json(const DoctorReport& report);

Result<DoctorReport> examine(const Home& home, const DoctorOptions& options, const Progress& progress = {});

// The id that a repaired copy has: made of the session's and of where the damage is, so that the same damage is not repaired
// twice, whoever asks and whether or not the family tree could be written.
std::string id_of_repaired(const SessionPlace& place, const VerifyReport& report);

// A repaired copy of a session in the original's project, with that id: broken lines out (what can be saved of them stays), fused
// ones separated, a final newline. The original stays. Errors: conflict (there is one), those of reading, rewriting and staging;
// then nothing was made.
Result<CopyResult> write_repaired_copy(const Home& home, const FoundSession& session, const std::string& new_session_id,
                                       Millis now);

}  // namespace holdfast::transcripts
