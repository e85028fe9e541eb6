#include "session/query/known_damage.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::session {

namespace {

constexpr std::string_view kDamageSpace = "session.damage";

std::optional<std::string> noted_damage(Reader& reader, const std::string& session) {
  const auto note = reader.value(kDamageSpace, session);
  if (!note || !*note || !(*note)->value.is_object()) return std::nullopt;
  const auto text = find_string((*note)->value.as_object(), "damage");
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

void remember_damage(Store& store, const std::string& session, const std::optional<std::string>& damage) {
  if (noted_damage(store, session) == damage) return;
  (void)store.write([&](Transaction& transaction) -> Result<void> {
    if (damage)
      HF_CHECK(transaction.put(kDamageSpace, session, JsonObject{{"damage", *damage}}, {}, {}));
    else
      HF_CHECK(transaction.erase(kDamageSpace, session));
    return {};
  });
}

void add_known_damage(Reader& reader, SessionRecord& record) {
  if (!record.damage) record.damage = noted_damage(reader, record.id);
}

void look_for_damage(Reader& reader, std::vector<SessionRecord>& records) {
  std::size_t entries = kLookedAtEntries, bytes = kLookedAtBytes;
  for (SessionRecord& record : records) {
    add_known_damage(reader, record);
    if (record.damage || entries == 0 || bytes == 0) continue;
    EntryQuery newest;
    newest.session = record.id;
    newest.direction = Direction::backward;
    newest.limit = std::min(entries, kLookedAtOfOne);
    const auto page = reader.entries(newest);
    if (!page) {
      // Gone meanwhile is no damage.
      if (page.error().kind == ErrorKind::corrupt) record.damage = page.error().message;
      continue;
    }
    record.damage = damage_among(page->entries);
    entries -= std::min(entries, page->entries.size());
    for (const Entry& entry : page->entries) bytes -= std::min(bytes, entry.text.size() + entry.data.size());
  }
}

std::optional<std::string> damage_among(const std::vector<Entry>& entries) {
  const auto bad = std::ranges::find_if(entries, [](const Entry& entry) { return entry.damage.has_value(); });
  if (bad == entries.end()) return std::nullopt;
  return fmt::format("entry {}: {}", bad->seq, *bad->damage);
}

}  // namespace holdfast::session
