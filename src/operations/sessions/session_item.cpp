#include "operations/sessions/session_item.h"

#include "base/text/text.h"
#include "kinds/reasoning/append.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::operations {

namespace {

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

void add_reasoning_fields(const session::SessionRecord& record, JsonObject& item) {
  item["thoughtCount"] = reasoning::thought_count(record);
  item["branchCount"] = reasoning::branches_of(record).size();
  item["totalCount"] = reasoning::total_count(record);
  item["createdAt"] = iso8601(record.created_at);
  item["updatedAt"] = iso8601(record.updated_at);
  Millis last = 0;
  for (const session::Tally& tally : record.tallies) last = std::max(last, tally.last_time);
  add_time(item, "lastThoughtAt", last);
  add_time(item, "lastAccessedAt", record.last_accessed_at);
  add_time(item, "completedAt", record.completed_at);
  put_text(item, "domain", record.domain);
  put_text(item, "client", record.client);
  if (!record.linked_roots.empty()) item["linkedRoots"] = to_json_array(record.linked_roots);
}

void add_thread_fields(const session::SessionRecord& record, JsonObject& item) {
  item["kind"] = record.aspect.empty() ? "chat" : record.aspect;
  item["message_count"] = record.count_of("message");
}

// Entries by what they tell; the label is the id, and all that is needed to resume.
void add_document_fields(const session::SessionRecord& record, JsonObject& item) {
  item["label"] = record.id;
  if (auto author = find_string(record.data, "author")) item["author"] = *author;
  if (auto model = find_string(record.data, "model")) item["model"] = *model;
  JsonObject counts;
  for (const session::Tally& tally : record.tallies) {
    Json& count = counts[tally.type];
    count = tally.count + (count.is_int64() ? count.get_int64() : 0);
  }
  item["counts"] = std::move(counts);
}

void add_run_fields(const session::SessionRecord& record, JsonObject& item) {
  item["tasks"] = find_int(record.data, "tasks").value_or(0);
  item["tasks_done"] = record.count_of("result");
  item["tasks_failed"] = find_int(record.data, "tasks_failed").value_or(0);
  item["tool_calls"] = record.count_of("tool_call");
  if (const auto why = find_string(record.data, "interrupted"); why && record.status == "running") item["interrupted"] = *why;
}

// What its client keeps is not ours to count.
void add_transcript_fields(const session::SessionRecord& record, JsonObject& item) {
  for (const auto& member : record.data) item[member.key()] = member.value();
  item.erase("entry_count");
  item.erase("rev");
}

void add_kind_fields(const session::SessionRecord& record, JsonObject& item) {
  if (record.kind == session::kReasoning) return add_reasoning_fields(record, item);
  if (record.kind == session::kDocument) return add_document_fields(record, item);
  if (record.kind == session::kRun) return add_run_fields(record, item);
  if (record.kind == session::kTranscript) return add_transcript_fields(record, item);
  if (record.kind == session::kThread)
    add_thread_fields(record, item);
  else if (record.kind == session::kResearch)
    research::add_item_fields(record, item);
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
  put_text(item, "description", record.description);
  item["status"] = shown_status(record);
  item["visibility"] = name_of(record.visibility);
  item["pinned"] = record.pinned;
  item["tags"] = to_json_array(record.tags);
  put_text(item, "rootUri", record.root_uri);
  put_text(item, "rootName", record.root_name);
  put_text(item, "project", record.project);
  put_text(item, "task", record.task);
  put_text(item, "aspect", record.aspect);
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
  item["deletable"] = record.kind != session::kTranscript && record.visibility != session::Visibility::deleted;
  if (record.damage) item["damage"] = *record.damage;
  item["display"] = fmt::format("{}: '{}' ({})", record.id, title, described(record, item, now));
  return item;
}

JsonObject entry_item(const session::Entry& entry) {
  JsonObject item{{"seq", entry.seq}, {"type", entry.type}};
  put_text(item, "lane", entry.lane);
  if (entry.number != 0) item["number"] = entry.number;
  add_time(item, "time", entry.time);
  put_text(item, "author", entry.author);
  item["text"] = to_valid_utf8(entry.text);
  if (!entry.data.empty())
    if (auto data = parse_json(entry.data)) item["data"] = std::move(*data);
  if (entry.redacted) item["redacted"] = true;
  if (entry.damage) item["damage"] = *entry.damage;
  return item;
}

}  // namespace holdfast::operations
