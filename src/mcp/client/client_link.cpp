#include "mcp/client/client_link.h"

#include "base/run/backoff.h"
#include "base/run/log.h"
#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::mcp {
namespace {

std::chrono::milliseconds delay_before(int attempt) {
  if (attempt == 0) return std::chrono::milliseconds(0);
  return jittered(doubled(kFirstDelay, static_cast<std::size_t>(attempt) - 1, kLongestDelay), 0.8, 1.2);
}

}  // namespace

ClientLink::ClientLink(const ClientOptions& options, const ClientIdentity& identity, Executor& executor,
                       TransportMaker make_transport, Owner& owner)
    : options_(options), identity_(identity), executor_(executor), make_transport_(std::move(make_transport)), owner_(owner) {}

ClientLink::~ClientLink() {
  stop_timers();
}

void ClientLink::set_state(ClientState state, const std::string& reason) {
  if (state == state_) return;
  state_ = state;
  owner_.link_state(state, reason);
}

void ClientLink::want() {
  if (state_ != ClientState::idle && state_ != ClientState::failed) return;
  set_state(ClientState::starting);
  lone_try_ = true;  // whoever waits for a first connection wants to know what is wrong with it
  attempts_ = 0;
  executor_.post(alive_.guard([this] {
    if (state_ == ClientState::starting && !transport_) attempt(known_era_ == Era::legacy);
  }));
}

void ClientLink::attempt(bool legacy_at_once) {
  auto made = make_transport_();
  if (!made) return attempt_failed(std::move(made).error());
  transport_ = *std::move(made);
  ++connection_;
  if (auto opened = transport_->open(*this); !opened) return attempt_failed(std::move(opened).error());
  watch_connecting();
  const auto send_message = [this](std::string method, JsonObject params, bool is_request, Version version) -> Result<RequestId> {
    const RequestId id = is_request ? next_id() : 0;
    if (!is_request) transport_->agreed(version);  // what ends the handshake is already said in that version
    std::vector<std::pair<std::string, std::string>> headers;
    if (era_of(version) == Era::modern) {
      add_envelope(params, identity_, version);
      if (transport_->is_http()) headers = modern_headers(version, method, params, {});
    }
    std::string text = is_request ? write_request(id, method, params) : write_notification(method, params);
    HF_CHECK(transport_->send({std::move(text), std::move(method), id, std::move(headers)}));
    return id;
  };
  handshake_.emplace(Handshake::Settings{identity_, options_.only_version, transport_->is_http(), legacy_at_once}, send_message);
  follow(handshake_->begin());
}

void ClientLink::watch_connecting() {
  executor_.cancel(connect_timer_);
  connect_timer_ = executor_.after(options_.connect_timeout, alive_.guard([this] {
    if (awaits_permission()) return watch_connecting();
    attempt_failed(make_error(ErrorKind::timeout, fmt::format("the server did not answer the handshake within {} ms",
                                                              options_.connect_timeout.count())));
  }));
}

void ClientLink::follow(Handshake::Verdict verdict) {
  executor_.cancel(std::exchange(probe_timer_, 0));
  if (Error* error = std::get_if<Error>(&verdict)) return attempt_failed(std::move(*error));
  if (std::holds_alternative<Handshake::Busy>(verdict)) return watch_probe();
  executor_.cancel(std::exchange(connect_timer_, 0));
  handshake_.reset();
  peer_ = std::get<Peer>(std::move(verdict));
  known_era_ = peer_->era();
  if (peer_->era() == Era::modern) transport_->agreed(peer_->version);
  lone_try_ = false;
  set_state(ClientState::ready);
  owner_.link_ready();
}

void ClientLink::watch_probe() {
  if (!handshake_->probing()) return;
  probe_timer_ = executor_.after(options_.probe_timeout, alive_.guard([this] {
    if (!handshake_) return;
    if (awaits_permission()) return watch_probe();
    transport_->abandon(handshake_->awaited());
    follow(handshake_->probe_timed_out());
  }));
}

void ClientLink::attempt_failed(Error why) {
  known_era_.reset();  // it may have been the era that does not fit any more
  end_transport();
  try_again_later(std::move(why));
}

void ClientLink::try_again_later(Error why) {
  if (lone_try_ || attempts_ >= kMaxAttempts) {
    log(LogLevel::warn, "mcp", "gave up on a server: " + why.message);
    set_state(ClientState::failed, why.message);
    return owner_.link_unreachable(why);
  }
  set_state(ClientState::reconnecting, why.message);
  const auto delay = delay_before(attempts_++);
  retry_timer_ = executor_.after(delay, alive_.guard([this] { attempt(known_era_ == Era::legacy); }));
}

void ClientLink::drop(const Error& why) {
  if (state_ == ClientState::ready) lost(why);
}

void ClientLink::lost(const Error& why) {
  end_transport();
  peer_.reset();
  owner_.link_lost(why);
  if (state_ == ClientState::ready) try_again_later(why);  // the owner may have closed us
}

void ClientLink::on_lost(Error why) {
  if (state_ == ClientState::ready) return lost(why);
  if (handshake_ && handshake_->probing()) {  // some servers die of what they do not know
    end_transport();
    return attempt(true);
  }
  attempt_failed(std::move(why));
}

void ClientLink::on_undelivered(RequestId id, Undelivered why) {
  if (handshake_) {
    if (id == handshake_->awaited()) follow(handshake_->take_undelivered(why));
    return;
  }
  owner_.link_undelivered(id, why);
}

void ClientLink::on_message(Json value, int http_status) {
  const JsonArray* batch = value.if_array();
  if (!batch) return take_one(std::move(value), http_status);
  const std::uint64_t connection = connection_;
  for (const Json& item : *batch)
    if (connection == connection_) take_one(item, http_status);
}

void ClientLink::take_one(Json value, int http_status) {
  auto message = read_message(std::move(value));
  if (!message) return owner_.link_bad_message();
  const bool is_awaited = handshake_ && message->kind == Message::Kind::response && message->id == Json(handshake_->awaited());
  if (is_awaited) return follow(handshake_->take(*message, http_status));
  owner_.link_message(*std::move(message));
}

Result<void> ClientLink::send(Outgoing message) {
  if (!transport_) return fail(ErrorKind::unavailable, "there is no connection to the server");
  return transport_->send(std::move(message));
}

void ClientLink::abandon(RequestId id) {
  if (transport_) transport_->abandon(id);
}

void ClientLink::stop_timers() {
  for (TimerId* timer : {&connect_timer_, &probe_timer_, &retry_timer_}) executor_.cancel(std::exchange(*timer, 0));
}

// Its goodbye takes a moment; meanwhile the next one may begin.
void ClientLink::end_transport() {
  stop_timers();
  handshake_.reset();
  if (!transport_) return;
  last_words_ = transport_->last_words();
  ClientTransport* ending = transport_.get();
  ending_.push_back(std::move(transport_));
  ending->close(alive_.guard([this, ending] {
    std::erase_if(ending_, [&](const auto& transport) { return transport.get() == ending; });
    if (ending_.empty() && closed_) std::exchange(closed_, nullptr)();
  }));
}

void ClientLink::close(Task done) {
  if (state_ == ClientState::closed) return executor_.post(std::move(done));
  set_state(ClientState::closed);
  peer_.reset();
  end_transport();
  if (ending_.empty()) return executor_.post(std::move(done));
  closed_ = std::move(done);
}

}  // namespace holdfast::mcp
