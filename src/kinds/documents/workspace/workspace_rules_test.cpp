// Files that may not be changed, and what sessions and their handles leave behind.

#include "kinds/documents/workspace/test_workspace.h"

#include <filesystem>
#include <set>

namespace holdfast::documents {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

using WorkspaceRulesTest = WorkspaceTest;

TEST_F(WorkspaceRulesTest, P28AFileWithoutWritePermissionIsNotChanged) {
  for (const char* path : {"a.md", "b.json", "links.md", "open.md"}) kb.write(path, "see [[target]]\n");
  kb.write("target.md", "text\n");
  const std::string handle = session();
  for (const char* path : {"a.md", "b.json", "links.md", "open.md", "target.md"}) ASSERT_TRUE(read(handle, path));
  EXPECT_EQ(code_of(edit(handle, "a.md", "see", "look at")), "ok");
  const std::string proposed = kb.read("a.md"), id = pending().at(0).id;
  namespace fs = std::filesystem;
  for (const char* path : {"a.md", "b.json", "links.md"}) fs::permissions(kb / path, fs::perms{0444});
  EXPECT_EQ(code_of(edit(handle, "a.md", "look", "gaze")), "read_only");
  EXPECT_EQ(code_of(edit(handle, "b.json", "see", "look")), "read_only") << "a proposal could not be accepted either";
  EXPECT_EQ(code_of(workspace->remove(with(handle), "a.md")), "read_only");
  EXPECT_THAT(accept({id}).failed.at(0).second, HasSubstr("write-protected"));
  EXPECT_EQ(code_of(workspace->move(with(handle), "links.md", "other.md")), "read_only");
  EXPECT_EQ(kb.read("a.md"), proposed);
  const auto moved = workspace->move(with(handle), "target.md", "sub/goal.md");
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_THAT(*moved, HasSubstr("links could not follow"));
  EXPECT_EQ(kb.read("links.md"), "see [[target]]\n");
  EXPECT_EQ(kb.read("a.md"), proposed);
  EXPECT_THAT(kb.read("open.md"), HasSubstr("goal")) << "the others follow";
  fs::permissions(kb / "a.md", fs::perms{0644});
  EXPECT_THAT(accept({id}).applied, SizeIs(1));
}

TEST_F(WorkspaceRulesTest, P30ReadersWithoutAHandleShareASessionAClientAndDay) {
  for (const char* path : {"a.md", "b.md", "c.md", "d.md", "e.md"}) kb.write(path, "text\n");
  std::set<std::string> seen;
  Asker asker = with("");
  asker.client = "chat";
  ReadRequest request;
  const auto read_as = [&](const char* path) {
    request.file_path = path;
    return handle_in(workspace->read(asker, request).value());
  };
  for (int i = 0; i < 100; ++i)
    for (const char* path : {"a.md", "b.md", "c.md", "d.md", "e.md"}) seen.insert(read_as(path));
  EXPECT_EQ(seen.size(), 1U);
  const std::string handle = *seen.begin();
  session::Query query;
  const auto listed = store->list(query).value();
  ASSERT_THAT(listed.items, SizeIs(1));
  EXPECT_EQ(listed.items[0].title, "a.md, b.md, c.md and 2 more");
  EXPECT_EQ(code_of(edit(handle, "e.md", "text", "words")), "ok") << "it is a handle like any other";
  restart();
  EXPECT_EQ(read_as("a.md"), handle) << "also after a restart";
  asker.client = "editor";
  EXPECT_NE(read_as("a.md"), handle);
  asker.client = "chat";
  asker.principal = "bob";
  EXPECT_NE(read_as("a.md"), handle);
  asker.principal = "local";
  ASSERT_TRUE(workspace->end_session(with(handle)));
  const std::string second = read_as("a.md");
  EXPECT_NE(second, handle) << "that one was ended";
  EXPECT_EQ(read_as("b.md"), second);
  clock->advance(86'400'000);
  EXPECT_NE(read_as("a.md"), second);
  EXPECT_EQ(code_of(read(second, "a.md")), "ok");
  EXPECT_EQ(store->list(query).value().items.size(), 5U);
}

TEST_F(WorkspaceRulesTest, P30AnExpiredHandleLeavesOneRow) {
  const auto rows = [&] {
    std::size_t count = 0;
    for (const char* space : {"documents.handle", "documents.read"}) count += store->values({space, {}, {}, 1000}).value().size();
    return count;
  };
  std::vector<std::string> handles;
  for (int i = 0; i < 10; ++i) {
    kb.write("doc" + std::to_string(i) + ".md", "text\n");
    handles.push_back(session());
    for (int j = 0; j <= i; ++j) ASSERT_TRUE(read(handles.back(), "doc" + std::to_string(j) + ".md"));
  }
  EXPECT_EQ(rows(), 10U + 55U);
  clock->advance(kHandleTtl + 1);
  EXPECT_EQ(code_of(read(handles[0], "doc0.md")), "session_expired") << "found by looking, not by sweeping";
  ASSERT_TRUE(workspace->end_session(with(session())));
  EXPECT_EQ(rows(), 11U) << "whoever begins a session looks after those that are over";
  EXPECT_EQ(workspace->sweep().value(), 0U);
  for (const std::string& handle : handles) EXPECT_EQ(code_of(read(handle, "doc0.md")), "session_expired");
  // Whoever takes it up finds in the log what it had read, and made.
  session::Query query;
  query.limit = 100;
  std::string label;
  for (const auto& record : store->list(query).value().items)
    if (record.status == "expired") label = record.id;
  const std::string again = handle_in(workspace->create_session(with(""), "", "", label).value());
  EXPECT_EQ(code_of(edit(again, "doc0.md", "text", "words")), "ok");
}

}  // namespace
}  // namespace holdfast::documents
