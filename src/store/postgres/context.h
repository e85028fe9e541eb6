#pragma once

// What the parts of one open PostgreSQL store share. Set before the store is used, constant afterwards.

#include "session/commit_meter.h"
#include "store/tables/rules.h"

#include <memory>
#include <string>

namespace holdfast::store::postgres {

struct Context : Rules {
  std::string shown;  // the address for people
  std::string schema;
  std::string secret;
  std::string store_id;
  std::string channel;  // of notifications
  // Why nothing may be written; empty when it may.
  std::string read_only_reason;
  std::shared_ptr<session::CommitMeter> meter;  // null: nobody looks
};

}  // namespace holdfast::store::postgres
