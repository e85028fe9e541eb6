#include "kinds/threads/message.h"

#include "base/ids.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::threads {
namespace {

// A thread is announced to be archived once in a week at most.
constexpr std::size_t kNoticesOfPage = 100;

// threads-and-research §2
constexpr std::string_view kThreadPrefix = "thread-", kMessagePrefix = "msg-";
constexpr std::size_t kThreadIdLength = 12, kMessageIdLength = 8;
constexpr std::size_t kShortestThreadId = 8, kLongestThreadId = 16;

JsonObject data_of(const session::Entry& entry) {
  auto parsed = parse_json(entry.data);
  return parsed && parsed->is_object() ? std::move(parsed->as_object()) : JsonObject();
}

JsonObject tokens_json(const model::Tokens& tokens) {
  return {{"in", tokens.in}, {"out", tokens.out}, {"estimated", tokens.estimated}};
}

}  // namespace

std::string new_thread_id() {
  return std::string(kThreadPrefix) + random_base62(kThreadIdLength);
}

std::string new_message_id() {
  return std::string(kMessagePrefix) + random_base62(kMessageIdLength);
}

bool is_thread_id(std::string_view id) {
  if (!id.starts_with(kThreadPrefix)) return false;
  id.remove_prefix(kThreadPrefix.size());
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return id.size() >= kShortestThreadId && id.size() <= kLongestThreadId && std::ranges::all_of(id, fits);
}

std::string reply_key(std::string_view message_id, std::string_view provider) {
  return provider.empty() ? fmt::format("reply:{}", message_id) : fmt::format("reply:{}:{}", message_id, provider);
}

session::NewEntry to_entry(const Incoming& incoming, std::string id, std::int64_t number, std::string key) {
  JsonObject data{{"id", id}, {"role", incoming.role}};
  put_text(data, "provider", incoming.provider);
  put_text(data, "model", incoming.model);
  put_text(data, "client_msg_id", incoming.client_msg_id);
  put_text(data, "reply_to", incoming.reply_to);
  if (incoming.tokens.in != 0 || incoming.tokens.out != 0) data["tokens"] = tokens_json(incoming.tokens);
  session::NewEntry entry;
  entry.type = kMessageEntry;
  entry.number = number;
  entry.author = incoming.role;  // known also when the data is redacted
  entry.idempotency_key = std::move(key);
  entry.text = incoming.content;
  entry.data = to_json(data);
  // §3: a user's or an assistant's message is activity, one of the system is not.
  entry.touch = incoming.role == "system" ? session::Touch::change : session::Touch::activity;
  return entry;
}

Message to_message(const session::Entry& entry) {
  const JsonObject data = data_of(entry);
  Message message;
  message.id = text_in(data, entry.type == kNoticeEntry ? "notice" : "id");
  message.seq = entry.number;
  message.role = entry.author.empty() ? text_in(data, "role") : entry.author;
  message.content = entry.text;
  message.created_at = entry.time;
  message.provider = text_in(data, "provider");
  message.model = text_in(data, "model");
  message.client_msg_id = text_in(data, "client_msg_id");
  message.redacted = entry.redacted;
  message.damage = entry.damage;
  if (const JsonObject* tokens = find_object(data, "tokens"))
    message.tokens = {find_int(*tokens, "in").value_or(0), find_int(*tokens, "out").value_or(0),
                      find_bool(*tokens, "estimated").value_or(false)};
  return message;
}

std::string answers(const session::Entry& entry) {
  return text_in(data_of(entry), "reply_to");
}

Result<std::vector<session::Entry>> last_messages(session::Reader& reader, std::string_view thread_id, std::size_t limit,
                                                  std::optional<std::int64_t> last) {
  session::EntryQuery query;
  query.session = thread_id;
  query.types = {std::string(kMessageEntry)};
  query.direction = session::Direction::backward;
  query.limit = std::clamp<std::size_t>(limit, 1, session::kMaxEntryLimit);
  if (last) {
    HF_TRY(const auto newest, reader.entry_at(thread_id, "", *last));
    if (newest) query.from = newest->seq;
  }
  HF_TRY(session::EntryPage page, reader.entries(query));
  std::ranges::reverse(page.entries);
  return std::move(page.entries);
}

Result<void> add_notices(session::Reader& reader, std::string_view thread_id, bool newest, std::vector<session::Entry>& entries) {
  if (entries.empty() && !newest) return {};
  session::EntryQuery query;
  query.session = thread_id;
  query.types = {std::string(kNoticeEntry)};
  query.from = entries.empty() ? 1 : entries.front().seq;
  query.limit = kNoticesOfPage;
  HF_TRY(session::EntryPage page, reader.entries(query));
  const std::int64_t last = entries.empty() ? 0 : entries.back().seq;
  for (session::Entry& notice : page.entries)
    if (newest || notice.seq < last) entries.push_back(std::move(notice));
  std::ranges::sort(entries, {}, &session::Entry::seq);
  return {};
}

JsonObject message_json(const Message& message) {
  JsonObject json{{"id", message.id},
                  {"seq", message.seq == 0 ? Json(nullptr) : Json(message.seq)},
                  {"role", message.role},
                  {"content", message.content},
                  {"created_at", iso8601(message.created_at)}};
  put_text(json, "provider", message.provider);
  put_text(json, "model", message.model);
  put_text(json, "client_msg_id", message.client_msg_id);
  if (message.tokens.in != 0 || message.tokens.out != 0) json["tokens"] = tokens_json(message.tokens);
  if (message.redacted) json["redacted"] = true;
  if (message.damage) json["damage"] = *message.damage;
  return json;
}

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  using reading::Part;
  if (entry.type == kStepEntry) {
    turn.role = reading::Role::system;
    turn.meta = true;
    add_part(turn, Part::Kind::raw, to_json_pretty(reading::data_of_entry(entry)), limits).name = "step";
    return true;
  }
  if (entry.type != kMessageEntry) {
    turn.role = reading::Role::system;
    turn.meta = entry.type == kNoticeEntry;
    add_part(turn, turn.meta ? Part::Kind::notice : Part::Kind::text, entry.text, limits).name = entry.type;
    return true;
  }
  const Message message = to_message(entry);
  turn.id = message.id;
  turn.role = message.role == "user"        ? reading::Role::user
              : message.role == "assistant" ? reading::Role::assistant
                                            : reading::Role::system;
  turn.prompt = turn.role == reading::Role::user;
  turn.author = message.provider.empty() ? message.model : message.provider;
  if (!message.model.empty() && message.model != message.provider && !message.provider.empty())
    turn.author += " · " + message.model;
  add_part(turn, Part::Kind::text, message.content, limits);
  return true;
}

}  // namespace holdfast::threads
