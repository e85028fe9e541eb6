#pragma once

// A session as bytes, wherever they lie: files of a client's home, versions that the guard kept, members of an archive.
//
// Whatever copies, archives, verifies, describes or reads a session works on one of these and does not know which. Paths are
// those below the client's home, as the session has or had them there. Memory is that of one piece or line; nothing is laid out
// in folders for it. What a source is made of outlives it. One thread at a time.

#include "base/run/clock.h"
#include "kinds/transcripts/archive/archive_header.h"
#include "kinds/transcripts/guard/kept_session.h"
#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/lines/line_index.h"
#include "kinds/transcripts/lines/pieces.h"
#include "kinds/transcripts/remote/progress.h"
#include "reading/reading.h"

#include <memory>
#include <span>

namespace holdfast::transcripts {

class SessionSource {
 public:
  virtual ~SessionSource() = default;

  const AnySession& session() const { return session_; }
  LineIndex::Product product() const;
  // Where it lies, as people and the family tree are told: an absolute path, "guard:<id>", the place of an archive.
  const std::string& name() const { return name_; }
  bool on_disk() const { return on_disk_; }
  // Written by a client of this machine, as far as we know; an archive is a stranger's word.
  virtual bool is_ours() const { return true; }

  // Every file with kind, size, mode and time, and its folders; on the way everything of the guard is read once, and what is
  // damaged there is left out and named. Errors: not_found, corrupt (the transcript is damaged in the guard), cancelled, io.
  virtual Result<Inventory> inventory(const Progress& progress = {}) = 0;

  // Those files of the inventory, each as it is at the moment it is opened (§4.5): complete lines, then what stands behind the
  // last newline as a piece without ending. A file on disk that shrank or was replaced meanwhile fails with conflict: what the
  // receiver has is a mixture. One other than the main transcript that has gone since the inventory is passed over. An archive
  // gives its files in its own order, all of them. A rollout of Codex that is compressed comes unpacked, unless its path names
  // the compressed file.
  virtual Result<void> read(std::span<const Artifact> files, Receiver& receiver, const Progress& progress = {});

  // One of them, from any offset; unpacked, likewise. Nothing outside of the session's folders, whatever the path says. Errors:
  // not_found, refused, too_large (unpacks to more than byte_lines.h takes), io.
  Result<reading::ByteSource> open(const std::string& path);
  struct Bytes : reading::ByteSource {
    mode_t mode = 0600;
    Millis mtime = 0;
    bool compressed = false;  // the bytes are those of a compressed file
  };
  // As it lies there. Errors: as open().
  virtual Result<Bytes> stored(const std::string& path) = 0;
  // Everything below a folder, as paths; none when there is no such folder. Reads names alone, where there are names.
  virtual Result<std::vector<std::string>> below(const std::string& folder) = 0;

  // What a list shows: from the ends of the transcript, or from all of it. Errors: those of reading.
  enum class Extent { ends, whole };
  virtual Result<SessionLine> line(Extent extent = Extent::ends);
  // What an archive says of it, or would say; times and the client's version are left out. Errors: those of reading.
  virtual Result<ArchiveHeader> header();
  // Of the archive, or of what the guard kept; empty on disk. Any thread. Errors: io.
  virtual Result<std::string> hash() const { return std::string(); }
  virtual std::vector<std::string> warnings() const { return {}; }
  // What a reader is told of one that is not on disk: since when it is kept, what of it is lost.
  using Remarks = std::vector<std::pair<std::string, std::string>>;
  virtual Result<Remarks> remarks() { return Remarks(); }

 protected:
  SessionSource(AnySession session, std::string name, bool on_disk)
      : session_(std::move(session)), name_(std::move(name)), on_disk_(on_disk) {}

  // A rollout of Codex is one file: a compressed one by the name and the size of what it holds.
  Result<Inventory> rollout();

 private:
  const AnySession session_;
  const std::string name_;
  const bool on_disk_;
};

std::unique_ptr<SessionSource> source_on_disk(const Home& home, AnySession session);
std::unique_ptr<SessionSource> source_on_disk(const Home& home, const SessionPlace& place);  // of Claude Code

// In the versions that are meant. `as_it_is`: for readers, where bytes are lost there are zeros; otherwise that is corrupt.
std::unique_ptr<SessionSource> source_in_guard(session::Blobs& blobs, KeptSession session, const KeptVersion& version = {},
                                               bool as_it_is = false);

// `name`: the archive's, for people. The file is read from its beginning, wherever its descriptor stands. What is opened is put
// into an unnamed file in `folder` first, all of it at once: an archive can only be read from its beginning. Errors: those of
// ArchiveReader::open.
Result<std::unique_ptr<SessionSource>> source_in_archive(Fd file, std::string name, std::string folder);

}  // namespace holdfast::transcripts
