#pragma once

// Handles: the `session_id` a model passes, and what it stands for (document-review §3).
//
// A handle is `s_` and 26 characters of base32 (130 random bits). The store keeps only its hash, bound to the principal; the
// session's record (kind `document`, id `doc-` + 8) is its public label. Reading is remembered per handle and document, across
// restarts and moves.
//
// Errors: session_required, session_unknown (also another principal's), session_expired; each says what to do next.

#include "documents/library.h"
#include "session/store.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

inline constexpr Millis kHandleTtl = 7LL * 86'400'000;

struct Opened {
  std::string handle;  // only when it was minted by this call
  std::string label;   // doc-…
  std::string author;  // "AI", "dev's AI"
  session::SessionRecord record;
};

struct ReadRecord {
  std::string version;
  std::int64_t first_line = 0, last_line = 0;
  Millis time = 0;
};

class Handles {
 public:
  Handles(session::Store& store, Millis ttl = kHandleTtl) : store_(store), ttl_(ttl) {}

  // name: the person the model works for; resume: a label, whose old handle dies.
  Result<Opened> create(std::string_view principal, std::string_view client, std::string_view name, std::string_view model,
                        std::string_view resume);
  // Checks and refreshes it.
  Result<Opened> open(std::string_view principal, std::string_view handle);
  Result<void> end(std::string_view principal, std::string_view handle);

  Result<void> note_read(const Opened& opened, const Place& place, const ReadRecord& read);
  Result<std::optional<ReadRecord>> last_read(const Opened& opened, const Place& place);
  // What was read stays read when a document moves; forgotten when another takes its place.
  Result<void> note_moved(const std::vector<std::pair<std::string, std::string>>& paths);
  Result<void> forget_path(std::string_view path);
  // A line of the session's log: proposed, withdrawn, decided.
  Result<void> note(const Opened& opened, std::string_view type, std::string_view text, const JsonObject& data);

 private:
  session::Store& store_;
  Millis ttl_;
};

}  // namespace holdfast::documents
