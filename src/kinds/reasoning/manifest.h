#pragma once

// The audit of a session: what was decided, done and believed, over the main chain and all branches. Built while thoughts pass by
// in the order they were written, so that a part read earlier need not be read again.

#include "kinds/reasoning/thought.h"
#include "session/store.h"

#include <map>
#include <optional>
#include <vector>

namespace holdfast::reasoning {

// A decision is expected to be followed by an action report within so many thoughts of its own chain.
inline constexpr int kActionWithin = 5;

class ManifestBuilder {
 public:
  void add(const Thought& thought);
  std::int64_t last_seq() const { return last_seq_; }  // of what has been added

  JsonObject manifest(std::string_view session_id, Millis now) const;

 private:
  struct Decision {
    std::int64_t number = 0;
    int remaining = kActionWithin;
  };
  struct Gap {
    std::string branch;
    std::int64_t number = 0;
  };

  std::int64_t last_seq_ = 0;
  std::map<std::string, std::int64_t, std::less<>> by_type_;
  std::map<std::string, std::int64_t, std::less<>> decisions_by_confidence_, confidence_;
  std::int64_t total_ = 0, actions_ = 0, successful_ = 0, reversible_ = 0, irreversible_ = 0, partial_ = 0, flips_ = 0;
  std::map<std::string, std::vector<Decision>, std::less<>> waiting_;  // by branch
  std::vector<Gap> gaps_;
};

// Adds the thoughts of a session that the builder has not seen.
Result<void> read_into(ManifestBuilder& builder, session::Reader& reader, std::string_view session_id);

// The manifest that was stored when the session was closed. nullopt: there is none, or something was thought since.
Result<std::optional<JsonObject>> stored_manifest(session::Reader& reader, const session::SessionRecord& record);
// A closed session shows what was stored, as it was stored; an open one what `seen`, which has read all of it, says now.
Result<JsonObject> shown_manifest(session::Reader& reader, const session::SessionRecord& record, const ManifestBuilder& seen,
                                  Millis now);

}  // namespace holdfast::reasoning
