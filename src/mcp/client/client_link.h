#pragma once

// The life of a client's connection: made when wanted, agreed upon, lost, made again.
//
// At most one attempt runs at a time, whoever waits for it. The first connection is tried once. After a loss there
// are kMaxAttempts tries with growing delays; when all failed, the link rests until it is wanted again, and then tries
// once. The count begins anew when the server has answered something (prove()), not at the handshake: a server that
// dies after each one would be started for ever.

#include "base/run/lifeline.h"
#include "mcp/client/client.h"
#include "mcp/client/client_handshake.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp {

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
