#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/files/path_below.h"
#include "base/text/text.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/text/text_versions.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace holdfast::documents {
namespace {

std::unexpected<Error> not_text(const Place& place, std::string_view why) {
  return fail(ErrorKind::invalid, fmt::format("{} {}", place.path, why), "Only UTF-8 text can be read.", "not_text");
}

std::unexpected<Error> gone_meanwhile(const Place& place) {
  return fail(ErrorKind::not_found, fmt::format("there is no \"{}\" any more", place.path), "glob lists what there is.",
              "no_such_document");
}

// Why a file that was found could not be opened. A socket cannot be opened at all.
std::unexpected<Error> why_not_opened(const Fd& folder, const Place& place, Error error) {
  if (error.kind == ErrorKind::io) {
    const auto there = open_below(folder, place.relative, O_PATH | O_NOFOLLOW, 0, Links::refuse);
    struct stat status{};
    if (there && ::fstat(there->get(), &status) == 0 && !S_ISREG(status.st_mode)) return not_text(place, "is no regular file");
    return fail(std::move(error).within(place.path));
  }
  if (error.kind == ErrorKind::refused && ::faccessat(folder.get(), place.relative.c_str(), R_OK, AT_EACCESS) != 0 &&
      errno == EACCES)
    return fail(ErrorKind::refused, place.path + " may not be read by the user this program runs as", "", "path_denied");
  return gone_meanwhile(place);
}

}  // namespace

Result<FileState> read_document(Library& library, const Place& place, std::size_t max_bytes, TextVersions* known) {
  if (place.is_folder) return not_text(place, "is a folder");
  const Fd& folder = library.folder_of(place);
  // The place is resolved already: a link that stands there now was put there since, by somebody who may mean another file.
  const auto file = open_below(folder, place.relative, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0, Links::refuse);
  if (!file) return why_not_opened(folder, place, file.error());

  FileState state;
  for (int tries = 0; tries < kWriteTries; ++tries) {
    struct stat before{}, after{};
    if (::fstat(file->get(), &before) != 0) return fail(system_error(place.path, errno));
    if (!S_ISREG(before.st_mode)) return not_text(place, S_ISDIR(before.st_mode) ? "is a folder" : "is no regular file");
    if (::lseek(file->get(), 0, SEEK_SET) != 0) return fail(system_error(place.path, errno));
    auto bytes = read_all(file->get(), max_bytes);
    if (!bytes && bytes.error().kind == ErrorKind::too_large)
      return fail(ErrorKind::too_large, fmt::format("{} has {} bytes, more than {}", place.path, before.st_size, max_bytes),
                  "Use grep to look into it.");
    if (!bytes) return fail(std::move(bytes).error().within(place.path));
    if (::fstat(file->get(), &after) != 0) return fail(system_error(place.path, errno));
    stamp(state, after);
    state.bytes = *std::move(bytes);
    // Somebody wrote while we read: what we have may be half of both. When it goes on, the version will not fit later.
    if (same_stamp(before, after)) break;
  }
  if (state.bytes.contains('\0')) return not_text(place, "is not text: it has NUL bytes");
  if (!is_valid_utf8(state.bytes)) return not_text(place, "is not UTF-8");
  state.size = state.bytes.size();
  state.version = known != nullptr ? known->version_of(state.bytes) : to_hex(sha256(state.bytes));
  return state;
}

}  // namespace holdfast::documents
