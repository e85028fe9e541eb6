#include "failing_vfs.h"

#include <sqlite3.h>

#include <atomic>
#include <cstring>

namespace holdfast::faults {

namespace {

std::atomic<int> calls_left = 0;  // 0: healthy
std::atomic<bool> keep_failing = false;
std::atomic<bool> has_failed = false;
std::atomic<Failure> what = Failure::disk_full;

bool strikes(bool is_sync) {
  if ((what == Failure::sync_error) != is_sync) return false;
  if (has_failed) return keep_failing;
  if (calls_left == 0 || --calls_left > 0) return false;
  has_failed = true;
  return true;
}

// The system's file lies behind this one, in the same allocation.
struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* self(sqlite3_file* file) {
  return reinterpret_cast<File*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
  return self(file)->real();
}
const sqlite3_io_methods& methods(sqlite3_file* file) {
  return *real(file)->pMethods;
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (strikes(false)) {
    // Half of it arrives, as it does when a disk fills up.
    static_cast<void>(methods(file).xWrite(real(file), bytes, size / 2, offset));
    return what == Failure::disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  return methods(file).xWrite(real(file), bytes, size, offset);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (strikes(false)) return SQLITE_IOERR_TRUNCATE;
  return methods(file).xTruncate(real(file), size);
}
int sync(sqlite3_file* file, int flags) {
  if (strikes(true)) return SQLITE_IOERR_FSYNC;
  return methods(file).xSync(real(file), flags);
}

const sqlite3_io_methods kMethods = {
    3,
    [](sqlite3_file* f) { return methods(f).xClose(real(f)); },
    [](sqlite3_file* f, void* bytes, int size, sqlite3_int64 offset) { return methods(f).xRead(real(f), bytes, size, offset); },
    write,
    truncate,
    sync,
    [](sqlite3_file* f, sqlite3_int64* size) { return methods(f).xFileSize(real(f), size); },
    [](sqlite3_file* f, int level) { return methods(f).xLock(real(f), level); },
    [](sqlite3_file* f, int level) { return methods(f).xUnlock(real(f), level); },
    [](sqlite3_file* f, int* held) { return methods(f).xCheckReservedLock(real(f), held); },
    [](sqlite3_file* f, int op, void* argument) { return methods(f).xFileControl(real(f), op, argument); },
    [](sqlite3_file* f) { return methods(f).xSectorSize(real(f)); },
    [](sqlite3_file* f) { return methods(f).xDeviceCharacteristics(real(f)); },
    [](sqlite3_file* f, int page, int size, int extend, void volatile** memory) {
      return methods(f).xShmMap(real(f), page, size, extend, memory);
    },
    [](sqlite3_file* f, int offset, int count, int flags) { return methods(f).xShmLock(real(f), offset, count, flags); },
    [](sqlite3_file* f) { methods(f).xShmBarrier(real(f)); },
    [](sqlite3_file* f, int remove) { return methods(f).xShmUnmap(real(f), remove); },
    [](sqlite3_file* f, sqlite3_int64 offset, int size, void** memory) {
      return methods(f).xFetch(real(f), offset, size, memory);
    },
    [](sqlite3_file* f, sqlite3_int64 offset, void* memory) { return methods(f).xUnfetch(real(f), offset, memory); },
};

sqlite3_vfs* system_vfs = nullptr;

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  const int code = system_vfs->xOpen(system_vfs, name, real(file), flags, out_flags);
  if (real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

}  // namespace

std::string failing_vfs() {
  static sqlite3_vfs vfs = [] {
    system_vfs = sqlite3_vfs_find(nullptr);
    sqlite3_vfs copy = *system_vfs;
    copy.zName = "failing";
    copy.szOsFile += static_cast<int>(sizeof(File));
    copy.xOpen = open;
    copy.pNext = nullptr;
    return copy;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : "";
}

void fail_call(int n, Failure failure, bool sticky) {
  what = failure;
  keep_failing = sticky;
  has_failed = false;
  calls_left = n;
}

bool heal() {
  calls_left = 0;
  keep_failing = false;
  return has_failed.exchange(false);
}

}  // namespace holdfast::faults
