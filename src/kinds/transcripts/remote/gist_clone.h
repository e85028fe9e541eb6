#pragma once

// A gist as the git repository that it is: for files above 10 MB, which GitHub serves in no other way.

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::transcripts {

// A bare clone in a folder of its own below `folder`, removed at the end of its life. Nothing is checked out: no hook, filter or
// link of the repository does anything here. Blocking; needs git.
class GistClone {
 public:
  // Asked while git runs; false stops it. May be empty.
  using GoOn = std::function<bool()>;

  // Errors: invalid (not an http or https address), unavailable (no git, or it failed), timeout, cancelled, io.
  static Result<GistClone> make(const std::string& url, const std::string& folder, const GoOn& go_on);
  GistClone(GistClone&& other) noexcept;
  GistClone& operator=(GistClone&&) = delete;
  ~GistClone();

  // A file of the newest version. Errors: corrupt (not there), too_large, and the above.
  Result<std::string> read(const std::string& name, std::uint64_t max_bytes, const GoOn& go_on) const;

 private:
  explicit GistClone(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;  // empty: moved from
};

}  // namespace holdfast::transcripts
