#pragma once

// The MCP server as this program offers it, the same over stdio and HTTP: tools and resources over one store.
// Lives on the executor's thread; the store, the executor and the pool outlive it, and the pool is closed
// before it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "cli/program/context.h"
#include "mcp/server/server.h"
#include "session/query/store_view.h"

#include <memory>

namespace holdfast::cli {

class SearchService;

class McpService {
 public:
  // Blocks; before serving. Errors: invalid (an unknown toolset), those of the store.
  static Result<std::unique_ptr<McpService>> open(const Context& context, const session::SharedStore& stores, Executor& executor,
                                                  Pool& pool);
  virtual ~McpService() = default;

  virtual mcp::Server& server() = 0;

  // What searches everything, made at first use; blocks then. Errors: unavailable (the toolset `transcripts` was not chosen), io.
  virtual Result<SearchService*> search() = 0;

  // Any thread: no new unit of research and no further task is begun; what runs is left to the next process.
  virtual void ask_to_stop() = 0;
  // Any thread: runs of tasks are left where they are, to be resumed. For a client that has left: nobody waits for them.
  virtual void interrupt_runs() = 0;
  // Asks to stop, and waits for it. Before the pool is closed.
  virtual void stop() = 0;
};

}  // namespace holdfast::cli
