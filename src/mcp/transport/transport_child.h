#pragma once

// MCP over the pipes of a program that we start: one message a line.
//
// The program has a process group of its own, and everything in it ends with the connection (npx is three processes).
// What it prints that is not a message is skipped and counted; what it says on stderr is kept at its end and never
// makes it wait. Loop thread only.

#include "mcp/client/client_transport.h"
#include "net/run/event_loop.h"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::mcp {

struct ChildServer {
  std::string command;
  std::vector<std::string> arguments;
  // In addition to HOME, LOGNAME, PATH, SHELL, TERM and USER of ours, or instead of them.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_directory;  // empty: ours
};

// The loop outlives every transport that is made.
TransportMaker child_transport_maker(net::EventLoop& loop, ChildServer server);

}  // namespace holdfast::mcp
