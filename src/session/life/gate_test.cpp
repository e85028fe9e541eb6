// threads-and-research §7: authenticated, bound, expiring, single use.

#include "session/life/gate.h"

#include "session/life/test_life.h"

namespace holdfast::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct GateTest : LifeTest {
  GateTest() { add(kThread, "thread-1"); }

  GateToken token(Millis ttl = kGateTokenTtl) {
    return make_token(store->secret(), binding, {get("thread-1")}, clock->now(), ttl);
  }

  Result<void> use(const std::string& text, const GateBinding& by, const std::string& id = "thread-1") {
    return store->write([&](Transaction& transaction) -> Result<void> {
      HF_TRY(const SessionRecord record, transaction.get(id));
      return use_token(transaction, store->secret(), text, by, {record}, transaction.now());
    });
  }
  std::string word(const Result<void>& result) { return result ? "passed" : std::string(result.error().word()); }

  GateBinding binding{"research", GateAction::remove, "local", ""};
};

TEST_F(GateTest, PassesOnceAndSurvivesARestart) {
  const GateToken given = token();
  EXPECT_EQ(given.expires_at, kStart + 600'000);
  open();
  EXPECT_EQ(word(use(given.text, binding)), "passed");
  EXPECT_EQ(word(use(given.text, binding)), "CONFIRMATION_INVALID");
  open();
  EXPECT_EQ(word(use(given.text, binding)), "CONFIRMATION_INVALID") << "used stays used";
}

TEST_F(GateTest, IsBoundToWhatItWasGivenFor) {
  add(kThread, "thread-2");
  const std::string text = token().text;
  GateBinding other = binding;
  other.tool = "session";
  EXPECT_EQ(word(use(text, other)), "CONFIRMATION_INVALID");
  other = binding;
  other.action = GateAction::purge;
  EXPECT_EQ(word(use(text, other)), "CONFIRMATION_INVALID");
  other = binding;
  other.principal = "mallory";
  EXPECT_EQ(word(use(text, other)), "CONFIRMATION_INVALID");
  other = binding;
  other.what = "another pattern";
  EXPECT_EQ(word(use(text, other)), "CONFIRMATION_INVALID");
  EXPECT_EQ(word(use(text, binding, "thread-2")), "CONFIRMATION_INVALID");
  EXPECT_EQ(word(use("v1.e30.AAAA", binding)), "CONFIRMATION_INVALID");
  std::string changed = text;
  changed[10] = changed[10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(word(use(changed, binding)), "CONFIRMATION_INVALID");
  EXPECT_EQ(word(use(text, binding)), "passed") << "refusals do not use it up";
}

TEST_F(GateTest, ExpiresToTheMillisecond) {
  const std::string text = token().text;
  clock->advance(kGateTokenTtl);
  EXPECT_EQ(word(use(text, binding)), "CONFIRMATION_EXPIRED");
  clock->advance(-1);
  EXPECT_EQ(word(use(text, binding)), "passed");
}

TEST_F(GateTest, AChangeSinceTheQuestionAsksAgain) {
  const std::string text = token().text;
  say("thread-1", "a new message");
  EXPECT_EQ(word(use(text, binding)), "CONFIRMATION_CHANGED");
  EXPECT_EQ(word(use(token().text, binding)), "passed");
}

TEST_F(GateTest, ATransactionThatFailsAfterwardsDoesNotUseItUp) {
  const std::string text = token().text;
  EXPECT_FALSE(store->write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(const SessionRecord record, transaction.get("thread-1"));
    HF_CHECK(use_token(transaction, store->secret(), text, binding, {record}, transaction.now()));
    return fail(ErrorKind::io, "the disk is full");
  }));
  EXPECT_EQ(word(use(text, binding)), "passed");
}

TEST_F(GateTest, TheQuestionTellsTheTruth) {
  say("thread-1", "one");
  const GateQuestion thread = make_question(GateAction::remove, {get("thread-1")}, policy, clock->now());
  EXPECT_THAT(thread.prompt, HasSubstr("thread-1 'title of thread-1' (1 message)"));
  EXPECT_THAT(thread.prompt, HasSubstr("can be restored until " + iso8601(kStart + 30 * kDay)));
  EXPECT_THAT(thread.choices, ElementsAre("delete", "keep", "archive"));

  const GateQuestion research =
      make_question(GateAction::remove, {add(kResearch, "research-1", "completed")}, policy, clock->now());
  EXPECT_THAT(research.prompt, HasSubstr("(report and 0 sources)"));
  EXPECT_THAT(research.choices, ElementsAre("delete", "keep"));

  const GateQuestion purged = make_question(GateAction::purge, {get("thread-1")}, policy, clock->now());
  EXPECT_TRUE(purged.confirm_id);
  EXPECT_THAT(purged.prompt, HasSubstr("cannot be brought back"));
  EXPECT_THAT(purged.choices, ElementsAre("purge", "keep"));

  const GateQuestion redacted = make_question(GateAction::redact, {get("thread-1")}, policy, clock->now(), "2 messages");
  EXPECT_THAT(redacted.prompt, HasSubstr("Redact 2 messages in thread thread-1"));
  EXPECT_THAT(redacted.choices, ElementsAre("redact", "keep"));

  const GateQuestion both = make_question(GateAction::remove, {get("thread-1"), get("research-1")}, policy, clock->now());
  EXPECT_EQ(both.prompt,
            "Delete these 2 sessions?\n- thread-1 'title of thread-1' (1 message)\n- research-1 'title of "
            "research-1' (report and 0 sources)\nThey can be restored until " +
                iso8601(kStart + 30 * kDay) + ".");
  EXPECT_THAT(both.choices, ElementsAre("delete", "keep"));
}

TEST_F(GateTest, TheQuestionCountsThoughtsOfEveryType) {
  add(kReasoning, "reasoning-1");
  const auto append = [&](const char* type, std::int64_t number) {
    NewEntry entry;
    entry.type = type;
    entry.number = number;
    entry.text = "text";
    must(store->write([&](Transaction& transaction) { return transaction.append("reasoning-1", entry); }));
  };
  append("reasoning", 1);
  append("decision_frame", 2);
  append("audit_manifest", 0);
  EXPECT_EQ(contents_of(get("reasoning-1")), "2 thoughts");
}

}  // namespace
}  // namespace holdfast::session
