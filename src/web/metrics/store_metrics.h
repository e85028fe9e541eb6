#pragma once

// How full the store is, and whether it can be used. Blocks.

#include "session/store.h"
#include "web/metrics/metrics_text.h"

namespace holdfast::web {

void add_store_metrics(MetricsText& metrics, session::Store& store);

}  // namespace holdfast::web
