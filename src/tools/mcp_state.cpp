#include "tools/mcp_state.h"

#include "base/json.h"

namespace holdfast::tools {

namespace {

std::string to_text(const session::LeaseOwner& owner) {
  return to_json(JsonObject{{"host", owner.host}, {"pid", owner.pid}, {"started", owner.started}, {"token", owner.token}});
}

std::optional<session::LeaseOwner> read_owner(std::string_view text) {
  auto value = parse_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  const JsonObject& fields = value->get_object();
  auto host = find_string(fields, "host");
  auto pid = find_int(fields, "pid");
  auto started = find_int(fields, "started");
  auto token = find_string(fields, "token");
  if (!host || !pid || !started || !token) return std::nullopt;
  return session::LeaseOwner{std::string(*host), *pid, *started, std::string(*token)};
}

}  // namespace

McpState::McpState(session::Store& store) : store_(store), owner_(to_text(session::make_lease_owner())) {}

Result<std::string> McpState::secret() {
  return store_.secret();
}

Result<std::optional<Json>> McpState::get(std::string_view area, std::string_view key) {
  HF_TRY(auto found, store_.value(area, key));
  if (!found) return std::nullopt;
  return std::move(found->value);
}

Result<void> McpState::put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.put(area, key, value, session::Expect::anything(), expires_at));
    return {};
  });
}

Result<void> McpState::erase(std::string_view area, std::string_view key) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(transaction.erase(area, key));
    return {};
  });
}

Result<std::vector<mcp::StoredState>> McpState::list(std::string_view area, std::string_view prefix, std::string_view after,
                                                     std::size_t limit) {
  HF_TRY(auto values, store_.values({std::string(area), std::string(prefix), std::string(after), limit}));
  std::vector<mcp::StoredState> listed;
  listed.reserve(values.size());
  for (session::KeyedValue& value : values) listed.push_back({std::move(value.key), std::move(value.value)});
  return listed;
}

bool McpState::is_alive(std::string_view owner) const {
  auto known = read_owner(owner);
  return known && !session::is_known_dead(*known);
}

}  // namespace holdfast::tools
