// holdfast mcp: the server on standard input and output.

#include "base/run/poll_loop.h"
#include "base/run/pool.h"
#include "cli/program/context.h"
#include "cli/program/stop_signals.h"
#include "cli/services/mcp_service.h"
#include "mcp/transport/transport_stdio.h"

#include <unistd.h>

#include <csignal>

namespace holdfast::cli {

Result<void> run_mcp(Context& context) {
  HF_TRY(auto signals, StopSignals::watch());
  std::signal(SIGPIPE, SIG_IGN);  // a client that has gone is noticed by the write
  HF_TRY(auto store, context.open_store());
  const session::SharedStore stores(*store);
  PollLoop loop;
  Pool pool;
  HF_TRY(const auto service, McpService::open(context, stores, loop, pool));
  mcp::StdioTransport transport(service->server(), loop, STDIN_FILENO, STDOUT_FILENO, context.settings.text("principal"));
  signals->on_stop([&] {
    service->ask_to_stop();
    loop.stop();
  });
  transport.on_input_end([&] { service->interrupt_runs(); });
  transport.run();
  service->stop();
  // Calls that are still being worked on finish, and are answered, before the server goes.
  pool.close();
  loop.run_ready();
  signals.reset();  // it knows the loop
  return {};
}

}  // namespace holdfast::cli
