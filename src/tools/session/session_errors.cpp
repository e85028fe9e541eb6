#include "tools/session/session_errors.h"

#include "session/kinds.h"

namespace holdfast::tools {

Error in_words_of(std::string_view kind, Error error) {
  if (error.code == "VALIDATION_ERROR") error.code = "invalid_argument";  // the tool's own word, for every kind
  const bool own = kind == session::kThread || kind == session::kResearch;
  if (own && error.code == "gone") error.code = "GONE";
  if (!own && (error.code == "INVALID_STATE_TRANSITION" || error.code == "DELETED")) error.code.clear();
  return error;
}

}  // namespace holdfast::tools
