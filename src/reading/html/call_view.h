#pragma once

// What is worth seeing of a tool call, by the tool: a command, a path, a change, a list, and what is left as JSON.
//
// Names are those of Claude Code, Codex and common MCP servers; a tool nobody knows shows all its arguments. Only arguments of
// the expected type are understood, since anybody may have written them.

#include "reading/turn.h"

namespace holdfast::reading {

struct CallView {
  std::string summary;        // one line: the command, the path, the question; a stranger's text
  std::string body;           // shown as code: a longer command, the content of a written file, the prompt of a subagent
  bool body_is_text = false;  // Markdown instead
  std::vector<Diff> diffs;
  std::vector<Todo> todos;
  JsonObject rest;  // what none of these show
};

CallView view_call(const Part& call);

}  // namespace holdfast::reading
