#pragma once

// One session of a Thoughtbox folder, as its files say. Internal to import_thoughtbox.cpp.

#include "kinds/reasoning/thought.h"

#include <filesystem>
#include <vector>

namespace holdfast::reasoning {

struct BoxSession {
  std::string id, title, description, project;
  std::vector<std::string> tags;
  Millis created_at = 0;
  std::vector<Thought> thoughts;  // main chain by number, each branch behind its origin; numbers unique in their branch
};

// Folders that hold a session, wherever they lie below `folder`, sorted.
std::vector<std::filesystem::path> find_box_sessions(const std::filesystem::path& folder);

// Never fails: what cannot be read is a problem.
BoxSession read_box_session(const std::filesystem::path& folder, std::vector<std::string>& problems);

}  // namespace holdfast::reasoning
