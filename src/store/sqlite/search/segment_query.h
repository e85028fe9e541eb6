#pragma once

// How a table of the index (text_index.h) is asked for the words of a search, so that the first numbers come soon however many
// there are.
//
// A list of one word is read as far as it is wanted. For the beginning of a word FTS5 first unites the lists of all words that
// have it, from end to end: with a frequent word, milliseconds for every 100,000 numbers. People search while they type, so the
// last word of most searches is such a beginning. It is left out when the other words have few numbers (who asks compares the
// texts anyway), and when it is a frequent word by itself, the words it can become are asked for one by one.

#include "search/index/text_search.h"
#include "store/sqlite/db.h"

#include <functional>

namespace holdfast::store {

// So many numbers are looked at sooner than a better question is found.
inline constexpr std::size_t kFewNumbers = 64;
// Words that a beginning is replaced by. Finding one takes some ten microseconds, and so does asking for it.
inline constexpr std::size_t kMaxContinuations = 16;

struct IndexTable {
  std::string name;   // of the FTS5 table
  std::string terms;  // of the table of its words (fts5vocab, one row an instance)
  std::int64_t first = 0;
  std::int64_t last = 0;  // numbers outside of this range are left out
};

// Calls on_number with all numbers that match, and perhaps with some that do not, falling, until it returns false.
Result<void> find_numbers(Db& index, const IndexTable& table, const std::vector<search::WordTerm>& terms,
                          const std::function<bool(std::int64_t)>& on_number);

}  // namespace holdfast::store
