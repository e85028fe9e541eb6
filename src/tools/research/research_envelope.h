#pragma once

// The one form of everything that `research` answers (threads-and-research §1).

#include "base/schema/schema.h"
#include "tools/research/research_tool.h"

namespace holdfast::tools {

struct EnvelopeFailure {
  Error error;
  std::string field;  // the argument that is wrong; may be empty
  JsonObject details;
};

// All violations as one error: MISSING_REQUIRED, INVALID_ID or VALIDATION_ERROR, with `details.violations`.
EnvelopeFailure to_failure(const std::vector<SchemaViolation>& violations, std::string_view action);
// Puts the contract's word on an error of the store, and adds what the contract promises as details: until when a deleted session
// can be restored, which moves are possible, how far a run has come.
EnvelopeFailure to_failure(Error error, ResearchCall& call);

// With the notices that are due; a failure that left something behind has it as details.
mcp::ToolResult to_envelope(ResearchCall& call, ResearchAnswer answer);
mcp::ToolResult to_envelope(const ResearchRooms& rooms, EnvelopeFailure failure);
// Without notices: nobody may be there to see them.
mcp::ToolResult settled_envelope(const ResearchRooms& rooms, ResearchAnswer answer);

}  // namespace holdfast::tools
