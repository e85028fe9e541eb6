#pragma once

// What the kernel says of this process, under the names that every program uses for it.

#include "web/metrics/metrics_text.h"

namespace holdfast::web {

// Resident memory of this process in bytes; 0 when the kernel does not tell.
std::uint64_t resident_bytes();

void add_process_metrics(MetricsText& metrics, std::string_view version);

}  // namespace holdfast::web
