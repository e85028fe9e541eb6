#pragma once

// The tools of several servers, as functions of one model (persistent-client §6, end): names that any model takes, the way back
// to server and tool, and calls that never throw anything at the loop.

#include "kinds/runner/result_text.h"
#include "kinds/runner/servers/live_server.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace holdfast::runner {

// [A-Za-z0-9_-]{1,64}: other characters become '_', a longer name is cut and ends in a hash. With several servers
// "server__tool".
std::string function_name(std::string_view server, std::string_view tool, bool several);

class Toolbox final : public Tools {
 public:
  // Asks every server for its tools. Those that do not answer are left out and named in `problems`. several: whether names are
  // "server__tool"; the same for a whole run, whichever of its servers are there.
  Toolbox(const std::vector<LiveServer*>& servers, bool several, std::vector<std::string>& problems,
          const std::stop_token& stop = {});

  void look_again() override;
  const std::vector<model::Tool>& list() const override { return tools_; }
  bool is_read_only(std::string_view name) const override;
  bool is_repeatable(std::string_view name) const override;
  ToolOutcome call(std::string_view name, const JsonObject& arguments, CallTime most, std::stop_token stop) override;
  // Of a call so far: a server does not know us any more, and somebody has to log in before it answers. Any thread.
  std::optional<Error> login_required();

 private:
  struct Origin {
    LiveServer* server = nullptr;
    std::string tool;
    bool read_only = false, repeatable = false;
  };
  struct Offer {
    LiveServer* server = nullptr;
    std::uint64_t changes = 0;                   // of its list, when this was asked for
    std::shared_ptr<const mcp::ToolList> tools;  // null: it did not answer
  };
  Result<void> ask_for(Offer& offer);
  void put_together();

  const bool several_;
  const std::stop_token stop_;
  std::vector<Offer> offers_;
  std::vector<model::Tool> tools_;
  std::map<std::string, Origin, std::less<>> origins_;
  std::mutex mutex_;
  std::optional<Error> login_required_;
};

}  // namespace holdfast::runner
