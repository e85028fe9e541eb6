#pragma once

// Words without their endings, for searches that shall find "retry" where somebody asks for "retries": Snowball's stemmer of
// English (docs/decisions/0025-stems-are-snowballs.md), with the forms beside it that no rule takes back ("kept" is "keep").
//
// A word of another language, or with characters beyond ASCII, is its own stem: everything works, only less forgivingly. Words
// are folded ones (words.h). Any thread.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

std::string stem_of(std::string_view word);

// The other way: what texts may make of a stem. "retri" is "retry", "retries", "retried", "retrying"; some are no words, and
// found nowhere.
std::vector<std::string> words_with_stem(std::string_view stem);

}  // namespace holdfast::search
