#pragma once

// What lies around without a transcript that it belongs to, and lists of transcripts that are gone. Names are read, and of flat
// subagents the first record; nothing here is an error: the client leaves such things behind when it cleans up.

#include "kinds/transcripts/home/find.h"

namespace holdfast::transcripts {

// Paths below the home, in the order of areas: session folders and flat subagents of these project folders, and (when
// `everywhere`) tasks, file history, environment, todos and debug logs. Empty folders are not worth naming.
Result<std::vector<std::string>> find_orphans(const Home& home, const std::vector<std::string>& project_folders, bool everywhere);

// "projects/<enc>/sessions-index.json lists 3 sessions without a transcript"; nullopt: it is right, or not there.
Result<std::optional<std::string>> stale_index(const Home& home, const std::string& project_folder);

}  // namespace holdfast::transcripts
