#pragma once

// A file in the trash: one line of JSON about where it came from, then its bytes (state/trash/<id>).

#include "kinds/documents/files/spot.h"
#include "kinds/documents/files/trash.h"

#include <string>
#include <string_view>

namespace holdfast::documents {

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
