#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

using namespace session;
using testing::ElementsAre;

TEST_P(ValueContract, KeepsAValueAndItsRevision) {
  EXPECT_FALSE(must(store_->value("session", "k")));
  EXPECT_EQ(must(put("k", {{"a", 1}})).rev, 1);
  clock_->advance(5);
  EXPECT_EQ(must(put("k", "text")).rev, 2);
  reopen();
  const KeyedValue got = must(store_->value("session", "k")).value();
  EXPECT_EQ(to_json(got.value), "\"text\"");
  EXPECT_EQ(got.rev, 2);
  EXPECT_EQ(got.updated_at, kStart + 5);
  EXPECT_FALSE(must(store_->value("other", "k")));
}

TEST_P(ValueContract, HoldsToTheExpectation) {
  EXPECT_EQ(kind_of_failure(put("k", 1, Expect::at(1))), ErrorKind::conflict);
  must(put("k", 1, Expect::absent()));
  EXPECT_EQ(kind_of_failure(put("k", 2, Expect::absent())), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(put("k", 2, Expect::at(2))), ErrorKind::conflict);
  must(put("k", 2, Expect::at(1)));
  EXPECT_EQ(to_json(must(store_->value("session", "k"))->value), "2");
  const auto erase = [&](Expect expect) {
    return store_->write([&](Transaction& t) { return t.erase("session", "k", expect); });
  };
  EXPECT_EQ(kind_of_failure(erase(Expect::at(1))), ErrorKind::conflict);
  EXPECT_TRUE(must(erase(Expect::at(2))));
  EXPECT_FALSE(must(erase({})));
}

TEST_P(ValueContract, AnExpiredValueIsNotThere) {
  must(put("k", 1, {}, kStart + 10));
  must(put("keep", 1));
  clock_->advance(9);
  EXPECT_TRUE(must(store_->value("session", "k")));
  clock_->advance(1);
  EXPECT_FALSE(must(store_->value("session", "k")));
  EXPECT_THAT(keys({}), ElementsAre("keep"));
  EXPECT_EQ(must(put("k", 2, Expect::absent(), kStart + 20)).rev, 1);
  clock_->advance(10);
  EXPECT_EQ(must(store_->write([](Transaction& t) { return t.purge_expired(100); })), 1);
  EXPECT_EQ(must(store_->write([](Transaction& t) { return t.purge_expired(100); })), 0);
}

TEST_P(ValueContract, ListsByPrefixAfterAKey) {
  for (const char* key : {"a", "b/1", "b/2", "b/3", "b0", "c"}) must(put(key, 1));
  ValueQuery query;
  query.prefix = "b/";
  EXPECT_THAT(keys(query), ElementsAre("b/1", "b/2", "b/3"));
  query.limit = 2;
  EXPECT_THAT(keys(query), ElementsAre("b/1", "b/2"));
  query.after = "b/2";
  EXPECT_THAT(keys(query), ElementsAre("b/3"));
  query.after = "b/3";
  EXPECT_THAT(keys(query), ElementsAre());
  query = {};
  query.after = "b0";
  EXPECT_THAT(keys(query), ElementsAre("c"));
}

TEST_P(ValueContract, RefusesEmptyNames) {
  EXPECT_EQ(kind_of_failure(put("", 1)), ErrorKind::invalid);
  EXPECT_EQ(kind_of_failure(put(std::string(5000, 'k'), 1)), ErrorKind::too_large);
}

TEST_P(LeaseContract, OneOwnerAtATime) {
  EXPECT_EQ(must(acquire(mine_)).epoch, 1);
  EXPECT_EQ(kind_of_failure(acquire(theirs_)), ErrorKind::conflict);
  EXPECT_EQ(must(acquire(mine_)).epoch, 1);
  EXPECT_TRUE(require(mine_, 1));
  EXPECT_EQ(kind_of_failure(require(theirs_, 1)), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(require(mine_, 2)), ErrorKind::conflict);
}

TEST_P(LeaseContract, ATakenOverOwnerCanWriteNoMore) {
  must(acquire(mine_));
  lease_now_.boot += kLeaseTtl - 1;
  EXPECT_EQ(kind_of_failure(acquire(theirs_)), ErrorKind::conflict);
  lease_now_.boot += 1;
  EXPECT_TRUE(require(mine_, 1));  // late, but nobody else has it
  EXPECT_EQ(must(acquire(theirs_)).epoch, 2);
  EXPECT_EQ(kind_of_failure(require(mine_, 1)), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.renew_lease("job", mine_, 1); })), ErrorKind::conflict);
  EXPECT_EQ(kind_of_failure(store_->write([&](Transaction& t) { return t.release_lease("job", mine_, 1); })),
            ErrorKind::conflict);
}

TEST_P(LeaseContract, RenewingKeepsIt) {
  must(acquire(mine_));
  for (int i = 0; i < 10; ++i) {
    lease_now_.boot += kLeaseRenewEvery;
    must(store_->write([&](Transaction& t) { return t.renew_lease("job", mine_, 1); }));
  }
  EXPECT_EQ(kind_of_failure(acquire(theirs_)), ErrorKind::conflict);
}

TEST_P(LeaseContract, ReleasingFreesItAndTheEpochGrows) {
  must(acquire(mine_));
  must(store_->write([&](Transaction& t) { return t.release_lease("job", mine_, 1); }));
  EXPECT_EQ(kind_of_failure(require(mine_, 1)), ErrorKind::conflict);
  EXPECT_EQ(must(acquire(theirs_)).epoch, 2);
}

TEST_P(LeaseContract, ADeadProcessOfThisHostHoldsNothing) {
  LeaseOwner dead = mine_;
  dead.started += 1;  // the pid was reused
  must(acquire(dead));
  EXPECT_EQ(must(acquire(theirs_)).epoch, 2);
}

TEST_P(LeaseContract, OfAnotherHostOnlyTheClockIsKnown) {
  LeaseOwner far = mine_;
  far.host = "elsewhere";
  must(acquire(far));
  lease_now_.boot += 10 * kLeaseTtl;
  EXPECT_EQ(kind_of_failure(acquire(theirs_)), ErrorKind::conflict);
  lease_now_.wall += kLeaseTtl;
  EXPECT_EQ(must(acquire(theirs_)).epoch, 2);
}

TEST_P(StoreContract, LineageIsKeptForBothSides) {
  const auto add = [&](std::string child, std::string parent, std::string how) {
    return must(store_->write([&](Transaction& t) { return t.add_lineage({0, child, parent, how, 0, {{"n", 1}}}); }));
  };
  EXPECT_EQ(add("b", "a", "clone").when, kStart);
  add("c", "b", "fork");
  add("d", "a", "restore");
  add("x", "y", "clone");
  add("a", "c", "stitch");  // a circle
  reopen();
  const auto of_b = must(store_->lineage_of("b"));
  ASSERT_EQ(of_b.size(), 2u);
  EXPECT_EQ(of_b[0].parent, "a");
  EXPECT_EQ(of_b[0].how, "clone");
  EXPECT_EQ(to_json(of_b[0].details), R"({"n":1})");
  EXPECT_EQ(of_b[1].child, "c");
  EXPECT_EQ(must(store_->lineage_tree("d")).size(), 4u);
  EXPECT_TRUE(must(store_->lineage_tree("unknown")).empty());
}

}  // namespace
}  // namespace holdfast::store
