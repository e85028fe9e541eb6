#pragma once

// archive and restore of a session that is kept in the store (design 8.24).

#include "operations/context.h"
#include "operations/operation.h"

namespace holdfast::operations {

// Errors: invalid (a remote place), conflict (the file exists).
Result<Facts> archive_of_store(Context& context, const Given& given, const session::SessionRecord& record,
                               const std::string& path);
// Whether the file holds such an archive; looks at its beginning, compressed or not.
Result<bool> is_archive_of_store(const Fd& file);
Result<Facts> restore_to_store(Context& context, const Given& given, const Fd& file, const std::string& origin);

}  // namespace holdfast::operations
