#pragma once

// Where archives lie: a file, gist://[id], s3://bucket/key, standard input.

#include "kinds/transcripts/remote/remote.h"
#include "kinds/transcripts/verbs/keeper.h"

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

// Hex digits and dashes, not a dash alone: the id of a session, or the start of one.
bool looks_like_id(std::string_view text);

struct Uploaded {
  Archived archived;  // where: gist://<id> or s3://...
  GistUpload gist;    // of a gist
};

// The session as an archive in that remote place, always zst; remembered. Errors: those of writing and of remote.h; a remote that
// refuses what it was sent is `unavailable`, because the person's input was not wrong.
Result<Uploaded> upload(const Keeper& keeper, SessionSource& source, const std::string& place, ArchiveOptions options,
                        const RemoteOptions& remote, const Progress& progress = {});

struct OpenedArchive {
  Fd file;
  std::string origin;  // for the family tree: absolute path, gist://..., s3://...
};
// A file, or one of the places above; "-" is standard input. Errors: not_found, those of remote.h.
Result<OpenedArchive> open_archive(const Keeper& keeper, const std::string& place, const RemoteOptions& remote,
                                   const Progress& progress = {});

}  // namespace holdfast::transcripts
