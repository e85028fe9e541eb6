#pragma once

// A name in an open folder of the library: where a file is, or where it will be. Everything that is changed is changed through
// one, so a folder that somebody swaps for a link meanwhile leads nowhere.

#include "base/files/fd.h"
#include "kinds/documents/files/library.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::documents {

struct Spot {
  Fd folder;  // can be synced
  std::string name;
};

// key: absolute, in the library; its last segment may be hidden (a temporary file). Errors: not_found (no such folder), refused.
Result<Spot> open_spot(Library& library, std::string_view key);

// What stands there, links not followed; nothing when nothing does.
std::optional<struct stat> look_at(const Spot& spot);
inline bool is_free(const Spot& spot) {
  return !look_at(spot) && errno == ENOENT;
}

// Hex SHA-256 of the regular file there; "" for everything that has none: nothing there, no file, no document because of its
// size. One that cannot be read is an error.
Result<std::string> version_at(const Spot& spot);
// Whether the regular file there has these bytes and no others. One that cannot be read is an error.
Result<bool> has_bytes(const Spot& spot, std::string_view bytes);

// Renames, but never over something. Errors: conflict with code exists, not_found, io. `what` is for people.
Result<void> rename_to_free(const Spot& from, const Spot& to, std::string_view what);
// Both are there afterwards, each under the other's name. False: this file system cannot.
Result<bool> exchange(const Spot& a, const Spot& b, std::string_view what);

Result<void> sync_spot_folder(const Spot& spot);
// Whether nothing is there any more.
bool remove_at(const Spot& spot);

}  // namespace holdfast::documents
