#include "cli/services/expiry_sweep.h"

#include "base/run/log.h"
#include "session/life/expiry.h"

namespace holdfast::cli {

void ExpirySweep::start() {
  executor_.after(kEvery, [this] {
    pool_.submit([this] {
      if (auto removed = session::sweep_expired(store_); !removed)
        log(LogLevel::warn, "cli", "expired values stay for now: " + removed.error().message);
    });
    start();
  });
}

}  // namespace holdfast::cli
