#include "tools/documents/document_calls.h"

#include "operations/sessions/list_filters.h"
#include "tools/argument_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::tools {

namespace {

using documents::EditRequest;

constexpr std::int64_t kMaxNumber = 1'000'000'000;  // lines, entries: far more than a document of 8 MB can have
constexpr std::int64_t kMaxEdits = 100;             // of one call: a model writes every one of them
constexpr std::int64_t kMaxWithdrawn = 1000;
constexpr std::int64_t kMaxListOffset = 1'000'000;                      // more changes than any person decides
constexpr std::int64_t kFoundDocuments = 20, kMaxFoundDocuments = 100;  // document-review §12

JsonObject nonempty_text(std::string_view description) {
  return {{"type", "string"}, {"minLength", 1}, {"description", description}};
}

JsonObject path_of_document() {
  return nonempty_text("path of the document, as glob prints it");
}

JsonObject view_choice() {
  return argument::choice({"accepted", "base", "raw"},
                          "accepted: with pending changes [default]; base: without them; raw: with their markup");
}

// `path` is the name; models that know the other tools say `file_path`.
Result<std::string> path_to_move(const DocumentCall& call) {
  const std::string path = call.text("path"), alias = call.text("file_path");
  if (path.empty() && alias.empty()) return fail(ErrorKind::invalid, "path is required", "name what to move", "bad_argument");
  if (!path.empty() && !alias.empty() && path != alias)
    return fail(ErrorKind::invalid, "path and file_path name different documents", "give path alone", "bad_argument");
  return path.empty() ? alias : path;
}

EditRequest::One one_edit(const JsonObject& arguments) {
  return {std::string(find_string(arguments, "old_string").value_or("")),
          std::string(find_string(arguments, "new_string").value_or("")), find_bool(arguments, "replace_all").value_or(false)};
}

Result<std::string> edit(const DocumentCall& call) {
  EditRequest request;
  request.file_path = call.text("file_path");
  request.expected_version = call.text("expected_version");
  const JsonArray* more = find_array(call.arguments, "edits");
  const bool old_given = call.arguments.contains("old_string"), new_given = call.arguments.contains("new_string");
  if (!more || old_given || new_given) {
    for (const auto& [given, name] : {std::pair{old_given, "old_string"}, std::pair{new_given, "new_string"}})
      if (!given)
        return fail(ErrorKind::invalid, fmt::format("{} is required", name), "give old_string and new_string", "bad_argument");
    request.edits.push_back(one_edit(call.arguments));
  }
  if (more)
    for (const Json& each : *more) request.edits.push_back(one_edit(each.as_object()));
  if (request.edits.empty()) return fail(ErrorKind::invalid, "edits is empty", "give old_string and new_string", "bad_argument");
  return call.workspace.edit(call.asker, request);
}

Result<std::string> grep(const DocumentCall& call) {
  documents::GrepRequest request;
  request.pattern = call.text("pattern");
  request.path = call.text("path");
  request.glob = call.text("glob");
  if (call.arguments.contains("output_mode")) request.output_mode = call.text("output_mode");
  if (call.arguments.contains("view")) request.view = call.text("view");
  request.ignore_case = call.flag("-i");
  request.multiline = call.flag("multiline");
  const std::int64_t around = call.number("-C", 0);
  request.before = call.number("-B", around);
  request.after = call.number("-A", around);
  for (const char* name : {"-A", "-B", "-C"}) request.context_asked = request.context_asked || call.arguments.contains(name);
  request.head_limit = static_cast<std::size_t>(call.number("head_limit", static_cast<std::int64_t>(request.head_limit)));
  request.offset = static_cast<std::size_t>(call.number("offset", 0));
  request.cancelled = call.asker.cancelled;
  return call.workspace.grep(call.asker, std::move(request));
}

Result<std::string> read(const DocumentCall& call) {
  documents::ReadRequest request;
  request.file_path = call.text("file_path");
  if (call.arguments.contains("view")) request.view = call.text("view");
  request.offset = std::max<std::int64_t>(1, call.number("offset", request.offset));
  request.limit = call.number("limit", request.limit);
  return call.workspace.read(call.asker, request);
}

Result<std::string> list_changes(const DocumentCall& call) {
  documents::ChangeFilter filter;
  filter.path = call.text("path");
  filter.author = call.text("author");
  auto since = operations::time_of(operations::Given(call.arguments), "since", call.now);
  if (!since) return fail(ErrorKind::invalid, since.error().message, since.error().hint, "bad_argument");
  filter.since = *since;
  filter.offset = static_cast<std::size_t>(call.number("offset", 0));
  return call.workspace.list_changes(call.asker, filter);
}

Result<std::string> withdraw(const DocumentCall& call) {
  return call.workspace.withdraw(call.asker, texts_in(call.arguments, "ids"));
}

JsonObject grep_arguments() {
  return {{"pattern",
           argument::text(
               "regular expression (RE2: no look-around, no back-references; \\b, \\w and \\d are ASCII, \\pL is any letter)")},
          {"path", argument::text("a document or a folder [everything]")},
          {"glob", argument::text("only documents whose path fits, such as notes/**/*.md")},
          {"output_mode", argument::choice({"files_with_matches", "content", "count"}, "[files_with_matches]")},
          {"-i", argument::flag("ignore case")},
          {"-A", argument::number(0, kMaxNumber, "lines after each match; wins over -C")},
          {"-B", argument::number(0, kMaxNumber, "lines before each match; wins over -C")},
          {"-C", argument::number(0, kMaxNumber, "lines before and after each match")},
          {"head_limit", argument::number(1, kMaxNumber, "at most so many documents, or lines with output_mode content [250]")},
          {"offset", argument::number(0, kMaxNumber, "leave out so many of them")},
          {"multiline", argument::flag("the pattern may span lines, and . matches line ends")},
          {"view", view_choice()}};
}

JsonObject edit_arguments() {
  const JsonObject one{{"type", "object"},
                       {"properties", JsonObject{{"old_string", argument::text("as in the edit before it left the document")},
                                                 {"new_string", argument::text("what shall stand there")},
                                                 {"replace_all", argument::flag("every occurrence")}}},
                       {"required", JsonArray{"old_string", "new_string"}},
                       {"additionalProperties", false}};
  return {
      {"file_path", path_of_document()},
      {"old_string",
       argument::text("text to replace, exactly as read shows it (without line numbers), with enough around it to be unique")},
      {"new_string", argument::text("what shall stand there; {>>note<<} in it adds a comment")},
      {"replace_all", argument::flag("every occurrence instead of the only one")},
      {"edits", JsonObject{{"type", "array"},
                           {"items", one},
                           {"maxItems", kMaxEdits},
                           {"description", "further edits of the same document, in order: all are made, or none"}}},
      {"expected_version", argument::text("the [version: …] that read showed: refuse when the document is another one by now")}};
}

}  // namespace

std::string DocumentCall::text(std::string_view name) const {
  return std::string(find_string(arguments, name).value_or(""));
}

std::int64_t DocumentCall::number(std::string_view name, std::int64_t fallback) const {
  return find_int(arguments, name).value_or(fallback);
}

bool DocumentCall::flag(std::string_view name) const {
  return find_bool(arguments, name).value_or(false);
}

std::vector<DocumentTool> document_tools(const std::string& ttl) {
  std::vector<DocumentTool> tools;
  const auto add = [&](std::string name, std::string title, std::string description, JsonObject properties,
                       std::vector<std::string> required, auto run) -> DocumentTool& {
    DocumentTool tool;
    tool.name = std::move(name);
    tool.title = std::move(title);
    tool.description = std::move(description);
    tool.properties = std::move(properties);
    tool.required = std::move(required);
    tool.run = run;
    tools.push_back(std::move(tool));
    return tools.back();
  };
  using Call = const DocumentCall&;

  add("create_session", "Begin working on documents",
      fmt::format(
          "Begins a session over the documents under review and returns its session_id, with notes for newcomers. Pass the id to "
          "every other document tool: it remembers what you have read, so that you may edit it. It outlives connections and "
          "restarts, and ends after {} without use. resume takes up an earlier session by its label (doc-…) when you have lost "
          "the id.",
          ttl),
      {{"name", argument::text("the person you work for; your changes are signed \"<name>'s AI\"")},
       {"model", argument::text("which model you are")},
       {"resume", argument::text("label of an earlier session; its old id stops working")}},
      {}, [](Call call) {
        return call.workspace.create_session(call.asker, call.text("name"), call.text("model"), call.text("resume"));
      });

  add("read", "Read a document",
      "Reads a document with numbered lines, as it will be once all pending changes are accepted, and lists those changes. Read "
      "a "
      "document before you edit it. The last line is [session: …]: pass that session_id on.",
      {{"file_path", path_of_document()},
       {"offset", argument::number(0, kMaxNumber, "first line, from 1")},
       {"limit", argument::number(1, kMaxNumber, "how many lines [2000]")},
       {"view", view_choice()}},
      {"file_path"}, read)
      .reads_only = true;

  add("edit", "Propose a change",
      "Replaces text in a document that you have read with this session_id. The change is not final: it waits in the document, "
      "signed, until a person accepts or rejects it. old_string must occur exactly once (or use replace_all). Do not write "
      "CriticMarkup yourself.",
      edit_arguments(), {"file_path", "old_string", "new_string", "session_id"}, edit)
      .writes = true;

  add("glob", "Find documents by name",
      "Lists documents whose path fits a pattern such as **/*.md, sorted, one a line; * and ? stay inside a path segment, ** "
      "spans.",
      {{"pattern", nonempty_text("such as notes/**/*.md, [a-c]*.txt or {a,b}.md")},
       {"path", argument::text("a folder: the pattern is matched below it")}},
      {"pattern"},
      [](Call call) { return call.workspace.glob(call.asker, {call.text("pattern"), call.text("path"), call.asker.cancelled}); })
      .reads_only = true;

  add("grep", "Search documents by expression",
      "Searches the lines of documents for a regular expression. Sees what read shows, pending changes applied, with the same "
      "line "
      "numbers. It does not count as reading.",
      grep_arguments(), {"pattern"}, grep)
      .reads_only = true;

  add("get_links", "Links of a document",
      "Lists the documents that link to a document and those it links to: [[wiki links]] and [markdown](links.md), also broken "
      "ones.",
      {{"file_path", path_of_document()}}, {"file_path"},
      [](Call call) { return call.workspace.get_links(call.asker, call.text("file_path")); })
      .reads_only = true;

  add("search", "Search documents by words",
      "Finds documents by words, best first: all words must occur, \"quotes\" make a phrase. Gives path, title, line and a "
      "snippet.",
      {{"query", argument::text("words to look for")}, {"limit", argument::number(1, kMaxFoundDocuments, "how many [20]")}},
      {"query"},
      [](Call call) {
        return call.workspace.search(call.asker, call.text("query"),
                                     static_cast<std::size_t>(call.number("limit", kFoundDocuments)));
      })
      .reads_only = true;

  add("create", "Propose a new document",
      "Makes a document; missing folders are made. Its content waits for a person's review like any change. It counts as read "
      "with "
      "the session_id that made it.",
      {{"file_path", nonempty_text("path of the new document")}, {"content", argument::text("its text [empty]")}}, {"file_path"},
      [](Call call) { return call.workspace.create(call.asker, call.text("file_path"), call.text("content")); })
      .writes = true;

  add("move", "Move or rename",
      "Moves a document or a folder at once, and rewrites the links that lead to it and its own. A person can undo it.",
      {{"path", argument::text("the document or folder")},
       {"file_path", argument::text("the same as path")},
       {"new_path", nonempty_text("where it shall be; must not exist")}},
      {"path", "new_path", "session_id"},
      [](Call call) -> Result<std::string> {
        HF_TRY(const std::string path, path_to_move(call));
        return call.workspace.move(call.asker, path, call.text("new_path"));
      })
      .writes = true;

  add("delete", "Propose to delete a document",
      "Proposes to delete a document that you have read with this session_id. It stays until a person accepts that, and can be "
      "brought "
      "back even then. Tells which documents link to it.",
      {{"file_path", path_of_document()}}, {"file_path", "session_id"},
      [](Call call) { return call.workspace.remove(call.asker, call.text("file_path")); })
      .writes = true;

  add("list_changes", "Pending changes",
      "Lists changes that wait for a person's review: id, path, line, both sides, author and context. Only a person can accept "
      "or "
      "reject them.",
      {{"path", argument::text("only in this document or folder")},
       {"author", argument::text("only of this author, exactly as shown")},
       {"since", argument::text("only made at this time or later: 3d, 2026-07-01 or 2026-07-28T09:30:00Z")},
       {"offset", argument::number(0, kMaxListOffset, "how many to leave out, to go on behind a long list [0]")}},
      {}, list_changes)
      .reads_only = true;

  add("withdraw", "Take back own changes", "Takes back changes that this session has proposed and nobody has decided yet.",
      {{"ids", JsonObject{{"type", "array"},
                          {"items", JsonObject{{"type", "string"}, {"minLength", 1}}},
                          {"minItems", 1},
                          {"maxItems", kMaxWithdrawn},
                          {"description", "ids of changes, such as c_k3f9"}}}},
      {"ids", "session_id"}, withdraw)
      .writes = true;

  add("end_session", "End working on documents",
      "Ends a session: its session_id stops working. What it proposed stays and waits for review.", {}, {"session_id"},
      [](Call call) { return call.workspace.end_session(call.asker); });
  return tools;
}

}  // namespace holdfast::tools
