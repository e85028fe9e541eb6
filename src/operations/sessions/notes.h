#pragma once

// The remarks on a session, for what shows one.

#include "session/store.h"

namespace holdfast::operations {

// {id, text, by, at}, oldest first. The session exists for who asks: whoever calls this has found it.
Result<JsonArray> notes_of(session::Reader& reader, std::string_view session);

}  // namespace holdfast::operations
