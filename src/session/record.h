#pragma once

// The session record: what is known about a session beside its entries.
//
// One record serves every kind. What only the kind understands is in `data`; everything that lists,
// filters, recovers, retains or shows sessions uses the fields here. Records are values: change a
// copy and hand it to Transaction::update.
//
// Who writes what: the store owns id uniqueness, rev, updated_at, last_activity_at, due_at, tallies and
// damage, and ignores what a caller puts there on update (due_at also on create). All other fields belong
// to the kind.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

enum class Visibility { live, archived, deleted };

std::string_view name_of(Visibility visibility);
std::optional<Visibility> parse_visibility(std::string_view name);

// How many entries of one type one lane has. Derived: counted by the store in the transaction that
// appends, and checked against the entries by verify.
struct Tally {
  std::string lane;  // "" is the main lane
  std::string type;
  std::int64_t count = 0;
  std::int64_t highest_number = 0;  // of Entry::number; 0 when the kind does not number
  std::int64_t last_seq = 0;
  Millis last_time = 0;
};

struct SessionRecord {
  std::string id;    // minted by the kind (design 8.20); never a transport's id, never a file name
  std::string kind;  // kinds.h
  std::string title;
  std::string description;
  std::string opening;  // start of the first message or query: lists show and search it

  std::string root_uri;                   // canonical (base/text/uri.h); empty: not bound to a project
  std::string root_name;                  // for display only
  std::vector<std::string> linked_roots;  // further canonical roots it is found under

  std::string project;
  std::string task;
  std::string aspect;
  std::string domain;
  std::vector<std::string> tags;  // the store keeps them sorted and unique

  std::string status;  // the kind's word
  Visibility visibility = Visibility::live;
  // What unarchive and restore go back to. Meaningful while visibility is not live.
  std::string prior_status;
  Visibility prior_visibility = Visibility::live;
  bool pinned = false;

  std::string principal = "local";  // whose it is (design 8.10)
  std::string client;               // name/version of the program that created it

  // +1 with every committed transaction that changed the record or its entries.
  std::int64_t rev = 0;

  Millis created_at = 0;        // 0 on create: now
  Millis updated_at = 0;        // record or entries were written; reads never move it
  Millis last_activity_at = 0;  // moved by Touch::activity alone (threads-and-research §3)
  Millis last_accessed_at = 0;
  std::optional<Millis> archived_at;
  std::optional<Millis> deleted_at;
  std::optional<Millis> completed_at;
  std::optional<Millis> retention_anchor_at;
  // Next automatic transition, for sweeps and for sorting: computed with every write by the rule the store was opened with.
  std::optional<Millis> due_at;

  JsonObject data;  // what only the kind knows; at most kMaxDataBytes as text

  std::vector<Tally> tallies;  // by lane, then type

  // Set when stored bytes of this record do not fit their checksum or cannot be decoded. The fields
  // then hold what could be read. A damaged record is listed, and refuses updates (corrupt).
  std::optional<std::string> damage;

  std::int64_t entry_count() const;  // all lanes, all types
  std::int64_t count_of(std::string_view type) const;
  std::int64_t count_in_lane(std::string_view lane) const;
  std::int64_t highest_number(std::string_view lane) const;
  std::vector<std::string> lanes() const;  // without the main lane
};

// Checks sizes, encoding and required fields against limits.h: invalid or too_large.
Result<void> check_record(const SessionRecord& record);

// In which projects a session stands.

// Where a session is found: its own root and those it is linked to.
std::vector<std::string> roots_of(const SessionRecord& record);
// Whether it stands in one of these projects; when none are named, everything does.
bool is_inside(const std::vector<std::string>& projects, const SessionRecord& record);

}  // namespace holdfast::session
