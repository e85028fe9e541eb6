#pragma once

// A session as one text: for people (markdown), for programs (json), for a model with little room (cipher). Every format holds
// every branch, and nothing in a session can make an export fail (X1-X4).

#include "kinds/reasoning/read/read.h"

namespace holdfast::reasoning {

struct ExportOptions {
  std::string format = "markdown";  // markdown, json, cipher
  bool include_metadata = true;
  bool resolve_anchors = true;
};

// Errors: invalid_argument (an unknown format), those of the store.
Result<std::string> export_session(session::Reader& reader, const session::SessionRecord& record, const ExportOptions& options,
                                   Millis now);

}  // namespace holdfast::reasoning
