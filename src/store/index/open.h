#pragma once

// Opens the text index of a folder: what session/text_index.h promises.

#include "session/text_index.h"

#include <memory>
#include <string>

namespace holdfast::store {

// Makes the folder when it is missing. The format is in docs/formats/index.md. Errors: io, refused.
Result<std::unique_ptr<session::TextIndex>> open_text_index(const std::string& folder);

}  // namespace holdfast::store
