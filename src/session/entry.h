#pragma once

// Entries: the ordered log of a session.
//
// An entry is written once. It has two parts: `text` is what a person would read, kept byte for byte
// and found by search; `data` is the rest, as JSON text the kind writes and reads. Entries of one
// session are numbered by `seq` 1, 2, 3, ... without holes, across all lanes, in the order they were
// committed. `lane` is a side line (a reasoning branch; "" is the main one) and `number` the kind's
// own number in it (0: none); (lane, number) is unique within the session when the number is not 0.
//
// Entries are chained (chain_hash): changing, dropping or swapping stored entries is found by verify.
// Redaction replaces text and data and destroys the salt, so that the old text cannot even be
// guessed from the hash; verify reports such an entry as redacted, not as damaged.

#include "base/crypto/hash.h"
#include "base/result.h"
#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::session {

inline constexpr std::string_view kRedactedText = "[redacted]";

struct Entry {
  std::string session;
  std::int64_t seq = 0;
  std::int64_t sequence = 0;  // position in the whole store; events carry the same number
  std::string type;
  std::string lane;
  std::int64_t number = 0;
  Millis time = 0;
  std::string author;           // label of who wrote it; may be empty
  std::string run;              // the connection or process that wrote it (reasoning-sessions A4)
  std::string idempotency_key;  // empty: none
  std::string text;
  std::string data;  // JSON text, or empty
  bool redacted = false;
  Digest hash{};
  // Set when the stored bytes do not fit the hash; text and data then hold what was found.
  std::optional<std::string> damage;
};

struct EntryPlace {
  std::string session;
  std::int64_t seq = 0;
  auto operator<=>(const EntryPlace&) const = default;
};

// What appending does to the clocks of the record (threads-and-research §3).
enum class Touch {
  activity,  // rev, updated_at and last_activity_at move
  change,    // rev and updated_at move: redaction, pin, a new title
  nothing    // neither: a notice written into the log must not keep a session alive
};

struct NewEntry {
  std::string type;
  std::string lane;
  std::int64_t number = 0;
  Millis time = 0;  // 0: now
  std::string author;
  std::string run;
  std::string idempotency_key;
  std::string text;
  std::string data;
  Touch touch = Touch::activity;
};

// Result of an append. When the session already has an entry with this idempotency key, nothing is
// written: `entry` is the original and `replayed` is set, whatever the new text was.
struct Appended {
  Entry entry;
  bool replayed = false;
  std::int64_t rev = 0;  // of the record afterwards
};

enum class Direction { forward, backward };

struct EntryQuery {
  std::string session;
  std::int64_t from = 0;  // first seq wanted, inclusive; 0: the beginning, or the end when backward
  std::size_t limit = 100;
  Direction direction = Direction::forward;
  std::optional<std::string> lane;  // only this lane
  std::vector<std::string> types;   // only these; empty: all
};

struct EntryPage {
  std::vector<Entry> entries;  // in the direction asked for
  // Where to go on; nullopt when there are no more. A page may be short (kEntryPageBytes).
  std::optional<std::int64_t> next;
};

Result<void> check_entry(const NewEntry& entry);

// The hash chain over the entries of a session (design 8.19).
//
//   body  = len(text) text len(data) data
//   mac   = HMAC-SHA256(salt, body)                     salt: 16 random bytes per entry
//   h(n)  = SHA-256("holdfast entry 1\n" h(n-1) seq time number len(type) type len(lane) lane
//                   len(author) author len(run) run len(key) key mac)
//   h(0)  = SHA-256("holdfast session 1\n" session id)
//
// Integers are 8 bytes, big-endian; len() is such an integer. Lengths stand in front of every
// string, so no two different entries have the same input. The start is bound to the session id, so
// that entries cannot be carried over to another session. A redacted entry keeps its mac in place of
// its salt: the chain still closes, and nothing can be checked, or guessed, about the old body.
inline constexpr std::size_t kSaltBytes = 16;

Digest chain_start(std::string_view session_id);
Digest body_mac(std::string_view salt, std::string_view text, std::string_view data);
// entry.hash is not read.
Digest chain_hash(const Digest& previous, const Entry& entry, const Digest& mac);

}  // namespace holdfast::session
