#pragma once

// A session of the store, opened to be read: its entries, each made a turn by the room that knows what they mean.
//
// Called from pool threads, one at a time. The store must outlive it.

#include "reading/reading.h"
#include "session/store.h"

#include <map>
#include <string>

namespace holdfast::reading {

// A turn of an entry; nullopt when there is nothing in it for people. Sets role, parts and what the kind knows; line, time,
// author, lane and damage are filled in by entry_turn before it is called.
using TurnOfEntry = std::function<bool(const session::Entry& entry, const ReadLimits& limits, Turn& turn)>;
// By kind. A kind that is not there is shown as its entries' text and data.
using EntryKinds = std::map<std::string, TurnOfEntry, std::less<>>;

std::unique_ptr<Reading> open_entries(session::Reader& reader, const session::SessionRecord& record, const EntryKinds& kinds);

// For producers: adds a part with the text, cut; empty texts too.
Part& add_part(Turn& turn, Part::Kind kind, std::string_view text, const ReadLimits& limits);
// The entry's data; empty when it is no object.
JsonObject data_of_entry(const session::Entry& entry);

}  // namespace holdfast::reading
