#include "tools/documents/document_tools.h"

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "tools/argument_spelling.h"
#include "tools/caller_connection.h"
#include "tools/documents/document_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace holdfast::tools {

namespace {

constexpr std::string_view kSession = "session_id";

std::string counted_time(Millis count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// "7 days", "12 hours"; what is shorter is for tests.
std::string spoken(Millis time) {
  constexpr Millis kHour = 3'600'000, kDay = 24 * kHour;
  if (time >= kDay && time % kDay == 0) return counted_time(time / kDay, "day");
  if (time >= kHour) return counted_time(time / kHour, "hour");
  return counted_time(std::max<Millis>(1, time / 1000), "second");
}

// Ends like a sentence; what ends in quoted lines of a document is left alone.
std::string sentence(std::string_view text) {
  std::string done(trim(text));
  if (done.empty() || done.find('\n') != std::string::npos) return done;
  if (const char last = done.back(); last != '.' && last != '!' && last != '?') done += '.';
  return done;
}

// A hint begins like a sentence, unless its first word is a name.
std::string begun(std::string text) {
  const std::string_view first = std::string_view(text).substr(0, text.find(' '));
  const bool is_word = std::ranges::all_of(first, [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_word && !first.empty()) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// The contract's word (document-review §4). `not_found` means there that a text was not found, so a missing thing without a word
// of its own is a missing document.
std::string_view word_of(const Error& error) {
  if (!error.code.empty()) return error.code;
  if (error.kind == ErrorKind::invalid) return "bad_argument";
  if (error.kind == ErrorKind::not_found) return "no_such_document";
  if (error.kind == ErrorKind::conflict) return "stale";
  return error.word();
}

mcp::ToolResult refusal(const Error& error) {
  std::string text = fmt::format("{}: {}", word_of(error), sentence(error.message));
  if (!error.hint.empty()) text += (text.find('\n') == std::string::npos ? " " : "\n") + begun(sentence(error.hint));
  return mcp::ToolResult::failure(text);
}

Error bad_argument(const std::vector<SchemaViolation>& violations) {
  return make_error(ErrorKind::invalid, describe(violations), "nothing was changed; correct it and call again", "bad_argument");
}

JsonObject schema_of(const DocumentTool& tool, bool listed) {
  JsonObject properties = tool.properties;
  properties[kSession] = JsonObject{{"type", "string"}, {"description", "the session_id that create_session or read gave you"}};
  JsonArray required;
  for (const std::string& name : tool.required) {
    // Checked by their own calls: session_id has errors of its own, the others can be given in another way.
    const bool by_hand = name == kSession || name == "old_string" || name == "new_string" || name == "path";
    if (listed || !by_hand) required.emplace_back(name);
  }
  JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

struct CheckedTool {
  DocumentTool tool;
  Schema schema;
};

mcp::ToolReply answer_document_call(mcp::Call& call, const CheckedTool& checked, DocumentWorkspaces& workspaces, Millis now) {
  const JsonObject& arguments = call.arguments();
  if (auto violations = checked.schema.validate(Json(arguments)); !violations.empty()) return refusal(bad_argument(violations));
  if (checked.tool.writes && workspaces.read_only())
    return refusal(make_error(ErrorKind::refused, "the documents of this server can only be read",
                              "tell the user; documents.read_only says so in its settings", "read_only"));
  auto chosen = workspaces.choose(call);
  if (!chosen) return refusal(chosen.error());
  documents::Asker asker;
  asker.principal = call.caller().principal;
  asker.projects = call.caller().projects;
  asker.client = client_name(call.caller());
  asker.root_uri = chosen->root_uri;
  asker.session_id = find_string(arguments, kSession).value_or("");
  asker.cancelled = [&call] { return call.cancelled(); };
  auto text = checked.tool.run({*chosen->workspace, asker, arguments, now});
  if (!text) return refusal(text.error());
  return mcp::ToolResult::text(*text);
}

}  // namespace

Result<void> add_document_tools(mcp::Server& server, DocumentWorkspaces& workspaces, Millis handle_ttl) {
  for (DocumentTool& each : document_tools(spoken(handle_ttl))) {
    HF_TRY(Schema schema, Schema::compile(schema_of(each, false)));
    mcp::Tool tool;
    tool.name = each.name;
    tool.title = each.title;
    tool.description = each.description;
    tool.input_schema = schema_of(each, true);
    tool.annotations = {{"readOnlyHint", each.reads_only}, {"openWorldHint", false}};
    // Every change can be rejected, a move undone, a deleted document brought back.
    if (!each.reads_only) tool.annotations["destructiveHint"] = false;
    tool.unknown = mcp::Tool::Unknown::refuse;
    tool.normalise = drop_nulls;
    tool.handler_validates = true;
    // A handle is what reading begins with.
    const bool handles = each.name == "create_session" || each.name == "end_session";
    tool.scope = each.reads_only || handles ? Scope::read : Scope::write;
    tool.listed = workspaces.has_folders() && !(each.writes && workspaces.read_only());
    auto checked = std::make_shared<const CheckedTool>(CheckedTool{std::move(each), std::move(schema)});
    tool.handler = [&server, &workspaces, checked](mcp::Call& call) {
      return answer_document_call(call, *checked, workspaces, server.clock().now());
    };
    HF_CHECK(server.add_tool(std::move(tool)));
  }
  return {};
}

}  // namespace holdfast::tools
