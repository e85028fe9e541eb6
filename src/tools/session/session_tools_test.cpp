// The session tool and resources as a client sees them, over the real engine and a real store.

#include "tools/session/session_tools.h"

#include "base/files/test_folder.h"
#include "operations/sessions/list_filters.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "tools/test_tool_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace holdfast::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct SessionToolsTest : testing::Test, ToolServer {
  SessionToolsTest() {
    add_core_operations();
    operations.add({"export", "reasoning", SessionOperation::Session::required, [](SessionCall& call) -> Result<SessionAnswer> {
                      return SessionAnswer{{{"exported", call.record->id}}, "one line"};
                    }});
    EXPECT_TRUE(server.open());
    EXPECT_TRUE(add_session_tool(server, stores, operations, calls));
    add_session_resources(server, stores, operations, calls);
  }

  std::string create(std::string id, std::string kind, std::string title, std::string root_uri = {},
                     std::string principal = "local") {
    session::SessionRecord record;
    record.id = id;
    record.kind = std::move(kind);
    record.title = std::move(title);
    record.root_uri = std::move(root_uri);
    record.principal = std::move(principal);
    record.status = "active";
    auto made = store->write([&](session::Transaction& t) -> Result<void> {
      auto stored = t.create(record);
      if (!stored) return fail(stored.error());
      for (const char* text : {"first thought", "second thought about retries"}) {
        session::NewEntry entry;
        entry.type = "thought";
        entry.text = text;
        if (auto appended = t.append(id, entry); !appended) return fail(appended.error());
      }
      return {};
    });
    EXPECT_TRUE(made) << made.error().message;
    return id;
  }

  // structuredContent of a call; the text must be the same JSON.
  JsonObject call(std::string_view arguments, const std::string& principal = "local") {
    mcp::Caller caller = caller_of();
    caller.principal = principal;
    if (principal != "local") caller.transport = mcp::Transport::http;  // whoever is on stdio is the user of the machine
    const JsonObject result = call_tool("session", parse_json(arguments).value().as_object(), caller);
    if (!find_object(result, "structuredContent")) {
      ADD_FAILURE() << to_json(result);
      return {};
    }
    JsonObject state = *find_object(result, "structuredContent");
    EXPECT_EQ(find_string(find_array(result, "content")->back().as_object(), "text"), to_json(state));
    EXPECT_EQ(find_bool(result, "isError").value_or(false), state.contains("error"));
    return state;
  }

  std::vector<std::string> ids(const JsonObject& state) {
    std::vector<std::string> out;
    for (const Json& item : *find_array(state, "sessions")) out.emplace_back(*find_string(item.as_object(), "id"));
    return out;
  }
};

TEST_F(SessionToolsTest, P22ALimitIsBoundedTheSameEverywhere) {
  create("session-1", "thread", "One");
  const struct {
    const char* operation;
    std::int64_t highest;
  } limits[] = {{"list", operations::kMaxList}, {"get", operations::kMaxItems}, {"search", session::kMaxSearchLimit / 3}};
  for (const auto& [operation, highest] : limits) {
    const auto error = [&](std::int64_t limit) {
      const JsonObject state =
          call(fmt::format(R"({{"operation":"{}","sessionId":"session-1","query":"thought","limit":{}}})", operation, limit));
      return std::string(find_string(state, "error").value_or(""));
    };
    EXPECT_EQ(error(highest), "") << operation;
    EXPECT_EQ(error(1), "") << operation;
    for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{-1}, highest + 1, std::int64_t{1} << 40})
      EXPECT_EQ(error(limit), "invalid_argument") << operation << " " << limit;
  }
}

TEST_F(SessionToolsTest, ListHasTheAgreedShapeAndPages) {
  for (int i = 0; i < 5; ++i) {
    create(fmt::format("session-{}", i), "thread", fmt::format("Title {}", i));
    clock->advance(1000);
  }
  JsonObject page = call(R"({"operation":"list","limit":"2"})");
  EXPECT_THAT(ids(page), ElementsAre("session-4", "session-3"));
  EXPECT_EQ(find_int(page, "count"), 2);
  EXPECT_EQ(find_int(page, "total"), 5);
  EXPECT_EQ(find_bool(page, "hasMore"), true);
  page = call(to_json(JsonObject{{"action", "list"}, {"args", JsonObject{{"cursor", *find_string(page, "next_cursor")}}}}));
  EXPECT_THAT(ids(page), ElementsAre("session-2", "session-1", "session-0"));
  EXPECT_EQ(find_bool(page, "hasMore"), false);
  EXPECT_FALSE(page.contains("next_cursor"));
  const JsonObject item = find_array(page, "sessions")->front().as_object();
  EXPECT_EQ(find_string(item, "display"), "session-2: 'Title 2' (chat, 0 messages, just now)");
  EXPECT_EQ(find_string(item, "type"), "thread");
}

// Sessions of another program, two files that no store holds: one written a second after the start, and one before.
struct Diaries {
  static constexpr const char* kEarlier = "0a000001-0000-4000-8000-000000000001";
  static constexpr const char* kLater = "0a000002-0000-4000-8000-000000000002";

  Diaries() {
    const std::string project = folder / "claude/projects/-diaries";
    std::filesystem::create_directories(project);
    for (const char* id : {kEarlier, kLater}) {
      const std::string path = project + "/" + id + ".jsonl";
      std::ofstream(path) << "{}\n";
      const timespec time{ToolServer::kStart / 1000 + (id == kLater ? 1 : -1), 0};
      const timespec times[2] = {time, time};
      EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    }
    transcripts::KeeperOptions options;
    options.data_folder = folder / "data";
    options.clock = std::make_shared<ManualClock>(ToolServer::kStart);
    keeper =
        std::make_unique<transcripts::Keeper>(transcripts::Homes::open(folder / "claude", folder / "codex").value(), options);
  }

  void add_to(SessionOperations& operations, CallRoom& calls) {
    calls.keeper = keeper.get();
    operations.add_outside("transcript");
    operations.add({"get", "transcript", SessionOperation::Session::required,
                    [](SessionCall& call) -> Result<SessionAnswer> { return SessionAnswer{{{"diary", call.record->id}}}; }});
    operations.add({"list", "transcript", SessionOperation::Session::none,
                    [](SessionCall&) -> Result<SessionAnswer> { return SessionAnswer{{{"own_list", true}}}; }});
  }

  TestFolder folder;
  std::unique_ptr<transcripts::Keeper> keeper;
};

TEST_F(SessionToolsTest, AKindOutsideOfTheStoreIsFoundThereAndHasItsOwnOperationsOnly) {
  Diaries diaries;
  diaries.add_to(operations, calls);
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"0a000001"})"), "diary"), Diaries::kEarlier);
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"0a000001"})", "ann"), "error"), "not_found");
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"0a000009"})"), "error"), "not_found");
  const JsonObject lacks = call(R"({"operation":"pin","sessionId":"0a000001"})");
  EXPECT_EQ(find_string(lacks, "error"), "unsupported_operation");
  EXPECT_EQ(find_string(lacks, "hint"), "operations: note, get, list");
  EXPECT_EQ(find_bool(call(R"({"operation":"list","type":"transcripts"})"), "own_list"), true);
  EXPECT_EQ(find_string(call(R"({"operation":"get","type":"transcript"})"), "error"), "invalid_argument");
}

TEST_F(SessionToolsTest, Design_8_3_AllKindsAreListedTogetherAndOutsideOnesOnlyWhenAskedFor) {
  Diaries diaries;
  diaries.add_to(operations, calls);
  create("thread-1", "thread", "T");
  EXPECT_THAT(ids(call(R"({"operation":"list"})")), ElementsAre("thread-1"));
  JsonObject page = call(R"({"operation":"list","type":"all"})");
  EXPECT_THAT(ids(page), ElementsAre(Diaries::kLater, "thread-1", Diaries::kEarlier));
  EXPECT_EQ(find_int(page, "total"), 3);
  page = call(R"({"operation":"list","type":"all","limit":1,"offset":1})");
  EXPECT_THAT(ids(page), ElementsAre("thread-1"));
  EXPECT_EQ(find_bool(page, "hasMore"), true);
  EXPECT_THAT(ids(call(R"({"operation":"list","type":"all","offset":1000})")), ElementsAre());
  page = call(R"({"operation":"list","type":"all","limit":2})");
  EXPECT_THAT(ids(page), ElementsAre(Diaries::kLater, "thread-1"));
  JsonObject rest{{"operation", "list"}, {"type", "all"}, {"cursor", *find_string(page, "next_cursor")}};
  page = call(to_json(rest));
  EXPECT_THAT(ids(page), ElementsAre(Diaries::kEarlier));
  EXPECT_FALSE(page.contains("next_cursor"));
  EXPECT_EQ(find_string(call(to_json(rest), "ann"), "error"), "INVALID_CURSOR") << "it is bound to who asked";
}

TEST_F(SessionToolsTest, CursorOfOtherFiltersIsRefused) {
  for (const char* id : {"one-1", "two-2", "three-3"}) create(id, "thread", id);
  JsonObject page = call(R"({"operation":"list","limit":1})");
  JsonObject refused =
      call(to_json(JsonObject{{"operation", "list"}, {"type", "research"}, {"cursor", *find_string(page, "next_cursor")}}));
  EXPECT_EQ(find_string(refused, "error"), "INVALID_CURSOR");
}

TEST_F(SessionToolsTest, ListIsLimitedToTheRootUnlessAskedOtherwise) {
  create("here-1", "thread", "Here", "file:///srv/here");
  create("there-1", "thread", "There", "file:///srv/there");
  create("nowhere-1", "thread", "Nowhere");
  EXPECT_EQ(ids(call(R"({"operation":"list"})")).size(), 3U);
  EXPECT_THAT(ids(call(R"({"operation":"list","mcpRootUri":"/srv/here"})")),
              testing::UnorderedElementsAre("here-1", "nowhere-1"));
  EXPECT_EQ(ids(call(R"({"operation":"list","root":"/srv/here","all_roots":"true"})")).size(), 3U);
  EXPECT_EQ(find_string(call(R"({"operation":"list","root":"work"})"), "error"), "invalid_argument");
}

TEST_F(SessionToolsTest, TypeTakesAKindItsPluralOrAll) {
  create("thread-1", "thread", "T");
  create("research-1", "research", "R");
  create("transcript-1", "transcript", "X");
  EXPECT_THAT(ids(call(R"({"operation":"list","type":"threads"})")), ElementsAre("thread-1"));
  EXPECT_EQ(ids(call(R"({"operation":"list"})")).size(), 2U);
  EXPECT_EQ(ids(call(R"({"operation":"list","type":"all"})")).size(), 3U);
  EXPECT_EQ(find_string(call(R"({"operation":"list","type":"dream"})"), "error"), "invalid_argument");
}

TEST_F(SessionToolsTest, OthersSessionsDoNotExist) {
  create("mine-1", "thread", "Mine");
  create("theirs-1", "thread", "Theirs", {}, "ann");
  EXPECT_THAT(ids(call(R"({"operation":"list"})")), ElementsAre("mine-1"));
  EXPECT_THAT(ids(call(R"({"operation":"list"})", "ann")), ElementsAre("theirs-1"));
  for (const char* operation : {"get", "update", "pin", "archive", "verify"})
    EXPECT_EQ(find_string(call(fmt::format(R"({{"operation":"{}","sessionId":"theirs-1"}})", operation)), "error"), "not_found")
        << operation;
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"theirs"})"), "error"), "not_found");
  EXPECT_EQ(find_int(call(R"({"operation":"search","query":"retries"})"), "count"), 1);
  EXPECT_EQ(find_int(call(R"({"operation":"verify"})"), "sessions"), 1);
}

TEST_F(SessionToolsTest, GetTakesAPrefixAndPagesThroughEntries) {
  create("abcdef-1", "thread", "One");
  create("abcdef-2", "thread", "Two");
  JsonObject got = call(R"({"operation":"get","session_id":"abcdef-1","limit":1})");
  EXPECT_EQ(find_array(got, "entries")->size(), 1U);
  EXPECT_EQ(find_bool(got, "hasMore"), true);
  got = call(R"({"operation":"get","id":"abcdef-1","offset":1})");
  ASSERT_EQ(find_array(got, "entries")->size(), 1U);
  EXPECT_EQ(find_string(find_array(got, "entries")->front().as_object(), "text"), "second thought about retries");
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"abcdef"})"), "error"), "ambiguous");
  EXPECT_EQ(find_string(call(R"({"operation":"get","sessionId":"abcdef-2"})"), "error"), std::nullopt);
  EXPECT_EQ(find_string(call(R"({"operation":"get"})"), "error"), "invalid_argument");
}

TEST_F(SessionToolsTest, SearchGroupsHitsBySession) {
  create("s-1111", "thread", "About retries");
  create("s-2222", "thread", "Other");
  JsonObject found = call(R"({"operation":"search","query":"retries"})");
  ASSERT_EQ(find_int(found, "count"), 2);
  for (const Json& match : *find_array(found, "matches")) EXPECT_FALSE(find_array(match.as_object(), "hits")->empty());
  EXPECT_EQ(find_string(call(R"({"operation":"search","query":"  "})"), "error"), "invalid_argument");
}

TEST_F(SessionToolsTest, UpdateChangesWhatItIsToldAndNothingElse) {
  create("s-1", "thread", "Old");
  JsonObject done = call(
      R"({"operation":"update","sessionId":"s-1","title":"New","addTags":["b","a","b"],"pinned":"true","description":"why"})");
  EXPECT_EQ(find_bool(done, "changed"), true);
  session::SessionRecord record = store->get("s-1").value();
  EXPECT_EQ(record.title, "New");
  EXPECT_EQ(record.description, "why");
  EXPECT_TRUE(record.pinned);
  EXPECT_THAT(record.tags, ElementsAre("a", "b"));

  done = call(R"({"operation":"update","sessionId":"s-1","removeTags":"a"})");
  EXPECT_THAT(store->get("s-1")->tags, ElementsAre("b"));
  const std::int64_t rev = store->get("s-1")->rev;
  EXPECT_EQ(find_bool(call(R"({"operation":"update","sessionId":"s-1","title":"New"})"), "changed"), false);
  EXPECT_EQ(store->get("s-1")->rev, rev);
  EXPECT_EQ(find_string(call(R"({"operation":"update","sessionId":"s-1","title":"X","expectedRev":1})"), "error"), "conflict");
  EXPECT_EQ(store->get("s-1")->title, "New");
}

TEST_F(SessionToolsTest, NotesAreShownWithTheSession) {
  create("s-1", "thread", "T");
  EXPECT_FALSE(call(R"({"operation":"get","sessionId":"s-1"})").contains("notes"));
  call(R"({"operation":"note","sessionId":"s-1","text":"ask Ada"})");
  const JsonObject got = call(R"({"operation":"get","sessionId":"s-1"})");
  const JsonArray* notes = find_array(got, "notes");
  ASSERT_TRUE(notes);
  EXPECT_EQ(text_in(notes->front().get_object(), "text"), "ask Ada");
}

TEST_F(SessionToolsTest, ArchiveAndBack) {
  create("s-1", "thread", "T");
  JsonObject done = call(R"({"operation":"archive","sessionId":"s-1"})");
  EXPECT_EQ(find_string(*find_object(done, "session"), "status"), "archived");
  EXPECT_EQ(find_bool(call(R"({"operation":"archive","sessionId":"s-1"})"), "changed"), false);
  EXPECT_THAT(ids(call(R"({"operation":"list","visibility":"archived"})")), ElementsAre("s-1"));
  done = call(R"({"operation":"unarchive","sessionId":"s-1"})");
  EXPECT_EQ(find_string(*find_object(done, "session"), "status"), "active");
  EXPECT_FALSE(store->get("s-1")->archived_at);
}

TEST_F(SessionToolsTest, PinAndUnpin) {
  create("s-1", "thread", "T");
  call(R"({"operation":"pin","sessionId":"s-1"})");
  EXPECT_THAT(ids(call(R"({"operation":"list","pinned":true})")), ElementsAre("s-1"));
  call(R"({"operation":"unpin","sessionId":"s-1"})");
  EXPECT_THAT(ids(call(R"({"operation":"list","pinned":true})")), testing::IsEmpty());
}

TEST_F(SessionToolsTest, AnOperationThatAKindLacksNamesThoseItHas) {
  create("t-1", "thread", "T");
  create("r-1", "reasoning", "R");
  JsonObject refused = call(R"({"operation":"export","sessionId":"t-1"})");
  EXPECT_EQ(find_string(refused, "error"), "unsupported_operation");
  EXPECT_THAT(std::string(*find_string(refused, "hint")),
              testing::AllOf(HasSubstr("archive"), testing::Not(HasSubstr("export"))));
  EXPECT_EQ(find_string(call(R"({"operation":"frobnicate"})"), "error"), "unsupported_operation");
  JsonObject done = call(R"({"operation":"export","sessionId":"r-1"})");
  EXPECT_EQ(find_string(done, "exported"), "r-1");
  EXPECT_EQ(find_string(done, "summary"), "one line");
}

TEST_F(SessionToolsTest, UnknownArgumentsAreReportedAlsoWithAnError) {
  JsonObject done = call(R"({"operation":"list","colour":1,"args":{"size":2}})");
  EXPECT_EQ(to_json(*find(done, "ignoredFields")), R"(["colour","size"])");
  done = call(R"({"operation":"get","sessionId":"nothing","colour":1})");
  EXPECT_EQ(find_string(done, "error"), "not_found");
  EXPECT_EQ(to_json(*find(done, "ignoredFields")), R"(["colour"])");
}

TEST_F(SessionToolsTest, ResourcesShowTheSameAndOnlyOnesOwn) {
  create("s-1234", "thread", "T");
  auto read = [&](std::string_view uri, const std::string& principal) {
    mcp::Caller caller = caller_of();
    caller.principal = principal;
    JsonObject answer = request("resources/read", {{"uri", uri}}, caller);
    const JsonObject* result = find_object(answer, "result");
    if (!result) return to_json(answer);
    return std::string(*find_string(find_array(*result, "contents")->front().as_object(), "text"));
  };
  EXPECT_THAT(read("holdfast://sessions", "local"), HasSubstr("s-1234"));
  EXPECT_THAT(read("holdfast://sessions", "ann"), testing::Not(HasSubstr("s-1234")));
  EXPECT_THAT(read("holdfast://sessions/s-1234", "local"), HasSubstr("second thought"));
  EXPECT_THAT(read("holdfast://sessions/s-1234", "ann"), HasSubstr("-32602"));
  EXPECT_THAT(read("holdfast://sessions/nothing", "local"), HasSubstr("-32602"));
}

}  // namespace
}  // namespace holdfast::tools
