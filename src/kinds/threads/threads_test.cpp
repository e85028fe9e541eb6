// Threads as records: making them, adding to them, reading them (threads-and-research §2, §3, §9).

#include "kinds/threads/test_threads.h"
#include "session/kinds.h"

#include <regex>

namespace holdfast::threads {
namespace {

using session::Visibility;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::int64_t> numbers(const std::vector<Message>& messages) {
  std::vector<std::int64_t> out;
  for (const Message& message : messages) out.push_back(message.seq);
  return out;
}

TEST_F(ThreadsTest, P2_IdsHaveTheirForm) {
  const auto made = must(threads->create(who, {}));
  EXPECT_TRUE(std::regex_match(made.id, std::regex("thread-[a-zA-Z0-9]{12}")));
  const auto added = must(threads->append(who, made.id, "user", "hello", ""));
  EXPECT_TRUE(std::regex_match(added.message.id, std::regex("msg-[a-zA-Z0-9]{8}")));
}

TEST_F(ThreadsTest, P3_Row1_ANewThreadIsCreatedAndKeepsWhatItWasGiven) {
  NewThread thread;
  thread.kind = "ideate";
  thread.title = "Boats";
  thread.system_prompt = "Think of water.";
  thread.provider = "scripted";
  thread.metadata["colour"] = "blue";
  who.project = "harbour";
  const JsonObject json = thread_json(must(threads->create(who, thread)));
  EXPECT_EQ(json.at("kind"), "ideate");
  EXPECT_EQ(json.at("status"), "created");
  EXPECT_EQ(json.at("visibility"), "live");
  EXPECT_EQ(json.at("title"), "Boats");
  EXPECT_EQ(json.at("system_prompt"), "Think of water.");
  EXPECT_EQ(json.at("provider"), "scripted");
  EXPECT_EQ(json.at("project"), "harbour");
  EXPECT_EQ(json.at("message_count"), 0);
  EXPECT_EQ(json.at("created_at").as_string(), iso8601(kStart));
  EXPECT_EQ(json.at("metadata").at("colour"), "blue");
}

TEST_F(ThreadsTest, P3_Row2_TheFirstMessageOfAUserMakesItActive) {
  const std::string id = must(threads->create(who, {})).id;
  EXPECT_EQ(must(threads->append(who, id, "system", "setting", "")).record.status, "created");
  EXPECT_EQ(must(threads->append(who, id, "user", "hello", "")).record.status, "active");
  EXPECT_EQ(record(id).opening, "hello");
}

TEST_F(ThreadsTest, P3_ActivityIsAMessageOfUserOrAssistantAndNothingElse) {
  const std::string id = must(threads->create(who, {})).id;
  clock->advance(1000);
  EXPECT_EQ(must(threads->append(who, id, "user", "q", "")).record.last_activity_at, kStart + 1000);
  clock->advance(1000);
  EXPECT_EQ(must(threads->append(who, id, "assistant", "a", "")).record.last_activity_at, kStart + 2000);
  clock->advance(1000);
  EXPECT_EQ(must(threads->append(who, id, "system", "s", "")).record.last_activity_at, kStart + 2000);
  messages(id);
  must(export_markdown(*store, record(id)));
  EXPECT_EQ(record(id).last_activity_at, kStart + 2000);
}

TEST_F(ThreadsTest, P3_Row5_AMessageBringsAnArchivedThreadBack) {
  const std::string id = must(threads->create(who, {})).id;
  archive(id);
  clock->advance(5000);
  const auto added = must(threads->append(who, id, "user", "still here?", ""));
  EXPECT_TRUE(added.unarchived);
  EXPECT_EQ(added.record.visibility, Visibility::live);
  EXPECT_EQ(added.record.status, "active");
  EXPECT_EQ(added.record.archived_at, std::nullopt);
  EXPECT_EQ(added.record.last_activity_at, kStart + 5000);
  EXPECT_FALSE(must(threads->append(who, id, "user", "yes", "")).unarchived);
}

TEST_F(ThreadsTest, P1_CodesTellUnknownDeletedAndPurgedApart) {
  const std::string id = must(threads->create(who, {})).id;
  must(threads->append(who, id, "user", "hello", ""));
  const auto all = [&](const std::string& thread_id) {
    const std::string appended = code_of(threads->append(who, thread_id, "user", "x", ""));
    EXPECT_EQ(code_of(threads->get(who, thread_id, 10, {})), appended);
    EXPECT_EQ(code_of(threads->chat(who, saying("x", thread_id))), appended);
    EXPECT_EQ(code_of(threads->fork(who, thread_id, 1)), appended);
    ThinkdeepRequest think;
    think.thread_id = thread_id;
    EXPECT_EQ(code_of(threads->thinkdeep(who, think)), appended);
    return appended;
  };
  EXPECT_EQ(all("thread-short"), "INVALID_ID");
  EXPECT_EQ(all("thread-../../etc/pw"), "INVALID_ID");
  EXPECT_EQ(all("research-abcdefgh1234"), "INVALID_ID");
  EXPECT_EQ(all("thread-abcdefgh1234"), "NOT_FOUND");
  remove(id);
  EXPECT_EQ(all(id), "DELETED");
  EXPECT_THAT(threads->get(who, id, 10, {}).error().message, HasSubstr(iso8601(kStart + 30 * session::kDay)));
  must(store->write([&](session::Transaction& t) { return t.purge(id, "test"); }));
  EXPECT_EQ(all(id), "GONE");
  Who other;
  other.principal = "somebody else";
  EXPECT_EQ(code_of(threads->get(other, id, 10, {})), "NOT_FOUND");
}

TEST_F(ThreadsTest, ThreadsOfOthersDoNotExist) {
  const std::string id = must(threads->create(who, {})).id;
  Who other;
  other.principal = "somebody else";
  EXPECT_EQ(code_of(threads->get(other, id, 10, {})), "NOT_FOUND");
  EXPECT_EQ(code_of(threads->append(other, id, "user", "x", "")), "NOT_FOUND");
  EXPECT_EQ(code_of(threads->chat(other, saying("x", id))), "NOT_FOUND");
}

TEST_F(ThreadsTest, P1_AllViolationsAreReportedAtOnce) {
  NewThread thread;
  thread.kind = "poem";
  thread.title = std::string(201, 'x');
  const auto refused = threads->create(who, thread);
  EXPECT_EQ(code_of(refused), "VALIDATION_ERROR");
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("kind"), HasSubstr("title")));
  const std::string id = must(threads->create(who, {})).id;
  const auto message = threads->append(who, id, "robot", "", std::string(300, 'c'));
  EXPECT_EQ(code_of(message), "MISSING_REQUIRED");
  EXPECT_THAT(message.error().message, AllOf(HasSubstr("role"), HasSubstr("content"), HasSubstr("client_msg_id")));
  EXPECT_EQ(code_of(threads->append(who, id, "user", "\xFF\xFE", "")), "VALIDATION_ERROR");
  EXPECT_THAT(messages(id), IsEmpty());
}

TEST_F(ThreadsTest, P9_AppendWithAKnownClientIdIsTheSameMessage) {
  const std::string id = must(threads->create(who, {})).id;
  const auto first = must(threads->append(who, id, "user", "once", "c1"));
  const auto again = must(threads->append(who, id, "user", "once", "c1"));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.message.id, first.message.id);
  EXPECT_EQ(messages(id).size(), 1U);
}

TEST_F(ThreadsTest, P9_GetGivesTheNewestPageFirst) {
  const std::string id = must(threads->create(who, {})).id;
  for (int i = 1; i <= 7; ++i) must(threads->append(who, id, i % 2 ? "user" : "assistant", std::to_string(i), ""));
  const auto newest = must(threads->get(who, id, 3, {}));
  EXPECT_THAT(numbers(newest.messages), ElementsAre(5, 6, 7));
  EXPECT_EQ(newest.before_seq, 5);
  const auto before = must(threads->get(who, id, 3, newest.before_seq));
  EXPECT_THAT(numbers(before.messages), ElementsAre(2, 3, 4));
  const auto oldest = must(threads->get(who, id, 3, before.before_seq));
  EXPECT_THAT(numbers(oldest.messages), ElementsAre(1));
  EXPECT_EQ(oldest.before_seq, std::nullopt);
  EXPECT_THAT(must(threads->get(who, id, 3, 1)).messages, IsEmpty());
  EXPECT_EQ(code_of(threads->get(who, id, 3, 0)), "VALIDATION_ERROR");
  EXPECT_THAT(numbers(must(threads->get(who, id, 2, 100)).messages), ElementsAre(6, 7));
}

TEST_F(ThreadsTest, P6_NoticesAndStepsAreNoMessages) {
  const std::string id = must(threads->create(who, {})).id;
  must(threads->append(who, id, "user", "one", ""));
  must(store->write([&](session::Transaction& t) {
    session::NewEntry notice;
    notice.type = "notice";
    notice.text = "will be archived";
    notice.data = R"({"role":"system","notice":"ntc-1"})";
    notice.touch = session::Touch::nothing;
    return t.append(id, notice);
  }));
  must(threads->append(who, id, "assistant", "two", ""));
  EXPECT_THAT(numbers(messages(id)), ElementsAre(1, 0, 2)) << "shown where it came, without a number";
  const JsonObject shown = message_json(messages(id).at(1));
  EXPECT_EQ(shown.at("role"), "system");
  EXPECT_EQ(shown.at("id"), "ntc-1");
  EXPECT_EQ(shown.at("seq"), Json(nullptr));
  EXPECT_THAT(numbers(must(threads->get(who, id, 1, 2)).messages), ElementsAre(1)) << "not on a page of older messages";
  EXPECT_EQ(thread_json(record(id)).at("message_count"), 2);
  chat(saying("three", id));
  const model::Ask asked = models->asks().at(0);
  EXPECT_EQ(asked.messages.size(), 3U);
  for (const model::Message& sent : asked.messages) EXPECT_NE(sent.content, "will be archived");
}

TEST_F(ThreadsTest, P3_MessagesAndThreadsAreShownWithTheirFields) {
  const auto outcome = chat(saying("hello"));
  const auto all = messages(outcome.thread_id);
  const JsonObject user = message_json(all.at(0)), assistant = message_json(all.at(1));
  EXPECT_EQ(user.at("role"), "user");
  EXPECT_EQ(user.at("seq"), 1);
  EXPECT_FALSE(user.contains("tokens"));
  EXPECT_EQ(assistant.at("role"), "assistant");
  EXPECT_EQ(assistant.at("provider"), "scripted");
  EXPECT_EQ(assistant.at("model"), "script-1");
  EXPECT_EQ(assistant.at("tokens").at("in"), 10);
  EXPECT_EQ(assistant.at("tokens").at("estimated"), false);
  const JsonObject deleted = thread_json(remove(outcome.thread_id));
  EXPECT_EQ(deleted.at("status"), "deleted");
  EXPECT_EQ(deleted.at("prior_status"), "active");
  EXPECT_EQ(deleted.at("restorable_until").as_string(), iso8601(kStart + 30 * session::kDay));
}

TEST_F(ThreadsTest, P13_ARedactedMessageKeepsItsPlaceAndRole) {
  const auto outcome = chat(saying("my secret"));
  must(store->write([&](session::Transaction& t) { return t.redact(outcome.thread_id, 1); }));
  const Message first = messages(outcome.thread_id).at(0);
  EXPECT_TRUE(first.redacted);
  EXPECT_EQ(first.role, "user");
  EXPECT_EQ(first.content, "[redacted]");
  EXPECT_EQ(first.seq, 1);
}

TEST_F(ThreadsTest, P16_AForkGoesOnFromAMessage) {
  ChatRequest request = saying("one");
  request.title = "Plan";
  request.system_prompt = "Be brief.";
  const auto outcome = chat(request);
  clock->advance(1000);
  chat(saying("three", outcome.thread_id));
  const auto fork = must(threads->fork(who, outcome.thread_id, 2));
  EXPECT_NE(fork.id, outcome.thread_id);
  EXPECT_EQ(fork.title, "Plan (fork)");
  EXPECT_EQ(fork.status, "active");
  const auto copied = messages(fork.id), original = messages(outcome.thread_id);
  ASSERT_EQ(copied.size(), 2U);
  EXPECT_EQ(original.size(), 4U);
  EXPECT_EQ(copied[1].content, "an answer");
  EXPECT_EQ(copied[1].model, "script-1");
  EXPECT_EQ(copied[1].created_at, kStart);
  EXPECT_NE(copied[1].id, original[1].id);
  const auto lineage = must(store->lineage_of(fork.id));
  ASSERT_EQ(lineage.size(), 1U);
  EXPECT_EQ(lineage[0].how, "fork");
  EXPECT_EQ(lineage[0].parent, outcome.thread_id);
  chat(saying("another way", fork.id));
  EXPECT_EQ(models->asks().back().messages.size(), 4U);  // the system prompt came along
  EXPECT_EQ(messages(outcome.thread_id).size(), 4U);
  EXPECT_EQ(code_of(threads->fork(who, outcome.thread_id, 5)), "VALIDATION_ERROR");
  EXPECT_EQ(code_of(threads->fork(who, outcome.thread_id, 0)), "VALIDATION_ERROR");
}

TEST_F(ThreadsTest, AnExportIsForAPerson) {
  ChatRequest request = saying("What is a lease?");
  request.title = "Leases";
  const auto outcome = chat(request);
  const std::string text = must(export_markdown(*store, record(outcome.thread_id)));
  EXPECT_THAT(
      text, AllOf(HasSubstr("# Leases\n"), HasSubstr(outcome.thread_id), HasSubstr("## 1. user\n"), HasSubstr("What is a lease?"),
                  HasSubstr("## 2. assistant · scripted (script-1)"), HasSubstr("an answer")));
}

}  // namespace
}  // namespace holdfast::threads
