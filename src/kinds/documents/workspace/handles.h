#pragma once

// Handles: the `session_id` a model passes, and what it stands for (document-review §3).
//
// A handle is `s_` and 26 characters of base32 (130 random bits). The store keeps only its hash, bound to the principal; the
// session's record (kind `document`, id `doc-` + 8) is its public label. What was read is remembered per session and document,
// across restarts and moves. Thread-safe.
//
// A handle that is over leaves one row, by which "expired" is told from "unknown", beside the session's record and log. Whoever
// takes the session up again finds in the log what it had read.
//
// Errors: refused with code session_required, session_unknown (also another principal's) or session_expired (also when the
// session was ended or deleted); each says what to do next.

#include "kinds/documents/files/library.h"
#include "session/query/store_view.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::documents {

inline constexpr Millis kHandleTtl = 7LL * 86'400'000;

struct Opened {
  std::string handle;  // only when it was minted by this call
  std::string label;   // doc-…
  std::string author;  // "AI", "dev's AI"
  std::string by;      // tells authors of one label apart: the principal's and the label's, hashed
};

// A short name for a handle in journals and commits; the handle cannot be had from it.
std::string short_hash(std::string_view handle_or_label);

struct ReadRecord {
  std::string version;
  std::int64_t first_line = 0, last_line = 0;
  Millis time = 0;
};

// Who a session is for.
struct HandleRequest {
  Identity who;
  std::string client, root_uri;
  std::string name, model;  // the person the model works for; the model
  std::string resume;       // a label, whose old handle dies
};

// Slows down whoever tries handles that do not exist (document-review §3 "Rate-limit misses"): after some misses in a minute, a
// principal's unknown handles are not even looked up until the minute is over. Handles that have held before go through: other
// conversations of the same principal do not suffer. Thread-safe; counts in this process alone, by the steady clock.
class MissLimit {
 public:
  static constexpr int kMisses = 30;  // a model that lost its handle tries a few times
  static constexpr std::chrono::seconds kWindow{60};

  // How long to wait before this handle is looked up; zero: now.
  std::chrono::seconds wait_for(std::string_view principal, std::string_view handle_hash);
  void note_hit(std::string_view handle_hash);
  void note_miss(std::string_view principal);

 private:
  struct Misses {
    std::chrono::steady_clock::time_point since;
    int count = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Misses, std::less<>> misses_;
  std::set<std::string, std::less<>> known_;
};

class Handles {
 public:
  // Sessions are made, opened and ended as whoever asks sees them. What was read where, and the sessions' logs, are kept for all
  // who review the same folders, by the documents' own work.
  explicit Handles(const session::SharedStore& stores, const Clock& clock, Millis ttl = kHandleTtl)
      : stores_(stores), store_(stores.for_system(session::SystemWork::documents)), clock_(clock), ttl_(ttl) {}

  Result<Opened> create(const HandleRequest& request);
  // For who reads without a handle: one session for each client, project and day, so that a client that forgets its handle leaves
  // no session a call behind. It is titled by what was read. The handle is the same for the whole day: its characters are made of
  // the store's secret.
  Result<Opened> create_shared(const HandleRequest& request);
  // Checks it and keeps it alive.
  Result<Opened> open(const Identity& who, std::string_view handle);
  Result<void> end(const Identity& who, std::string_view handle);

  Result<void> note_read(const Opened& opened, const Place& place, const ReadRecord& read);
  Result<std::optional<ReadRecord>> last_read(const Opened& opened, std::string_view key);
  // The session knows this version too: it was made by its own edit.
  Result<void> keep_version(const Opened& opened, std::string_view key, std::string_view version);
  // What was read stays read when documents move (old key, new key), for every session; and is forgotten when another document
  // takes a place.
  Result<void> note_moved(const std::vector<std::pair<std::string, std::string>>& keys);
  Result<void> forget(std::string_view key);
  Result<void> forget_read(const Opened& opened, std::string_view key);
  // A line of the session's log: proposed, moved, decided.
  Result<void> note(std::string_view label, std::string_view type, std::string text, const JsonObject& data);
  // And the session knows this version of the document, in the same transaction.
  Result<void> note_version(const Opened& opened, std::string_view type, std::string text, const JsonObject& data,
                            std::string_view key, std::string_view version);

  // Sessions whose handle ran out become `expired`; what sessions had read that are over is forgotten, and their handles in the
  // end. Returns how many ran out.
  Result<std::size_t> sweep();
  static constexpr Millis kSweepEvery = 5 * 60'000;  // document-review §12

  Millis ttl() const { return ttl_; }

 private:
  // Sessions that have read one document; more are forgotten when it moves, and read again.
  static constexpr std::size_t kMaxReaders = 1000;
  static Result<void> put_version(session::Transaction& transaction, std::string_view label, std::string_view key,
                                  std::string_view version, Millis now);
  static Result<bool> expire(session::Transaction& transaction, std::string_view hash, Millis ttl);
  // Whoever begins a session looks after the old ones: a program that is started for every call never lives until its next sweep.
  void sweep_if_due();
  Result<void> forget_reads_of_ended();

  const session::SharedStore stores_;
  session::Store& store_;
  const Clock& clock_;
  Millis ttl_;
  MissLimit misses_;
};

}  // namespace holdfast::documents
