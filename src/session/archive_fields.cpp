#include "session/archive_fields.h"

#include "base/text/text.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

JsonArray array_of(const std::vector<std::string>& list) {
  JsonArray out;
  for (const std::string& each : list) out.emplace_back(each);
  return out;
}

}  // namespace

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
  if (!record.tags.empty()) json["tags"] = array_of(record.tags);
  if (!record.linked_roots.empty()) json["linked_roots"] = array_of(record.linked_roots);
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

}  // namespace holdfast::session
