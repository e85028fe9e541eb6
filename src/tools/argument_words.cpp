#include "tools/argument_words.h"

#include <array>

namespace holdfast::tools {

namespace {

struct Words {
  std::string_view option, argument;
};

// Longer ones before those they contain.
constexpr std::array kWords = {
    Words{"--delete-cross-session-artifacts or --no-delete-cross-session-artifacts",
          "delete_cross_session_artifacts true or false"},
    Words{"leave the flag for cross-session artifacts out", "leave delete_cross_session_artifacts out"},
    Words{"--force", "force"},
    Words{"--terminate", "terminate_running"},
    Words{"--dry-run", "dry_run"},
    Words{"--target-project", "target_project"},
    Words{"--source-project", "source_project"},
    Words{"--format json|zst", "format json or zst"},
    Words{", or give --gist-token", " where the server runs"},
};

}  // namespace

std::string in_words_of_arguments(std::string text) {
  for (const Words& words : kWords)
    for (std::size_t at = text.find(words.option); at != text.npos; at = text.find(words.option, at + words.argument.size()))
      text.replace(at, words.option.size(), words.argument);
  return text;
}

void put_in_words_of_arguments(Error& error) {
  error.message = in_words_of_arguments(std::move(error.message));
  error.hint = in_words_of_arguments(std::move(error.hint));
}

void put_in_words_of_arguments(JsonObject& result) {
  const auto warnings = result.find("warnings");
  if (warnings == result.end() || !warnings->value().is_array()) return;
  for (Json& warning : warnings->value().get_array())
    if (warning.is_string()) warning = in_words_of_arguments(std::string(warning.get_string()));
}

}  // namespace holdfast::tools
