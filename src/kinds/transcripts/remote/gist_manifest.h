#pragma once

// What an archive looks like inside a gist (transcript-archive §9): base64 text in one file or in parts, and a small manifest
// that names them with their hashes. The time in the names says which archive of a gist is the newest. No network here.
//
//   session-0199a8b7-20260728_093000.json.zst.b64               up to 7 MiB of text; the original's own name for it
//   session-0199a8b7-20260728_093000.json.zst.b64.part-001      else
//   session-0199a8b7-20260728_093000.json.zst.manifest.json     always, and written last

#include "base/json/json.h"
#include "base/result.h"
#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// A file above 10 MB is not served over HTTP; this leaves room for whoever counts differently. A multiple of 4, so that each part
// is base64 of its own.
inline constexpr std::uint64_t kGistPartText = 7 << 20;
inline constexpr std::uint64_t kGistPartBytes = kGistPartText / 4 * 3;
// Of a gist's files only 300 are listed; some are left for the manifest and for what others keep there.
inline constexpr std::size_t kMaxGistParts = 280;

struct GistManifest {
  struct Part {
    std::string name;
    std::string sha256;  // of its text
    std::uint64_t bytes = 0;
  };
  std::string archive;  // its name: "session-….json.zst"
  std::string sha256;   // of the archive itself
  std::uint64_t bytes = 0;
  std::vector<Part> parts;  // in order
};

std::string gist_archive_name(std::string_view session_id, Millis now);
std::string gist_part_name(std::string_view archive, std::size_t part, std::size_t parts);  // part counts from 0
std::string gist_manifest_name(std::string_view archive);

std::string to_text(const GistManifest& manifest);
// Errors: corrupt (not a manifest, names or sizes that we never write).
Result<GistManifest> parse_gist_manifest(std::string_view text);

// Is it a file that an upload of ours, or of the original, has left? Such files are replaced by the next upload.
bool is_gist_archive_file(std::string_view name);

struct GistChoice {
  std::string name;
  bool is_manifest = false;
};
// The newest archive: a manifest, or a single file of the original's shape (.json, .json.zst, each perhaps .b64) that is newer
// than every manifest. nullopt when there is none.
std::optional<GistChoice> newest_in_gist(const std::vector<std::string>& names);

}  // namespace holdfast::transcripts
