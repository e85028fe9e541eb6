#include "mcp/client/client_handshake.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <utility>

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

}  // namespace

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

}  // namespace holdfast::mcp
