#pragma once

// Which sessions to list, in which order, and where to go on.
//
// All conditions combine with AND; an empty list or an absent value is no condition. Pages are keyset
// pages: an item is neither repeated nor skipped because others changed between two pages.

#include "session/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::session {

enum class Sort {
  updated,  // newest updated_at first
  created,  // newest created_at first
  due,      // earliest due_at first, those without one last
  resume    // pinned first, then statuses of prefer_status, then newest updated_at, created_at
};

struct Query {
  std::vector<std::string> kinds;
  // Sessions found under any of these roots, as their own or a linked one. With `rootless` also
  // those that have no root at all.
  std::vector<std::string> roots;
  bool rootless = false;
  std::vector<std::string> statuses;     // as shown: an archived thread is archived, not active (display.h)
  std::vector<Visibility> visibilities;  // empty: live and archived
  std::optional<bool> pinned;
  std::vector<std::string> tags;  // all of them
  std::optional<std::string> project;
  std::optional<std::string> task;
  std::optional<std::string> aspect;
  std::vector<std::string> aspects;      // any of them (the kinds of threads are theirs)
  std::string text;                      // substring of title, description, opening or tags, case-folded
  std::optional<Millis> updated_since;   // inclusive
  std::optional<Millis> updated_before;  // exclusive
  // Those of the two that were given as ages ("3d"): they move with the clock, so a cursor is bound to the words.
  std::string since_age, before_age;
  std::optional<Millis> due_before;      // due_at <= this: the sweep's question
  std::optional<std::string> principal;  // only what belongs to it
  Sort sort = Sort::updated;
  std::vector<std::string> prefer_status;  // for Sort::resume

  std::size_t limit = 20;  // 1..kMaxListLimit
  // Either a cursor of an earlier page with the same conditions, or an offset; not both.
  std::string cursor;
  std::size_t offset = 0;
  bool count = true;  // false leaves Page::total at kNotCounted: sweeps and walks along cursors do not need it
};

inline constexpr std::int64_t kNotCounted = -1;

// Which ids a short one may stand for. Who asks is part of the question: of what somebody may not see nothing is counted, so a
// prefix that is unique to its caller is found whatever others have, and one that is ambiguous is never decided by others' ids.
struct IdQuery {
  std::string prefix;
  std::optional<std::string> principal;  // only what belongs to it
  std::vector<std::string> roots;        // only what is found under any of these, as Query::roots
  std::size_t limit = 20;
};

struct Page {
  std::vector<SessionRecord> items;
  std::int64_t total = 0;   // all that fit the conditions, on every page; or kNotCounted
  std::string next_cursor;  // empty unless another item exists
};

Result<void> check_query(const Query& query);

}  // namespace holdfast::session
