#pragma once

// Pending changes that are not in the files themselves: what a reader of the accepted view sees instead of the bytes on disk.

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::documents {

class Overlay {
 public:
  virtual ~Overlay() = default;
  // The proposed bytes for a document (Place::key), when there are some and they were made for these bytes. Thread-safe; cheap
  // when there are none.
  virtual std::optional<std::string> proposed(std::string_view key, std::string_view disk_bytes) const = 0;
  // Whether there may be something for a document, whatever its bytes: what is remembered of it cannot be trusted then.
  // Thread-safe and fast: asked for every document of a library.
  virtual bool may_propose(std::string_view) const { return true; }
};

}  // namespace holdfast::documents
