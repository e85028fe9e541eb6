#pragma once

// What the formats of an export share. Internal to export*.cpp.

#include "reading/export.h"

namespace holdfast::reading {

Result<Exported> export_html(Reading& reading, const ExportOptions& options, const ExportSink& sink);

// Every turn, its texts filtered.
Result<void> each_exported(Reading& reading, const ExportOptions& options, const std::function<Result<void>(Turn&)>& take);
Heading filtered_heading(const Heading& heading, const ExportOptions& options);

}  // namespace holdfast::reading
