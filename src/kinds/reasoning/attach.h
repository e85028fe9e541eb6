#pragma once

// Which session a thought goes to (A1-A3). Internal to append.cpp.

#include "kinds/reasoning/append.h"

namespace holdfast::reasoning {

struct Attachment {
  session::SessionRecord record;
  Attached how = Attached::current;
  std::optional<AppendOutcome::Recovered> recovered;
  std::string previous_session;
  std::vector<std::string> notices;
};

enum class WhenNoneIsOpen { leave, look_or_begin };

// nullopt: none is open, and that is left so. Otherwise the session is created when none fits.
Result<std::optional<Attachment>> attach(session::Transaction& transaction, const ThoughtRequest& request,
                                         const Situation& situation, const Connection& connection, WhenNoneIsOpen when_none);

}  // namespace holdfast::reasoning
