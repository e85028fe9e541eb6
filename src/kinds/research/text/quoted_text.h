#pragma once

// Text of others inside a report.
//
// A report is markdown, and clients show it as such: a title or a sentence from a document must not become a picture that is
// fetched, a link, markup, or a reference to a source of ours. What stands between backticks is shown as it is by markdown
// itself and stays as it is. Shown, the text is still word for word that of its source. Pure.

#include <string>
#include <string_view>

namespace holdfast::research {

enum class Brackets { numbers, all };

// numbers: only brackets that could be read as a citation or belong to a picture are taken for text; links of a sentence stay.
std::string as_quoted(std::string_view text, Brackets brackets);

}  // namespace holdfast::research
