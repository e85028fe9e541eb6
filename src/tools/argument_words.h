#pragma once

// What is said about options of the command line, said about arguments of a tool.
//
// The rules over transcripts name the options that decide ("needs --force"), because most people meet them there. A caller of a
// tool has arguments instead.

#include "base/error.h"
#include "base/json/json.h"

namespace holdfast::tools {

std::string in_words_of_arguments(std::string text);
void put_in_words_of_arguments(Error& error);
// The texts of `warnings`.
void put_in_words_of_arguments(JsonObject& result);

}  // namespace holdfast::tools
