#pragma once

// The tool calls of one answer, put together from what an endpoint sends: whole, or in pieces.
//
// Endpoints differ. Most send `index` with every piece, the id and the name in the first, the arguments in many; some send calls
// whole, some leave the index out, some number every call 0 and tell them apart by id, LM Studio adds an empty call with an empty
// id. Arguments are text that should hold a JSON object, or the object itself.
//
// A call without a name is dropped: nobody could make it, and endpoints refuse it when it is sent back. A call without an id, or
// with that of an earlier one, gets an id of ours, so that every call can be answered exactly once. Everything else stays as it
// came, members unknown to us included (some endpoints refuse a call that comes back without their signature).
//
// No sockets, no threads. Input is hostile: sizes are limited.

#include "base/json/json.h"
#include "base/result.h"
#include "model/models.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

// More in one answer is a model that repeats itself.
inline constexpr std::size_t kMaxToolCalls = 128;
// Of all calls of an answer together: a file to write may be long, but not longer than a message an MCP server takes (8 MiB).
inline constexpr std::size_t kMaxToolCallBytes = 8 << 20;

struct ToolCalls {
  std::vector<ToolCall> calls;
  JsonArray wire;  // the same, for Message::tool_calls
};

class ToolCallAssembler {
 public:
  // `tool_calls` of a delta, or of a whole message. Errors: too_large. Items that are no objects are ignored.
  Result<void> add(const JsonArray& pieces);
  // All calls so far, in the order they began. The assembler is empty afterwards.
  ToolCalls take();

 private:
  struct Slot {
    std::optional<std::int64_t> index;
    std::string id, name, arguments;
    bool as_object = false;  // the arguments came as an object
    JsonObject wire;         // what came beside id, name and arguments
  };

  Slot* slot_for(const JsonObject& piece);
  Result<void> add_piece(const JsonObject& piece);
  Result<void> count(std::size_t bytes);

  std::vector<Slot> slots_;
  std::size_t bytes_ = 0;
};

// Calls that a model wrote as text although it was given tools: <tool_call>{"name": …, "arguments": {…}}</tool_call>. Those that
// name one of the tools are taken out of `content`; all else stays text.
ToolCalls take_calls_in_text(std::string& content, const std::vector<Tool>& tools);

}  // namespace holdfast::model
