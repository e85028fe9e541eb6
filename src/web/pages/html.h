#pragma once

// The HTML writer, for pages: it belongs to the room that renders sessions (reading/html/html.h).

#include "reading/html/html.h"

namespace holdfast::web {

using reading::escape_html;
using reading::Html;
using reading::Markup;

}  // namespace holdfast::web
