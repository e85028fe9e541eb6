#include "web/pages/live_events.h"

#include "base/files/test_folder.h"
#include "base/run/poll_loop.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holdfast::web {
namespace {

using testing::HasSubstr;
using testing::Not;

// A stream that stops the loop when it has got what the test waits for.
class StreamExchange final : public net::HttpExchange {
 public:
  explicit StreamExchange(PollLoop& loop) : loop_(loop) {}
  net::HttpRequest& request() override { return request_; }
  void admit(std::function<void()> then) override { then(); }
  Result<std::uint32_t> peer_user() const override { return fail(ErrorKind::not_found, "there is no socket"); }
  void respond(net::HttpResponse) override {}
  void start_stream(int status, net::HttpHeaders headers) override {
    EXPECT_EQ(status, 200);
    EXPECT_THAT(headers, testing::Contains(testing::Pair("Content-Type", "text/event-stream")));
  }
  void write(std::string bytes) override {
    text += bytes;
    if (!awaited.empty() && text.contains(awaited)) loop_.stop();
  }
  void end() override { ended = true; }
  void on_gone(std::function<void()> callback) override { leave = std::move(callback); }
  bool gone() const override { return false; }

  std::string text, awaited;
  bool ended = false;
  std::function<void()> leave;

 private:
  PollLoop& loop_;
  net::HttpRequest request_;
};

struct LiveEventsTest : testing::Test {
  ~LiveEventsTest() override { pool.close(); }

  std::shared_ptr<StreamExchange> join(const Identity& identity) {
    auto exchange = std::make_shared<StreamExchange>(loop);
    live.join(exchange, identity);
    return exchange;
  }
  std::shared_ptr<StreamExchange> join(std::string principal) { return join(full_identity(std::move(principal))); }
  void write(const std::string& id, const std::string& principal, const std::string& root = {}) {
    ASSERT_TRUE(store->write([&](session::Transaction& transaction) {
      session::SessionRecord record;
      record.id = id;
      record.kind = "thread";
      record.status = "active";
      record.principal = principal;
      record.root_uri = root;
      return transaction.create(record);
    }));
  }
  // The subscription is made on the pool: whoever joins is told of everything that is written once it is there.
  void until(const std::shared_ptr<StreamExchange>& stream, const std::string& principal) {
    for (int i = 0; !stream->text.contains("\"probe"); ++i) {
      write("probe-" + principal + std::to_string(i), principal);
      stream->awaited = "\"probe";
      loop.after(std::chrono::milliseconds(20), [this] { loop.stop(); });
      loop.run();
    }
  }

  TestFolder folder;
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + (folder / "store.db")).value();
  PollLoop loop;
  Pool pool{2};
  LiveEvents live{*store, loop, pool};
};

TEST_F(LiveEventsTest, ALoginHearsOfItsOwnSessions) {
  auto ours = join("local"), theirs = join("ann");
  until(ours, "local");
  until(theirs, "ann");
  write("secret-of-local", "local");
  write("secret-of-ann", "ann");
  ours->awaited = "secret-of-local";
  while (!ours->text.contains(ours->awaited)) loop.run();
  theirs->awaited = "secret-of-ann";
  while (!theirs->text.contains(theirs->awaited)) loop.run();
  EXPECT_THAT(ours->text, testing::StartsWith("event: ready\n"));
  EXPECT_THAT(ours->text, HasSubstr(R"("session":"secret-of-local","kind":"thread")"));
  EXPECT_THAT(ours->text, Not(HasSubstr("secret-of-ann")));
  EXPECT_THAT(theirs->text, Not(HasSubstr("secret-of-local")));
}

TEST_F(LiveEventsTest, ALoginWithProjectsHearsOfThoseAlone) {
  Identity scoped = full_identity("local");
  scoped.projects = {"file:///a"};
  auto inside = join(scoped), all = join("local");
  until(all, "local");
  write("outside-1", "local", "file:///b");
  write("inside-1", "local", "file:///a");
  inside->awaited = "inside-1";
  while (!inside->text.contains(inside->awaited)) loop.run();
  EXPECT_THAT(inside->text, Not(HasSubstr("outside-1")));
  EXPECT_THAT(inside->text, Not(HasSubstr("probe"))) << "of no project";
}

TEST_F(LiveEventsTest, WhoLeavesIsForgottenAndTheEndEndsAll) {
  auto left = join("local"), stays = join("local");
  left->leave();
  until(stays, "local");
  EXPECT_THAT(left->text, Not(HasSubstr("probe")));
  live.close();
  EXPECT_TRUE(stays->ended);
  EXPECT_FALSE(left->ended);
}

TEST_F(LiveEventsTest, OneMoreThanTheMostEndsTheOldest) {
  auto first = join("local");
  for (std::size_t i = 1; i < LiveEvents::kMaxStreams; ++i) join("local");
  EXPECT_FALSE(first->ended);
  join("local");
  EXPECT_TRUE(first->ended);
}

TEST_F(LiveEventsTest, TranscriptsAreAnnouncedToTheirOwnerAlone) {
  std::atomic<int> listeners = 0;
  live.on_first_listener([&] { ++listeners; });
  auto ours = join("local"), theirs = join("ann");
  until(ours, "local");
  EXPECT_EQ(listeners, 1);
  ours->awaited = "4f2a61c0";
  std::jthread watching([this] { live.announce_transcript("4f2a61c0"); });
  while (!ours->text.contains(ours->awaited)) loop.run();  // a stop of until() may still be to come
  EXPECT_THAT(ours->text, HasSubstr(R"("kind":"transcript")"));
  EXPECT_THAT(theirs->text, Not(HasSubstr("4f2a61c0")));
}

}  // namespace
}  // namespace holdfast::web
