#pragma once

// What a person typed, out of the message of a `user` record (transcript-archive §1.4).

#include <string>
#include <string_view>

namespace holdfast::transcripts {

struct Prompt {
  enum class Kind {
    none,     // a tool's result, output of a command, words of the client
    command,  // a slash command; text is its name
    typed
  } kind = Kind::none;
  std::string text;  // on one line
};

// `message` is the JSON object as it stands in the record.
Prompt prompt_of_message(std::string_view message);
// Of the text alone.
Prompt prompt_of_text(std::string_view text);

// White space of any kind becomes one blank; fit for a list. At most `max_chars` characters.
std::string one_line(std::string_view text, std::size_t max_chars);

}  // namespace holdfast::transcripts
