// threads-and-research §13: what is redacted or purged does not remain, not in the raw files either.

#include "session/life/erase.h"

#include "base/files/file.h"
#include "session/life/test_life.h"
#include "session/life/text_remover.h"

#include <filesystem>

namespace holdfast::session {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

struct EraseTest : LifeTest {
  std::int64_t entry(const std::string& id, const std::string& type, const std::string& text, const JsonObject& data) {
    NewEntry made;
    made.type = type;
    made.text = text;
    made.data = to_json(data);
    return must(store->write([&](Transaction& transaction) { return transaction.append(id, made); })).entry.seq;
  }
  Entry read(const std::string& id, std::int64_t seq) { return *must(store->entry(id, seq)); }
  Result<Redacted> redact_in(const std::string& id, const Redaction& redaction) {
    return store->write([&](Transaction& transaction) { return redact(transaction, id, redaction); });
  }
  void put(std::string_view space, std::string_view key, const Json& value) {
    must(store->write([&](Transaction& transaction) { return transaction.put(space, key, value); }));
  }

  // Files that still hold the bytes.
  std::vector<std::string> files_with(const std::string& bytes) {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
      if (file.is_regular_file() && must(read_file(file.path().string(), 1ULL << 30)).find(bytes) != std::string::npos)
        found.push_back(file.path().filename());
    return found;
  }

  static Redaction pattern(std::string text, bool regex = false) {
    Redaction redaction;
    redaction.pattern = std::move(text);
    redaction.regex = regex;
    return redaction;
  }
};

constexpr std::string_view kErasedSecret = "hunter2-correct-horse-battery";

TEST_F(EraseTest, APatternGoesFromEveryPlaceAndEveryFile) {
  const std::string secret(kErasedSecret);
  SessionRecord record = add(kResearch, "research-1", "completed");
  record.title = "about " + secret;
  record.opening = secret + " in the query";
  record.description = secret;
  record.tags = {secret};
  record.data["query"] = "why " + secret;
  must(store->write([&](Transaction& transaction) { return transaction.update(record); }));
  const auto source = entry("research-1", "source", "it is " + secret + ".", {{"id", "src-1"}, {"snippet", secret}});
  entry("research-1", "report", "Report: " + secret, {});
  entry("research-1", "audit", "", {{"event", "asked " + secret}});
  put(kSessionValues, "research-1/page", Json("cached " + secret));
  put("mcp.event", "s/1", Json("data: " + secret));
  put("mcp.task", "t1", JsonObject{{"result", secret}});
  put("mcp.task", "t2", JsonObject{{"result", "something else"}});
  ASSERT_THAT(files_with(secret), Not(IsEmpty()));
  const Millis activity = get("research-1").last_activity_at;
  clock->advance(1000);

  const Redacted done = must(redact_in("research-1", pattern(secret)));
  for (const char* what : {"source", "report", "audit", "title", "query", "description", "tag"})
    EXPECT_THAT(done.counts, Contains(Pair(what, 1u)));
  EXPECT_THAT(files_with(secret), IsEmpty());
  EXPECT_EQ(read("research-1", source).text, "it is [redacted].");
  EXPECT_THAT(read("research-1", source).data, HasSubstr("src-1"));
  const SessionRecord after = get("research-1");
  EXPECT_EQ(after.title, "about [redacted]");
  EXPECT_EQ(after.last_activity_at, activity) << "redaction is no activity";
  EXPECT_GT(after.rev, record.rev);
  EXPECT_TRUE(must(store->value("mcp.task", "t2"))) << "what does not hold it stays";
  EXPECT_FALSE(must(store->value("mcp.task", "t1")));
  EXPECT_TRUE(must(store->verify("research-1")).ok);
  SearchQuery query;
  query.text = "hunter2";
  EXPECT_THAT(must(store->search(query)).hits, IsEmpty());
}

// threads-and-research §13. An answer is kept as JSON, and in it once more as text.
TEST_F(EraseTest, AStoredAnswerGoesWhenJsonWritesTheTextDifferently) {
  add(kResearch, "research-1", "completed");
  const std::string text = "it waits with \"heron backoff\"\nbetween attempts";
  entry("research-1", "source", text, {{"id", "src-1"}});
  const JsonObject report{{"report", "> " + text}};
  const auto keep_answer = [&] {
    put("mcp.task", "t1", JsonObject{{"structuredContent", report}, {"content", JsonArray{to_json(report)}}});
  };
  keep_answer();
  must(redact_in("research-1", pattern("\"heron backoff\"")));
  EXPECT_FALSE(must(store->value("mcp.task", "t1")));
  EXPECT_THAT(files_with("heron"), IsEmpty());

  keep_answer();
  must(redact_in("research-1", pattern("heron backoff\"\nbetween")));
  EXPECT_THAT(files_with("heron"), IsEmpty());
}

TEST_F(EraseTest, AMessageGoesWithWhatQuotesIt) {
  add(kThread, "thread-1");
  const auto first = entry("thread-1", "message", "The password of the vault is under the third stone.",
                           {{"id", "msg-00000001"}, {"role", "user"}, {"model", "m"}});
  const auto second = entry("thread-1", "message", "You said: The password of the vault is under the third stone. Noted.",
                            {{"id", "msg-00000002"}, {"role", "assistant"}});
  Redaction redaction;
  redaction.entry_ids = {"msg-00000001"};
  must(redact_in("thread-1", redaction));
  EXPECT_EQ(read("thread-1", first).text, "[redacted]");
  EXPECT_THAT(read("thread-1", first).data, HasSubstr("\"role\":\"user\""));
  EXPECT_EQ(read("thread-1", second).text, "You said: [redacted] Noted.");
  EXPECT_THAT(files_with("third stone"), IsEmpty());
}

// threads-and-research §13: titles too. What was said first is in the record as well, as far as there is room for it.
TEST_F(EraseTest, AFirstMessageGoesFromTheRecordHoweverShortOrLong) {
  const auto redact_first = [&](const char* id, const std::string& text, const std::string& title, const std::string& opening) {
    SessionRecord record = add(kThread, id);
    record.title = title;
    record.opening = opening;
    must(store->write([&](Transaction& transaction) { return transaction.update(record); }));
    entry(id, "message", text, {{"id", "msg-00000001"}, {"role", "user"}});
    Redaction redaction;
    redaction.entry_ids = {"msg-00000001"};
    must(redact_in(id, redaction));
    EXPECT_EQ(get(id).opening, "[redacted]") << id;
    return get(id).title;
  };
  EXPECT_EQ(redact_first("thread-1", "pw:kestrel", "", "pw:kestrel"), "");
  const std::string text = "kestrel " + std::string(5000, 'x');
  EXPECT_EQ(redact_first("thread-2", text, "Passwords", text.substr(0, 1000)), "Passwords");
  EXPECT_EQ(redact_first("thread-3", "The kestrel is under the stone", "The kestrel is…", "The kestrel is under the stone"),
            "[redacted]");
  EXPECT_THAT(files_with("kestrel"), IsEmpty());
}

TEST_F(EraseTest, ASourceGoesWithItsFindingsAndTheLinesThatCiteIt) {
  add(kResearch, "research-1", "completed");
  entry("research-1", "source", "A long page. Retries were set to seven by Ada.", {{"id", "src-1"}, {"citation_number", 1}});
  const auto kept = entry("research-1", "source", "Another page altogether.", {{"id", "src-2"}, {"citation_number", 2}});
  entry("research-1", "finding", "Ada set seven retries",
        {{"id", "find-1"}, {"source_ids", JsonArray{"src-1"}}, {"quotes", JsonArray{"set to seven by  Ada"}}});
  const auto report = entry("research-1", "report",
                            "# Retries\n\nAda chose 7 retries [1].\n\nNothing else [2].\n\n## Sources\n[1] a page\n[2] b", {});
  Redaction redaction;
  redaction.entry_ids = {"src-1"};
  must(redact_in("research-1", redaction));
  EXPECT_EQ(read("research-1", report).text, "# Retries\n\n[redacted]\n\nNothing else [2].\n\n## Sources\n[redacted]\n[2] b");
  EXPECT_EQ(read("research-1", kept).text, "Another page altogether.");
  EXPECT_THAT(files_with("seven"), IsEmpty());
}

TEST_F(EraseTest, RefusalsChangeNothing) {
  add(kThread, "thread-1");
  const auto first = entry("thread-1", "message", "a message of some length", {{"id", "msg-00000001"}});
  const std::int64_t rev = get("thread-1").rev;
  EXPECT_FALSE(redact_in("thread-1", {}));
  EXPECT_FALSE(redact_in("thread-1", pattern("(", true)));
  EXPECT_FALSE(redact_in("thread-1", pattern("x*", true)));
  Redaction both;
  both.entry_ids = {"msg-00000001", "msg-99999999"};
  EXPECT_EQ(redact_in("thread-1", both).error().word(), "NOT_FOUND");
  EXPECT_EQ(check_named_entries(*store, "thread-1", both).error().word(), "NOT_FOUND");
  both.entry_ids.pop_back();
  EXPECT_TRUE(check_named_entries(*store, "thread-1", both));
  EXPECT_EQ(get("thread-1").rev, rev);
  EXPECT_EQ(read("thread-1", first).text, "a message of some length");
}

TEST_F(EraseTest, AnExpressionRunsInLinearTime) {
  add(kThread, "thread-1");
  const auto first = entry("thread-1", "message", std::string(100'000, 'a') + "!", {});
  must(redact_in("thread-1", pattern("(a+)+\\?", true)));
  EXPECT_EQ(read("thread-1", first).text.size(), 100'001u);
  must(redact_in("thread-1", pattern("sk-[a-z0-9]+|a{10,}", true)));
  EXPECT_THAT(read("thread-1", first).text, HasSubstr("[redacted]"));
}

TEST_F(EraseTest, PlacesWithoutTextAreLeftAlone) {
  add(kThread, "thread-1");
  const auto first = entry("thread-1", "message", "one two", {});
  must(redact_in("thread-1", pattern("\\b|two", true)));
  EXPECT_EQ(read("thread-1", first).text, "one [redacted]");
}

TEST_F(EraseTest, AHashOfRedactedTextDoesNotConfirmAGuess) {
  add(kResearch, "research-1", "completed");
  const auto source = entry("research-1", "source", "a secret page of text", {{"id", "src-1"}, {"content_sha256", "abcdef"}});
  Redaction redaction;
  redaction.entry_ids = {"src-1"};
  must(redact_in("research-1", redaction));
  EXPECT_THAT(read("research-1", source).data, Not(HasSubstr("abcdef")));
}

TEST_F(EraseTest, PurgeLeavesATombstoneAndNoByte) {
  const std::string secret(kErasedSecret);
  add(kThread, "thread-1");
  add(kThread, "thread-2");
  entry("thread-1", "message", "say " + secret, {{"id", "msg-00000001"}});
  const auto other = entry("thread-2", "message", "stays", {});
  put(kSessionValues, "thread-1/state", Json(secret));
  put("mcp.event", "s/1", Json("piece of " + secret));
  put("mcp.task", "t1", JsonObject{{"thread_id", "thread-1"}, {"result", secret}});
  sweep_at(kStart + 6 * kDay);
  must(store->write([&](Transaction& transaction) { return purge(transaction, "thread-1", "asked for"); }));
  EXPECT_THAT(files_with(secret), IsEmpty());
  EXPECT_EQ(store->get("thread-1").error().word(), "gone");
  EXPECT_EQ(must(store->tombstone("thread-1"))->reason, "asked for");
  EXPECT_FALSE(must(store->value("mcp.task", "t1")));
  EXPECT_EQ(read("thread-2", other).text, "stays");
  EXPECT_EQ(must(list_notices(*store, "local", true, 10)).notices.size(), 1u);
}

// One value of the space that is about the session, with the secret in it.
void put_into(Transaction& transaction, const ValueSpace& space, const std::string& session, const std::string& secret) {
  const std::string key = space.holds == Holds::own ? session + "/x" : "some-key";
  const JsonObject about{{"session", session}, {"author", secret}};
  const Json value = space.holds == Holds::answers ? Json(JsonObject{{"content", to_json(about)}}) : Json(about);
  must(transaction.put(space.name, key, value));
}

std::string a_kind_of(const ValueSpace& space) {
  return std::string(space.kind.empty() ? kThread : space.kind);
}

TEST_F(EraseTest, P6EveryNamespaceThatHoldsTextIsErasedByAPurge) {
  const std::string secret(kErasedSecret);
  for (const ValueSpace& space : kValueSpaces) {
    if (space.holds == Holds::no_text) continue;
    SCOPED_TRACE(space.name);
    const std::string id = "gone-" + std::string(space.name), other = "kept-" + std::string(space.name);
    add(a_kind_of(space), id);
    add(a_kind_of(space), other);
    must(store->write([&](Transaction& transaction) -> Result<void> {
      put_into(transaction, space, id, secret);
      if (space.holds != Holds::passing) HF_CHECK(transaction.put(space.name, other + "/x", JsonObject{{"session", other}}));
      return {};
    }));
    ASSERT_THAT(files_with(secret), Not(IsEmpty()));
    must(store->write([&](Transaction& transaction) { return purge(transaction, id, "asked for"); }));
    EXPECT_THAT(files_with(secret), IsEmpty());
    if (space.holds != Holds::passing) EXPECT_TRUE(must(store->value(space.name, other + "/x"))) << "it is about another session";
  }
}

TEST_F(EraseTest, P6EveryNamespaceThatHoldsTextIsCleanedByARedaction) {
  const std::string secret(kErasedSecret);
  for (const ValueSpace& space : kValueSpaces) {
    if (space.holds == Holds::no_text) continue;
    SCOPED_TRACE(space.name);
    const std::string id = "session-" + std::string(space.name);
    add(a_kind_of(space), id);
    must(store->write([&](Transaction& transaction) -> Result<void> {
      put_into(transaction, space, id, secret);
      return {};
    }));
    ASSERT_THAT(files_with(secret), Not(IsEmpty()));
    must(redact_in(id, pattern(secret)));
    EXPECT_THAT(files_with(secret), IsEmpty());
  }
}

TEST_F(EraseTest, P6AKeyThatHoldsTheTextGoesAsWell) {
  const std::string secret(kErasedSecret);
  add(kReasoning, "one");
  put("reasoning.aliases", "local/" + secret, JsonObject{{"session", "one"}});
  must(redact_in("one", pattern(secret)));
  EXPECT_THAT(files_with(secret), IsEmpty());
}

TEST_F(EraseTest, P6ANamespaceThatNobodyListedIsRefused) {
  const auto written =
      store->write([&](Transaction& transaction) { return transaction.put("somewhere.else", "key", Json("text")); });
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().hint, HasSubstr("value_spaces.h"));
}

TEST(TextRemover, FindsManyPiecesInOnePass) {
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i) texts.push_back("sentence number " + std::to_string(i) + " of a long page.");
  const TextRemover remover = TextRemover::of_pieces(texts);
  std::string text = "before sentence number 4711 of a long page. after";
  EXPECT_TRUE(remover.clean(text));
  EXPECT_EQ(text, "before [redacted] after");
  std::string untouched = "sentence number x of a long page";
  EXPECT_FALSE(remover.clean(untouched));
}

}  // namespace
}  // namespace holdfast::session
