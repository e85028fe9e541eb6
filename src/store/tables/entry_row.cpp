#include "store/tables/entry_row.h"

#include <algorithm>

namespace holdfast::store {

using session::Entry;

namespace {

std::optional<Digest> digest_of(std::string_view bytes) {
  Digest digest{};
  if (bytes.size() != digest.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

// Whether what was read is what was hashed when it was written.
std::optional<std::string> damage_of(const Columns& rows, const Entry& entry) {
  const auto previous = digest_of(rows.text(9));
  const auto hash = digest_of(rows.text(10));
  if (!previous || !hash) return "the entry's hash is missing";
  Digest mac{};
  if (entry.redacted) {
    const auto kept = digest_of(rows.text(12));
    if (!kept) return "neither salt nor mac of the entry are there";
    mac = *kept;
  } else {
    mac = session::body_mac(rows.text(11), entry.text, entry.data);
  }
  if (session::chain_hash(*previous, entry, mac) != *hash) return "the entry does not fit its hash";
  return std::nullopt;
}

}  // namespace

NextEntry next_entry(const SessionRow& row, session::NewEntry fresh, std::int64_t sequence) {
  NextEntry next;
  Entry& entry = next.entry;
  entry.session = row.record.id;
  entry.seq = row.entries + 1;
  entry.sequence = sequence;
  entry.type = std::move(fresh.type);
  entry.lane = std::move(fresh.lane);
  entry.number = fresh.number;
  entry.time = fresh.time;
  entry.author = std::move(fresh.author);
  entry.run = std::move(fresh.run);
  entry.idempotency_key = std::move(fresh.idempotency_key);
  entry.text = std::move(fresh.text);
  entry.data = std::move(fresh.data);

  next.salt = random_bytes(session::kSaltBytes);
  entry.hash = session::chain_hash(row.head, entry, session::body_mac(next.salt, entry.text, entry.data));
  return next;
}

Entry read_entry(const Columns& rows, std::string_view session_id) {
  Entry entry;
  entry.session = session_id;
  entry.sequence = rows.integer(0);
  entry.seq = rows.integer(1);
  entry.type = rows.text(2);
  entry.lane = rows.text(3);
  entry.number = rows.integer(4);
  entry.time = rows.integer(5);
  entry.author = rows.text(6);
  entry.run = rows.text(7);
  entry.idempotency_key = rows.text(8);
  entry.redacted = rows.is_null(11);
  entry.data = rows.text(13);
  entry.text = rows.text(14);
  entry.hash = digest_of(rows.text(10)).value_or(Digest{});
  entry.damage = damage_of(rows, entry);
  return entry;
}

Digest previous_hash(const Columns& rows) {
  return digest_of(rows.text(9)).value_or(Digest{});
}

std::string mac_to_keep(std::string_view salt, std::string_view mac, std::string_view text, std::string_view data) {
  return salt.empty() ? std::string(mac) : std::string(bytes_of(session::body_mac(salt, text, data)));
}

}  // namespace holdfast::store
