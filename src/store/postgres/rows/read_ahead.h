#pragma once

// What a write is going to look at, guessed from what the last one that began with the same look has looked at: the thoughts of
// one connection read the row of the connection, then its session, then what it has seen there, and each would be a round trip.
//
// Without it a thought is five round trips instead of three: with half a millisecond between node and database, and 1.1 of their
// own time for a thought (docs/benchmarks.md), that is 3.6 instead of 2.6 ms before the disk.
//
// A guess costs a few small reads and locks when it is wrong, and never an answer. Any thread.

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::store::postgres {

// A session by its id, or a keyed value.
struct Look {
  std::string space;  // empty: a session
  std::string name;

  bool is_session() const { return space.empty(); }
  auto operator<=>(const Look&) const = default;
};

class ReadAhead {
 public:
  // What follows this look, most likely.
  std::vector<Look> after(const Look& first) const;
  // A write has looked at these, in this order.
  void learn(const std::vector<Look>& looks);

 private:
  mutable std::mutex mutex_;
  std::map<Look, std::vector<Look>> followers_;
};

}  // namespace holdfast::store::postgres
