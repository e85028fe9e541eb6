#include "kinds/research/sources/service_memory.h"

#include "base/crypto/hash.h"

#include <cmath>

namespace holdfast::research {

namespace {

constexpr std::string_view kServices = "research.services";
// A service nobody has asked for a day is like a new one.
constexpr Millis kRememberedFor = 86'400'000;
constexpr double kThousand = 1000;  // tokens are kept as whole thousandths

ServiceState read_service(const Json& value) {
  ServiceState state;
  if (!value.is_object()) return state;
  const JsonObject& row = value.as_object();
  if (const auto tokens = find_int(row, "tokens")) state.tokens = static_cast<double>(*tokens) / kThousand;
  state.filled_at = find_int(row, "filledAt").value_or(0);
  state.faults = static_cast<int>(find_int(row, "faults").value_or(0));
  state.opened_at = find_int(row, "openedAt").value_or(0);
  state.probed_at = find_int(row, "probedAt").value_or(0);
  return state;
}

}  // namespace

ServiceMemory remembered_in(session::Store& store, const std::string& service) {
  return [&store, key = to_hex(sha256(service))](const std::function<void(ServiceState&)>& change) {
    return store.write([&](session::Transaction& transaction) -> Result<void> {
      HF_TRY(const auto kept, transaction.value(kServices, key));
      const ServiceState before = kept ? read_service(kept->value) : ServiceState();
      ServiceState state = before;
      change(state);
      if (state == before) return {};
      const JsonObject row{{"tokens", static_cast<std::int64_t>(std::floor(state.tokens * kThousand))},
                           {"filledAt", state.filled_at},
                           {"faults", state.faults},
                           {"openedAt", state.opened_at},
                           {"probedAt", state.probed_at}};
      HF_CHECK(transaction.put(kServices, key, row, {}, transaction.now() + kRememberedFor));
      return {};
    });
  };
}

}  // namespace holdfast::research
