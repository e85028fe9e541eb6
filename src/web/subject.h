#pragma once

// The session that a page is about, wherever it lives: found by its id, or a start of it that fits only one, among those that
// whoever asks may see.

#include "session/store.h"
#include "transcripts/keeper.h"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::web {

struct Subject {
  std::string id, kind, title;
  std::optional<session::SessionRecord> record;       // of the store
  std::optional<transcripts::AnySession> transcript;  // on disk
};

// keeper may be nullptr. Errors: not_found, ambiguous, those of the store.
Result<Subject> find_subject(session::Store& store, const transcripts::Keeper* keeper, const std::string& principal,
                             const std::string& id_or_prefix);

}  // namespace holdfast::web
