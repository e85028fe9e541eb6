#pragma once

// A query, folded, and what the index is asked for each of its clauses.
//
// Every kind of clause is the same thing: bytes that must stand in the folded passage, with or without the end of a word at
// either end. From those bytes follow the terms and keys that a block must have.

#include "search/index/segment/key_hash.h"
#include "search/index/text_index.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::search {

struct ClausePlan {
  std::string bytes;                            // folded
  bool whole_begin = false, whole_end = false;  // where a letter stands there, no letter may stand before or behind it
  bool excluded = false;

  // A block that has the bytes has all of these.
  std::vector<std::string> terms;     // as they stand in the lexicon
  std::vector<std::string> prefixes;  // of terms
  struct Inside {
    std::string bytes;  // of a word; may be longer than words are kept
    bool at_end = false;
  };
  std::vector<Inside> insides;
  std::vector<std::uint64_t> keys;  // of the filter
};

struct QueryPlan {
  std::vector<ClausePlan> clauses;
  std::vector<std::string> role_terms;  // one of them, when there are any
  std::vector<AttributeFilter> filters;
  std::optional<Millis> since, until;
  Wanted wanted;  // what every passage has that matches

  // Whether filters or lists of words have to be gone through: work to share.
  bool is_costly() const;
};

QueryPlan plan_query(const TextQuery& query, const KeyHash& hash);

}  // namespace holdfast::search
