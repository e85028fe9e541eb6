#pragma once

// Everything a store holds, as it is stored, for moving it to another one.
//
// Copying through Store would make new salts, new hashes and new times. Here records, entries, lineage, values and tombstones
// come out and go in with all that belongs to them, so that verify says the same of both and cursors and tokens stay valid (the
// secret moves, too). Leases do not move: they belong to processes.
//
// A copy can be broken off and taken up again: each parcel arrives with the place the next one begins at, in one transaction. A
// target that is being filled is marked, and no store is opened there until it is finished.

#include "session/store.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

// A record with what the store keeps beside it. The record is whole (texts and tallies).
struct StoredSession {
  SessionRecord record;
  std::int64_t changed = 0;  // its store-wide number
  std::int64_t entries = 0;
  Digest head{};
};

struct StoredEntry {
  Entry entry;  // with hash and store-wide number; damage is not looked at
  Digest previous{};
  std::string salt;  // empty when redacted
  std::string mac;   // empty unless redacted
};

struct StoredTombstone {
  Tombstone tombstone;
  std::int64_t changed = 0;
};

// A piece of a store. One kind of thing after the other, in the order of the members.
struct Parcel {
  std::vector<StoredSession> sessions;
  std::vector<StoredEntry> entries;
  std::vector<StoredTombstone> tombstones;
  std::vector<LineageEvent> lineage;
  std::vector<KeyedValue> values;

  std::string next;  // where to go on; empty: that was all

  std::size_t items() const { return sessions.size() + entries.size() + tombstones.size() + lineage.size() + values.size(); }
};

// Text and data of one parcel, roughly: bounds the memory of a copy.
inline constexpr std::size_t kParcelBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kParcelItems = 500;

class StoreTransfer {
 public:
  virtual ~StoreTransfer() = default;

  struct Totals {
    std::int64_t sessions = 0, entries = 0, tombstones = 0, lineage = 0, values = 0;
    std::int64_t items() const { return sessions + entries + tombstones + lineage + values; }
    bool operator==(const Totals&) const = default;
  };
  virtual Result<Totals> totals() = 0;

  // What says which store this is and in which state: it changes with every write.
  virtual Result<std::string> fingerprint() = 0;
  virtual Result<std::string> secret() = 0;

  // From a place an earlier parcel named; "" begins. corrupt when a record is damaged: a copy would hide that.
  virtual Result<Parcel> read_parcel(std::string_view from) = 0;

  // Of a target that is being filled from the store with this fingerprint: where to go on. "" when it is empty and has just been
  // marked. conflict when it holds something else, or was being filled from another store or another state of it.
  virtual Result<std::string> begin_import(std::string_view fingerprint) = 0;
  // Durable when it has returned, together with the place the next one begins at (parcel.next).
  virtual Result<void> write_parcel(const Parcel& parcel) = 0;
  // The mark goes, and with it the target becomes a store like any other, with this secret.
  virtual Result<void> finish_import(std::string_view secret) = 0;
};

// For those who implement it. The mark of a target is the fingerprint of the source and the place the next parcel begins at.
std::string import_mark(std::string_view fingerprint, std::string_view place);
std::string_view fingerprint_of_import(std::string_view mark);
Result<std::string> place_of_import(std::string_view mark, std::string_view fingerprint);  // conflict: another source
Result<void> refuse_filled(const StoreTransfer::Totals& target);
Result<void> refuse_damaged(const SessionRecord& record);

// Copies everything, from where an earlier copy was broken off, and looks whether the source has stayed the same. Blocks.
struct CopyProgress {
  std::int64_t done = 0, total = 0;  // items
};
Result<StoreTransfer::Totals> copy_store(StoreTransfer& from, StoreTransfer& to,
                                         const std::function<void(const CopyProgress&)>& progress);

}  // namespace holdfast::session
