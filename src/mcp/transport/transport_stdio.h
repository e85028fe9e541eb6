#pragma once

// MCP over a pair of pipes: one message a line, both eras on the same pipe.
//
// A request with the modern envelope is served by itself; initialize switches legacy semantics on for the
// rest. The transport runs on the loop's thread.

#include "base/run/poll_loop.h"
#include "mcp/server/connection.h"
#include "mcp/server/server.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::mcp {

class StdioTransport {
 public:
  StdioTransport(Server& server, PollLoop& loop, int in, int out, std::string principal);
  ~StdioTransport();  // cancels what still runs

  // Serves until the input ends; requests that are still running then get a moment to finish.
  void run();
  // Called when the input ends, before that moment: for work that nobody should wait for. Before run().
  void on_input_end(std::function<void()> left) { left_ = std::move(left); }

  // A line as if it had been read; for tests and for the fuzzer.
  void take_line(std::string_view line);

 private:
  class Pipe;
  class PipeOutlet;

  void on_readable();
  void take_bytes(std::string_view bytes);
  template <class Work>
  void guarded(bool within_line, const Work& work);
  void take_message(Json value, const std::shared_ptr<Outlet>& outlet);
  void take_batch(JsonArray messages);
  void take_request(Message request, const std::shared_ptr<Outlet>& outlet);
  void initialize(const Message& request, const std::shared_ptr<Outlet>& outlet);
  void refuse(const Json& id, RpcError error);
  void cancel_all();
  void fail_questions();
  void input_ended();

  Server& server_;
  PollLoop& loop_;
  int in_;
  std::shared_ptr<Pipe> pipe_;
  Identity identity_;
  std::shared_ptr<Connection> connection_;
  std::string line_;       // what has been read of an unfinished line
  bool skipping_ = false;  // inside a line that is too long
  std::function<void()> left_;
};

}  // namespace holdfast::mcp
