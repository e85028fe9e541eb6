#pragma once

// The files of one session for those who only read: from the client's folder, or from what the guard kept of it.

#include "kinds/transcripts/guard/kept_session.h"
#include "reading/reading.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// One thread at a time.
class SessionFiles {
 public:
  virtual ~SessionFiles() = default;
  // Errors: not_found, io, too_large (a compressed one that unpacks to more than open_plain() takes).
  virtual Result<reading::ByteSource> transcript() = 0;
  // What lies in the session's folder: "subagents/agent-a1.jsonl", "tool-results/b1.txt"; nothing outside of it, whatever the
  // path says. Errors: not_found, refused, io.
  virtual Result<reading::ByteSource> file(std::string_view path) = 0;
  // Everything below a folder of it ("subagents"), as paths for file(); none when there is no such folder.
  virtual Result<std::vector<std::string>> below(std::string_view folder) = 0;
};

std::shared_ptr<SessionFiles> files_on_disk(const Home& home, const AnySession& session);
// What the guard has of it, in the versions that are meant; where bytes are lost there are zeros. The blobs must outlive it.
std::shared_ptr<SessionFiles> files_kept(session::Blobs& blobs, const KeptSession& session, const KeptVersion& version = {});

}  // namespace holdfast::transcripts
