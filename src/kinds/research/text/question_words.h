#pragma once

// Words of a question as the extractive engine compares them: without endings (search/words/stems.h), and with the words people
// use for the same thing. English; a word of another language is its own stem, and everything works, only less forgivingly.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// Stems of the words that carry meaning, in order, repeated ones left out.
std::vector<std::string> content_stems(std::string_view text);

// What kind of sentence answers the question: "what did we decide" is answered by sentences that tell a decision.
struct Intent {
  std::set<std::string> asked;      // stems of the question that only say what kind of answer is wanted
  std::set<std::string> answered;   // stems that such a sentence has
  std::vector<std::string> search;  // words worth searching for beside the question's own
};
Intent intent_of(std::string_view question);

// Stems of words that say about the same: "remove" of "delete", "directory" of "folder". Without the stem itself.
const std::vector<std::string>& synonyms_of(const std::string& stem);

// Beside the words of a search, as they stand in texts: their other forms ("preserving"), what means about the same, and two of
// them written as one ("hardlinks" for "hard links"). None of the words themselves, each once.
std::vector<std::string> further_words(const std::vector<std::string>& words);

// Of words of asking and doing that name no subject: "explain", "use", "long".
bool is_plain_stem(const std::string& stem);
// The word, and its singular or plural: providers look for whole words.
std::vector<std::string> forms_of(std::string_view word);

}  // namespace holdfast::research
