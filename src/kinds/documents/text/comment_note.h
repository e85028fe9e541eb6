#pragma once

// The text of a comment. In the document it stands on one line: a line break is \n and a backslash is doubled, the convention of
// editors (document-review §6.5).

#include <string>
#include <string_view>

namespace holdfast::documents {

// As a person typed it. Other backslashes stay: not everybody who writes comments knows the convention.
std::string unescape_note(std::string_view note);

}  // namespace holdfast::documents
