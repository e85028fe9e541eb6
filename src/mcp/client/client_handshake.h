#pragma once

// Finding out which era a server speaks, and agreeing on a version (design 8.30, persistent-client §6).
//
// Modern first: server/discover. A result, or -32022 with a version we know, proves a modern server; over HTTP also
// -32020 and -32021 with status 400. Everything else means initialize. No I/O and no clock here: messages go out
// through a function, and whoever owns this tells it what came back.

#include "mcp/client/client.h"
#include "mcp/client/client_envelope.h"

#include <functional>
#include <variant>

namespace holdfast::mcp {

class Handshake {
 public:
  struct Settings {
    ClientIdentity identity;
    std::optional<Version> only_version;
    bool over_http = false;
    bool legacy_at_once = false;  // the server is known to be legacy, or died of the probe
  };
  struct Busy {};
  // Busy: an answer is awaited. Peer: agreed; what had to be said has been said.
  using Verdict = std::variant<Busy, Peer, Error>;
  using Send = std::function<Result<RequestId>(std::string method, JsonObject params, bool is_request, Version version)>;

  Handshake(Settings settings, Send send);

  Verdict begin();
  Verdict take(const Message& response, int http_status);
  Verdict take_undelivered(const Undelivered& why);
  Verdict probe_timed_out();

  RequestId awaited() const { return awaited_; }  // 0: none
  bool probing() const { return step_ == Step::probe; }

 private:
  enum class Step { begin, probe, initialize, over };

  Verdict probe();
  Verdict initialize();
  Verdict take_discovery(const Message& response, int http_status);
  Verdict take_initialize(const Message& response);

  Settings settings_;
  Send send_;
  Step step_ = Step::begin;
  RequestId awaited_ = 0;
  int probes_ = 0;
};

}  // namespace holdfast::mcp
