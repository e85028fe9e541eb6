#include "base/crypto/hash.h"
#include "base/files/lock_range.h"
#include "kinds/documents/files/document_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace holdfast::documents {
namespace {

// The kernel cannot wait for a lock with an end in sight, so it is tried again: at once for who holds it shortly, then seldom.
constexpr std::chrono::microseconds kFirstPause{100}, kLongestPause{10'000};

std::string lock_path(Library& library, std::string_view key) {
  return library.settings().state_folder + "/locks/" + to_hex(sha256(key)).substr(0, 32);
}

}  // namespace

Result<DocumentLock> DocumentLock::take(Library& library, std::string_view key) {
  const std::string path = lock_path(library, key);
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  auto pause = kFirstPause;
  for (;;) {
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return fail(system_error("lock " + std::string(key), errno));
    HF_TRY(const bool locked, try_lock_range(file, 0, Sharing::exclusive));
    if (locked && still_named(file, path)) return DocumentLock(std::move(file));
    if (locked) continue;  // recover_library swept it away
    if (std::chrono::steady_clock::now() >= give_up) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  const auto place = library.place_of(key);
  return fail(ErrorKind::unavailable, (place ? place->path : std::string(key)) + " is being changed by somebody else",
              "Try again in a moment.");
}

Result<std::vector<DocumentLock>> DocumentLock::take_all(Library& library, const std::set<std::string>& keys) {
  std::vector<DocumentLock> locks;
  for (const std::string& key : keys) {
    HF_TRY(DocumentLock lock, take(library, key));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace holdfast::documents
