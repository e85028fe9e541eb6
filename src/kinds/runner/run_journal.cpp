#include "kinds/runner/run_journal.h"

#include "base/text/text.h"
#include "model/wire/tool_calls.h"
#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::runner {

namespace {

session::NewEntry entry_of(std::string_view type, std::string_view text, const JsonObject& data) {
  session::NewEntry entry;
  entry.type = type;
  entry.text = to_valid_utf8(utf8_prefix(text, session::kMaxTextBytes / 2));  // replacements take more bytes than they replace
  entry.data = to_json(data);
  return entry;
}

JsonObject usage_json(const model::Tokens& usage) {
  return {{"in", usage.in}, {"out", usage.out}, {"estimated", usage.estimated}};
}

model::Tokens usage_from(const JsonObject& data) {
  const JsonObject* usage = find_object(data, "usage");
  if (!usage) return {};
  return {find_int(*usage, "in").value_or(0), find_int(*usage, "out").value_or(0),
          find_bool(*usage, "estimated").value_or(false)};
}

// Nothing: it does not say which calls it made, so nobody knows how the conversation went on.
std::optional<EarlierRound> round_from(const session::Entry& entry, const JsonObject& data) {
  const JsonArray* wire = find_array(data, "tool_calls");
  model::ToolCallAssembler calls;
  if (!wire || !calls.add(*wire)) return std::nullopt;
  EarlierRound round;
  round.reply.content = entry.text;
  round.reply.tool_calls = calls.take().calls;
  round.reply.message = {"assistant", entry.text, {}, *wire};
  round.reply.reasoning = text_in(data, "reasoning");
  round.reply.model = text_in(data, "model");
  round.reply.tokens = usage_from(data);
  round.reply.finish_reason = text_in(data, "finish_reason");
  if (static_cast<std::int64_t>(round.reply.tool_calls.size()) != find_int(data, "calls")) return std::nullopt;
  return round;
}

// Rounds come one after another, each before its calls; a task that was gone on with continues the numbers.
Result<void> add_earlier(const session::Entry& entry, std::size_t index, Earlier& rounds) {
  HF_TRY(const Json parsed, parse_json(entry.data.empty() ? "{}" : entry.data));
  const JsonObject data = parsed.is_object() ? parsed.as_object() : JsonObject();
  const auto unreadable = [&] {
    return fail(
        ErrorKind::corrupt,
        fmt::format("what was done of task {} cannot be read again (entry {}): it is not begun anew", index + 1, entry.seq),
        "start another run for it", "not_resumable");
  };
  if (find_int(data, "index") != static_cast<std::int64_t>(index)) return unreadable();  // redacted
  const std::int64_t number = find_int(data, "round").value_or(0);
  if (entry.type == "round") {
    auto round = round_from(entry, data);
    if (!round || number != static_cast<std::int64_t>(rounds.size()) + 1) return unreadable();
    rounds.push_back(*std::move(round));
    return {};
  }
  const auto position = find_int(data, "position");
  if (!position || number < 1 || static_cast<std::size_t>(number) > rounds.size()) return unreadable();
  auto& calls = rounds[static_cast<std::size_t>(number) - 1].calls;
  const auto at = static_cast<std::size_t>(*position);
  if (entry.type == "call")
    calls[at] = std::nullopt;
  else if (find_bool(data, "called").value_or(false))
    calls[at] = ToolOutcome{entry.text, find_bool(data, "is_error").value_or(false), true};
  else
    calls.erase(at);  // nothing happened: there is nothing to remember
  return {};
}

TaskResult result_from(const JsonObject& data, std::string text) {
  TaskResult result;
  result.index = static_cast<std::size_t>(find_int(data, "index").value_or(0));
  result.id = text_in(data, "id");
  result.status = text_in(data, "status");
  result.text = std::move(text);
  result.reasoning = text_in(data, "reasoning");
  result.rounds = find_int(data, "rounds").value_or(0);
  result.tool_calls = find_int(data, "tool_calls").value_or(0);
  result.tool_errors = find_int(data, "tool_errors").value_or(0);
  result.duration_ms = find_int(data, "duration_ms").value_or(0);
  result.usage = usage_from(data);
  if (const JsonObject* roots = find_object(data, "roots")) {
    RootsApplied applied;
    for (const auto mode :
         {RootsMode::none, RootsMode::per_request, RootsMode::notified, RootsMode::reconnected, RootsMode::closed})
      if (text_in(*roots, "mode") == name_of(mode)) applied.mode = mode;
    applied.verified = find_bool(*roots, "verified").value_or(false);
    const Json* elapsed = find(*roots, "elapsed_ms");
    if (elapsed && elapsed->is_number())
      applied.elapsed = std::chrono::microseconds(static_cast<std::int64_t>(elapsed->to_number<double>() * 1000));
    result.roots = applied;
  }
  if (const JsonObject* error = find_object(data, "error"))
    result.error = make_error(find_bool(*error, "retryable").value_or(false) ? ErrorKind::unavailable : ErrorKind::internal,
                              text_in(*error, "message"), text_in(*error, "hint"), text_in(*error, "code"));
  return result;
}

session::NewEntry result_entry(const TaskResult& result) {
  JsonObject data = result_json(result);
  data.erase("text");
  session::NewEntry entry = entry_of("result", result.text, data);
  entry.idempotency_key = fmt::format("result-{}", result.index);
  return entry;
}

bool is_retryable(const Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
}

}  // namespace

JsonObject result_json(const TaskResult& result) {
  JsonObject object{{"index", static_cast<std::int64_t>(result.index)},
                    {"id", result.id},
                    {"status", result.status},
                    {"text", result.text},
                    {"rounds", result.rounds},
                    {"tool_calls", result.tool_calls},
                    {"tool_errors", result.tool_errors},
                    {"usage", usage_json(result.usage)},
                    {"duration_ms", result.duration_ms}};
  if (!result.reasoning.empty()) object["reasoning"] = result.reasoning;
  if (result.roots)
    object["roots"] = JsonObject{{"mode", name_of(result.roots->mode)},
                                 {"verified", result.roots->verified},
                                 {"elapsed_ms", static_cast<double>(result.roots->elapsed.count()) / 1000}};
  if (result.error) {
    JsonObject error{
        {"code", result.error->word()}, {"message", result.error->message}, {"retryable", is_retryable(*result.error)}};
    if (!result.error->hint.empty()) error["hint"] = result.error->hint;
    object["error"] = std::move(error);
  }
  return object;
}

Result<RunState> read_run(session::Reader& reader, std::string_view id) {
  RunState state;
  session::EntryQuery query;
  query.session = id;
  query.types = {"request", "result", "problem"};
  bool found = false;
  while (true) {
    HF_TRY(const session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) {
      if (entry.damage && entry.type == "request")
        return fail(ErrorKind::corrupt, fmt::format("the request of {} is damaged: {}", id, *entry.damage),
                    "holdfast store verify says more");
      if (entry.damage) {
        state.problems.push_back(fmt::format("entry {} ({}) is damaged and left out: {}", entry.seq, entry.type, *entry.damage));
        continue;
      }
      HF_TRY(const Json data, parse_json(entry.data.empty() ? "{}" : entry.data));
      if (entry.type == "request") {
        HF_TRY(state.request, parse_run_request(data));
        state.results.resize(state.request.tasks.size());
        for (std::size_t i = 0; i < state.results.size(); ++i) {
          state.results[i].index = i;
          state.results[i].id = state.request.tasks[i].id;
        }
        found = true;
      } else if (entry.type == "problem") {
        state.problems.push_back(entry.text);
      } else if (data.is_object()) {
        TaskResult result = result_from(data.as_object(), entry.text);
        if (result.index < state.results.size()) state.results[result.index] = std::move(result);
      }
    }
    if (!page.next) break;
    query.from = *page.next;
  }
  if (!found) return fail(ErrorKind::corrupt, fmt::format("{} has no request", id));
  return state;
}

Result<void> RunJournal::append(session::NewEntry entry) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_CHECK(lease_.require(transaction));
    HF_CHECK(transaction.append(id_, entry));
    return {};
  });
}

Result<void> RunJournal::task_begins(const RunTask& task, std::size_t index) {
  return append(entry_of("task", task.text, {{"index", static_cast<std::int64_t>(index)}, {"id", task.id}}));
}

Result<void> RunJournal::roots_applied(std::size_t index, std::string_view server, const RootsApplied& applied) {
  return append(entry_of("roots", fmt::format("{}: {}", server, name_of(applied.mode)),
                         {{"index", static_cast<std::int64_t>(index)}, {"verified", applied.verified}}));
}

Result<void> RunJournal::replied(std::size_t index, std::int64_t round, const model::Reply& reply) {
  JsonObject data{{"index", static_cast<std::int64_t>(index)},
                  {"round", round},
                  {"model", reply.model},
                  {"calls", static_cast<std::int64_t>(reply.tool_calls.size())},
                  {"finish_reason", to_valid_utf8(reply.finish_reason)},
                  {"usage", usage_json(reply.tokens)},
                  {"reasoning", reply.reasoning}};
  // Without them the task can be finished, but not gone on with.
  if (to_json(reply.message.tool_calls).size() <= session::kMaxTextBytes / 2) data["tool_calls"] = reply.message.tool_calls;
  return append(entry_of("round", reply.content, data));
}

Result<void> RunJournal::call_begins(std::size_t index, CallPlace place, const model::ToolCall& call) {
  return append(entry_of("call", to_valid_utf8(call.name),
                         {{"index", static_cast<std::int64_t>(index)},
                          {"round", place.round},
                          {"position", static_cast<std::int64_t>(place.position)}}));
}

Result<void> RunJournal::called(std::size_t index, CallPlace place, const model::ToolCall& call, const ToolOutcome& outcome) {
  return append(entry_of("tool_call", outcome.text,
                         {{"index", static_cast<std::int64_t>(index)},
                          {"round", place.round},
                          {"position", static_cast<std::int64_t>(place.position)},
                          {"name", to_valid_utf8(call.name)},
                          {"arguments", to_valid_utf8(call.arguments)},
                          {"is_error", outcome.is_error},
                          {"called", outcome.was_called}}));
}

Result<Earlier> RunJournal::earlier(std::size_t index) const {
  session::EntryQuery query;
  query.session = id_;
  query.types = {"round", "call", "tool_call", "result"};
  Earlier rounds;
  Result<void> readable;
  while (true) {
    HF_TRY(const session::EntryPage page, store_.entries(query));
    for (const session::Entry& entry : page.entries) {
      // Tasks come one after another: what stands before a result is of that task, or of one before it.
      const bool is_of_another = entry.type == "result";
      if (is_of_another) rounds.clear();
      if (is_of_another) readable = {};
      if (readable && !is_of_another) readable = add_earlier(entry, index, rounds);
    }
    if (!page.next) break;
    query.from = *page.next;
  }
  HF_CHECK(readable);
  return rounds;
}

Result<void> RunJournal::task_ends(const TaskResult& result) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, lease_.require(transaction));
    if (result.status != "ok") {
      record.data[kFailedCount] = find_int(record.data, kFailedCount).value_or(0) + 1;
      HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
    }
    HF_CHECK(transaction.append(id_, result_entry(result)));
    return {};
  });
}

bool RunJournal::is_cancelled() const {
  const auto record = store_.get(id_);
  return record && record->status == "cancelled" && record->visibility != session::Visibility::deleted;
}

Result<void> RunJournal::task_is_cancelled(const TaskResult& result) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    const session::Lease& lease = lease_.lease();
    HF_CHECK(transaction.require_lease(lease.name, lease.owner, lease.epoch));
    HF_CHECK(transaction.append(id_, result_entry(result)));
    return {};
  });
}

Result<void> RunJournal::leave(std::string_view reason) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, lease_.require(transaction));
    record.data[kInterruption] = reason;
    HF_CHECK(transaction.update(std::move(record)));
    return transaction.release_lease(lease_.lease().name, lease_.lease().owner, lease_.lease().epoch);
  });
}

Result<void> RunJournal::problem(std::string_view what) {
  return append(entry_of("problem", what, {}));
}

Result<void> RunJournal::close(std::string_view status) {
  return store_.write([&](session::Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, lease_.require(transaction));
    record.status = status;
    record.completed_at = record.retention_anchor_at = transaction.now();
    HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
    return transaction.release_lease(lease_.lease().name, lease_.lease().owner, lease_.lease().epoch);
  });
}

}  // namespace holdfast::runner
