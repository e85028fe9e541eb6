#pragma once

// Where archives lie: a file, gist://[id], s3://bucket/key, standard input, the guard, or the backup of a deleted session.

#include "kinds/transcripts/guard/kept_lines.h"
#include "kinds/transcripts/remote/remote.h"

namespace holdfast::transcripts {

using Variables = std::function<std::optional<std::string>(const std::string& name)>;  // the environment

struct RemoteOptions {
  GistOptions gist;  // token empty: found when it is needed (find_github_token)
  Variables environment;
  bool replace = false;  // what is in S3 under the same key
};

bool is_gist(std::string_view place);
bool is_s3(std::string_view place);
inline bool is_remote(std::string_view place) {
  return is_gist(place) || is_s3(place);
}

// Hex digits and dashes: the id of a session, or the start of one.
bool looks_like_id(std::string_view text);

struct Uploaded {
  Archived archived;  // where: gist://<id> or s3://...
  GistUpload gist;    // of a gist
};

// The session as an archive in that remote place, always zst; remembered. Errors: those of writing and of remote.h; a remote that
// refuses what it was sent is `unavailable`, because the person's input was not wrong.
Result<Uploaded> upload(const Keeper& keeper, const AnySession& session, const std::string& place, ArchiveOptions options,
                        const RemoteOptions& remote, const Progress& progress = {});

struct Opened {
  Fd file;
  std::string origin;                 // for the family tree: absolute path, gist://..., s3://..., guard:<id>
  bool trusted = false;               // for RestoreOptions
  std::vector<std::string> left_out;  // of what the guard has: with the reason
};
// "-" is standard input. A text that is no file but looks like an id is the newest copy of that session, in the guard or among
// the backups (design 8.25). Errors: not_found, ambiguous, those of remote.h.
Result<Opened> open_archive(const Keeper& keeper, const std::string& place, const RemoteOptions& remote,
                            const Progress& progress = {}, const KeptVersion& version = {});

// The session of the guard that such a text names, when the guard's copy is the newest; nullopt: it names something else, or a
// backup is newer. A version that is asked for is always the guard's. Errors: ambiguous.
Result<std::optional<KeptTranscript>> kept_at_place(const Keeper& keeper, const std::string& place, const KeptVersion& version);

}  // namespace holdfast::transcripts
