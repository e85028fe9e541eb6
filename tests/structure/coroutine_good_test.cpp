// The coroutine forms that our code may use, run for real: g++ 12.2 miscompiles others (check_coroutines.py
// names them), and ASan would report the double free. Every payload is a string too long for the small-string
// buffer, so that a temporary destroyed twice cannot go unseen.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <expected>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

struct Message {
  std::string text;
  int count = 0;
};

struct Named {  // not an aggregate
  explicit Named(std::string t, int c = 1) : text(std::move(t)), count(c) {}
  std::string text;
  int count;
};

std::string long_text(char letter = 'x') {
  return std::string(100, letter);
}

Message make_message(int count) {
  return Message{long_text(), count};
}

// Goes through the event loop once, so that the coroutine is really suspended.
awaitable<void> suspend() {
  auto executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_awaitable);
}

awaitable<int> send(Message message) {
  co_await suspend();
  co_return message.count + static_cast<int>(message.text.size());
}

awaitable<int> send_const(const Message& message) {
  co_await suspend();
  co_return message.count + static_cast<int>(message.text.size());
}

awaitable<int> send_moved(Message&& message) {
  Message taken = std::move(message);
  co_await suspend();
  co_return taken.count + static_cast<int>(taken.text.size());
}

awaitable<int> send_named(Named named) {
  co_await suspend();
  co_return named.count + static_cast<int>(named.text.size());
}

awaitable<std::string> text(char letter) {
  co_await suspend();
  co_return long_text(letter);
}

awaitable<Message> receive() {
  co_await suspend();
  co_return Message{long_text(), 7};
}

awaitable<std::vector<Message>> receive_all() {
  co_await suspend();
  std::vector<Message> all;
  for (int i = 1; i <= 3; ++i) all.push_back(make_message(i));
  co_return all;
}

awaitable<std::expected<std::string, std::string>> try_text(bool good) {
  co_await suspend();
  if (!good) co_return std::unexpected(long_text('e'));
  co_return long_text('g');
}

awaitable<int> throws() {
  co_await suspend();
  throw std::runtime_error(long_text('t'));
}

// Runs a coroutine to its end and gives its value.
template <class T>
T run(awaitable<T> coroutine) {
  asio::io_context context;
  std::optional<T> result;
  std::exception_ptr error;
  asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr e, T value) {
    error = e;
    result = std::move(value);
  });
  context.run();
  if (error) std::rethrow_exception(error);
  return std::move(*result);
}

awaitable<int> named_then_moved() {
  Message message{long_text(), 2};
  co_return co_await send(std::move(message));
}
TEST(CoroutineForm, NamedThenMoved) {
  EXPECT_EQ(run(named_then_moved()), 102);
}

awaitable<int> named_by_reference() {
  Message message{.text = long_text(), .count = 3};
  int first = co_await send_const(message);
  int second = co_await send_moved(std::move(message));
  co_return first + second;
}
TEST(CoroutineForm, NamedByReference) {
  EXPECT_EQ(run(named_by_reference()), 206);
}

awaitable<int> made_by_a_function() {
  co_return co_await send(make_message(4));
}
TEST(CoroutineForm, MadeByAFunction) {
  EXPECT_EQ(run(made_by_a_function()), 104);
}

awaitable<int> made_by_a_function_by_reference() {
  int sent = co_await send_const(make_message(4));
  co_return sent;
}
TEST(CoroutineForm, MadeByAFunctionByReference) {
  EXPECT_EQ(run(made_by_a_function_by_reference()), 104);
}

awaitable<int> constructor_call() {
  co_return co_await send_named(Named(long_text(), 5));
}
TEST(CoroutineForm, ConstructorCall) {
  EXPECT_EQ(run(constructor_call()), 105);
}

awaitable<int> temporary_string() {
  co_return co_await send_named(Named(long_text() + long_text()));
}
TEST(CoroutineForm, TemporaryString) {
  EXPECT_EQ(run(temporary_string()), 201);
}

awaitable<int> condition_with_a_name() {
  if (auto got = co_await text('c'); got.size() == 100) co_return static_cast<int>(got.size());
  co_return 0;
}
TEST(CoroutineForm, ConditionWithAName) {
  EXPECT_EQ(run(condition_with_a_name()), 100);
}

awaitable<int> condition_that_is_a_declaration() {
  if (int got = co_await send(make_message(1))) co_return got;
  co_return 0;
}
TEST(CoroutineForm, ConditionThatIsADeclaration) {
  EXPECT_EQ(run(condition_that_is_a_declaration()), 101);
}

awaitable<int> loop_over_a_name() {
  int rounds = 0;
  while (true) {
    int got = co_await send(make_message(rounds));
    if (got >= 103) break;
    ++rounds;
  }
  co_return rounds;
}
TEST(CoroutineForm, LoopOverAName) {
  EXPECT_EQ(run(loop_over_a_name()), 3);
}

awaitable<int> await_in_a_branch(bool wanted) {
  if (wanted) co_return co_await send(make_message(6));
  co_await suspend();
  co_return 0;
}
TEST(CoroutineForm, AwaitInABranch) {
  EXPECT_EQ(run(await_in_a_branch(true)), 106);
  EXPECT_EQ(run(await_in_a_branch(false)), 0);
}

awaitable<int> logical_and(bool wanted) {
  bool both = wanted && co_await send(make_message(1)) == 101;
  co_return both ? 1 : 0;
}
TEST(CoroutineForm, LogicalAnd) {
  EXPECT_EQ(run(logical_and(true)), 1);
  EXPECT_EQ(run(logical_and(false)), 0);
}

awaitable<int> awaited_range() {
  int sum = 0;
  for (const Message& message : co_await receive_all()) sum += message.count + static_cast<int>(message.text.size());
  co_return sum;
}
TEST(CoroutineForm, AwaitedRange) {
  EXPECT_EQ(run(awaited_range()), 306);
}

awaitable<int> await_in_a_range_loop() {
  int sum = 0;
  std::vector<std::string> names(3, long_text());
  for (const auto& name : names) {
    Message message{name, 1};
    sum += co_await send(std::move(message));
  }
  co_return sum;
}
TEST(CoroutineForm, AwaitInARangeLoop) {
  EXPECT_EQ(run(await_in_a_range_loop()), 303);
}

awaitable<int> structured_binding() {
  auto [got, count] = co_await receive();
  co_return count + static_cast<int>(got.size());
}
TEST(CoroutineForm, StructuredBinding) {
  EXPECT_EQ(run(structured_binding()), 107);
}

awaitable<Message> member_by_member() {
  Message message;
  message.text = co_await text('m');
  message.count = co_await send(make_message(0));
  co_return message;
}
TEST(CoroutineForm, MemberByMember) {
  auto message = run(member_by_member());
  EXPECT_EQ(message.text, long_text('m'));
  EXPECT_EQ(message.count, 100);
}

awaitable<Message> aggregate_after_the_await() {
  auto got = co_await text('r');
  co_return Message{std::move(got), 9};
}
TEST(CoroutineForm, AggregateAfterTheAwait) {
  EXPECT_EQ(run(aggregate_after_the_await()).text, long_text('r'));
}

awaitable<std::string> awaited_expected(bool good) {
  auto got = co_await try_text(good);
  if (!got) co_return "failed: " + got.error();
  co_return *std::move(got);
}
TEST(CoroutineForm, AwaitedExpected) {
  EXPECT_EQ(run(awaited_expected(true)), long_text('g'));
  EXPECT_EQ(run(awaited_expected(false)), "failed: " + long_text('e'));
}

awaitable<std::string> exception_through_an_await() {
  std::string kept = long_text('k');
  std::string caught;
  try {
    co_await throws();
  } catch (const std::exception& error) {
    caught = error.what();
  }
  co_await suspend();
  co_return kept + caught;
}
TEST(CoroutineForm, ExceptionThroughAnAwait) {
  EXPECT_EQ(run(exception_through_an_await()), long_text('k') + long_text('t'));
}

TEST(CoroutineForm, ExceptionLeavesTheCoroutine) {
  EXPECT_THROW(run(throws()), std::runtime_error);
}

awaitable<int> move_only(std::unique_ptr<Message> message) {
  co_await suspend();
  co_return message->count;
}
awaitable<int> move_only_argument() {
  auto message = std::make_unique<Message>(make_message(8));
  co_return co_await move_only(std::move(message));
}
TEST(CoroutineForm, MoveOnlyArgument) {
  EXPECT_EQ(run(move_only_argument()), 8);
}

awaitable<int> named_lambda() {
  std::string captured = long_text('l');
  auto inner = [captured](int add) -> awaitable<int> {
    co_await suspend();
    co_return static_cast<int>(captured.size()) + add;
  };
  co_return co_await inner(1);
}
TEST(CoroutineForm, NamedLambda) {
  EXPECT_EQ(run(named_lambda()), 101);
}

awaitable<int> spawned_with_a_name() {
  auto executor = co_await asio::this_coro::executor;
  auto work = send(make_message(11));
  co_return co_await asio::co_spawn(executor, std::move(work), use_awaitable);
}
TEST(CoroutineForm, SpawnedWithAName) {
  EXPECT_EQ(run(spawned_with_a_name()), 111);
}

awaitable<int> switch_over_a_name() {
  int got = co_await send(make_message(1));
  switch (got) {
    case 101:
      co_return 1;
    default:
      co_return 0;
  }
}
TEST(CoroutineForm, SwitchOverAName) {
  EXPECT_EQ(run(switch_over_a_name()), 1);
}

awaitable<std::size_t> map_of_awaited_values() {
  std::map<std::string, std::string> values;
  for (char letter : std::string("abc")) {
    auto value = co_await text(letter);
    values.emplace(long_text(letter), std::move(value));
  }
  co_return values.size();
}
TEST(CoroutineForm, MapOfAwaitedValues) {
  EXPECT_EQ(run(map_of_awaited_values()), 3u);
}

// A coroutine dropped while suspended destroys its frame once.
TEST(CoroutineForm, AbandonedWhileSuspended) {
  bool finished = false;
  {
    asio::io_context context;
    auto wait = [&context, &finished](std::string kept) -> awaitable<void> {
      asio::steady_timer timer(context, std::chrono::hours(1));
      co_await timer.async_wait(use_awaitable);
      finished = !kept.empty();
    };
    asio::co_spawn(context, wait(long_text()), asio::detached);
    context.run_one();
  }
  EXPECT_FALSE(finished);
}

}  // namespace
