#pragma once

// Which conversations a server of /responses remembers.

#include "base/run/recent.h"
#include "model/models.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

// Where to go on: behind the message of that number, in the conversation of that response.
struct Continuation {
  std::string response_id;
  std::size_t known = 0;  // messages the server has
};

// Which conversation a response continues. A conversation is known by everything that was said in it, so one that was shortened
// or changed here is another one, and is sent whole: what we hold is the truth, what the server remembers only saves sending it.
// Any thread. Forgotten with the process, and first the one that was not used for longest.
class ResponseMemory {
 public:
  // The longest part of the ask's messages that ends with an answer of this server.
  std::optional<Continuation> find(const Ask& ask, std::string_view model);
  void remember(const Ask& ask, std::string_view model, const Reply& reply, std::string response_id);

 private:
  // Conversations under way at once, with room for those that are branched; a forgotten one only costs sending it whole.
  Recent<std::string, std::string> ids_{1024};  // digest of a conversation -> response id
};

}  // namespace holdfast::model
