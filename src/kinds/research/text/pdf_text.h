#pragma once

// The text of a PDF, by poppler's pdftotext, when this machine has it.

#include "base/result.h"

#include <string>
#include <string_view>

namespace holdfast::research {

bool is_pdf(std::string_view bytes);
// In PATH. It may come and go while we run.
bool has_pdftotext();
// The file reaches the program on its standard input, and the program ends in time or is ended. Errors: not_found (there is no
// pdftotext), corrupt (it cannot read this), timeout, too_large.
Result<std::string> text_of_pdf(std::string bytes);

}  // namespace holdfast::research
