#pragma once

// How turns look: one sheet for the exported file and for the page. Colours are variables that a page may set; without it they
// follow the reader's system, light or dark.

#include "reading/html/html.h"

namespace holdfast::reading {

Markup turn_style();    // of what html_turns.h writes
Markup export_style();  // of the file around it

}  // namespace holdfast::reading
