// Chat (threads-and-research §9): what is kept, when, and what a model is shown.

#include "kinds/threads/test_threads.h"

#include <atomic>
#include <future>
#include <latch>
#include <thread>

namespace holdfast::threads {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> roles(const model::Ask& ask) {
  std::vector<std::string> out;
  for (const model::Message& message : ask.messages) out.push_back(message.role);
  return out;
}

Result<model::Reply> down(const model::Ask&) {
  return fail(ErrorKind::unavailable, "local: connection refused", {}, "PROVIDER_ERROR");
}

TEST_F(ThreadsTest, P9_ChatBeginsAThreadAndAnswers) {
  ChatRequest request = saying("What is a lease?");
  request.title = "Leases";
  request.system_prompt = "Be brief.";
  request.model = "other-model";
  request.temperature = 0.5;
  request.max_tokens = 50;
  const auto outcome = chat(request);
  EXPECT_TRUE(outcome.created);
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.content, "an answer");
  EXPECT_EQ(outcome.message_count, 2);
  EXPECT_EQ(outcome.provider, "scripted");
  EXPECT_EQ(outcome.model, "script-1");
  EXPECT_EQ(outcome.tokens.in, 10);
  EXPECT_NE(outcome.message_id, outcome.user_message_id);
  const auto stored = messages(outcome.thread_id);
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored[0].id, outcome.user_message_id);
  EXPECT_EQ(stored[1].id, outcome.message_id);
  EXPECT_EQ(record(outcome.thread_id).status, "active");
  const model::Ask asked = models->asks().at(0);
  EXPECT_THAT(roles(asked), ElementsAre("system", "user"));
  EXPECT_EQ(asked.purpose, "chat");
  EXPECT_EQ(asked.model, "other-model");
  EXPECT_EQ(asked.temperature, 0.5);
  EXPECT_EQ(asked.max_tokens, 50);
}

TEST_F(ThreadsTest, P9_TheUsersMessageIsDurableBeforeTheModelIsAsked) {
  std::string seen;
  answer_with([&](const model::Ask&) {
    session::Query query;
    query.kinds = {"thread"};
    const auto all = must(store->list(query)).items;
    EXPECT_EQ(all.size(), 1U);
    const auto entry = must(store->entry_at(all.front().id, "", 1));
    seen = entry ? entry->text : "nothing";
    EXPECT_EQ(all.front().status, "active");
    return Models::reply("yes");
  });
  chat(saying("is it there?"));
  EXPECT_EQ(seen, "is it there?");
}

TEST_F(ThreadsTest, P9_WhenTheModelFailsTheMessageIsKeptAndNamed) {
  answer_with(down);
  const auto outcome = chat(saying("hello"));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "PROVIDER_ERROR");
  EXPECT_EQ(outcome.message_id, outcome.user_message_id);
  EXPECT_EQ(outcome.message_count, 1);
  const auto stored = messages(outcome.thread_id);
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].id, outcome.message_id);
  EXPECT_TRUE(must(store->verify(outcome.thread_id)).ok);
  EXPECT_EQ(record(outcome.thread_id).status, "active");

  answer_with([](const model::Ask&) { return Models::reply("back again"); });
  const auto later = chat(saying("and now?", outcome.thread_id));
  EXPECT_EQ(later.content, "back again");
  EXPECT_EQ(later.message_count, 3);
}

TEST_F(ThreadsTest, P10_WithoutAModelTheMessageIsKept) {
  use(std::make_unique<Models>());
  const auto outcome = chat(saying("hello"));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "NO_LLM_PROVIDER");
  EXPECT_EQ(messages(outcome.thread_id).size(), 1U);
}

TEST_F(ThreadsTest, P9_ARepeatedClientIdGivesTheSameAnswerAgain) {
  ChatRequest request = saying("once");
  request.client_msg_id = "c-1";
  const auto first = chat(request);
  request.thread_id = first.thread_id;
  const auto again = chat(request);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.message_id, first.message_id);
  EXPECT_EQ(again.content, first.content);
  EXPECT_EQ(again.message_count, 2);
  EXPECT_EQ(models->asks().size(), 1U);
  EXPECT_EQ(messages(first.thread_id).size(), 2U);
}

TEST_F(ThreadsTest, P9_ARepeatedClientIdWithoutAnAnswerAsksAgainAndDoesNotDuplicate) {
  answer_with(down);
  ChatRequest request = saying("once");
  request.client_msg_id = "c-1";
  const auto first = chat(request);
  ASSERT_TRUE(first.failure);
  answer_with([](const model::Ask&) { return Models::reply("now"); });
  request.thread_id = first.thread_id;
  const auto again = chat(request);
  EXPECT_FALSE(again.failure);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.user_message_id, first.user_message_id);
  EXPECT_EQ(messages(first.thread_id).size(), 2U);
}

TEST_F(ThreadsTest, ACallerThatLostTheFirstAnswerFindsItsThreadByTheClientId) {
  ChatRequest request = saying("once");
  request.client_msg_id = "c-1";
  const auto first = chat(request), again = chat(request);
  EXPECT_EQ(again.thread_id, first.thread_id);
  EXPECT_FALSE(again.created);
  EXPECT_EQ(again.message_id, first.message_id);
  Who other = who;
  other.principal = "somebody else";
  EXPECT_NE(must(threads->chat(other, request)).thread_id, first.thread_id);
}

TEST_F(ThreadsTest, AClientIdWithAnotherTextKeepsTheFirstAndSaysSo) {
  ChatRequest request = saying("once");
  request.client_msg_id = "c-1";
  chat(request);
  request.prompt = "twice";
  const auto again = chat(request);
  EXPECT_THAT(again.warnings, Contains(HasSubstr("another text")));
  EXPECT_EQ(messages(again.thread_id).at(0).content, "once");
}

TEST_F(ThreadsTest, P17_Lesson4_AnUnknownIdNeverBeginsAThread) {
  EXPECT_EQ(code_of(threads->chat(who, saying("hello", "thread-doesnotexist"))), "NOT_FOUND");
  EXPECT_EQ(must(store->list({})).total, 0);
  EXPECT_THAT(models->asks(), IsEmpty());
}

TEST_F(ThreadsTest, P3_Row5_ChatUnarchives) {
  const auto begun = chat(saying("hello"));
  archive(begun.thread_id);
  const auto outcome = chat(saying("still there?", begun.thread_id));
  EXPECT_TRUE(outcome.unarchived);
  EXPECT_EQ(record(begun.thread_id).visibility, session::Visibility::live);
}

TEST_F(ThreadsTest, P12_AnAnswerToAThreadThatWasDeletedMeanwhileIsRefused) {
  std::string id;
  answer_with([&](const model::Ask&) {
    if (!id.empty()) remove(id);
    return Models::reply("too late");
  });
  id = chat(saying("hello")).thread_id;
  const auto outcome = chat(saying("again", id));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, "DELETED");
  EXPECT_EQ(record(id).visibility, session::Visibility::deleted);
  EXPECT_EQ(record(id).count_of("message"), 3);
}

TEST_F(ThreadsTest, P9_AtMostAHundredMessagesAreSent) {
  const std::string id = must(threads->create(who, {})).id;
  for (int i = 1; i <= 120; ++i) must(threads->append(who, id, i % 2 ? "user" : "assistant", "m" + std::to_string(i), ""));
  const auto outcome = chat(saying("last", id));
  const auto sent = models->asks().at(0).messages;
  ASSERT_EQ(sent.size(), 100U);
  EXPECT_EQ(sent.front().content, "m22");
  EXPECT_EQ(sent.back().content, "last");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("last 100 of 121")));
}

TEST_F(ThreadsTest, P9_OnlyWhatFitsTheWindowIsSentAndTheLastMessageAlways) {
  models->window = 1000;  // 750 for the prompt
  ChatRequest first = saying("opening");
  first.system_prompt = std::string(400, 's');  // 100 tokens
  const std::string id = chat(first).thread_id;
  for (int i = 0; i < 6; ++i) must(threads->append(who, id, "user", std::string(800, static_cast<char>('a' + i)), ""));
  chat(saying("short question", id));
  const auto sent = models->asks().back().messages;
  EXPECT_EQ(sent.front().role, "system");
  ASSERT_EQ(sent.size(), 1U + 3U + 1U) << "100 + 3 * 200 + a few";
  EXPECT_EQ(sent[1].content.front(), 'd');
  chat(saying(std::string(20'000, 'x'), id));
  EXPECT_EQ(models->asks().back().messages.size(), 2U);
}

TEST_F(ThreadsTest, P10_AnOverflowIsMetWithLessOfTheConversation) {
  answer_with([](const model::Ask& ask) -> Result<model::Reply> {
    if (ask.messages.size() > 3) return fail(ErrorKind::too_large, "too long", {}, "CONTEXT_TOO_LARGE");
    return Models::reply("fits");
  });
  const std::string id = must(threads->create(who, {})).id;
  for (int i = 0; i < 9; ++i) must(threads->append(who, id, "user", std::string(100, 'x'), ""));
  const auto outcome = chat(saying(std::string(100, 'y'), id));
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.content, "fits");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("of 10 messages")));

  answer_with([](const model::Ask&) -> Result<model::Reply> { return fail(ErrorKind::too_large, "x", {}, "CONTEXT_TOO_LARGE"); });
  EXPECT_EQ(chat(saying("alone")).failure->code, "CONTEXT_TOO_LARGE");
  EXPECT_EQ(models->asks().size(), 1U) << "a single message cannot be shortened";
}

TEST_F(ThreadsTest, ASystemPromptOnAnExistingThreadServesOneCall) {
  ChatRequest request = saying("one");
  request.system_prompt = "Be brief.";
  const auto first = chat(request);
  EXPECT_THAT(first.warnings, IsEmpty());
  const std::string id = first.thread_id;
  request = saying("two", id);
  request.system_prompt = "Be long.";
  EXPECT_THAT(chat(request).warnings,
              ElementsAre("system_prompt counts for this call alone: the thread keeps the one it was made with"));
  EXPECT_EQ(models->asks().back().messages.front().content, "Be long.");
  EXPECT_THAT(chat(saying("three", id)).warnings, IsEmpty());
  EXPECT_EQ(models->asks().back().messages.front().content, "Be brief.");
  request = saying("four", chat(saying("another")).thread_id);
  request.system_prompt = "Be long.";
  EXPECT_THAT(chat(request).warnings, ElementsAre(HasSubstr("has none of its own")));
}

TEST_F(ThreadsTest, P1_BadChatsAreRefusedBeforeAnythingIsKept) {
  ChatRequest request = saying("  ");
  request.title = std::string(201, 't');
  request.temperature = 3;
  request.max_tokens = 0;
  const auto refused = threads->chat(who, request);
  EXPECT_EQ(code_of(refused), "MISSING_REQUIRED");
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("prompt"), HasSubstr("title"), HasSubstr("temperature"), HasSubstr("max_tokens")));
  EXPECT_EQ(code_of(threads->chat(who, saying(std::string(200'001, 'x')))), "VALIDATION_ERROR");
  EXPECT_EQ(code_of(threads->chat(who, saying(std::string(200'000, 'x')))), "accepted");
  EXPECT_EQ(must(store->list({})).total, 1);
}

TEST_F(ThreadsTest, AProviderThatDoesNotExistIsRefusedBeforeAThreadRemembersIt) {
  ChatRequest request = saying("hello");
  request.provider = "nobody";
  const auto refused = threads->chat(who, request);
  EXPECT_EQ(code_of(refused), "VALIDATION_ERROR");
  EXPECT_THAT(refused.error().message, HasSubstr("there are scripted"));
  EXPECT_EQ(must(store->list({})).total, 0);
}

TEST_F(ThreadsTest, AThreadRemembersItsProvider) {
  answer_with([](const model::Ask&) { return Models::reply("ok"); }, {"a", "b"});
  ChatRequest request = saying("hello");
  request.provider = "b";
  const std::string id = chat(request).thread_id;
  chat(saying("and?", id));
  EXPECT_EQ(models->asks().back().provider, "b");
}

TEST_F(ThreadsTest, P9_TwoCallsOnOneThreadTakeTurns) {
  std::atomic<int> inside = 0, most = 0;
  std::latch asked(1);
  answer_with([&](const model::Ask& ask) {
    most = std::max<int>(most, ++inside);
    if (ask.messages.back().content == "first") asked.count_down();
    std::this_thread::yield();
    --inside;
    return Models::reply("re: " + ask.messages.back().content);
  });
  const std::string id = must(threads->create(who, {})).id;
  auto first = std::async(std::launch::async, [&] { return chat(saying("first", id)); });
  asked.wait();
  auto second = std::async(std::launch::async, [&] { return chat(saying("second", id)); });
  EXPECT_EQ(first.get().content, "re: first");
  EXPECT_EQ(second.get().content, "re: second");
  EXPECT_EQ(most, 1);
  const auto all = messages(id);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_THAT((std::vector{all[0].content, all[1].content, all[2].content, all[3].content}),
              ElementsAre("first", "re: first", "second", "re: second"));
}

TEST_F(ThreadsTest, P9_WhoWaitsTooLongIsToldThatTheThreadIsBusy) {
  std::latch asked(1), go_on(1);
  use(std::make_unique<Models>([&](const model::Ask&) {
        asked.count_down();
        go_on.wait();
        return Models::reply("done");
      }),
      30ms);
  const std::string id = must(threads->create(who, {})).id;
  auto first = std::async(std::launch::async, [&] { return chat(saying("first", id)); });
  asked.wait();
  const auto second = threads->chat(who, saying("second", id));
  EXPECT_EQ(code_of(second), "STORAGE_BUSY");
  EXPECT_EQ(second.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(code_of(threads->append(who, id, "user", "needs no model", "")), "accepted");
  Who impatient = who;
  impatient.cancelled = [] { return true; };
  EXPECT_EQ(threads->chat(impatient, saying("third", id)).error().kind, ErrorKind::cancelled);
  go_on.count_down();
  EXPECT_EQ(first.get().content, "done");
  EXPECT_EQ(messages(id).size(), 3U) << "what was refused was not kept";
}

TEST_F(ThreadsTest, CancellingKeepsTheMessage) {
  answer_with([](const model::Ask& ask) -> Result<model::Reply> {
    EXPECT_TRUE(ask.cancelled());
    return fail(ErrorKind::cancelled, "stopped");
  });
  int asked = 0;
  who.cancelled = [&] { return ++asked > 1; };  // not before the model is asked
  const auto outcome = chat(saying("hello"));
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, ErrorKind::cancelled);
  EXPECT_EQ(messages(outcome.thread_id).size(), 1U);
}

TEST_F(ThreadsTest, AnAnswerThatReachedItsLimitSaysSo) {
  answer_with([](const model::Ask&) {
    auto reply = Models::reply("and then");
    reply.finish_reason = "length";
    return reply;
  });
  EXPECT_THAT(chat(saying("tell me")).warnings, Contains(HasSubstr("cut off")));
}

}  // namespace
}  // namespace holdfast::threads
