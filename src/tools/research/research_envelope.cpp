#include "tools/research/research_envelope.h"

#include "base/ids.h"
#include "operations/sessions/session_item.h"
#include "session/life/lifecycle.h"
#include "session/query/display.h"
#include "tools/session/notices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

constexpr std::array<std::string_view, 2> kIdLists = {"thread_ids", "research_ids"};

std::string_view field_of(const SchemaViolation& violation) {
  std::string_view path = violation.path;
  if (path.starts_with('/')) path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

std::string_view code_of(const SchemaViolation& violation) {
  if (violation.keyword == "required") return "MISSING_REQUIRED";
  const bool is_id = std::ranges::find(kIdArguments, field_of(violation)) != kIdArguments.end() ||
                     std::ranges::find(kIdLists, field_of(violation)) != kIdLists.end();
  if (is_id && violation.keyword == "pattern") return "INVALID_ID";
  return "VALIDATION_ERROR";
}

// A word of the contract is upper case; everything else came from below and gets one by its kind.
void use_contract_word(Error& error) {
  if (!error.code.empty() && std::ranges::none_of(error.code, [](char c) { return c >= 'a' && c <= 'z'; })) return;
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::too_large:
    case ErrorKind::ambiguous:
      error.code = "VALIDATION_ERROR";
      break;
    case ErrorKind::not_found:
      error.code = error.code == "gone" ? "GONE" : "NOT_FOUND";
      break;
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::conflict:
      error.code = "STORAGE_BUSY";
      break;
    case ErrorKind::corrupt:
      error.code = "STORAGE_CORRUPT";
      break;
    case ErrorKind::refused:  // a store of a newer format, or one that may only be read: the message says which
      error.code = "REFUSED";
      break;
    default:
      error.code = "INTERNAL_ERROR";
  }
}

bool is_retryable(const Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout || error.kind == ErrorKind::conflict;
}

std::optional<session::SessionRecord> record_of(ResearchCall& call) {
  for (std::string_view argument : kIdArguments) {
    const std::string id = call.text(argument);
    if (id.empty()) continue;
    auto record = call.store.get(id);
    if (record && record->principal == call.principal()) return std::move(*record);
  }
  return std::nullopt;
}

JsonObject details_of(const Error& error, ResearchCall& call) {
  JsonObject details;
  if (error.code == "GONE") {
    for (std::string_view argument : kIdArguments)
      if (auto tombstone = call.store.tombstone(call.text(argument)); tombstone && *tombstone)
        details["purged_at"] = iso8601((*tombstone)->purged_at);
    return details;
  }
  const std::optional<session::SessionRecord> record = record_of(call);
  if (!record) return details;
  if (error.code == "DELETED") {
    if (auto until = session::restorable_until(*record, call.context.policy())) details["restorable_until"] = iso8601(*until);
  } else if (error.code == "INVALID_STATE_TRANSITION") {
    JsonArray allowed;
    for (std::string_view move : session::allowed_moves(*record)) allowed.emplace_back(move);
    details["from"] = session::shown_status(*record);
    details["allowed"] = std::move(allowed);
  } else if (error.code == "REPORT_NOT_READY" || error.code == "ALREADY_COMPLETED") {
    JsonObject item = operations::session_item(*record, call.context.now(), call.context.policy());
    details["status"] = record->status;
    if (const Json* percent = find(item, "progress_percent")) details["progress_percent"] = *percent;
  }
  return details;
}

JsonObject error_json(EnvelopeFailure failure) {
  use_contract_word(failure.error);
  JsonObject error{{"code", failure.error.code}, {"message", failure.error.message}};
  if (!failure.field.empty()) error["field"] = failure.field;
  error["retryable"] = is_retryable(failure.error);
  error["remediation"] = failure.error.hint;
  error["details"] = std::move(failure.details);
  return error;
}

mcp::ToolResult wrap(const ResearchRooms& rooms, const DueNotices& due, Json data, Json error,
                     const std::vector<std::string>& warnings) {
  const bool success = error.is_null();
  JsonArray said;
  for (const std::string& warning : warnings) said.emplace_back(warning);
  JsonObject meta{{"request_id", make_uuid7()},
                  {"warnings", std::move(said)},
                  {"now", iso8601(rooms.calls.clock.now())},
                  {"clock", rooms.calls.clock.is_test() ? "test" : "system"}};
  if (due.more > 0) meta["more_notices"] = due.more;
  mcp::ToolResult result = mcp::ToolResult::state({{"success", success},
                                                   {"data", std::move(data)},
                                                   {"error", std::move(error)},
                                                   {"notices", due.notices},
                                                   {"meta", std::move(meta)}});
  result.is_error = !success;
  add_notice_block(result, due);
  return result;
}

}  // namespace

EnvelopeFailure to_failure(const std::vector<SchemaViolation>& violations, std::string_view action) {
  JsonArray listed;
  std::vector<std::string_view> codes;
  for (const SchemaViolation& violation : violations) {
    codes.push_back(code_of(violation));
    listed.push_back(JsonObject{{"field", field_of(violation)}, {"code", codes.back()}, {"message", violation.message}});
  }
  const bool all_alike = std::ranges::all_of(codes, [&](std::string_view code) { return code == codes.front(); });
  EnvelopeFailure failure;
  failure.error = make_error(ErrorKind::invalid, fmt::format("{}: {}", action, describe(violations)),
                             "nothing was changed; correct the arguments and call again",
                             std::string(all_alike ? codes.front() : "VALIDATION_ERROR"));
  failure.field = field_of(violations.front());
  failure.details["violations"] = std::move(listed);
  return failure;
}

EnvelopeFailure to_failure(Error error, ResearchCall& call) {
  use_contract_word(error);
  JsonObject details = details_of(error, call);
  return {std::move(error), {}, std::move(details)};
}

mcp::ToolResult to_envelope(ResearchCall& call, ResearchAnswer answer) {
  if (answer.failure) return settled_envelope(call.rooms, std::move(answer));
  const DueNotices due = take_due_notices(call.store, call.principal(), call.context.now());
  return wrap(call.rooms, due, std::move(answer.data), nullptr, answer.warnings);
}

mcp::ToolResult to_envelope(const ResearchRooms& rooms, EnvelopeFailure failure) {
  return wrap(rooms, {}, nullptr, error_json(std::move(failure)), {});
}

mcp::ToolResult settled_envelope(const ResearchRooms& rooms, ResearchAnswer answer) {
  if (!answer.failure) return wrap(rooms, {}, std::move(answer.data), nullptr, answer.warnings);
  EnvelopeFailure failure{std::move(*answer.failure), {}, std::move(answer.data)};
  return wrap(rooms, {}, nullptr, error_json(std::move(failure)), answer.warnings);
}

}  // namespace holdfast::tools
