#include "session/query/projects.h"

#include <algorithm>

namespace holdfast::session {

std::vector<std::string> roots_of(const SessionRecord& record) {
  std::vector<std::string> roots = record.linked_roots;
  if (!record.root_uri.empty()) roots.push_back(record.root_uri);
  return roots;
}

bool is_inside(const std::vector<std::string>& projects, const SessionRecord& record) {
  if (projects.empty()) return true;
  const auto holds = [&](const std::string& root) { return std::ranges::find(projects, root) != projects.end(); };
  return holds(record.root_uri) || std::ranges::any_of(record.linked_roots, holds);
}

}  // namespace holdfast::session
