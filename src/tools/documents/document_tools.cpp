#include "tools/documents/document_tools.h"

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "operations/context.h"
#include "operations/table.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/caller_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace holdfast::tools {

namespace {

// How a tool is told to models. The operation is "documents" and its name.
struct DocumentTool {
  std::string_view name, title, description;
};

// In the order of tools/list (design §4). {ttl}: "7 days".
constexpr std::array kDocumentTools{
    DocumentTool{"create_session", "Begin working on documents",
                 "Begins a session over the documents under review and returns its session_id, with notes for newcomers. Pass "
                 "the id to every other document tool: it remembers what you have read, so that you may edit it. It outlives "
                 "connections and restarts, and ends after {ttl} without use. resume takes up an earlier session by its label "
                 "(doc-…) when you have lost the id."},
    DocumentTool{"read", "Read a document",
                 "Reads a document with numbered lines, as it will be once all pending changes are accepted, and lists those "
                 "changes. Read a document before you edit it. The last line is [session: …]: pass that session_id on."},
    DocumentTool{"edit", "Propose a change",
                 "Replaces text in a document that you have read with this session_id. The change is not final: it waits in the "
                 "document, signed, until a person accepts or rejects it. old_string must occur exactly once (or use "
                 "replace_all). Do not write CriticMarkup yourself."},
    DocumentTool{"glob", "Find documents by name",
                 "Lists documents whose path fits a pattern such as **/*.md, sorted, one a line; * and ? stay inside a path "
                 "segment, ** spans."},
    DocumentTool{"grep", "Search documents by expression",
                 "Searches the lines of documents for a regular expression. Sees what read shows, pending changes applied, with "
                 "the same line numbers. It does not count as reading."},
    DocumentTool{"get_links", "Links of a document",
                 "Lists the documents that link to a document and those it links to: [[wiki links]] and [markdown](links.md), "
                 "also broken ones."},
    DocumentTool{"search", "Search documents by words",
                 "Finds documents by words, best first: all words must occur, \"quotes\" make a phrase. Gives path, title, line "
                 "and a snippet."},
    DocumentTool{"create", "Propose a new document",
                 "Makes a document; missing folders are made. Its content waits for a person's review like any change. It counts "
                 "as read with the session_id that made it."},
    DocumentTool{
        "move", "Move or rename",
        "Moves a document or a folder at once, and rewrites the links that lead to it and its own. A person can undo it."},
    DocumentTool{"delete", "Propose to delete a document",
                 "Proposes to delete a document that you have read with this session_id. It stays until a person accepts that, "
                 "and can be brought back even then. Tells which documents link to it."},
    DocumentTool{"list_changes", "Pending changes",
                 "Lists changes that wait for a person's review: id, path, line, both sides, author and context. Only a person "
                 "can accept or reject them."},
    DocumentTool{"withdraw", "Take back own changes",
                 "Takes back changes that this session has proposed and nobody has decided yet."},
    DocumentTool{"end_session", "End working on documents",
                 "Ends a session: its session_id stops working. What it proposed stays and waits for review."},
};

// Their arguments are called as their contract has it: what a command would spell "-i" is called so here, too.
std::string_view argument_of(const operations::Parameter& parameter) {
  return parameter.option.empty() ? parameter.name : parameter.option;
}

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

JsonObject edits_schema() {
  return {{"type", "object"},
          {"properties", JsonObject{{"old_string", argument::text("as in the edit before it left the document")},
                                    {"new_string", argument::text("what shall stand there")},
                                    {"replace_all", argument::flag("every occurrence")}}},
          {"required", JsonArray{"old_string", "new_string"}},
          {"additionalProperties", false}};
}

// As the contract spells them out (document-review §4): empty texts and lists are refused here, and defaults stand in the help.
JsonObject schema_of(const operations::Parameter& parameter) {
  using enum operations::Parameter::Type;
  JsonObject schema;
  switch (parameter.type) {
    case text: {
      schema["type"] = "string";
      if (!parameter.may_be_empty) schema["minLength"] = 1;
      JsonArray words;
      for (const std::string_view word : words_of(parameter)) words.emplace_back(word);
      if (!words.empty()) schema["enum"] = std::move(words);
      break;
    }
    case texts:
      schema = {{"type", "array"},
                {"items", JsonObject{{"type", "string"}, {"minLength", 1}}},
                {"minItems", parameter.least},
                {"maxItems", parameter.most}};
      break;
    case json:
      schema = {{"type", "array"}, {"items", edits_schema()}, {"maxItems", parameter.most}};
      break;
    case number:
      schema = {{"type", "integer"}, {"minimum", parameter.least}, {"maximum", parameter.most}};
      break;
    case flag:
    case choice:
      schema["type"] = "boolean";
      break;
  }
  schema["description"] = parameter.help;
  return schema;
}

JsonObject schema_of(const operations::Operation& operation, bool listed) {
  JsonObject properties;
  JsonArray required;
  for (const operations::Parameter& parameter : operation.parameters) {
    properties[argument_of(parameter)] = schema_of(parameter);
    // Checked by their own calls: session_id has errors of its own, the others can be given in another way.
    constexpr std::array<std::string_view, 4> kByHand = {"session_id", "old_string", "new_string", "path"};
    const bool by_hand = std::ranges::find(kByHand, parameter.name) != kByHand.end();
    if (parameter.required && (listed || !by_hand)) required.emplace_back(parameter.name);
  }
  JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// One call, as operations see it: a model at work in the folders that its token is for.
class DocumentCall final : public operations::Context {
 public:
  DocumentCall(mcp::Call& call, DocumentWorkspaces& workspaces, Millis now) : call_(call), workspaces_(workspaces), now_(now) {}

  const Identity& identity() const override { return call_.caller(); }
  Millis now() const override { return now_; }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return not_offered("sessions"); }
  Result<operations::Documents> documents() override {
    HF_TRY(ChosenWorkspace chosen, workspaces_.choose(call_));
    documents::Asker asker;
    asker.principal = call_.caller().principal;
    asker.projects = call_.caller().projects;
    asker.client = client_name(call_.caller());
    asker.root_uri = std::move(chosen.root_uri);
    asker.cancelled = [this] { return call_.cancelled(); };
    operations::Documents documents;
    documents.workspace = std::move(chosen.workspace);
    documents.asker = [asker = std::move(asker)]() -> Result<documents::Asker> { return asker; };
    return documents;
  }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  mcp::Call& call_;
  DocumentWorkspaces& workspaces_;
  Millis now_;
  session::RetentionPolicy policy_;
};

mcp::ToolReply answer_document_call(mcp::Call& call, const operations::Operation& operation, const Schema& schema,
                                    DocumentWorkspaces& workspaces, Millis now) {
  const JsonObject& arguments = call.arguments();
  if (auto violations = schema.validate(Json(arguments)); !violations.empty()) return refusal(bad_argument(violations));
  if (operation.scope == Scope::write && workspaces.read_only())
    return refusal(make_error(ErrorKind::refused, "the documents of this server can only be read",
                              "tell the user; documents.read_only says so in its settings", "read_only"));
  operations::Given given;
  for (const operations::Parameter& parameter : operation.parameters)
    if (const Json* value = find(arguments, argument_of(parameter))) given.set(parameter.name, *value);
  DocumentCall context(call, workspaces, now);
  auto facts = operation.run(context, given);
  if (facts) return mcp::ToolResult::text(text_in(*facts, "text"));
  Error error = std::move(facts).error();
  // A refusal of the operation's own begins with a parameter. What quotes a document stays as it is.
  if (error.message.starts_with('{'))
    operations::put_in_spelling_of(error, [](std::string_view name) { return std::string(name); });
  return refusal(error);
}

}  // namespace

Result<void> add_document_tools(mcp::Server& server, DocumentWorkspaces& workspaces, Millis handle_ttl) {
  for (const DocumentTool& each : kDocumentTools) {
    const operations::Operation& operation = *operations::find_operation(fmt::format("documents {}", each.name));
    HF_TRY(Schema compiled, Schema::compile(schema_of(operation, false)));
    const bool only_reads = operation.effect == operations::Effect::reads;
    mcp::Tool tool;
    tool.name = each.name;
    tool.title = each.title;
    tool.description = operations::in_spelling_of(each.description, [&](std::string_view) { return spoken(handle_ttl); });
    tool.input_schema = schema_of(operation, true);
    tool.annotations = {{"readOnlyHint", only_reads}, {"openWorldHint", false}};
    // Every change can be rejected, a move undone, a deleted document brought back.
    if (!only_reads) tool.annotations["destructiveHint"] = false;
    tool.unknown = mcp::Tool::Unknown::refuse;
    tool.normalise = drop_nulls;
    tool.handler_validates = true;
    tool.scope = operation.scope;
    tool.shows = {{"", std::string(operation.name)}};
    tool.listed = workspaces.has_folders() && !(operation.scope == Scope::write && workspaces.read_only());
    tool.handler = [&server, &workspaces, &operation,
                    schema = std::make_shared<const Schema>(std::move(compiled))](mcp::Call& call) {
      return answer_document_call(call, operation, *schema, workspaces, server.clock().now());
    };
    HF_CHECK(server.add_tool(std::move(tool)));
  }
  return {};
}

}  // namespace holdfast::tools
