#include "tools/session/session_item.h"

#include "base/text/text.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

void add_text(JsonObject& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void add_time(JsonObject& object, std::string_view key, std::optional<Millis> time) {
  if (time && *time != 0) object[key] = iso8601(*time);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// A thread is resumed by its next message, also when it is archived; a run until it is completed (§3, §4).
bool is_resumable(const session::SessionRecord& record) {
  if (record.damage) return false;
  if (record.kind == session::kThread) return record.visibility != session::Visibility::deleted;
  if (record.kind == session::kResearch) return record.visibility != session::Visibility::deleted && record.status != "completed";
  if (record.kind == session::kRun && record.status != "running") return false;
  return record.visibility == session::Visibility::live;
}

// What stands in brackets behind the title.
std::string described(const session::SessionRecord& record, const JsonObject& item, Millis now) {
  if (record.kind == session::kThread)
    return fmt::format("{}, {}, {}", find_string(item, "kind").value_or("chat"),
                       counted(record.count_of("message"), "message", "messages"), session::age(record.updated_at, now));
  if (record.kind == session::kResearch) {
    const bool working = record.status == "started" || record.status == "in_progress";
    if (working) return fmt::format("{}, {}%", record.status, find_int(item, "progress_percent").value_or(0));
    return fmt::format("{}, {}", record.status, counted(find_int(item, "source_count").value_or(0), "source", "sources"));
  }
  const std::string status = shown_status(record);
  return fmt::format("{}, {}, {}", status.empty() ? record.kind : status, counted(record.entry_count(), "entry", "entries"),
                     session::age(record.updated_at, now));
}

void add_kind_fields(const session::SessionRecord& record, JsonObject& item) {
  if (record.kind == session::kThread) {
    item["kind"] = record.aspect.empty() ? "chat" : record.aspect;
    item["message_count"] = record.count_of("message");
  } else if (record.kind == session::kResearch) {
    research::add_item_fields(record, item);
  } else {
    return;
  }
  if (record.damage) item["status"] = "corrupt";  // §12
}

void add_next_action(const session::SessionRecord& record, const session::RetentionPolicy& policy, JsonObject& item) {
  if (auto next = session::next_step(record, policy)) {
    item["next_action"] = name_of(next->step);
    item["next_action_at"] = iso8601(next->due);
  }
  add_time(item, "restorable_until", session::restorable_until(record, policy));
}

}  // namespace

JsonObject session_item(const session::SessionRecord& record, Millis now, const session::RetentionPolicy& policy) {
  const std::string title = shown_title(record);
  JsonObject item{{"id", record.id}, {"type", record.kind}, {"title", title}};
  add_text(item, "description", record.description);
  item["status"] = shown_status(record);
  item["visibility"] = name_of(record.visibility);
  item["pinned"] = record.pinned;
  item["tags"] = to_json_array(record.tags);
  add_text(item, "rootUri", record.root_uri);
  add_text(item, "rootName", record.root_name);
  add_text(item, "project", record.project);
  add_text(item, "task", record.task);
  add_text(item, "aspect", record.aspect);
  item["entry_count"] = record.entry_count();
  item["rev"] = record.rev;
  add_time(item, "created_at", record.created_at);
  add_time(item, "updated_at", record.updated_at);
  add_time(item, "archived_at", record.archived_at);
  add_time(item, "deleted_at", record.deleted_at);
  add_time(item, "completed_at", record.completed_at);
  add_kind_fields(record, item);
  add_next_action(record, policy, item);
  item["resumable"] = is_resumable(record);
  item["deletable"] = record.visibility != session::Visibility::deleted;
  if (record.damage) item["damage"] = *record.damage;
  item["display"] = fmt::format("{}: '{}' ({})", record.id, title, described(record, item, now));
  return item;
}

JsonObject entry_item(const session::Entry& entry) {
  JsonObject item{{"seq", entry.seq}, {"type", entry.type}};
  add_text(item, "lane", entry.lane);
  if (entry.number != 0) item["number"] = entry.number;
  add_time(item, "time", entry.time);
  add_text(item, "author", entry.author);
  item["text"] = to_valid_utf8(entry.text);
  if (!entry.data.empty())
    if (auto data = parse_json(entry.data)) item["data"] = std::move(*data);
  if (entry.redacted) item["redacted"] = true;
  if (entry.damage) item["damage"] = *entry.damage;
  return item;
}

}  // namespace holdfast::tools
