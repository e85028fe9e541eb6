#pragma once

// Which projects the call that runs on this thread may see.
//
// A fence is a property of a call, not of the store and not of an object: the server works for many callers at once, each call on
// one thread of the pool. So whoever begins a call sets the fence of that thread for as long as the call runs, and FencedStore
// (fenced_store.h) looks at it. A thread without one sees everything: sweeps, indexes, the command line. Work that a call leaves
// to other threads has to take the fence along (current_fence).
//
// Fences nest; the innermost holds. A scope belongs to the thread that made it.

#include "session/record.h"

#include <string>
#include <vector>

namespace holdfast::session {

// Root URIs; empty: no fence.
using Fence = std::vector<std::string>;

// Valid as long as the scope that set it.
const Fence& current_fence();

class FenceScope {
 public:
  explicit FenceScope(const Fence& fence);  // outlives the scope
  ~FenceScope();
  FenceScope(const FenceScope&) = delete;
  FenceScope& operator=(const FenceScope&) = delete;

 private:
  const Fence* before_;
};

// Where a session is found: its own root and those it is linked to.
std::vector<std::string> roots_of(const SessionRecord& record);
// Whether it stands in one of the fence's projects; without a fence everything does.
bool is_inside(const Fence& fence, const SessionRecord& record);

}  // namespace holdfast::session
