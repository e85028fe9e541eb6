#pragma once

// Text of strangers, made to look like what it is.
//
// Terminals and browsers act on characters that nobody sees: escape sequences move the cursor, bidirectional overrides turn
// "exe.gpj" around, zero-width characters hide words from a search. In here sequences for terminals are taken out, and every
// other invisible character is spelled: a control as its picture (␀), the rest as ⟨U+202E⟩. Tabs and line ends stay; a CR is a
// line end, as progress bars use it. Joiners that emoji and scripts need stay, too.

#include <string>
#include <string_view>

namespace holdfast::reading {

// Any bytes; the result is valid UTF-8 and may be longer.
std::string visible_text(std::string_view text);
// On one line, white space folded, at most so many characters.
std::string visible_line(std::string_view text, std::size_t max_chars);

}  // namespace holdfast::reading
