#include "tools/research/conversation_operations.h"

#include "session/kinds.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using session::SessionRecord;
using threads::Threads;

constexpr std::int64_t kMessageLimit = 50;
constexpr std::size_t kExportPage = 500;  // messages read at a time

threads::Who owner_of(const SessionCall& call) {
  threads::Who who;
  who.principal = call.principal();
  return who;
}

Result<SessionAnswer> show_thread(SessionCall& call, Threads& threads, std::int64_t usual) {
  HF_TRY(const std::size_t limit, limit_of(call.arguments(), usual, kMaxItems));
  HF_TRY(const threads::MessagePage page,
         threads.get(owner_of(call), call.record->id, limit, find_int(call.arguments(), "before_seq")));
  JsonObject state = page_json(page);
  state["session"] = call.operations.item(page.record, call.now);
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> show_run(SessionCall& call, research::Research& research) {
  HF_TRY(JsonObject state, run_json(research, call.principal(), *call.record));
  state["session"] = call.operations.item(*call.record, call.now);
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> exported(const SessionCall& call, Result<std::string> content, std::string_view format) {
  if (!content) return fail(std::move(content).error());
  return SessionAnswer{{{"sessionId", call.record->id}, {"format", format}, {"content", std::move(*content)}}, {}, false};
}

std::string format_of(const SessionCall& call) {
  return std::string(find_string(call.arguments(), "format").value_or("markdown"));
}

Result<void> check_format(std::string_view format) {
  if (format == "markdown" || format == "json") return {};
  return fail(ErrorKind::invalid, fmt::format("there is no format {}", format), "markdown or json", "invalid_argument");
}

Result<SessionAnswer> fork(SessionCall& call, Threads& threads) {
  const std::int64_t last = call.record->highest_number("");
  HF_TRY(SessionRecord forked, threads.fork(owner_of(call), call.record->id, find_int(call.arguments(), "seq").value_or(last)));
  return SessionAnswer{{{"sessionId", forked.id}, {"session", call.operations.item(forked, call.now)}}, {}, false};
}

}  // namespace

JsonObject page_json(const threads::MessagePage& page) {
  JsonArray messages;
  for (const threads::Message& message : page.messages) messages.push_back(threads::message_json(message));
  JsonObject state{{"thread", threads::thread_json(page.record)}, {"messages", std::move(messages)}};
  state["has_earlier"] = page.before_seq.has_value();
  if (page.before_seq) state["before_seq"] = *page.before_seq;
  return state;
}

Result<JsonObject> run_json(research::Research& research, const std::string& principal, const SessionRecord& record) {
  HF_TRY(JsonObject state, research.status(principal, record.id));
  if (record.status != "completed") return state;
  HF_TRY(JsonObject report, research.report(principal, record.id));
  state["report"] = std::move(report);
  return state;
}

Result<std::string> export_thread(Threads& threads, session::Reader& reader, const SessionRecord& record,
                                  std::string_view format) {
  HF_CHECK(check_format(format));
  if (format == "markdown") return threads::export_markdown(reader, record);
  threads::Who who;
  who.principal = record.principal;
  std::vector<JsonArray> pages;  // newest first
  std::optional<std::int64_t> before;
  do {
    HF_TRY(const threads::MessagePage page, threads.get(who, record.id, kExportPage, before));
    JsonArray messages;
    for (const threads::Message& message : page.messages) messages.push_back(threads::message_json(message));
    pages.push_back(std::move(messages));
    before = page.before_seq;
  } while (before);
  JsonArray all;
  for (auto page = pages.rbegin(); page != pages.rend(); ++page)
    for (Json& message : *page) all.push_back(std::move(message));
  return to_json_pretty(JsonObject{{"thread", threads::thread_json(record)}, {"messages", std::move(all)}});
}

Result<std::string> export_run(research::Research& research, const SessionRecord& record, std::string_view format) {
  HF_CHECK(check_format(format));
  HF_TRY(const JsonObject report, research.report(record.principal, record.id));
  if (format == "json") return to_json_pretty(Json(report));
  return std::string(find_string(report, "report").value_or(""));
}

void add_conversation_operations(SessionOperations& operations, const OpenConversations& open) {
  using enum SessionOperation::Session;
  const std::string thread(session::kThread), run(session::kResearch);
  operations.add({"get", thread, required,
                  [open](SessionCall& call) { return show_thread(call, *open(call.store).threads, kMessageLimit); }});
  operations.add({"resume", thread, required, [open](SessionCall& call) {
                    return show_thread(call, *open(call.store).threads, static_cast<std::int64_t>(kResumedMessages));
                  }});
  operations.add({"resume", run, required, [open](SessionCall& call) { return show_run(call, *open(call.store).research); }});
  operations.add({"export", thread, required, [open](SessionCall& call) {
                    const std::string format = format_of(call);
                    return exported(call, export_thread(*open(call.store).threads, call.store, *call.record, format), format);
                  }});
  operations.add({"export", run, required, [open](SessionCall& call) {
                    const std::string format = format_of(call);
                    return exported(call, export_run(*open(call.store).research, *call.record, format), format);
                  }});
  operations.add({"fork", thread, required, [open](SessionCall& call) { return fork(call, *open(call.store).threads); }});
  operations.add_argument("format", {{"type", "string"}});
  operations.add_argument("before_seq", {{"type", "integer"}, {"description", "messages before this one"}});
  operations.add_argument("seq", {{"type", "integer"}, {"description", "fork: up to this message [the last]"}});
}

}  // namespace holdfast::tools
