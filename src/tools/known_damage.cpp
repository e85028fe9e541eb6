#include "tools/known_damage.h"

namespace holdfast::tools {

namespace {

constexpr std::string_view kSpace = "session.damage";

std::optional<std::string> noted(session::Reader& reader, const std::string& session) {
  const auto note = reader.value(kSpace, session);
  if (!note || !*note || !(*note)->value.is_object()) return std::nullopt;
  const auto text = find_string((*note)->value.as_object(), "damage");
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

void remember_damage(session::Store& store, const std::string& session, const std::optional<std::string>& damage) {
  if (noted(store, session) == damage) return;
  (void)store.write([&](session::Transaction& transaction) -> Result<void> {
    if (damage)
      HF_CHECK(transaction.put(kSpace, session, JsonObject{{"damage", *damage}}, {}, {}));
    else
      HF_CHECK(transaction.erase(kSpace, session));
    return {};
  });
}

void add_known_damage(session::Reader& reader, session::SessionRecord& record) {
  if (!record.damage) record.damage = noted(reader, record.id);
}

}  // namespace holdfast::tools
