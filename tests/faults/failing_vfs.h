#pragma once

// An SQLite VFS over the system's own that fails the n-th write, sync or truncation. For one test at a time.

#include <string>

namespace holdfast::faults {

enum class Failure { disk_full, write_error, sync_error };

// Registers the VFS once and returns its name.
std::string failing_vfs();

// From now on the n-th call that matches the failure (writes and truncations, or syncs) fails; with `sticky`
// all later ones fail as well, as on a disk that stays full.
void fail_call(int n, Failure failure, bool sticky);
// Works normally again; tells whether anything failed.
bool heal();

}  // namespace holdfast::faults
