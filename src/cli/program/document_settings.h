#pragma once

// The settings of documents under review (docs/documents.md), for servers and commands alike.

#include "base/run/clock.h"
#include "cli/program/context.h"
#include "kinds/documents/files/library.h"

#include <string_view>

namespace holdfast::cli {

// Folders are those that documents.roots names; it may be none. Errors: invalid (a word that means nothing, two folders of one
// name), not_found (a folder is not there).
Result<documents::LibrarySettings> library_settings(const Context& context);
Millis handle_ttl(const Settings& settings);

// DIR, which is called as its last part, or NAME=DIR. Errors: not_found, invalid (a name that cannot be the first part of a
// path).
Result<documents::LibraryFolder> read_folder(std::string_view word);

}  // namespace holdfast::cli
