#include "kinds/documents/files/spot.h"

#include "base/crypto/hash.h"
#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/path_name.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace holdfast::documents {
namespace {

constexpr std::size_t kReadStep = 256 * 1024;

// None for everything that has no bytes: nothing there, a link, a folder, something special.
Result<Fd> open_regular(const Spot& spot) {
  Fd file(::openat(spot.folder.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // ELOOP: a link; ENXIO: a socket.
  if (!file && (errno == ENOENT || errno == ELOOP || errno == ENXIO)) return Fd();
  if (!file) return fail(system_error(spot.name, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error(spot.name, errno));
  return S_ISREG(status.st_mode) ? std::move(file) : Fd();
}

// Piece by piece, as long as `take` answers true.
template <class Take>
Result<void> read_steps(const Fd& file, const Spot& spot, Take&& take) {
  const auto piece = std::make_unique_for_overwrite<char[]>(kReadStep);
  while (true) {
    const ssize_t got = ::read(file.get(), piece.get(), kReadStep);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(spot.name, errno));
    if (got == 0 || !take(std::string_view(piece.get(), static_cast<std::size_t>(got)))) return {};
  }
}

}  // namespace

Result<Spot> open_spot(Library& library, std::string_view key) {
  const auto parent = library.place_of(parent_of(key));
  if (!parent) return fail(ErrorKind::not_found, std::string(key) + " is not in the library");
  Spot spot;
  HF_TRY(spot.folder, open_below(library.folder_of(*parent), parent->relative.empty() ? "." : parent->relative,
                                 O_RDONLY | O_DIRECTORY, 0, Links::refuse));
  spot.name = name_of_path(key);
  return spot;
}

std::optional<struct stat> look_at(const Spot& spot) {
  struct stat status{};
  if (::fstatat(spot.folder.get(), spot.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return status;
}

Result<std::string> version_at(const Spot& spot) {
  HF_TRY(const Fd file, open_regular(spot));
  if (!file) return "";
  Sha256 hash;
  std::size_t total = 0;
  HF_CHECK(read_steps(file, spot, [&](std::string_view bytes) {
    hash.add(bytes);
    total += bytes.size();
    return total <= kMaxDocumentBytes;
  }));
  return total <= kMaxDocumentBytes ? to_hex(hash.finish()) : "";
}

Result<bool> has_bytes(const Spot& spot, std::string_view bytes) {
  HF_TRY(const Fd file, open_regular(spot));
  if (!file) return false;
  bool same = true;
  HF_CHECK(read_steps(file, spot, [&](std::string_view read) {
    same = bytes.starts_with(read);
    if (same) bytes.remove_prefix(read.size());
    return same;
  }));
  return same && bytes.empty();
}

Result<void> rename_to_free(const Spot& from, const Spot& to, std::string_view what) {
  const int problem = rename_new(from.folder.get(), from.name, to.folder.get(), to.name);
  if (problem == 0) return {};
  if (problem == EEXIST) return fail(ErrorKind::conflict, std::string(what) + " is there already", "", "exists");
  if (problem == EXDEV) return fail(ErrorKind::refused, std::string(what) + " would be on another file system");
  if (problem == EINVAL) return fail(ErrorKind::invalid, std::string(what) + " cannot be moved there", "", "bad_argument");
  return fail(system_error(what, problem));
}

Result<bool> exchange(const Spot& a, const Spot& b, std::string_view what) {
  if (::renameat2(a.folder.get(), a.name.c_str(), b.folder.get(), b.name.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) return false;
  return fail(system_error(what, errno));
}

Result<void> sync_spot_folder(const Spot& spot) {
  return sync_open_folder(spot.folder.get(), "the folder of " + spot.name);
}

bool remove_at(const Spot& spot) {
  return ::unlinkat(spot.folder.get(), spot.name.c_str(), 0) == 0 || errno == ENOENT;
}

}  // namespace holdfast::documents
