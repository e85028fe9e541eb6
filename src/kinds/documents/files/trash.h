#pragma once

// What was deleted or refused, until a person empties it: files with where they came from.

#include "base/run/clock.h"
#include "kinds/documents/files/spot.h"

namespace holdfast::documents {

struct TrashedFile {
  std::string id;    // t_ and some characters
  std::string path;  // where it was, as shown
  std::string key;
  Millis time = 0;
  std::uint64_t size = 0;
};

// Of this library, newest first.
Result<std::vector<TrashedFile>> list_trash(Library& library);
// Back to where it was. Errors: not_found, conflict with code exists.
Result<Place> restore_from_trash(Library& library, std::string_view id, std::string_view who);

// A file in the trash: one line of JSON about where it came from, then its bytes (state/trash/<id>).
struct TrashFile {
  TrashedFile about;
  unsigned mode = 0;
  std::string bytes;
};

std::string make_trash_id();
std::string trash_folder(const Library& library);
std::string to_trash_bytes(const TrashFile& file);
// Errors: not_found, io, corrupt.
Result<TrashFile> read_trash_file(const Spot& spot);

}  // namespace holdfast::documents
