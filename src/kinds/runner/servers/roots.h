#pragma once

// The folders that the servers we drive are told about, and how they change (persistent-client §4).
//
// An ordered list that is replaced as a whole: a change is taken over entirely or not at all, and what equals the present is no
// change. Each version has a number; listeners learn of versions in order, outside of the lock, and may call back. Thread-safe.

#include "kinds/runner/servers/path_rules.h"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace holdfast::runner {

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

}  // namespace holdfast::runner
