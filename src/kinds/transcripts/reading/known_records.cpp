#include "kinds/transcripts/reading/known_records.h"

#include <array>

namespace holdfast::transcripts {

namespace {

// "2.1.197": seen in files that client wrote. "reported": named by users, by the vendor's open SDK or by older tools, not seen by
// us.
// "<2.1.128" and such: of older clients, gone since.

constexpr KnownType kTypes[] = {
    {"user", "2.1.197", "a prompt, a tool result, or a summary made by compaction"},
    {"assistant", "2.1.197", "one content block of an answer of the model"},
    {"attachment", "2.1.197", "context the client adds: files, listings, reminders"},
    {"system", "2.1.197", "what the client says: commands, durations, compaction, errors"},
    {"progress", "reported", "a running tool or hook"},
    {"summary", "<2.1.70", "a title made by the model"},
    {"file-history-snapshot", "2.1.197", "which copies of files belong to a message, for rewind"},
    {"queue-operation", "2.1.197", "a prompt put into the queue or taken from it"},
    {"custom-title", "2.1.197", "the title a person gave"},
    {"ai-title", "2.1.197", "the title the model gave"},
    {"last-prompt", "2.1.197", "the last prompt, and the leaf where a resume goes on"},
    {"tag", "reported", "a tag a person gave"},
    {"agent-name", "2.1.197", "the name of the session as an agent"},
    {"agent-color", "reported", "the colour of the session as an agent"},
    {"agent-setting", "reported", "the agent the session runs as"},
    {"mode", "2.1.197", "the mode of the prompt line"},
    {"permission-mode", "2.1.197", "what is allowed without asking"},
    {"worktree-state", "2.1.197", "the git worktree the session works in"},
    {"relocated", "reported", "the project moved"},
    {"pr-link", "reported", "the pull request the session belongs to"},
    {"bridge-session", "reported", "a binding to a remote session; left out of copies"},
    {"saved_hook_context", "reported", "what a hook added to the context"},
    {"content-replacement", "reported", "content that was replaced by a shorter form"},
    {"fork-context-ref", "reported", "where a fork takes its context from"},
    {"isolation-latch", "reported", "that the session runs isolated"},
    {"speculation-accept", "reported", "an answer prepared in advance was taken"},
    {"started", "2.1.197", "in the journal of a workflow: an agent began"},
    {"result", "2.1.197", "in the journal of a workflow: an agent's answer"},
};

constexpr KnownField kKnownFields[] = {
    {"*", "type", "string", "2.1.197"},
    {"*", "sessionId", "string", "2.1.197"},
    {"*", "uuid", "string", "2.1.197"},
    {"*", "parentUuid", "string|null", "2.1.197"},
    {"*", "logicalParentUuid", "string|null", "2.1.197"},
    {"*", "isSidechain", "boolean", "2.1.197"},
    {"*", "timestamp", "string", "2.1.197"},
    {"*", "userType", "string", "2.1.197"},
    {"*", "entrypoint", "string", "2.1.197"},
    {"*", "cwd", "string", "2.1.197"},
    {"*", "version", "string", "2.1.197"},
    {"*", "gitBranch", "string", "2.1.197"},
    {"*", "slug", "string|null", "2.1.197"},
    {"*", "agentId", "string", "2.1.197"},
    {"*", "isMeta", "boolean", "2.1.197"},
    {"*", "forkedFrom", "object", "2.1.197"},
    {"*", "teamName", "string", "reported"},

    {"user", "message", "object", "2.1.197"},
    {"user", "promptId", "string", "2.1.197"},
    {"user", "permissionMode", "string", "2.1.197"},
    {"user", "promptSource", "string", "2.1.197"},
    {"user", "origin", "object", "2.1.197"},
    {"user", "toolUseResult", "object|array|string", "2.1.197"},
    {"user", "sourceToolAssistantUUID", "string", "2.1.197"},
    {"user", "sourceToolUseID", "string", "reported"},
    {"user", "mcpMeta", "object", "2.1.197"},
    {"user", "isCompactSummary", "boolean", "2.1.197"},
    {"user", "isVisibleInTranscriptOnly", "boolean", "2.1.197"},
    {"user", "thinkingMetadata", "object", "reported"},
    {"user", "todos", "array", "reported"},
    {"user", "imagePasteIds", "array", "reported"},
    {"user", "planContent", "string", "reported"},

    {"assistant", "message", "object", "2.1.197"},
    {"assistant", "requestId", "string", "2.1.197"},
    {"assistant", "attributionAgent", "string", "2.1.197"},
    {"assistant", "attributionMcpServer", "string", "2.1.197"},
    {"assistant", "attributionMcpTool", "string", "2.1.197"},
    {"assistant", "isApiErrorMessage", "boolean", "2.1.197"},
    {"assistant", "error", "string", "reported"},

    {"attachment", "attachment", "object", "2.1.197"},

    {"system", "subtype", "string", "2.1.197"},
    {"system", "content", "string", "2.1.197"},
    {"system", "level", "string", "2.1.197"},
    {"system", "durationMs", "number", "2.1.197"},
    {"system", "messageCount", "number", "2.1.197"},
    {"system", "compactMetadata", "object", "2.1.197"},
    {"system", "microcompactMetadata", "object", "reported"},
    {"system", "toolUseID", "string", "reported"},
    {"system", "hookCount", "number", "reported"},
    {"system", "hookInfos", "array", "reported"},
    {"system", "hookErrors", "array", "reported"},
    {"system", "hasOutput", "boolean", "reported"},
    {"system", "preventedContinuation", "boolean", "reported"},
    {"system", "stopReason", "string", "reported"},
    {"system", "error", "object|string", "reported"},
    {"system", "cause", "object|string", "reported"},
    {"system", "retryInMs", "number", "reported"},
    {"system", "retryAttempt", "number", "reported"},
    {"system", "maxRetries", "number", "reported"},

    {"progress", "data", "object", "reported"},
    {"progress", "toolUseID", "string", "reported"},
    {"progress", "parentToolUseID", "string", "reported"},

    {"summary", "summary", "string", "<2.1.70"},
    {"summary", "leafUuid", "string", "<2.1.70"},
    {"file-history-snapshot", "messageId", "string", "2.1.197"},
    {"file-history-snapshot", "snapshot", "object", "2.1.197"},
    {"file-history-snapshot", "isSnapshotUpdate", "boolean", "2.1.197"},
    {"queue-operation", "operation", "string", "2.1.197"},
    {"queue-operation", "content", "string", "2.1.197"},
    {"custom-title", "customTitle", "string", "2.1.197"},
    {"ai-title", "aiTitle", "string", "2.1.197"},
    {"last-prompt", "lastPrompt", "string", "2.1.197"},
    {"last-prompt", "leafUuid", "string", "2.1.197"},
    {"tag", "tag", "string", "reported"},
    {"agent-name", "agentName", "string", "2.1.197"},
    {"agent-color", "agentColor", "string", "reported"},
    {"agent-setting", "agentSetting", "string", "reported"},
    {"mode", "mode", "string", "2.1.197"},
    {"permission-mode", "permissionMode", "string", "2.1.197"},
    {"worktree-state", "worktreeSession", "object|null", "2.1.197"},
    {"pr-link", "prNumber", "number", "reported"},
    {"pr-link", "prUrl", "string", "reported"},
    {"pr-link", "prRepository", "string", "reported"},

    {"started", "key", "string", "2.1.197"},
    {"result", "key", "string", "2.1.197"},
    {"result", "result", "object|array|string|number|boolean|null", "2.1.197"},
};

constexpr std::array<std::string_view, 1> kVersions = {"2.1.197"};

}  // namespace

std::span<const KnownType> known_types() {
  return kTypes;
}

std::span<const KnownField> known_fields() {
  return kKnownFields;
}

std::span<const std::string_view> known_versions() {
  return kVersions;
}

namespace {

// "string|null" -> ["string", "null"]
Json schema_types(std::string_view words) {
  JsonArray types;
  while (true) {
    const std::size_t bar = words.find('|');
    types.push_back(Json(words.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    words.remove_prefix(bar + 1);
  }
  return types.size() == 1 ? types[0] : Json(types);
}

JsonObject properties_of(std::string_view type) {
  JsonObject properties;
  for (const KnownField& field : known_fields()) {
    if (field.type != type) continue;
    properties[field.field] = JsonObject{{"type", schema_types(field.json)}, {"$comment", field.seen}};
  }
  return properties;
}

}  // namespace

JsonObject record_schema() {
  JsonArray rules;
  for (const KnownType& type : known_types()) {
    const JsonObject of_this_type{{"properties", JsonObject{{"type", JsonObject{{"const", type.type}}}}},
                                  {"required", JsonArray{"type"}}};
    rules.push_back(JsonObject{{"$comment", type.seen},
                               {"if", of_this_type},
                               {"then", JsonObject{{"description", type.meaning}, {"properties", properties_of(type.type)}}}});
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "One line of a Claude Code transcript, as far as holdfast knows it"},
          {"description", "Other types and fields are allowed: new ones arrive with every client."},
          {"type", "object"},
          {"properties", properties_of("*")},
          {"allOf", std::move(rules)}};
}

}  // namespace holdfast::transcripts
