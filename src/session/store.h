#pragma once

// The store interface: where sessions are kept.
//
// Synchronous and thread-safe; called from pool threads, never from the I/O thread: every call may
// wait for the disk. Several processes (and, with some backends, machines) may use one store at the
// same time; each call sees what was acknowledged before it began.
//
// Writes are transactions. When write() has returned a value, everything its function did is durable
// against kill -9 and power loss. When it returned an error, nothing of it happened, now or later.
//
//   HF_TRY(auto appended, store.write([&](Transaction& t) -> Result<Appended> {
//     HF_TRY(auto record, t.get(id));
//     ...
//     return t.append(id, entry);
//   }));
//
// Errors beside those named below: unavailable (the store is locked by others for too long), io (disk
// full, disk broken), refused (a disk that may not be written, opened read-only, or written by a newer
// version), corrupt. Those of a disk have the code kStorageFailed; what is there can still be read.

#include "base/json/json.h"
#include "base/run/clock.h"
#include "session/entry.h"
#include "session/events.h"
#include "session/leases.h"
#include "session/query/query.h"
#include "session/query/search.h"
#include "session/record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace holdfast::session {

// Keyed values: small durable JSON under (namespace, key), for what is not a session: handles,
// nonces, tokens, tasks, transport sessions, settings of the store itself.
//
// A value whose expiry has passed (by the store's clock) is not there any more, whether or not its
// bytes have been purged yet. `rev` starts at 1 and grows with every put. It starts again when a key
// is erased and put anew: whoever must not mistake the new one for the old keeps the key and puts an
// empty value instead.
struct KeyedValue {
  std::string space;
  std::string key;
  Json value;
  std::int64_t rev = 0;
  Millis updated_at = 0;
  std::optional<Millis> expires_at;
};

// Condition of a put or an erase.
struct Expect {
  enum class What { anything, absent, rev } what = What::anything;
  std::int64_t rev = 0;

  static Expect anything() { return {}; }
  static Expect absent() { return {What::absent, 0}; }
  static Expect at(std::int64_t rev) { return {What::rev, rev}; }
};

struct ValueQuery {
  std::string space;
  std::string prefix;  // of the key
  std::string after;   // keys greater than this; empty: from the first
  std::size_t limit = 100;
};

// The family tree of sessions: clone, fork, restore, stitch, move, archive.
//
// Lineage is a list of events, never edited. Parent or child may be ids this store does not know (a
// session of another machine); an event outlives the records it names.
struct LineageEvent {
  std::int64_t number = 0;  // assigned by the store, increasing
  std::string child;
  std::string parent;  // empty for events about one session ("archived", "moved")
  std::string how;     // "clone", "fork", "restore", "stitch", ...
  Millis when = 0;     // 0 on add: now
  JsonObject details;  // paths, machines, hashes: what the kind wants to remember
};

// A hostile or merely long history must not fill memory; no real tree comes near.
inline constexpr std::size_t kMaxLineageEvents = 10'000;

// The disk under the store is full, broken, or may not be written (reasoning-sessions D5).
inline constexpr std::string_view kStorageFailed = "storage_failed";

// What remains of a purged session, so that its id answers "gone" and not "never existed".
struct Tombstone {
  std::string id;
  std::string kind;
  std::string principal;
  std::optional<Millis> deleted_at;
  Millis purged_at = 0;
  std::string reason;
};

// Reading, outside of a transaction (each call sees one moment of the store) or inside of one (also
// what the transaction itself has written).
class Reader {
 public:
  virtual ~Reader() = default;

  // not_found; with code "gone" when it was purged. A damaged record is returned with `damage` set.
  virtual Result<SessionRecord> get(std::string_view id) = 0;
  virtual Result<Page> list(const Query& query) = 0;
  // Ids that fit, at most limit, in order; for whoever takes short ids (lookup.h).
  virtual Result<std::vector<std::string>> ids_with_prefix(const IdQuery& query) = 0;
  virtual Result<std::optional<Tombstone>> tombstone(std::string_view id) = 0;

  virtual Result<EntryPage> entries(const EntryQuery& query) = 0;
  virtual Result<std::optional<Entry>> entry(std::string_view session, std::int64_t seq) = 0;
  virtual Result<std::optional<Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) = 0;
  virtual Result<std::optional<Entry>> entry_with_key(std::string_view session, std::string_view idempotency_key) = 0;

  // Events that name the session as child or parent, oldest first.
  virtual Result<std::vector<LineageEvent>> lineage_of(std::string_view session) = 0;
  // The whole tree the session belongs to, oldest first; at most kMaxLineageEvents.
  virtual Result<std::vector<LineageEvent>> lineage_tree(std::string_view session) = 0;

  virtual Result<std::optional<KeyedValue>> value(std::string_view space, std::string_view key) = 0;
  virtual Result<std::vector<KeyedValue>> values(const ValueQuery& query) = 0;

  virtual Result<std::optional<Lease>> lease(std::string_view name) = 0;
};

class Transaction : public Reader {
 public:
  // The instant of this transaction: every time it writes by itself is this one.
  virtual Millis now() const = 0;

  // conflict when the id exists or existed. Returns the record as stored.
  virtual Result<SessionRecord> create(SessionRecord record) = 0;
  // conflict unless record.rev is what is stored now, or was when this transaction began. Fields the
  // store owns (record.h) are not taken from the argument.
  virtual Result<SessionRecord> update(SessionRecord record, Touch touch = Touch::change) = 0;
  // A read that should be remembered; moves neither rev nor updated_at.
  virtual Result<void> note_access(std::string_view id) = 0;

  // Computes due_at of the next `limit` records behind the id anew ("" begins), after the rule the store was opened with has
  // changed; moves neither rev nor updated_at. Returns the last id it looked at, to go on behind; "" when there are no more.
  // Damaged records are passed over.
  virtual Result<std::string> refresh_due(std::string_view after_id, std::size_t limit) = 0;

  // not_found; conflict when (lane, number) is taken. Assigns seq.
  virtual Result<Appended> append(std::string_view session, NewEntry entry) = 0;

  // Replaces text and data for good (entry.h), as scrub().
  virtual Result<void> redact(std::string_view session, std::int64_t seq, std::string text = std::string(kRedactedText),
                              std::string data = {}) = 0;
  // Erases the record, its entries and its index rows, as scrub(); a tombstone stays. Lineage stays: it
  // holds ids. Works on a damaged record too.
  virtual Result<void> purge(std::string_view session, std::string_view reason) = 0;
  // What this transaction overwrites or erases (a title, a description) must not remain readable in the
  // store's files: they are cleaned before write() returns.
  virtual void scrub() = 0;

  virtual Result<LineageEvent> add_lineage(LineageEvent event) = 0;

  // conflict when the expectation does not hold.
  virtual Result<KeyedValue> put(std::string_view space, std::string_view key, const Json& value, Expect expect = {},
                                 std::optional<Millis> expires_at = {}) = 0;
  virtual Result<bool> erase(std::string_view space, std::string_view key, Expect expect = {}) = 0;
  // Drops values whose expiry has passed; returns how many.
  virtual Result<std::int64_t> purge_expired(std::size_t limit) = 0;

  // Takes the lease when it is free, over, or held by this very owner (which renews it). conflict
  // while somebody else holds it.
  virtual Result<Lease> acquire_lease(std::string_view name, const LeaseOwner& owner, Millis ttl = kLeaseTtl) = 0;
  // conflict when it is no longer held in this epoch.
  virtual Result<Lease> renew_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) = 0;
  virtual Result<void> require_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) = 0;
  virtual Result<void> release_lease(std::string_view name, const LeaseOwner& owner, std::int64_t epoch) = 0;

  // Once this is committed, whoever asked for it (SubscribeOptions::on_wake) is woken, in every process: for values that
  // somebody waits for, because no event tells of them.
  virtual void wake() = 0;
};

struct Verification {
  std::string session;
  bool ok = true;
  std::int64_t entries = 0;
  std::int64_t redacted = 0;
  std::vector<std::string> problems;  // at most kMaxProblems, then "... and more"
};
inline constexpr std::size_t kMaxProblems = 100;

struct Integrity {
  bool ok = true;
  std::int64_t sessions = 0;
  std::int64_t entries = 0;
  std::vector<Verification> damaged;  // sessions with problems only
  std::vector<std::string> problems;  // of the store itself
};

struct StoreInfo {
  std::string url;
  std::string path;  // empty for a store that is not a file
  int schema_version = 0;
  bool read_only = false;
  std::string read_only_reason;
  std::int64_t sessions = 0;
  std::int64_t entries = 0;
  std::int64_t bytes = 0;  // of the store, without the index
  std::int64_t index_bytes = 0;
};

class Store : public Reader {
 public:
  // Runs `function` (Transaction& -> Result<T>) in one transaction and makes it durable. The
  // function may run more than once and on another thread than the caller's; it must touch nothing
  // but the transaction and its own captures, and must not call the store. Other writers may share
  // the commit; none of them sees or suffers a failure of this one.
  template <class Function>
  auto write(Function&& function) -> std::invoke_result_t<Function&, Transaction&> {
    using Outcome = std::invoke_result_t<Function&, Transaction&>;
    std::optional<Outcome> outcome;
    Result<void> done = run([&](Transaction& transaction) -> Result<void> {
      outcome.emplace(function(transaction));
      if (!*outcome) return fail(outcome->error());
      return {};
    });
    if (!done) return fail(std::move(done).error());
    return *std::move(outcome);
  }

  Result<SessionRecord> get(std::string_view id) final { return ask(Moments::any, &Reader::get, id); }
  Result<Page> list(const Query& query) final { return ask(Moments::one, &Reader::list, query); }
  Result<std::vector<std::string>> ids_with_prefix(const IdQuery& query) final {
    return ask(Moments::any, &Reader::ids_with_prefix, query);
  }
  Result<std::optional<Tombstone>> tombstone(std::string_view id) final { return ask(Moments::any, &Reader::tombstone, id); }
  Result<EntryPage> entries(const EntryQuery& query) final { return ask(Moments::one, &Reader::entries, query); }
  Result<std::optional<Entry>> entry(std::string_view session, std::int64_t seq) final {
    return ask(Moments::one, &Reader::entry, session, seq);
  }
  Result<std::optional<Entry>> entry_at(std::string_view session, std::string_view lane, std::int64_t number) final {
    return ask(Moments::one, &Reader::entry_at, session, lane, number);
  }
  Result<std::optional<Entry>> entry_with_key(std::string_view session, std::string_view key) final {
    return ask(Moments::one, &Reader::entry_with_key, session, key);
  }
  Result<std::vector<LineageEvent>> lineage_of(std::string_view session) final {
    return ask(Moments::any, &Reader::lineage_of, session);
  }
  Result<std::vector<LineageEvent>> lineage_tree(std::string_view session) final {
    return ask(Moments::one, &Reader::lineage_tree, session);
  }
  Result<std::optional<KeyedValue>> value(std::string_view space, std::string_view key) final {
    return ask(Moments::any, &Reader::value, space, key);
  }
  Result<std::vector<KeyedValue>> values(const ValueQuery& query) final { return ask(Moments::any, &Reader::values, query); }
  Result<std::optional<Lease>> lease(std::string_view name) final { return ask(Moments::any, &Reader::lease, name); }

  virtual Result<SearchResult> search(const SearchQuery& query) = 0;

  // Many at once, where one after the other would be as many round trips; in the order asked for, without those that are not
  // there (any more). Each as get() and entry() have it.
  virtual Result<std::vector<SessionRecord>> get_each(const std::vector<std::string>& ids);
  virtual Result<std::vector<Entry>> entry_each(const std::vector<EntryPlace>& places);

  virtual Result<Verification> verify(std::string_view session) = 0;
  virtual Result<Integrity> integrity() = 0;

  // 32 random bytes made with the store: the key of cursors and tokens, the same for all processes.
  virtual const std::string& secret() const = 0;
  virtual Result<StoreInfo> info() = 0;

  // Events from now on. Lives no longer than the store.
  virtual Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) = 0;
  // Events after a sequence number, oldest first. Changes of one record that followed each other may
  // be reported once, with the last number.
  virtual Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) = 0;
  virtual Result<std::int64_t> last_sequence() = 0;

 protected:
  using Work = std::function<Result<void>(Transaction&)>;
  virtual Result<void> run(const Work& work) = 0;

  // What is read is read here, in one place of each store: `question` is asked of one that reads the tables. With Moments::any it
  // is answered by one statement, or a later moment of the next one does no harm.
  enum class Moments { one, any };
  using Question = std::function<Result<void>(Reader&)>;
  virtual Result<void> look(Moments moments, const Question& question) = 0;

 private:
  template <class T, class... Arguments>
  Result<T> ask(Moments moments, Result<T> (Reader::*function)(Arguments...),
                const std::type_identity_t<Arguments>&... arguments) {
    std::optional<Result<T>> answer;
    Result<void> asked = look(moments, [&](Reader& reader) -> Result<void> {
      answer.emplace((reader.*function)(arguments...));
      if (!*answer) return fail(answer->error());
      return {};
    });
    if (!asked) return fail(std::move(asked).error());
    return *std::move(answer);
  }
};

}  // namespace holdfast::session
