#include "tools/mcp_state.h"

#include "base/json/json.h"
#include "kinds/reasoning/connections.h"
#include "mcp/transport/legacy_sessions.h"

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

std::vector<mcp::StoredState> to_states(std::vector<session::KeyedValue> values) {
  std::vector<mcp::StoredState> states;
  states.reserve(values.size());
  for (session::KeyedValue& value : values) states.push_back({std::move(value.key), std::move(value.value)});
  return states;
}

class Change final : public mcp::StateTransaction {
 public:
  explicit Change(session::Transaction& transaction) : transaction_(transaction) {}

  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override {
    HF_TRY(auto found, transaction_.value(area, key));
    if (!found) return std::nullopt;
    return std::move(found->value);
  }
  Result<std::vector<mcp::StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                             std::size_t limit) override {
    HF_TRY(auto values, transaction_.values({std::string(area), std::string(prefix), std::string(after), limit}));
    return to_states(std::move(values));
  }
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override {
    HF_CHECK(transaction_.put(area, key, value, session::Expect::anything(), expires_at));
    return {};
  }
  Result<void> erase(std::string_view area, std::string_view key) override {
    HF_CHECK(transaction_.erase(area, key));
    return {};
  }
  void wake() override { transaction_.wake(); }

 private:
  session::Transaction& transaction_;
};

}  // namespace

McpState::McpState(session::Store& store) : store_(store), name_(session::make_lease_owner()), owner_(to_text(name_)) {}

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
    // The tools know the connection by the same id, and remember its root.
    if (area == mcp::kSessionArea) HF_CHECK(reasoning::forget_connection(transaction, std::string(key)));
    return {};
  });
}

Result<std::vector<mcp::StoredState>> McpState::list(std::string_view area, std::string_view prefix, std::string_view after,
                                                     std::size_t limit) {
  HF_TRY(auto values, store_.values({std::string(area), std::string(prefix), std::string(after), limit}));
  return to_states(std::move(values));
}

Result<void> McpState::change(const Work& work) {
  return store_.write([&](session::Transaction& transaction) {
    Change change(transaction);
    return work(change);
  });
}

Result<void> McpState::watch(std::function<void()> woken) {
  const std::lock_guard lock(mutex_);
  subscription_.reset();
  if (!woken) return {};
  session::SubscribeOptions options;
  options.on_wake = std::move(woken);
  HF_TRY(subscription_, store_.subscribe(std::move(options)));
  return {};
}

bool McpState::is_alive(std::string_view owner) const {
  auto known = read_owner(owner);
  if (!known || session::is_known_dead(*known)) return false;
  if (known->host == name_.host) return true;
  auto row = store_.value(mcp::kNodeArea, known->token);
  return !row || row->has_value();
}

}  // namespace holdfast::tools
