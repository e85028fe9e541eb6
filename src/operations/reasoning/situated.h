#pragma once

// From which connection and project a call comes, for operations that go on with a line of reasoning.

#include "kinds/reasoning/connections.h"
#include "operations/context.h"

namespace holdfast::operations {

struct Situated {
  reasoning::Situation situation;
  std::string root_source = {};  // "argument", "bound", ...; empty when the project was not asked for
  std::string notice = {};       // what whoever calls should know about it
  bool folders_above = false;    // the project may also be a folder around it
};

// How much of it is found out.
enum class Situate : std::uint8_t {
  unread,      // nothing that has to be read: for append_if_open
  connection,  // what is stored about the connection
  root,        // and the project, which may ask whoever calls
  others       // and which other connections are there, so that a session in use is not taken (A2)
};

// Projects that a client works in, as it says.
struct OfferedRoots {
  bool available = false;  // it has some and said which
  std::vector<reasoning::OfferedRoot> roots;
  std::string notice;
};

}  // namespace holdfast::operations
