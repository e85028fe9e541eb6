#pragma once

// Pending changes that a file cannot carry itself (document-review §7): edits of kinds without markup, new files of such kinds,
// and deletions of any. Each is a file of the state folder, found again by its document's key, and holds for exactly the bytes it
// was made for: when the document has changed since, it is stale and is never applied.
//
// Thread-safe, also beside other processes. At most one edit is pending for a document: a further one takes its place.

#include "base/run/clock.h"
#include "kinds/documents/files/library.h"
#include "kinds/documents/workspace/overlay.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::documents {

struct Proposal {
  enum class Kind { edit, create, remove } kind = Kind::edit;
  std::string id;   // p_ and some characters
  std::string key;  // Place::key
  std::string base_version;
  std::string bytes;  // what shall stand there
  std::string author, label;
  Millis time = 0;
  std::vector<std::string> comments;  // of reviewers, "name: text"
};
std::string_view name_of(Proposal::Kind kind);
std::string make_proposal_id();

class Proposals {
 public:
  explicit Proposals(const LibrarySettings& settings) : folder_(settings.state_folder + "/proposals") {}

  // Writes it, and removes the pending edit of the same document that it takes the place of.
  Result<void> keep(const Proposal& proposal) const;
  Result<void> drop(const Proposal& proposal) const;
  // Of one document; all. Damaged ones are left out.
  Result<std::vector<Proposal>> of(std::string_view key) const;
  Result<std::vector<Proposal>> all() const;

  // They go along when documents move: old key, new key.
  Result<void> note_moved(const std::vector<std::pair<std::string, std::string>>& keys) const;

  // What is pending at this moment, for reading many documents: those without a proposal cost a look into memory.
  Result<std::unique_ptr<Overlay>> overlay() const;

 private:
  std::string file_of(const Proposal& proposal) const;
  Result<std::vector<std::string>> names(std::string_view prefix) const;
  std::string folder_;
};

}  // namespace holdfast::documents
