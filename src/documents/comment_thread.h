#pragma once

// What people say about a change: the comments directly behind it in the document (document-review §6.5).

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// A note as it was typed: in the document a line break is \n and a backslash is doubled.
std::string unescape_note(std::string_view note);

// "who: what", oldest first; those without a time in the order of the document, in front. None when there is no such change.
std::vector<std::string> comments_behind(std::string_view raw, std::string_view change_id);

}  // namespace holdfast::documents
