#pragma once

// Addresses in a report that a model made up (threads-and-research §10, §15).
//
// An address is genuine when it is that of a source, when it stands in a source's text, or in the question. Any other is taken
// out, in whatever form it stands: bare, in angle brackets, as a link or a picture, by reference, in a footnote, in HTML, or
// alone between backticks. The words of a link stay; a link whose words are a number becomes a citation, and it is judged as one.
// Code is left alone. Pure.

#include "kinds/research/engine/evidence.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct CheckedLinks {
  std::string text;
  std::int64_t removed = 0;
};
CheckedLinks without_invented_links(std::string_view markdown, const std::vector<Source>& sources, std::string_view question);

}  // namespace holdfast::research
