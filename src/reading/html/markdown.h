#pragma once

// Markdown that a model or a person wrote, as HTML.
//
// Raw HTML in it stays text. Links lead to http, https, mailto and places on this page; an address of any other kind is shown as
// text. Nothing is fetched: an image becomes a link that says so. The result consists of these elements alone: p h3 h4 h5 h6 ul
// ol li blockquote pre code table thead tbody tr th td em strong del a br hr input (a task's disabled box).

#include "reading/html/html.h"

#include <string_view>

namespace holdfast::reading {

// Longer texts are shown as they are: nobody formats a quarter of a megabyte for reading, and a parser of strangers' input gets
// no chance to be slow.
inline constexpr std::size_t kMarkdownBytes = 256 * 1024;
// Lists in lists in quotes; browsers and people lose track long before.
inline constexpr std::size_t kMarkdownDepth = 64;

inline constexpr unsigned kTurnHeading = 4;  // below the heading of a turn, which is an h3

// Any bytes. What is nested too deeply, or makes far more markup than it has text, is shown as it stands. `top_heading`: what the
// outermost heading becomes, 3 to 6.
void write_markdown(Html& html, std::string_view text, unsigned top_heading = kTurnHeading);

// The address as it may be linked to; empty when it may not.
std::string_view safe_address(std::string_view address);

}  // namespace holdfast::reading
