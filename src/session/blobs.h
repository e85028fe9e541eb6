#pragma once

// Bytes kept for good: a content-addressed store of files that only grow or are replaced (the guard's, design 8.18).
//
// A file is a list of chunks; chunks are cut where the content says so, kept once by their hash, compressed, and packed together.
// So a fork or a clone of a session costs its difference, and an appended line costs a line. Any part of a file can be read
// without the rest of it. Each file has versions: the newest, and older ones as long as they are not merely a beginning of a
// newer one.
//
// What keep() has answered is durable. Packs are written, synced, and only then named by the catalogue; a crash leaves bytes that
// nobody names, removed later. Every chunk is verified by its hash when it is read. One process writes at a time (a lock), any
// number read. Any thread.

#include "base/result.h"
#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

struct KeptFile {
  std::string key;           // as passages.h: "claude:projects/…/<id>.jsonl"
  std::int64_t version = 0;  // stays the same while the file only grows
  std::uint64_t size = 0;
  std::string sha256;  // hex, of the whole
  unsigned mode = 0600;
  Millis modified_at = 0;  // of the original
  Millis kept_at = 0;
  std::string
      incarnation;  // device, inode, size and time of the original when it was read: to see at a glance that nothing is new
};

class Blobs {
 public:
  virtual ~Blobs() = default;

  // Reads the whole file, or, when the newest version is a beginning of it (verified cheaply: its last chunks), only what is
  // new. `read` fills a buffer from an offset and answers how many bytes; 0 at the end. Durable after the next commit().
  struct Incoming {
    std::string key;
    unsigned mode = 0600;
    Millis modified_at = 0;
    std::string incarnation;
    // Another file under the name than the one that was read last (its inode differs): its end alone proves nothing, read it all.
    bool whole = false;
    std::function<Result<std::size_t>(std::uint64_t offset, std::span<char> to)> read;
  };
  struct Added {
    // bytes_new: not kept before. bytes_stored: what they take in the packs, as far as they are packed; the rest is told by a
    // later call.
    std::uint64_t bytes_read = 0, bytes_new = 0, bytes_stored = 0;
    bool changed = false;
  };
  virtual Result<Added> add(const Incoming& file) = 0;
  // Makes everything added since durable, together.
  virtual Result<void> commit() = 0;

  virtual Result<std::vector<KeptFile>> files(std::string_view key_prefix = {}) = 0;  // newest versions, by key
  virtual Result<std::vector<KeptFile>> versions(std::string_view key) = 0;           // newest first
  virtual Result<std::optional<KeptFile>> file(std::string_view key) = 0;
  // Up to to.size() bytes; fewer only at the end. corrupt: a chunk is damaged (names it).
  virtual Result<std::size_t> read(const KeptFile& file, std::uint64_t offset, std::span<char> to) = 0;
  // Of a damaged file what is left of it: where bytes are lost there are zeros, and `lost` is told where.
  struct Gap {
    std::uint64_t begin = 0, end = 0;
    std::string why;
  };
  virtual Result<std::size_t> read_what_is_left(const KeptFile& file, std::uint64_t offset, std::span<char> to,
                                                std::vector<Gap>& lost) = 0;
  // What is known to be lost of it: what repair() has set aside. Nothing is read for it.
  virtual Result<std::vector<Gap>> gaps(const KeptFile& file) = 0;
  // Another number when anything was kept or forgotten since, by whichever process; of this object alone.
  virtual Result<std::int64_t> generation() = 0;

  // Names are dropped at once; with scrub() the packs are rewritten and no byte of them remains.
  virtual Result<void> forget(std::span<const std::string> keys) = 0;
  virtual Result<void> scrub() = 0;

  struct State {
    std::uint64_t files = 0, versions = 0, bytes = 0, stored_bytes = 0, chunks = 0, garbage_bytes = 0;
  };
  virtual Result<State> state() = 0;

  struct Problem {
    std::string key;  // of a file that suffers; empty: of nobody
    std::string what;
  };
  struct Check {
    std::uint64_t chunks = 0, bytes = 0;
    std::vector<Problem> problems;
  };
  // Reads and hashes everything.
  virtual Result<Check> verify(const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) = 0;
  // What is damaged is set aside and taken again from the originals at the next add(); what can only be partly read stays
  // readable in its good parts. A catalogue that is lost or cannot be read is made anew from the copy beside the packs.
  virtual Result<Check> repair(const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) = 0;
};

}  // namespace holdfast::session
