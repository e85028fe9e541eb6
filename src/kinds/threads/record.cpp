#include "kinds/threads/record.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "session/kinds.h"
#include "session/life/lifecycle.h"
#include "session/limits.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::threads {
namespace {

std::string one_line(std::string_view text) {
  std::string line = to_valid_utf8(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

void append_message(std::string& out, const Message& message, const std::optional<std::string>& damage) {
  out += fmt::format("## {}. {}", message.seq, message.role);
  if (!message.provider.empty()) out += fmt::format(" · {}", one_line(message.provider));
  if (!message.model.empty() && message.model != message.provider) out += fmt::format(" ({})", one_line(message.model));
  out += fmt::format("\n\n*{}*\n\n{}", iso8601(message.created_at), to_valid_utf8(message.content));
  if (!out.ends_with('\n')) out += '\n';
  if (damage) out += fmt::format("\n> damaged: {}\n", *damage);
  out += '\n';
}

}  // namespace

using session::SessionRecord;
using session::Transaction;
using session::Visibility;

Result<SessionRecord> find_thread(session::Reader& reader, const Who& who, std::string_view id) {
  if (!is_thread_id(id))
    return fail(ErrorKind::invalid, fmt::format("\"{}\" is not the id of a thread", shorten(id, 80)),
                "ids look like thread-a1B2c3D4e5F6; thread-list shows them", "INVALID_ID");
  const auto unknown = [&] {
    return fail(ErrorKind::not_found, fmt::format("there is no thread {}", id),
                "thread-list shows the threads there are; leave thread_id out to begin a new one", "NOT_FOUND");
  };
  auto record = reader.get(id);
  if (!record && record.error().code == "gone") {
    HF_TRY(const auto tombstone, reader.tombstone(id));
    if (!tombstone || tombstone->principal != who.principal) return unknown();
    return fail(ErrorKind::not_found, fmt::format("thread {} was purged at {}", id, iso8601(tombstone->purged_at)),
                "nothing of it is left; leave thread_id out to begin a new one", "GONE");
  }
  if (!record && record.error().kind == ErrorKind::not_found) return unknown();
  if (!record) return record;
  if (record->principal != who.principal || record->kind != session::kThread) return unknown();
  if (record->damage)
    return fail(ErrorKind::corrupt, fmt::format("the record of thread {} is damaged: {}", id, *record->damage),
                "holdfast store verify says more", "STORAGE_CORRUPT");
  if (record->visibility == Visibility::deleted)
    return fail(ErrorKind::refused,
                fmt::format("thread {} is deleted{}", id,
                            record->due_at ? fmt::format("; it can be restored until {}", iso8601(*record->due_at)) : ""),
                "restore it first", "DELETED");
  return record;
}

Result<SessionRecord> find_thread(session::Reader& reader, const Who& who, std::string_view id, std::string_view kind) {
  HF_TRY(auto record, find_thread(reader, who, id));
  if (record.aspect != kind)
    return fail(ErrorKind::invalid, fmt::format("thread {} is of kind {}, not {}", id, record.aspect, kind),
                fmt::format("continue it with {}", record.aspect), "VALIDATION_ERROR");
  return record;
}

Result<SessionRecord> make_thread(Transaction& transaction, const Who& who, const NewThread& thread, std::string id) {
  SessionRecord record;
  record.id = std::move(id);
  record.kind = session::kThread;
  record.aspect = thread.kind;
  record.title = thread.title;
  record.status = "created";
  record.principal = who.principal;
  record.client = who.client;
  record.root_uri = who.root_uri;
  record.root_name = who.root_name;
  record.project = who.project;
  if (!thread.system_prompt.empty()) record.data["system_prompt"] = thread.system_prompt;
  if (!thread.provider.empty()) record.data["provider"] = thread.provider;
  if (!thread.metadata.empty()) record.data["metadata"] = thread.metadata;
  return transaction.create(std::move(record));
}

std::string client_key(std::string_view client_msg_id) {
  return "client:" + to_hex(sha256(client_msg_id));
}

Result<Kept> keep_message(Transaction& transaction, SessionRecord record, const Incoming& incoming, std::string key) {
  if (!incoming.client_msg_id.empty()) key = client_key(incoming.client_msg_id);
  Kept kept;
  if (!key.empty()) {
    HF_TRY(const auto same, transaction.entry_with_key(record.id, key));
    if (same) {
      kept.message = to_message(*same);
      kept.record = std::move(record);
      kept.replayed = true;
      return kept;
    }
  }
  if (record.visibility == Visibility::archived) {
    HF_TRY(session::Moved moved, session::unarchive(transaction, record));
    record = std::move(moved.record);
    kept.unarchived = true;
  }
  const bool first = incoming.role == "user" && record.status == "created";
  if (first) record.status = "active";
  const bool opens = incoming.role == "user" && record.opening.empty();
  if (opens) record.opening = utf8_prefix(incoming.content, session::kMaxOpeningBytes);
  if (first || opens) {
    HF_TRY(record, transaction.update(std::move(record)));
  }
  HF_TRY(const session::Appended appended,
         transaction.append(record.id, to_entry(incoming, new_message_id(), record.highest_number("") + 1, std::move(key))));
  kept.message = to_message(appended.entry);
  HF_TRY(kept.record, transaction.get(record.id));
  return kept;
}

Result<void> keep_step(Transaction& transaction, const SessionRecord& record, const JsonObject& step) {
  session::NewEntry entry;
  entry.type = kStepEntry;
  entry.data = to_json(step);
  HF_CHECK(transaction.append(record.id, std::move(entry)));
  return {};
}

std::string setting_of(const SessionRecord& record, std::string_view key) {
  return text_in(record.data, key);
}

void warn_of_passing_prompt(const session::SessionRecord& record, std::string_view prompt, std::vector<std::string>& warnings) {
  const std::string own = setting_of(record, "system_prompt");
  if (prompt.empty() || prompt == own) return;
  warnings.push_back(fmt::format("system_prompt counts for this call alone: the thread {}",
                                 own.empty() ? "has none of its own" : "keeps the one it was made with"));
}

JsonObject thread_json(const SessionRecord& record) {
  JsonObject json{{"id", record.id},
                  {"type", "thread"},
                  {"kind", record.aspect},
                  {"title", record.title},
                  {"status", session::shown_status(record)},
                  {"visibility", name_of(record.visibility)},
                  {"pinned", record.pinned},
                  {"message_count", message_count(record)},
                  {"created_at", iso8601(record.created_at)},
                  {"updated_at", iso8601(record.updated_at)},
                  {"last_activity_at", iso8601(record.last_activity_at)},
                  {"rev", record.rev}};
  const auto put_text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) json[key] = value;
  };
  const auto put_time = [&](std::string_view key, const std::optional<Millis>& time) {
    if (time) json[key] = iso8601(*time);
  };
  put_text("system_prompt", setting_of(record, "system_prompt"));
  put_text("provider", setting_of(record, "provider"));
  put_text("project", record.project);
  put_time("archived_at", record.archived_at);
  if (record.visibility != Visibility::live) put_text("prior_status", record.prior_status);
  if (record.visibility == Visibility::deleted) {
    put_time("deleted_at", record.deleted_at);
    put_time("restorable_until", record.due_at);  // what is due for a deleted one is its purge
  }
  if (const JsonObject* metadata = find_object(record.data, "metadata")) json["metadata"] = *metadata;
  if (record.damage) json["damage"] = *record.damage;
  return json;
}

Result<std::string> export_markdown(session::Reader& reader, const session::SessionRecord& record) {
  std::string out = fmt::format("# {}\n\n- thread: `{}` ({})\n- status: {}\n- messages: {}\n- created: {}\n- last activity: {}\n",
                                one_line(session::shown_title(record)), record.id, record.aspect, session::shown_status(record),
                                message_count(record), iso8601(record.created_at), iso8601(record.last_activity_at));
  if (const std::string prompt = setting_of(record, "system_prompt"); !prompt.empty())
    out += fmt::format("- system prompt: {}\n", one_line(prompt));
  out += '\n';
  session::EntryQuery query;
  query.session = record.id;
  query.types = {std::string(kMessageEntry)};
  query.limit = session::kMaxEntryLimit;
  for (std::optional<std::int64_t> next = 1; next;) {
    query.from = *next;
    HF_TRY(const session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) append_message(out, to_message(entry), entry.damage);
    next = page.next;
  }
  return out;
}

}  // namespace holdfast::threads
