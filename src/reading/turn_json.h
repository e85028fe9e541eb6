#pragma once

// Turns as JSON, for programs; and a filter over every text of a turn.

#include "reading/turn.h"

#include <functional>

namespace holdfast::reading {

JsonObject turn_json(const Turn& turn);
JsonObject heading_json(const Heading& heading);

// Replaces every text that the session holds: words, output, arguments at any depth (keys too), names. Not the bytes of images.
void filter_texts(Turn& turn, const std::function<std::string(std::string_view)>& filter);

}  // namespace holdfast::reading
