#pragma once

// What an answer looks like, told by how the question is asked: "how long" wants a time, "which option" the name of an option,
// "which variable" a name in capitals. It says nothing about the subject; a sentence that looks like an answer goes before one
// that has the same words and does not. English. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct AnswerKind {
  bool number = false;      // "how many", "limit"
  bool time = false;        // "how long", "when does it expire"
  bool amount = false;      // "how large", "how much": bytes, percent
  bool option = false;      // "which option", "how do I": "--keep", "-k", `command`
  bool variable = false;    // "which environment variable": HOME_OF_IT
  bool place = false;       // "where", "which file": a path
  bool denial = false;      // "what happens if there is no": one that denies, too
  bool definition = false;  // "what is X", "what does X do": begins with X
};
AnswerKind answer_kind_of(std::string_view question);

// How many times more than another sentence this one is worth, by its looks alone: 1 and more. stems: of the sentence, in order;
// subject: of the question.
double looks_like(const AnswerKind& kind, std::string_view text, const std::vector<std::string>& stems,
                  const std::vector<std::string>& subject);

// Words of the question that are more than letters, as they stand: "--delete", "store.db", "/metrics", "accept-new", "30", "&".
std::vector<std::string> literals_of(std::string_view question);
// The text has it, and not as a part of something longer.
bool has_literal(std::string_view text, std::string_view literal);

}  // namespace holdfast::research
