// How a connection to a server comes about, is lost, and comes back.
//
// Somebody wants a connection: attempt() makes a transport and the handshake says its first words over it. Every answer of the
// server goes to the handshake (follow()) until that has agreed with it or given up; from then on messages go to the owner.
//
// The handshake tries the modern era first, because a legacy server refuses its first question harmlessly, while a modern one
// does not know `initialize`. Some legacy servers die of the question, and some never answer it: then initialize is said, over a
// new connection, or over this one when the time for the probe is up. What a server was is remembered for the next connection,
// and forgotten when an attempt fails, because it may have been replaced by a newer one.
//
// A first connection is tried once: whoever waits for it wants to know what is wrong. A lost one is tried again after growing
// pauses. They begin anew only when the server has answered something (prove()): one that shakes hands and then dies would
// otherwise be started for ever. An old transport says its goodbye while the next connection begins already; connection() tells
// them apart.

#include "mcp/client/client_link.h"

#include "base/run/backoff.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "mcp/client/client_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::mcp {
namespace {

// The first, and one more with a version the server listed. A server that refuses what it lists is not asked for ever.
constexpr int kMaxProbes = 2;

bool lists_our_modern_version(const JsonArray* versions) {
  if (!versions) return false;
  for (const Json& version : *versions)
    if (const auto* name = version.if_string(); name && view(*name) == name_of(kNewestModern)) return true;
  return false;
}

bool proves_modern(const RpcError& error) {
  const JsonObject* data = error.data.if_object();
  return error.code == code::kUnsupportedVersion && data && lists_our_modern_version(find_array(*data, "supported"));
}

bool is_legacy(std::optional<Version> version) {
  return version && era_of(*version) == Era::legacy;
}

std::chrono::milliseconds delay_before(int attempt) {
  if (attempt == 0) return std::chrono::milliseconds(0);
  return jittered(doubled(kFirstDelay, static_cast<std::size_t>(attempt) - 1, kLongestDelay), 0.8, 1.2);
}

}  // namespace

ClientIdentity identity_of(const ClientOptions& options, const ClientHandlers& handlers) {
  ClientIdentity identity;
  identity.info = {{"name", options.name}, {"version", options.version}};
  if (!options.title.empty()) identity.info["title"] = options.title;
  JsonObject& now = identity.capabilities;
  if (handlers.sampling) {
    JsonObject sampling;
    if (handlers.samples_with_tools) sampling["tools"] = JsonObject();
    now["sampling"] = std::move(sampling);
  }
  if (handlers.elicitation) {
    JsonObject elicitation{{"form", JsonObject()}};
    if (handlers.elicits_urls) elicitation["url"] = JsonObject();
    now["elicitation"] = std::move(elicitation);
  }
  identity.legacy_capabilities = now;
  if (handlers.roots) {
    now["roots"] = JsonObject();
    identity.legacy_capabilities["roots"] = JsonObject{{"listChanged", true}};
  }
  return identity;
}

void add_envelope(JsonObject& params, const ClientIdentity& identity, Version version) {
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta = JsonObject();
  JsonObject& members = meta.get_object();
  members["io.modelcontextprotocol/protocolVersion"] = name_of(version);
  members["io.modelcontextprotocol/clientInfo"] = identity.info;
  members["io.modelcontextprotocol/clientCapabilities"] = identity.capabilities;
}

std::vector<std::pair<std::string, std::string>> modern_headers(Version version, std::string_view method,
                                                                const JsonObject& params, const std::vector<HeaderRule>& rules) {
  std::vector<std::pair<std::string, std::string>> headers{{"MCP-Protocol-Version", std::string(name_of(version))},
                                                           {"Mcp-Method", std::string(method)}};
  if (const std::string_view member = named_member(method); !member.empty())
    if (const auto name = find_string(params, member)) headers.emplace_back("Mcp-Name", encode_header_value(*name));
  if (const JsonObject* arguments = find_object(params, "arguments"); arguments && !rules.empty())
    for (auto& header : param_headers(rules, *arguments)) headers.push_back(std::move(header));
  return headers;
}

Handshake::Handshake(Settings settings, Send send) : settings_(std::move(settings)), send_(std::move(send)) {}

Handshake::Verdict Handshake::begin() {
  if (settings_.only_version && !is_legacy(settings_.only_version)) {
    step_ = Step::over;
    Peer peer;
    peer.version = *settings_.only_version;
    return peer;
  }
  return settings_.legacy_at_once || is_legacy(settings_.only_version) ? initialize() : probe();
}

Handshake::Verdict Handshake::probe() {
  step_ = Step::probe;
  ++probes_;
  auto sent = send_("server/discover", {}, true, kNewestModern);
  if (!sent) return std::move(sent).error();
  awaited_ = *sent;
  return Busy{};
}

Handshake::Verdict Handshake::initialize() {
  step_ = Step::initialize;
  const Version wanted = settings_.only_version.value_or(kNewestLegacy);
  auto sent = send_("initialize",
                    {{"protocolVersion", name_of(wanted)},
                     {"capabilities", settings_.identity.legacy_capabilities},
                     {"clientInfo", settings_.identity.info}},
                    true, wanted);
  if (!sent) return std::move(sent).error();
  awaited_ = *sent;
  return Busy{};
}

Handshake::Verdict Handshake::take(const Message& response, int http_status) {
  return step_ == Step::probe ? take_discovery(response, http_status) : take_initialize(response);
}

Handshake::Verdict Handshake::take_discovery(const Message& response, int http_status) {
  if (response.is_error) {
    if (proves_modern(response.error)) {
      if (probes_ < kMaxProbes) return probe();
      return make_error(ErrorKind::unavailable,
                        fmt::format("the server lists {} and refuses it: {}", name_of(kNewestModern), response.error.message));
    }
    const bool modern_refusal = response.error.code == code::kHeaderMismatch || response.error.code == code::kMissingCapability;
    if (!(settings_.over_http && http_status == 400 && modern_refusal)) return initialize();
    step_ = Step::over;
    return Peer{};
  }
  const JsonObject* result = response.result.if_object();
  if (!result || !lists_our_modern_version(find_array(*result, "supportedVersions"))) return initialize();
  step_ = Step::over;
  Peer peer;
  if (const JsonObject* capabilities = find_object(*result, "capabilities")) peer.capabilities = *capabilities;
  peer.instructions = find_string(*result, "instructions").value_or("");
  const JsonObject* meta = find_object(*result, "_meta");
  if (const JsonObject* info = meta ? find_object(*meta, "io.modelcontextprotocol/serverInfo") : nullptr) peer.info = *info;
  return peer;
}

Handshake::Verdict Handshake::take_initialize(const Message& response) {
  if (response.is_error) return error_from_server("initialize", response.error).error;
  const JsonObject* result = response.result.if_object();
  const auto named = result ? find_string(*result, "protocolVersion") : std::nullopt;
  const auto version = named ? version_named(*named) : std::nullopt;
  if (!version || era_of(*version) != Era::legacy)
    return make_error(ErrorKind::refused, fmt::format("the server wants to speak protocol version {}, which we do not",
                                                      named ? utf8_prefix(*named, 100) : "(none)"));
  Peer peer;
  peer.version = *version;
  if (const JsonObject* capabilities = find_object(*result, "capabilities")) peer.capabilities = *capabilities;
  if (const JsonObject* info = find_object(*result, "serverInfo")) peer.info = *info;
  peer.instructions = find_string(*result, "instructions").value_or("");
  step_ = Step::over;
  awaited_ = 0;
  if (auto sent = send_("notifications/initialized", {}, false, *version); !sent) return std::move(sent).error();
  return peer;
}

Handshake::Verdict Handshake::take_undelivered(const Undelivered& why) {
  // A client error in words of its own is how servers that never heard of the method, or of the era, answer.
  const bool foreign_refusal = why.http_status >= 400 && why.http_status < 500 && why.error.kind != ErrorKind::unauthorised;
  if (step_ == Step::probe && foreign_refusal) return initialize();
  return why.error;
}

Handshake::Verdict Handshake::probe_timed_out() {
  return step_ == Step::probe ? initialize() : Verdict(Busy{});
}

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
