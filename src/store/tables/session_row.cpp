#include "store/tables/session_row.h"

#include "base/text/text.h"
#include "session/length_prefix.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {

using session::Entry;
using session::SessionRecord;
using session::Visibility;

namespace {

constexpr std::size_t kChecksumBytes = 16;  // against accidents; the entries' chain is against tampering

bool list_from_text(std::string_view text, std::vector<std::string>& items) {
  auto json = parse_json(text);
  if (!json || !json->is_array()) return false;
  for (const Json& item : json->get_array()) {
    if (!item.is_string()) return false;
    items.emplace_back(view(item.get_string()));
  }
  return true;
}

void put_optional(std::string& out, const std::optional<Millis>& value) {
  out.push_back(value ? '+' : '-');
  if (value) session::put_integer(out, *value);
}

std::string shortened(const Digest& digest) {
  return std::string(bytes_of(digest).substr(0, kChecksumBytes));
}

Visibility visibility_of(std::int64_t stored, SessionRecord& record) {
  if (stored >= 0 && stored <= static_cast<std::int64_t>(Visibility::deleted)) return static_cast<Visibility>(stored);
  add_damage(record, "unknown visibility");
  return Visibility::live;
}

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

std::string list_to_text(const std::vector<std::string>& items) {
  JsonArray array;
  for (const std::string& item : items) array.emplace_back(std::string_view(item));
  return to_json(Json(std::move(array)));
}

std::string checksum_of(const SessionRow& row, std::string_view linked_roots, std::string_view tags) {
  const SessionRecord& r = row.record;
  std::string all;
  all.reserve(512);
  session::put_integer(all, row.key);
  for (std::string_view text :
       {std::string_view(r.id), std::string_view(r.kind), std::string_view(r.title), std::string_view(r.root_uri),
        std::string_view(r.root_name), linked_roots, std::string_view(r.project), std::string_view(r.task),
        std::string_view(r.aspect), std::string_view(r.domain), tags, std::string_view(r.status),
        std::string_view(r.prior_status), std::string_view(r.principal), std::string_view(r.client)}) {
    session::put_string(all, text);
  }
  for (std::int64_t number : {static_cast<std::int64_t>(r.visibility), static_cast<std::int64_t>(r.prior_visibility),
                              static_cast<std::int64_t>(r.pinned), r.rev, r.created_at, r.updated_at, r.last_activity_at,
                              r.last_accessed_at, row.changed, row.entries}) {
    session::put_integer(all, number);
  }
  for (const auto& time : {r.archived_at, r.deleted_at, r.completed_at, r.retention_anchor_at, r.due_at}) {
    put_optional(all, time);
  }
  session::put_string(all, bytes_of(row.head));
  return shortened(sha256(all));
}

std::string checksum_of_texts(std::string_view description, std::string_view opening, std::string_view data) {
  std::string all;
  session::put_string(all, description);
  session::put_string(all, opening);
  session::put_string(all, data);
  return shortened(sha256(all));
}

void add_damage(SessionRecord& record, std::string_view what) {
  if (!record.damage) {
    record.damage = what;
  } else {
    record.damage->append("; ").append(what);
  }
}

SessionRow decode_session(const Columns& rows) {
  SessionRow row;
  SessionRecord& r = row.record;
  row.key = rows.integer(0);
  r.id = rows.text(1);
  r.kind = rows.text(2);
  r.title = rows.text(3);
  r.root_uri = rows.text(4);
  r.root_name = rows.text(5);
  if (!list_from_text(rows.text(6), r.linked_roots)) add_damage(r, "linked roots cannot be read");
  r.project = rows.text(7);
  r.task = rows.text(8);
  r.aspect = rows.text(9);
  r.domain = rows.text(10);
  if (!list_from_text(rows.text(11), r.tags)) add_damage(r, "tags cannot be read");
  r.status = rows.text(12);
  r.visibility = visibility_of(rows.integer(13), r);
  r.prior_status = rows.text(14);
  r.prior_visibility = visibility_of(rows.integer(15), r);
  r.pinned = rows.integer(16) != 0;
  r.principal = rows.text(17);
  r.client = rows.text(18);
  r.rev = rows.integer(19);
  r.created_at = rows.integer(20);
  r.updated_at = rows.integer(21);
  r.last_activity_at = rows.integer(22);
  r.last_accessed_at = rows.integer(23);
  r.archived_at = rows.optional_integer(24);
  r.deleted_at = rows.optional_integer(25);
  r.completed_at = rows.optional_integer(26);
  r.retention_anchor_at = rows.optional_integer(27);
  r.due_at = rows.optional_integer(28);
  row.changed = rows.integer(29);
  row.entries = rows.integer(30);
  const std::string_view head = rows.text(31);
  if (head.size() == row.head.size()) std::copy(head.begin(), head.end(), row.head.begin());
  row.stored_due = r.due_at;
  if (rows.text(32) != checksum_of(row, rows.text(6), rows.text(11))) add_damage(r, "the record does not fit its checksum");
  return row;
}

void decode_texts(const Columns& columns, SessionRecord& record) {
  record.description = columns.text(0);
  record.opening = columns.text(1);
  auto data = parse_json(columns.text(2));
  if (data && data->is_object()) {
    record.data = std::move(data->get_object());
  } else {
    add_damage(record, "data cannot be read");
  }
  if (columns.text(3) != checksum_of_texts(record.description, record.opening, columns.text(2))) {
    add_damage(record, "description and data do not fit their checksum");
  }
}

session::Tally decode_tally(const Columns& columns) {
  return {std::string(columns.text(0)), std::string(columns.text(1)), columns.integer(2),
          columns.integer(3),           columns.integer(4),           columns.integer(5)};
}

std::string folded_text(const SessionRecord& record) {
  std::string all = record.title + '\n' + record.description + '\n' + record.opening;
  for (const std::string& tag : record.tags) all.append("\n").append(tag);
  return fold_case(all);
}

std::string searched_text(std::string_view title, std::string_view description, std::string_view tags) {
  return fmt::format("{}\n{}\n{}", title, description, tags);
}

std::vector<std::string> listed_roots(const SessionRecord& record) {
  std::vector<std::string> roots = record.linked_roots;
  if (!record.root_uri.empty() || roots.empty()) roots.push_back(record.root_uri);
  std::ranges::sort(roots);
  roots.erase(std::ranges::unique(roots).begin(), roots.end());
  return roots;
}

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
