#pragma once

// The life of a client's connection: made when wanted, agreed upon, lost, made again.
//
// At most one attempt runs at a time, whoever waits for it. The first connection is tried once. After a loss there
// are kMaxAttempts tries with growing delays; when all failed, the link rests until it is wanted again, and then tries
// once. The count begins anew when the server has answered something (prove()), not at the handshake: a server that
// dies after each one would be started for ever.

#include "base/json/json.h"
#include "base/run/lifeline.h"
#include "mcp/client/client.h"
#include "mcp/wire/header_rules.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace holdfast::mcp {

// What a client says about itself with its requests: in the legacy handshake once, in the modern era every time.
struct ClientIdentity {
  JsonObject info;          // name, version, title
  JsonObject capabilities;  // in the modern form
  JsonObject legacy_capabilities;
};

ClientIdentity identity_of(const ClientOptions& options, const ClientHandlers& handlers);

// Adds the modern envelope to params._meta; other members of _meta stay.
void add_envelope(JsonObject& params, const ClientIdentity& identity, Version version);

// The headers of one modern request over HTTP (mcp-protocol §5); rules: those of the tool that is called.
std::vector<std::pair<std::string, std::string>> modern_headers(Version version, std::string_view method,
                                                                const JsonObject& params, const std::vector<HeaderRule>& rules);

// Finding out which era a server speaks, and agreeing on a version (design 8.30, persistent-client §6).
//
// Modern first: server/discover. A result, or -32022 with a version we know, proves a modern server; over HTTP also
// -32020 and -32021 with status 400. Everything else means initialize. No I/O and no clock here: messages go out
// through a function, and whoever owns this tells it what came back.
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

class ClientLink final : private ClientTransport::Listener {
 public:
  class Owner {
   public:
    virtual void link_ready() = 0;
    virtual void link_lost(const Error& why) = 0;         // it was ready; answers on their way are gone
    virtual void link_unreachable(const Error& why) = 0;  // no further attempt: who waits, waits in vain
    virtual void link_message(Message message) = 0;
    virtual void link_undelivered(RequestId id, const Undelivered& why) = 0;
    virtual void link_state(ClientState state, const std::string& reason) = 0;
    virtual void link_bad_message() = 0;

   protected:
    ~Owner() = default;
  };

  ClientLink(const ClientOptions& options, const ClientIdentity& identity, Executor& executor, TransportMaker make_transport,
             Owner& owner);
  ~ClientLink();

  void want();                     // connects unless that is done or under way
  void drop(const Error& why);     // a new connection instead of this one
  void prove() { attempts_ = 0; }  // the server answered
  void close(Task done);

  RequestId next_id() { return ++last_id_; }
  Result<void> send(Outgoing message);
  void abandon(RequestId id);

  ClientState state() const { return state_; }
  const Peer* peer() const { return state_ == ClientState::ready && peer_ ? &*peer_ : nullptr; }
  // See client_transport.h: time-outs begin anew.
  bool awaits_permission() const { return transport_ && transport_->awaits_permission(); }
  bool over_http() const { return transport_ && transport_->is_http(); }
  // Grows with every connection, so that an answer can be kept from going to another one.
  std::uint64_t connection() const { return connection_; }
  std::string last_words() const { return transport_ ? transport_->last_words() : last_words_; }
  std::uint64_t garbage() const { return transport_ ? transport_->garbage() : 0; }

 private:
  void on_message(Json value, int http_status) override;
  void on_undelivered(RequestId id, Undelivered why) override;
  void on_lost(Error why) override;

  void attempt(bool legacy_at_once);
  void follow(Handshake::Verdict verdict);
  void watch_connecting();
  void watch_probe();
  void attempt_failed(Error why);
  void lost(const Error& why);
  void try_again_later(Error why);
  void take_one(Json value, int http_status);
  void end_transport();
  void stop_timers();
  void set_state(ClientState state, const std::string& reason = {});

  const ClientOptions& options_;
  const ClientIdentity& identity_;
  Executor& executor_;
  TransportMaker make_transport_;
  Owner& owner_;

  ClientState state_ = ClientState::idle;
  std::unique_ptr<ClientTransport> transport_;
  std::vector<std::unique_ptr<ClientTransport>> ending_;  // closed, and not over yet
  Task closed_;                                           // runs when the last of them is
  std::optional<Handshake> handshake_;
  std::optional<Peer> peer_;
  std::optional<Era> known_era_;  // of the last good connection
  std::string last_words_;
  std::uint64_t connection_ = 0;
  RequestId last_id_ = 0;
  int attempts_ = 0;
  bool lone_try_ = false;
  TimerId connect_timer_ = 0, probe_timer_ = 0, retry_timer_ = 0;
  Lifeline alive_;
};

}  // namespace holdfast::mcp
