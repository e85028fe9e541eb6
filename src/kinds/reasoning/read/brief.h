#pragma once

// What somebody who lost everything but the project's folder needs to know to go on: the goal, what was decided and still holds,
// what turned out wrong, what is open and unfinished, and the last thoughts. Made by the program from what was typed; within a
// budget of characters.

#include "kinds/reasoning/read/recover.h"

namespace holdfast::reasoning {

inline constexpr std::size_t kBriefCharacters = 4000;  // what a hook may add to every start without being in the way
inline constexpr std::size_t kLeastBrief = 200;        // below that nothing useful fits

struct BriefOptions {
  std::size_t max_chars = kBriefCharacters;
  std::size_t recent = 5;
};

struct Brief {
  std::string text;  // markdown, at most max_chars characters
  JsonObject parts;  // goal, decisions[], refuted[], questions[], unfinished[], recent[]
  bool cut = false;  // something was left out
};

Result<Brief> make_brief(session::Reader& reader, const session::SessionRecord& record, const BriefOptions& options, Millis now);

}  // namespace holdfast::reasoning
