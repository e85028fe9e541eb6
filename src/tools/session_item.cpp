#include "tools/session_item.h"

#include "base/text.h"
#include "session/display.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

void add_text(JsonObject& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void add_time(JsonObject& object, std::string_view key, std::optional<Millis> time) {
  if (time && *time != 0) object[key] = iso8601(*time);
}

JsonArray to_array(const std::vector<std::string>& texts) {
  JsonArray out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

}  // namespace

JsonObject session_item(const session::SessionRecord& record, Millis now) {
  const std::string title = shown_title(record);
  const std::string status = shown_status(record);
  const std::int64_t entries = record.entry_count();
  JsonObject item{{"id", record.id}, {"type", record.kind}, {"title", title}};
  add_text(item, "description", record.description);
  item["status"] = status;
  item["visibility"] = name_of(record.visibility);
  item["pinned"] = record.pinned;
  item["tags"] = to_array(record.tags);
  add_text(item, "rootUri", record.root_uri);
  add_text(item, "rootName", record.root_name);
  add_text(item, "project", record.project);
  add_text(item, "task", record.task);
  add_text(item, "aspect", record.aspect);
  item["entry_count"] = entries;
  item["rev"] = record.rev;
  add_time(item, "created_at", record.created_at);
  add_time(item, "updated_at", record.updated_at);
  add_time(item, "archived_at", record.archived_at);
  add_time(item, "deleted_at", record.deleted_at);
  add_time(item, "completed_at", record.completed_at);
  add_time(item, "next_action_at", record.due_at);
  item["resumable"] = record.visibility == session::Visibility::live && !record.damage;
  item["deletable"] = record.visibility != session::Visibility::deleted;
  if (record.damage) item["damage"] = *record.damage;
  item["display"] = fmt::format("{}: '{}' ({}, {} {}, {})", record.id, title, status.empty() ? record.kind : status, entries,
                                entries == 1 ? "entry" : "entries", session::age(record.updated_at, now));
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
