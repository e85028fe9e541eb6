#pragma once

// What a home holds beyond the table of known records.

#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/reading/known_records.h"
#include "kinds/transcripts/remote/progress.h"

#include <map>

namespace holdfast::transcripts {

// What a path looks like, without the names that differ from session to session: so that a thousand files of one new kind are
// one line of a report.

// "projects/-home-u-p/<sid>/notes/wf_12ab34cd/3.txt" -> "projects/*/SESSION/notes/wf_HEX/N.txt"
std::string path_shape(std::string_view path, const SessionPlace& place);

struct DriftReport {
  struct Seen {
    std::uint64_t count = 0;
    std::string example;   // "projects/<enc>/<sid>.jsonl:17"
    std::string versions;  // of the client in those records, comma separated
  };
  std::map<std::string, Seen> types;     // unknown types
  std::map<std::string, Seen> fields;    // "type.field", unknown fields of known types
  std::map<std::string, Seen> versions;  // client versions not looked at yet
  std::map<std::string, Seen> files;     // kinds of files below session folders that the inventory does not know
  std::uint64_t sessions = 0, records = 0;
  bool none() const { return types.empty() && fields.empty() && versions.empty() && files.empty(); }
};
JsonObject to_json(const DriftReport& report);

Result<DriftReport> find_drift(const Home& home, const std::vector<FoundSession>& sessions, const Progress& progress = {});

}  // namespace holdfast::transcripts
