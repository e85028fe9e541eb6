#include "session/fence.h"

#include <algorithm>

namespace holdfast::session {

namespace {

thread_local const Fence* here = nullptr;

}  // namespace

const Fence& current_fence() {
  static const Fence kNone;
  return here ? *here : kNone;
}

FenceScope::FenceScope(const Fence& fence) : before_(here) {
  here = &fence;
}

FenceScope::~FenceScope() {
  here = before_;
}

std::vector<std::string> roots_of(const SessionRecord& record) {
  std::vector<std::string> roots = record.linked_roots;
  if (!record.root_uri.empty()) roots.push_back(record.root_uri);
  return roots;
}

bool is_inside(const Fence& fence, const SessionRecord& record) {
  if (fence.empty()) return true;
  const auto holds = [&](const std::string& root) { return std::ranges::find(fence, root) != fence.end(); };
  return holds(record.root_uri) || std::ranges::any_of(record.linked_roots, holds);
}

}  // namespace holdfast::session
