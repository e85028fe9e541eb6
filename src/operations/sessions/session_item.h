#pragma once

// A session and its entries as results show them (design 8.4, threads-and-research §8).

#include "session/entry.h"
#include "session/life/retention.h"
#include "session/record.h"

namespace holdfast::operations {

// The fields every kind has, those that threads and research have beyond them, and `display`: one line for a person.
JsonObject session_item(const session::SessionRecord& record, Millis now, const session::RetentionPolicy& policy);
JsonObject entry_item(const session::Entry& entry);

}  // namespace holdfast::operations
