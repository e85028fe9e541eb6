// The document tools as a client sees them (document-review §4, §5), over a workspace that writes down what it is asked.

#include "tools/documents/document_tools.h"

#include "base/text/uri.h"
#include "tools/test_tool_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

namespace holdfast::tools {
namespace {

using documents::Asker;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class FakeWorkspace final : public documents::Workspace {
 public:
  explicit FakeWorkspace(std::vector<std::string>& log) : log_(log) {}

  Result<std::string> create_session(const Asker& asker, std::string_view name, std::string_view model,
                                     std::string_view resume) override {
    return note("create_session", asker, {name, model, resume});
  }
  Result<std::string> end_session(const Asker& asker) override { return note("end_session", asker, {}); }
  Result<std::string> read(const Asker& asker, const documents::ReadRequest& request) override {
    return note("read", asker, {request.file_path, std::to_string(request.offset), std::to_string(request.limit), request.view});
  }
  Result<std::string> edit(const Asker& asker, const documents::EditRequest& request) override {
    std::string edits;
    for (const auto& each : request.edits)
      edits += fmt::format("[{}>{}{}]", each.old_string, each.new_string, each.replace_all ? " all" : "");
    return note("edit", asker, {request.file_path, edits, request.expected_version});
  }
  Result<std::string> create(const Asker& asker, std::string_view path, std::string_view content) override {
    return note("create", asker, {path, content});
  }
  Result<std::string> move(const Asker& asker, std::string_view path, std::string_view new_path) override {
    return note("move", asker, {path, new_path});
  }
  Result<std::string> remove(const Asker& asker, std::string_view path) override { return note("delete", asker, {path}); }
  Result<std::string> withdraw(const Asker& asker, const std::vector<std::string>& ids) override {
    return note("withdraw", asker, {ids.front(), std::to_string(ids.size())});
  }
  Result<std::string> get_links(const Asker& asker, std::string_view path) override { return note("get_links", asker, {path}); }
  Result<std::string> glob(const Asker& asker, documents::GlobRequest request) override {
    return note("glob", asker, {request.pattern, request.path});
  }
  Result<std::string> grep(const Asker& asker, documents::GrepRequest request) override {
    return note("grep", asker,
                {request.pattern, request.output_mode, std::to_string(request.before), std::to_string(request.after),
                 request.ignore_case ? "i" : "", request.context_asked ? "context" : "", std::to_string(request.head_limit)});
  }
  Result<std::string> search(const Asker& asker, std::string_view query, std::size_t limit) override {
    return note("search", asker, {query, std::to_string(limit)});
  }
  Result<std::string> list_changes(const Asker& asker, const documents::ChangeFilter& filter) override {
    return note("list_changes", asker, {filter.path, filter.author, filter.since ? std::to_string(*filter.since) : ""});
  }
  Result<std::vector<documents::PendingChange>> changes(const documents::ChangeFilter&, const std::function<bool()>&) override {
    throw std::logic_error("no tool calls it");
  }
  Result<documents::VerdictReport> decide(const Asker&, const documents::Verdicts&) override {
    throw std::logic_error("no tool decides");
  }
  Result<documents::PendingChange> comment(const Asker&, std::string_view, std::string_view, std::string_view) override {
    throw std::logic_error("no tool calls it");
  }
  Result<std::string> undo_move(const Asker&, std::string_view) override { throw std::logic_error("no tool calls it"); }
  Result<std::string> restore(const Asker&, std::string_view) override { throw std::logic_error("no tool calls it"); }
  Result<std::vector<documents::TrashedFile>> trash() override { throw std::logic_error("no tool calls it"); }
  Result<std::string> text(std::string_view, std::string_view) override { throw std::logic_error("no tool calls it"); }
  Result<std::size_t> sweep() override { throw std::logic_error("no tool calls it"); }
  documents::Library& library() override { throw std::logic_error("no tool calls it"); }

 private:
  Result<std::string> note(std::string_view name, const Asker& asker, std::vector<std::string_view> words) {
    std::string line = fmt::format("{}({})", name, fmt::join(words, "|"));
    if (!asker.session_id.empty()) line += " with " + asker.session_id;
    if (asker.principal != "local") line += " by " + asker.principal;
    EXPECT_FALSE(asker.reviewer) << "no tool speaks for a person";
    log_.push_back(line);
    if (asker.session_id == "s_bad")
      return fail(ErrorKind::refused, "there is no such session", "call create_session, then read the document again",
                  "session_unknown");
    return "answer of " + std::string(name);
  }

  std::vector<std::string>& log_;
};

struct DocumentToolsTest : testing::Test, ToolServer {
  DocumentToolsTest() { EXPECT_TRUE(server.open()); }
  ~DocumentToolsTest() override { pool.close(); }

  void add(bool read_only = false) { add_over({{"kb", folder.path(), false}}, read_only); }
  void add_over(std::vector<documents::LibraryFolder> folders, bool read_only = false) {
    documents::LibrarySettings settings;
    settings.folders = std::move(folders);
    workspaces.emplace(std::move(settings), read_only, project,
                       [this](documents::LibrarySettings given) -> Result<std::unique_ptr<documents::Workspace>> {
                         opened.push_back(std::move(given));
                         return std::make_unique<FakeWorkspace>(log);
                       });
    const auto added = add_document_tools(server, *workspaces, documents::kHandleTtl);
    ASSERT_TRUE(added) << added.error().message;
  }

  std::string text_of(const JsonObject& result) {
    EXPECT_FALSE(result.contains("structuredContent")) << "a client would show the model nothing else (§4)";
    const JsonArray* content = find_array(result, "content");
    if (!content || content->size() != 1) {
      ADD_FAILURE() << to_json(result);
      return {};
    }
    return std::string(find_string(content->front().as_object(), "text").value_or("no text"));
  }
  std::string answer(std::string_view tool, JsonObject arguments, const mcp::Caller& from = caller_of()) {
    const JsonObject result = call_tool(tool, std::move(arguments), from);
    EXPECT_FALSE(find_bool(result, "isError").value_or(false)) << to_json(result);
    return text_of(result);
  }
  std::string refused(std::string_view tool, JsonObject arguments, const mcp::Caller& from = caller_of()) {
    const JsonObject result = call_tool(tool, std::move(arguments), from);
    EXPECT_TRUE(find_bool(result, "isError").value_or(false)) << to_json(result);
    return text_of(result);
  }
  std::vector<std::string> listed(const mcp::Caller& from = caller_of()) {
    std::vector<std::string> names;
    const JsonObject answer = request("tools/list", {}, from);
    for (const Json& tool : *find_array(*find_object(answer, "result"), "tools"))
      names.emplace_back(*find_string(tool.as_object(), "name"));
    return names;
  }

  std::vector<std::string> log;
  std::vector<documents::LibrarySettings> opened;
  ProjectRoot project{stores, "test", folder.path(), ""};
  std::optional<DocumentWorkspaces> workspaces;
};

TEST_F(DocumentToolsTest, AreListedInOrderWithTheirOwnArguments) {
  add();
  EXPECT_THAT(listed(), ElementsAre("create_session", "read", "edit", "glob", "grep", "get_links", "search", "create", "move",
                                    "delete", "list_changes", "withdraw", "end_session"));
  const JsonObject answer = request("tools/list", {});
  for (const Json& each : *find_array(*find_object(answer, "result"), "tools")) {
    const JsonObject& tool = each.as_object();
    const JsonObject& schema = *find_object(tool, "inputSchema");
    EXPECT_TRUE(find_object(schema, "properties")->contains("session_id")) << to_json(tool);
    EXPECT_EQ(find_bool(schema, "additionalProperties"), false);
    EXPECT_FALSE(tool.contains("outputSchema"));
    if (find_string(tool, "name") == "create_session") {
      EXPECT_THAT(std::string(*find_string(tool, "description")), HasSubstr("7 days"));
    }
    if (find_string(tool, "name") == "edit") {
      EXPECT_EQ(to_json(*find(schema, "required")), R"(["file_path","old_string","new_string","session_id"])");
      EXPECT_EQ(find_bool(*find_object(tool, "annotations"), "readOnlyHint"), false);
    }
  }
}

TEST_F(DocumentToolsTest, ArgumentsReachTheWorkspace) {
  add();
  EXPECT_EQ(answer("read", {{"file_path", "a.md"}}), "answer of read");
  answer("read", {{"file_path", "a.md"}, {"offset", 3.0}, {"limit", 5}, {"view", "base"}, {"session_id", "s_1"}});
  answer("read", {{"file_path", "a.md"}, {"offset", 0}, {"limit", nullptr}});
  answer("edit", {{"file_path", "a.md"}, {"old_string", "a"}, {"new_string", "b"}, {"session_id", "s_1"}});
  answer("create_session", {{"name", "Ada"}, {"model", "m"}, {"resume", "doc-12345678"}});
  answer("glob", {{"pattern", "**"}, {"path", "notes"}});
  answer("search", {{"query", "kelp"}});
  answer("get_links", {{"file_path", "a.md"}});
  answer("create", {{"file_path", "b.md"}, {"content", "text"}});
  answer("delete", {{"file_path", "b.md"}, {"session_id", "s_1"}});
  answer("list_changes", {{"author", "Ada's AI"}, {"since", "2026-01-01T00:00:00Z"}});
  answer("withdraw", {{"ids", JsonArray{"c_1", "c_2"}}, {"session_id", "s_1"}});
  answer("end_session", {{"session_id", "s_1"}});
  EXPECT_THAT(log, ElementsAre("read(a.md|1|2000|accepted)", "read(a.md|3|5|base) with s_1", "read(a.md|1|2000|accepted)",
                               "edit(a.md|[a>b]|) with s_1", "create_session(Ada|m|doc-12345678)", "glob(**|notes)",
                               "search(kelp|20)", "get_links(a.md)", "create(b.md|text)", "delete(b.md) with s_1",
                               "list_changes(|Ada's AI|1767225600000)", "withdraw(c_1|2) with s_1", "end_session() with s_1"));
  EXPECT_EQ(opened.size(), 1U) << "a workspace stays open";
}

TEST_F(DocumentToolsTest, GrepTakesTheNamesThatModelsKnow) {
  add();
  answer("grep", {{"pattern", "x"}});
  answer("grep", {{"pattern", "x"}, {"-i", true}, {"-C", 2}, {"-A", 0}, {"output_mode", "content"}, {"head_limit", 10}});
  EXPECT_THAT(log, ElementsAre("grep(x|files_with_matches|0|0|||250)", "grep(x|content|2|0|i|context|10)"));
}

TEST_F(DocumentToolsTest, SeveralEditsAtOnce) {
  add();
  const JsonArray more{JsonObject{{"old_string", "c"}, {"new_string", "d"}, {"replace_all", true}}};
  answer("edit", {{"file_path", "a.md"}, {"old_string", "a"}, {"new_string", "b"}, {"edits", more}, {"session_id", "s_1"}});
  answer("edit", {{"file_path", "a.md"}, {"edits", more}, {"expected_version", "v"}, {"session_id", "s_1"}});
  EXPECT_THAT(log, ElementsAre("edit(a.md|[a>b][c>d all]|) with s_1", "edit(a.md|[c>d all]|v) with s_1"));
  EXPECT_THAT(refused("edit", {{"file_path", "a.md"}, {"edits", JsonArray{}}, {"session_id", "s_1"}}),
              StartsWith("bad_argument: "));
}

TEST_F(DocumentToolsTest, MoveKnowsBothNamesOfItsPath) {
  add();
  answer("move", {{"path", "a.md"}, {"new_path", "b.md"}, {"session_id", "s_1"}});
  answer("move", {{"file_path", "a.md"}, {"new_path", "b.md"}, {"session_id", "s_1"}});
  EXPECT_THAT(log, ElementsAre("move(a.md|b.md) with s_1", "move(a.md|b.md) with s_1"));
  EXPECT_THAT(refused("move", {{"new_path", "b.md"}}), StartsWith("bad_argument: path is required"));
  EXPECT_THAT(refused("move", {{"path", "a.md"}, {"file_path", "c.md"}, {"new_path", "b.md"}}), HasSubstr("different documents"));
}

// §4: "Unknown arguments are refused by name. Numbers: accept integral JSON numbers; refuse negatives, fractions, strings."
TEST_F(DocumentToolsTest, ArgumentsThatDoNotFitAreToolErrorsAndReachNobody) {
  add();
  EXPECT_THAT(refused("read", {{"file_path", "a.md"}, {"lines", 3}}), AllOf(StartsWith("bad_argument: "), HasSubstr("lines")));
  for (const Json& wrong : {Json(-1), Json(1.5), Json("3"), Json(true), Json(1e300)}) {
    EXPECT_THAT(refused("read", {{"file_path", "a.md"}, {"offset", wrong}}),
                AllOf(StartsWith("bad_argument: "), HasSubstr("offset")));
    EXPECT_THAT(refused("grep", {{"pattern", "x"}, {"-A", wrong}}), AllOf(StartsWith("bad_argument: "), HasSubstr("-A")));
  }
  EXPECT_THAT(refused("read", {}), AllOf(StartsWith("bad_argument: "), HasSubstr("file_path")));
  EXPECT_THAT(refused("read", {{"file_path", ""}}), StartsWith("bad_argument: "));
  EXPECT_THAT(refused("read", {{"file_path", "a.md"}, {"view", "diff"}}), StartsWith("bad_argument: "));
  EXPECT_THAT(refused("edit", {{"file_path", "a.md"}, {"old_string", "a"}, {"session_id", "s_1"}}),
              StartsWith("bad_argument: new_string is required."));
  EXPECT_THAT(refused("edit", {{"file_path", "a.md"}, {"old_string", 3}, {"new_string", "x"}}), HasSubstr("old_string"));
  EXPECT_THAT(refused("withdraw", {{"ids", JsonArray{}}, {"session_id", "s_1"}}), StartsWith("bad_argument: "));
  EXPECT_THAT(refused("list_changes", {{"since", "yesterday"}}), AllOf(StartsWith("bad_argument: "), HasSubstr("2026-07-01T")));
  EXPECT_THAT(refused("search", {{"query", "x"}, {"limit", 101}}), StartsWith("bad_argument: "));
  EXPECT_THAT(log, ElementsAre());
}

TEST_F(DocumentToolsTest, ARefusalSaysItsWordWhatIsWrongAndWhatToDo) {
  add();
  EXPECT_EQ(refused("read", {{"file_path", "a.md"}, {"session_id", "s_bad"}}),
            "session_unknown: there is no such session. Call create_session, then read the document again.");
}

TEST_F(DocumentToolsTest, AMissingHandleIsLeftToTheWorkspace) {
  add();
  answer("edit", {{"file_path", "a.md"}, {"old_string", "a"}, {"new_string", "b"}});
  EXPECT_THAT(log, ElementsAre("edit(a.md|[a>b]|)")) << "session_required is its word, not bad_argument";
}

// §4: "Read-only hides write tools from tools/list and refuses them when called."
TEST_F(DocumentToolsTest, ReadOnlyDocuments) {
  add(true);
  EXPECT_THAT(listed(),
              ElementsAre("create_session", "read", "glob", "grep", "get_links", "search", "list_changes", "end_session"));
  for (const char* tool : {"create", "delete"})
    EXPECT_THAT(refused(tool, {{"file_path", "a.md"}, {"session_id", "s_1"}}), StartsWith("read_only: ")) << tool;
  EXPECT_THAT(refused("withdraw", {{"ids", JsonArray{"c_1"}}, {"session_id", "s_1"}}), StartsWith("read_only: "));
  answer("read", {{"file_path", "a.md"}});
  EXPECT_THAT(log, ElementsAre("read(a.md|1|2000|accepted)"));
  EXPECT_TRUE(opened.front().folders.front().read_only) << "the library is told, too";
}

TEST_F(DocumentToolsTest, ThePrincipalIsThatOfTheCall) {
  add();
  mcp::Caller ann = caller_of("ann");
  ann.principal = "ann";
  answer("read", {{"file_path", "a.md"}, {"session_id", "s_1"}}, ann);
  EXPECT_THAT(log, ElementsAre("read(a.md|1|2000|accepted) with s_1 by ann"));
}

TEST_F(DocumentToolsTest, P28WithoutFoldersNothingIsUnderReviewOnAnyTransport) {
  add_over({});  // there is a project, but nobody said that it is under review
  EXPECT_THAT(listed(), ElementsAre()) << "documents are opt-in";
  mcp::Caller http = caller_of();
  http.transport = mcp::Transport::http;
  EXPECT_THAT(refused("read", {{"file_path", "a.md"}}, http), AllOf(StartsWith("path_denied: "), HasSubstr("documents.roots")));
  EXPECT_THAT(refused("read", {{"file_path", "a.md"}}), AllOf(StartsWith("path_denied: "), HasSubstr("--documents")));
  EXPECT_TRUE(opened.empty());
}

TEST_F(DocumentToolsTest, P28WhoMayOnlyReadIsNotOfferedWhatWrites) {
  add();
  mcp::Caller reader = caller_of();
  reader.scopes = {Scope::read};
  EXPECT_THAT(listed(reader),
              ElementsAre("create_session", "read", "glob", "grep", "get_links", "search", "list_changes", "end_session"));
  const JsonObject answer = request("tools/list", {}, reader);
  EXPECT_EQ(find_string(*find_object(answer, "result"), "cacheScope"), "private") << "it is not everybody's list";
  EXPECT_EQ(listed().size(), 13U);
  const JsonObject call = call_tool("create", {{"file_path", "a.md"}}, reader);
  EXPECT_EQ(find_bool(call, "isError"), true);
  EXPECT_TRUE(log.empty());
}

TEST_F(DocumentToolsTest, P28ATokenOfOneFolderSeesThePathsOfEverybody) {
  for (const char* name : {"one", "two"}) std::filesystem::create_directories(folder / name);
  add_over({{"one", folder / "one", false}, {"two", folder / "two", false}});
  mcp::Caller ann = caller_of();
  ann.projects = {file_uri_of_path(folder / "one")};
  answer("glob", {{"pattern", "**"}}, ann);
  answer("glob", {{"pattern", "**"}});
  ASSERT_EQ(opened.size(), 2U);
  EXPECT_EQ(opened[0].folders.size(), 1U);
  EXPECT_TRUE(opened[0].names_folders());
  EXPECT_TRUE(opened[1].names_folders());
}

TEST_F(DocumentToolsTest, AFolderMadeAnewIsAnotherWorkspace) {
  std::filesystem::create_directories(folder / "kb");
  add_over({{"kb", folder / "kb", false}});
  answer("read", {{"file_path", "a.md"}});
  std::filesystem::rename(folder / "kb", folder / "away");
  EXPECT_THAT(refused("read", {{"file_path", "a.md"}}), StartsWith("path_denied: "));
  std::filesystem::create_directories(folder / "kb");
  answer("read", {{"file_path", "a.md"}});
  EXPECT_EQ(opened.size(), 2U) << "another folder of the same name is another workspace";
}

}  // namespace
}  // namespace holdfast::tools
