#pragma once

// What the parts of one open store share. Set before the store is used, constant afterwards.

#include "session/commit_meter.h"
#include "store/tables/tables.h"

#include <chrono>
#include <memory>
#include <string>

namespace holdfast::store {

struct Context : Rules {
  std::string path;
  std::string vfs;
  std::string secret;
  std::string store_id;
  // Why nothing may be written; empty when it may.
  std::string read_only_reason;
  int newer_format = 0;                         // that of a later version which has written it; 0: it is ours
  std::chrono::milliseconds patience{};         // how long a write waits for another process
  std::shared_ptr<session::CommitMeter> meter;  // null: nobody looks
};

}  // namespace holdfast::store
