#pragma once

// The name of a file for people and for JSON: what is not UTF-8 in it is written as \xff, so that it can be told and typed.

#include <string>
#include <string_view>

namespace holdfast::transcripts {

std::string shown_path(std::string_view path);

}  // namespace holdfast::transcripts
