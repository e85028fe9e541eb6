#pragma once

// New message uuids for old ones (transcript-archive §5, --fresh-uuids).

#include <string>
#include <string_view>

namespace holdfast::transcripts {

// The uuid that `old_uuid` gets in the session `new_session`: a UUIDv4 by its looks, a keyed hash by its making. So every file of
// a copy arrives at the same new uuid, in any order, without a table that would grow with the session.
std::string fresh_uuid(std::string_view new_session, std::string_view old_uuid);

}  // namespace holdfast::transcripts
