#include "cli/services/handle_sweep.h"

#include "base/run/log.h"

namespace holdfast::cli {

void HandleSweep::start() {
  executor_.after(kEvery, [this] {
    pool_.submit([this] {
      if (auto swept = handles_.sweep(); !swept)
        log(LogLevel::warn, "cli", "sessions over documents do not expire for now: " + swept.error().message);
    });
    start();
  });
}

}  // namespace holdfast::cli
