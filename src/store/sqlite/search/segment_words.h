#pragma once

// Which words a full segment of the index (text_index.h) has, as a filter that never denies one: asking FTS5 takes twenty
// microseconds, most words of a search are in few segments, and a large store has many of those.
//
// Whole words are in it, and the first bytes of words in a few lengths, for the last word of a search, which is the beginning of
// one. Some three bytes for each different word, in memory while searches use it.

#include "store/sqlite/db.h"
#include "store/sqlite/search/words.h"

#include <atomic>

namespace holdfast::store {

// Of all words of an FTS5 table. Cut short, and of no use, when `stop` becomes true.
Result<std::string> make_filter(Db& index, std::string_view table, const std::atomic<bool>& stop);

// Whether some text of the table may match.
bool may_match(std::string_view filter, const WordQuery& words);

// Whether FTS5 takes it for one word, as words.h does. Folding can leave characters that separate there.
bool is_one_word(std::string_view word);

}  // namespace holdfast::store
