#include "session/session_archive.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "session/kinds.h"
#include "session/life/kind_life.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::session {
namespace {

struct TextField {
  std::string_view name;
  std::string SessionRecord::* field;
};
constexpr std::array<TextField, 13> kTexts = {{{"id", &SessionRecord::id},
                                               {"kind", &SessionRecord::kind},
                                               {"title", &SessionRecord::title},
                                               {"description", &SessionRecord::description},
                                               {"opening", &SessionRecord::opening},
                                               {"root_uri", &SessionRecord::root_uri},
                                               {"root_name", &SessionRecord::root_name},
                                               {"project", &SessionRecord::project},
                                               {"task", &SessionRecord::task},
                                               {"aspect", &SessionRecord::aspect},
                                               {"domain", &SessionRecord::domain},
                                               {"status", &SessionRecord::status},
                                               {"prior_status", &SessionRecord::prior_status}}};

struct TimeField {
  std::string_view name;
  std::optional<Millis> SessionRecord::* field;
};
constexpr std::array<TimeField, 4> kTimes = {{{"archived_at", &SessionRecord::archived_at},
                                              {"deleted_at", &SessionRecord::deleted_at},
                                              {"completed_at", &SessionRecord::completed_at},
                                              {"retention_anchor_at", &SessionRecord::retention_anchor_at}}};

// Words of the program, not of people: they stay as they are when texts are masked.
constexpr std::array<std::string_view, 18> kWords = {
    "id",     "kind",   "status",     "prior_status",    "visibility", "type",   "lane",   "author", "run",
    "aspect", "domain", "created_at", "idempotency_key", "root_uri",   "client", "parent", "child",  "how"};

std::unexpected<Error> bad_field(std::string_view name) {
  return fail(ErrorKind::corrupt, fmt::format("the archive is damaged: `{}` is missing or of another type", name));
}

// Absent is empty; present must be a text.
Result<std::string> archived_text(const JsonObject& json, std::string_view name) {
  const Json* value = find(json, name);
  if (!value) return std::string();
  if (!value->is_string()) return bad_field(name);
  return std::string(view(value->get_string()));
}

Result<std::int64_t> number_in(const JsonObject& json, std::string_view name) {
  const Json* value = find(json, name);
  if (!value) return std::int64_t{0};
  const auto number = find_int(json, name);
  if (!number || *number < 0) return bad_field(name);
  return *number;
}

Result<std::vector<std::string>> list_in(const JsonObject& json, std::string_view name) {
  std::vector<std::string> list;
  const Json* value = find(json, name);
  if (!value) return list;
  if (!value->is_array()) return bad_field(name);
  for (const Json& each : value->get_array()) {
    if (!each.is_string()) return bad_field(name);
    list.emplace_back(view(each.get_string()));
  }
  return list;
}

void put(JsonObject& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json[name] = to_valid_utf8(text);
}

JsonObject archived_record(const SessionRecord& record) {
  JsonObject json;
  for (const TextField& each : kTexts) put(json, each.name, record.*each.field);
  put(json, "client", record.client);
  json["visibility"] = name_of(record.visibility);
  if (record.visibility != Visibility::live) json["prior_visibility"] = name_of(record.prior_visibility);
  if (record.pinned) json["pinned"] = true;
  json["created_at"] = record.created_at;
  json["updated_at"] = record.updated_at;
  for (const TimeField& each : kTimes)
    if (const auto& time = record.*each.field) json[each.name] = *time;
  if (!record.tags.empty()) json["tags"] = to_json_array(record.tags);
  if (!record.linked_roots.empty()) json["linked_roots"] = to_json_array(record.linked_roots);
  json["data"] = record.data;
  return json;
}

JsonObject archived_entry(const Entry& entry) {
  JsonObject json{{"type", entry.type}, {"time", entry.time}};
  put(json, "lane", entry.lane);
  if (entry.number != 0) json["number"] = entry.number;
  put(json, "author", entry.author);
  put(json, "run", entry.run);
  put(json, "idempotency_key", entry.idempotency_key);
  put(json, "text", entry.text);
  put(json, "data", entry.data);
  if (entry.redacted) json["redacted"] = true;
  put(json, "damage", entry.damage.value_or(""));
  return json;
}

JsonObject archived_lineage(const LineageEvent& event) {
  return {{"child", event.child}, {"parent", event.parent}, {"how", event.how}, {"when", event.when}, {"details", event.details}};
}

// Errors: corrupt (a field is missing or of another type). Sizes are checked by check_record and check_entry.
Result<SessionRecord> record_from_archive(const JsonObject& json) {
  SessionRecord record;
  for (const TextField& each : kTexts) {
    HF_TRY(record.*each.field, archived_text(json, each.name));
  }
  if (record.id.empty()) return bad_field("id");
  if (record.kind.empty()) return bad_field("kind");
  HF_TRY(record.client, archived_text(json, "client"));
  HF_TRY(const std::string visibility, archived_text(json, "visibility"));
  const auto known = parse_visibility(visibility);
  if (!known) return bad_field("visibility");
  record.visibility = *known;
  HF_TRY(const std::string prior, archived_text(json, "prior_visibility"));
  record.prior_visibility = parse_visibility(prior).value_or(Visibility::live);
  record.pinned = find_bool(json, "pinned").value_or(false);
  HF_TRY(record.created_at, number_in(json, "created_at"));
  HF_CHECK(number_in(json, "updated_at"));  // looked at, and not taken over: coming back is a change
  for (const TimeField& each : kTimes) {
    if (!find(json, each.name)) continue;
    HF_TRY(record.*each.field, number_in(json, each.name));
  }
  HF_TRY(record.tags, list_in(json, "tags"));
  HF_TRY(record.linked_roots, list_in(json, "linked_roots"));
  const JsonObject* data = find_object(json, "data");
  if (!data) return bad_field("data");
  record.data = *data;
  return record;
}

Result<NewEntry> entry_from_archive(const JsonObject& json) {
  NewEntry entry;
  HF_TRY(entry.type, archived_text(json, "type"));
  HF_TRY(entry.lane, archived_text(json, "lane"));
  HF_TRY(entry.number, number_in(json, "number"));
  HF_TRY(entry.time, number_in(json, "time"));
  HF_TRY(entry.author, archived_text(json, "author"));
  HF_TRY(entry.run, archived_text(json, "run"));
  HF_TRY(entry.idempotency_key, archived_text(json, "idempotency_key"));
  HF_TRY(entry.text, archived_text(json, "text"));
  HF_TRY(entry.data, archived_text(json, "data"));
  // What was damaged gets a hash of its own here; it must not look genuine by that.
  HF_TRY(const std::string damage, archived_text(json, "damage"));
  if (!damage.empty()) {
    entry.text = fmt::format("[damaged when it was archived: {}]\n{}", damage, entry.text);
    entry.data.clear();
  }
  // Restoring is nothing that keeps a session alive.
  entry.touch = Touch::change;
  return entry;
}

Result<LineageEvent> lineage_from_archive(const JsonObject& json) {
  LineageEvent event;
  HF_TRY(event.child, archived_text(json, "child"));
  HF_TRY(event.parent, archived_text(json, "parent"));
  HF_TRY(event.how, archived_text(json, "how"));
  HF_TRY(event.when, number_in(json, "when"));
  if (event.child.empty() || event.how.empty() || event.how.size() > kMaxWordBytes || event.child.size() > kMaxIdBytes ||
      event.parent.size() > kMaxIdBytes)
    return bad_field("lineage");
  if (const JsonObject* details = find_object(json, "details")) event.details = *details;
  if (to_json(event.details).size() > kMaxDataBytes) return bad_field("details");
  return event;
}

// Every text in it but ids, kinds, words and times: what a person or a model wrote.
void filter_archived(Json& value, const TextFilter& filter) {
  if (value.is_string()) {
    value = filter(view(value.get_string()));
  } else if (value.is_array()) {
    for (Json& each : value.get_array()) filter_archived(each, filter);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) {
      if (std::ranges::find(kWords, std::string_view(member.key())) != kWords.end()) continue;
      // The data of an entry is JSON inside of a text: its strings are looked at one by one, so that it stays JSON.
      auto inner = member.key() == "data" && member.value().is_string() ? parse_json(view(member.value().get_string()))
                                                                        : Result<Json>(fail(ErrorKind::invalid, ""));
      if (inner) {
        filter_archived(*inner, filter);
        member.value() = to_json(*inner);
      } else {
        filter_archived(member.value(), filter);
      }
    }
  }
}

constexpr std::int64_t kArchiveVersion = 1;
constexpr std::string_view kMark = "\"holdfast_session\"";
constexpr std::size_t kBeginning = 256;  // within which the mark stands

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::corrupt, fmt::format("the archive is damaged: {}", what));
}

// Another id of the same form (design 8.20).
std::string id_like(std::string_view id) {
  if (is_uuid(id)) return make_uuid7();
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos || dash + 1 == id.size()) return make_uuid7();
  const std::string_view rest = id.substr(dash + 1);
  const bool base32 = std::ranges::all_of(rest, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
  return std::string(id.substr(0, dash + 1)) + (base32 ? random_base32(rest.size()) : random_base62(rest.size()));
}

// As it can be here: nobody works on it, and it is not about to be purged.
SessionRecord as_kept(SessionRecord record, const RestoreSessionOptions& options) {
  record.principal = options.principal;
  if (record.visibility == Visibility::deleted) {
    record.visibility = Visibility::live;
    if (!record.prior_status.empty()) record.status = record.prior_status;
    record.deleted_at.reset();
  }
  if (is_busy(record)) record.status = std::string(life_of(record.kind).ended);
  return record;
}

bool is_same(const Entry& entry, const NewEntry& archived) {
  return entry.type == archived.type && entry.lane == archived.lane && entry.number == archived.number &&
         entry.time == archived.time && entry.text == archived.text && entry.data == archived.data;
}

Result<bool> has_same_entries(Reader& reader, const SessionArchive& archive) {
  EntryQuery query;
  query.session = archive.record.id;
  query.limit = kMaxEntryLimit;
  std::size_t at = 0;
  for (;;) {
    HF_TRY(const EntryPage page, reader.entries(query));
    for (const Entry& entry : page.entries)
      if (at >= archive.entries.size() || !is_same(entry, archive.entries[at++])) return false;
    if (!page.next) return at == archive.entries.size();
    query.from = *page.next;
  }
}

Result<Restored> put_back(Transaction& transaction, const SessionArchive& archive, const RestoreSessionOptions& options) {
  SessionRecord record = as_kept(archive.record, options);
  if (options.new_id) record.id = id_like(record.id);
  HF_TRY(SessionRecord created, transaction.create(record));
  for (const NewEntry& entry : archive.entries) HF_CHECK(transaction.append(created.id, entry));
  if (!options.new_id) {
    HF_TRY(const auto known, transaction.lineage_of(created.id));
    for (const LineageEvent& event : archive.lineage) {
      const bool there = std::ranges::any_of(known, [&](const LineageEvent& each) {
        return each.child == event.child && each.parent == event.parent && each.how == event.how && each.when == event.when;
      });
      if (!there) HF_CHECK(transaction.add_lineage(event));
    }
  }
  LineageEvent event;
  event.child = created.id;
  event.parent = options.new_id ? archive.record.id : std::string();
  event.how = "restore";
  if (!options.origin.empty()) event.details["origin"] = options.origin;
  HF_CHECK(transaction.add_lineage(std::move(event)));
  Restored restored;
  HF_TRY(restored.record, transaction.get(created.id));
  restored.entries = static_cast<std::int64_t>(archive.entries.size());
  return restored;
}

}  // namespace

bool looks_like_session_archive(std::string_view beginning) {
  const std::string_view head = trim(beginning.substr(0, kBeginning));
  return head.starts_with('{') && head.contains(kMark);
}

Result<Written> write_session_archive(Reader& reader, const SessionRecord& record, const TextFilter& filter,
                                      const std::function<Result<void>(std::string_view)>& sink) {
  Written written;
  const auto out = [&](std::string_view bytes) -> Result<void> {
    written.bytes += bytes.size();
    return sink(bytes);
  };
  Json head(archived_record(record));
  if (filter) filter_archived(head, filter);
  HF_CHECK(out(fmt::format("{{\"holdfast_session\":{},\"kind\":{},\n\"record\":{},\n\"entries\":[", kArchiveVersion,
                           to_json(Json(record.kind)), to_json(head))));
  EntryQuery query;
  query.session = record.id;
  query.limit = kMaxEntryLimit;
  for (;;) {
    HF_TRY(const EntryPage page, reader.entries(query));
    for (const Entry& entry : page.entries) {
      Json item(archived_entry(entry));
      if (filter) filter_archived(item, filter);
      HF_CHECK(out((written.entries++ == 0 ? "\n" : ",\n") + to_json(item)));
    }
    if (!page.next) break;
    query.from = *page.next;
  }
  HF_TRY(const auto events, reader.lineage_of(record.id));
  JsonArray lineage;
  for (const LineageEvent& event : events) lineage.push_back(archived_lineage(event));
  HF_CHECK(out(fmt::format("],\n\"lineage\":{}}}\n", to_json(Json(std::move(lineage))))));
  return written;
}

Result<SessionArchive> read_session_archive(std::string_view text) {
  JsonLimits limits;
  limits.max_bytes = kMaxArchiveBytes;
  auto parsed = parse_json(text, limits);
  if (!parsed && parsed.error().kind == ErrorKind::too_large) return fail(std::move(parsed).error());
  if (!parsed || !parsed->is_object()) return damaged(parsed ? "it is no object" : parsed.error().message);
  const JsonObject& all = parsed->get_object();
  const auto version = find_int(all, "holdfast_session");
  if (!version || *version < 1) return damaged("it does not say what it is");
  if (*version > kArchiveVersion)
    return fail(ErrorKind::refused, fmt::format("the archive is of version {}, which a later holdfast wrote", *version),
                "restore it with that version");
  const JsonObject* record = find_object(all, "record");
  const JsonArray* entries = find_array(all, "entries");
  const JsonArray* lineage = find_array(all, "lineage");
  if (!record || !entries || !lineage) return damaged("record, entries or lineage is missing");
  if (entries->size() > kMaxArchivedEntries)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} entries", kMaxArchivedEntries));
  if (lineage->size() > kMaxLineageEvents)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} events", kMaxLineageEvents));

  SessionArchive archive;
  HF_TRY(archive.record, record_from_archive(*record));
  if (find_string(all, "kind") != archive.record.kind) return damaged("its kind is not that of its record");
  if (archive.record.kind == kTranscript) return damaged("transcripts are archived as files");
  HF_CHECK(check_record(archive.record));
  archive.entries.reserve(entries->size());
  std::set<std::pair<std::string, std::int64_t>> numbers;  // of each lane
  for (const Json& each : *entries) {
    if (!each.is_object()) return damaged(fmt::format("entry {} is no object", archive.entries.size() + 1));
    auto entry = entry_from_archive(each.get_object());
    auto checked = entry ? check_entry(*entry) : Result<void>(fail(entry.error()));
    if (!checked) return fail(std::move(checked.error()).within(fmt::format("entry {}", archive.entries.size() + 1)));
    if (entry->number != 0 && !numbers.emplace(entry->lane, entry->number).second)
      return damaged(fmt::format("entry {} has a number that another has", archive.entries.size() + 1));
    archive.entries.push_back(*std::move(entry));
  }
  for (const Json& each : *lineage) {
    if (!each.is_object()) return damaged("an event of the lineage is no object");
    HF_TRY(LineageEvent event, lineage_from_archive(each.get_object()));
    if (event.child != archive.record.id && event.parent != archive.record.id)
      return damaged("an event of the lineage is about other sessions");
    archive.lineage.push_back(std::move(event));
  }
  return archive;
}

Result<Restored> restore_session_archive(Store& store, const SessionArchive& archive, const RestoreSessionOptions& options) {
  if (!options.new_id) {
    auto there = store.get(archive.record.id);
    if (there && there->principal == options.principal) {
      HF_TRY(const bool same, has_same_entries(store, archive));
      if (same) return Restored{*std::move(there), static_cast<std::int64_t>(archive.entries.size()), true};
    }
    const bool gone = !there && there.error().code == "gone";
    if (!there && !gone && there.error().kind != ErrorKind::not_found) return fail(std::move(there).error());
    if (there || gone)
      return fail(ErrorKind::conflict,
                  gone ? fmt::format("there was a session {}, and it was purged", archive.record.id)
                       : fmt::format("there is a session {} already, and it is not the same", archive.record.id),
                  "{new_id} restores it under another id");
  }
  if (options.dry_run) {
    Restored restored;
    restored.record = as_kept(archive.record, options);
    restored.entries = static_cast<std::int64_t>(archive.entries.size());
    return restored;
  }
  return store.write([&](Transaction& transaction) { return put_back(transaction, archive, options); });
}

}  // namespace holdfast::session
