#include "kinds/threads/reading.h"

#include "kinds/threads/message.h"

namespace holdfast::threads {

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  using reading::Part;
  if (entry.type == kStepEntry) {
    turn.role = reading::Role::system;
    turn.meta = true;
    add_part(turn, Part::Kind::raw, to_json_pretty(reading::data_of_entry(entry)), limits).name = "step";
    return true;
  }
  if (entry.type != kMessageEntry) {
    turn.role = reading::Role::system;
    turn.meta = entry.type == kNoticeEntry;
    add_part(turn, turn.meta ? Part::Kind::notice : Part::Kind::text, entry.text, limits).name = entry.type;
    return true;
  }
  const Message message = to_message(entry);
  turn.id = message.id;
  turn.role = message.role == "user"        ? reading::Role::user
              : message.role == "assistant" ? reading::Role::assistant
                                            : reading::Role::system;
  turn.prompt = turn.role == reading::Role::user;
  turn.author = message.provider.empty() ? message.model : message.provider;
  if (!message.model.empty() && message.model != message.provider && !message.provider.empty())
    turn.author += " · " + message.model;
  add_part(turn, Part::Kind::text, message.content, limits);
  return true;
}

}  // namespace holdfast::threads
