#pragma once

// The folders that the servers we drive are told about, and how they change (persistent-client §4).
//
// An ordered list that is replaced as a whole: a change is taken over entirely or not at all, and what equals the present is no
// change. Each version has a number; listeners learn of versions in order, outside of the lock, and may call back. Thread-safe.

#include "base/json/json.h"
#include "base/result.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

// Which folders may be given to a server as roots (persistent-client §9).
//
// Roots bind no server: this is the check on our own side. A folder is judged by the name it was given and by the one it resolves
// to, component by component ("/etcetera" is not "/etc"), and by what it is now: whoever keeps a folder compares device and inode
// before each use.
struct PathRules {
  std::string home;          // of the user who runs us; absolute, or empty
  std::string state_folder;  // our own; absolute, or empty
  std::string base;          // relative names begin here; absolute
  bool allow_root = false;   // "/" itself
  bool allow_home = false;   // the home folder itself where it is a place of the system (/root)
};

struct JudgedFolder {
  std::string path;  // real: no links, no trailing slash
  std::uint64_t device = 0, inode = 0;
  std::vector<std::string> warnings;  // what a person should know once
};

// given: a path, "~", "~/x", a relative name, or a file:// URI (no or "localhost" as host; no query, fragment, %00, %2F).
// Errors: invalid with code bad_path; refused with code root_denied, system_path or private_path; not_found with code missing;
// refused with code not_a_directory or not_accessible.
Result<JudgedFolder> judge_folder(std::string_view given, const PathRules& rules);

// The name that was given as an absolute path; nothing on disk is looked at, nothing is judged. Errors: invalid (bad_path).
Result<std::string> absolute_folder(std::string_view given, const PathRules& rules);

// An absolute path without "." and "..", links followed as far as there is anything.
std::string real_as_far_as_possible(const std::string& path);

// Why nothing at or below this place may be used, by a name without "." and ".."; nothing: it may.
std::optional<Error> forbidden_place(std::string_view path, const PathRules& rules);

// Whether the folder is still the one that was judged.
bool is_still_there(const JudgedFolder& folder);

inline constexpr std::size_t kMaxRoots = 256;  // servers apply long lists slowly (§1)

struct Root {
  JudgedFolder folder;
  std::string uri;      // every byte outside the unreserved ones escaped: an unescaped URI grants another folder (§2.5)
  std::string name;     // for people; valid UTF-8
  bool nested = false;  // below another root of the list
};

struct RootsSnapshot {
  std::vector<Root> roots;
  std::uint64_t generation = 0;
};
using RootsView = std::shared_ptr<const RootsSnapshot>;

struct RootsEvent {
  enum class What { changed, unavailable, restored } what = What::changed;
  RootsView roots;
  std::string path;  // of the one that went or came back
};

class Roots {
 public:
  struct Wanted {
    std::string folder;               // any form of judge_folder
    std::optional<std::string> name;  // absent: the last component
  };
  using Listener = std::function<void(const RootsEvent&)>;

  explicit Roots(PathRules rules);

  // Errors: those of judge_folder, with the index of the entry in front where there are several; invalid (too many). Nothing has
  // changed then.
  Result<RootsView> set(const std::vector<Wanted>& wanted);
  Result<RootsView> add(const Wanted& wanted);
  // By any form that leads to it, also when it is gone from disk. Errors: not_found.
  Result<RootsView> remove(std::string_view folder);
  Result<RootsView> clear();
  // Back to an earlier version, as a new one, without judging it again.
  RootsView put_back(const RootsView& earlier);

  RootsView snapshot() const;
  std::uint64_t generation() const { return snapshot()->generation; }
  const PathRules& rules() const { return rules_; }

  // What can be told to a server now: without folders that have gone or been swapped; listeners hear of those that went and came
  // back. An empty answer must not be sent: it revokes nothing (§2.4).
  std::vector<Root> available();

  std::uint64_t subscribe(Listener listener);
  void unsubscribe(std::uint64_t token);

 private:
  RootsView publish(std::vector<Root> roots, std::unique_lock<std::mutex>& lock);
  void deliver(std::unique_lock<std::mutex>& lock);

  const PathRules rules_;
  mutable std::mutex mutex_;
  RootsView current_;
  std::vector<std::string> missing_;  // paths of roots that were not there at the last look
  std::deque<RootsEvent> undelivered_;
  bool delivering_ = false;
  std::vector<std::pair<std::uint64_t, Listener>> listeners_;
  std::uint64_t next_token_ = 1;
};

// The `roots` of a roots/list answer.
std::string folder_uri(std::string_view path);

// Keeps what a model calls tools with out of places that stay closed (persistent-client §9): a folder that is given to a server
// may contain one that never would be, as the home folder contains keys.
//
// This looks at what a call names. What a tool finds by itself, below a folder that it may use, it finds: roots bind no server,
// and neither does this.

// Looks at every text in the arguments that may be a path: absolute, "~", a file:// URI, or relative to one of the roots.
// Refused with code blocked_path: keys and our own data anywhere; places of the system below one of the roots.
std::optional<Error> blocked_argument(const JsonObject& arguments, const RootsSnapshot& roots, const PathRules& rules);

}  // namespace holdfast::runner
