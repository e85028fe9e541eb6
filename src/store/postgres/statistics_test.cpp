#include "store/contract/fixture.h"
#include "store/postgres/test_server.h"
#include "store/postgres/writer.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {
namespace {

using namespace session;

class StatisticsTest : public testing::Test {
 protected:
  ~StatisticsTest() override {
    store_.reset();
    TestServer::instance().drop(url_);
  }

  // In one commit, so that the store itself has no reason to look.
  void add(int sessions) {
    must(store_->write([&](Transaction& t) -> Result<void> {
      for (int i = made_; i < made_ + sessions; ++i) {
        SessionRecord record;
        record.id = fmt::format("s{}", i);
        record.kind = "thread";
        record.title = std::string(200, 'x');
        HF_CHECK(t.create(record));
      }
      return {};
    }));
    made_ += sessions;
  }
  // Until what it has begun is done.
  void check() {
    Pool pool({url_, {}, std::chrono::seconds(20)});
    Statistics statistics(pool);
    statistics.check(*connection_);
  }
  std::int64_t counted() const {
    return must(connection_->ask("SELECT reltuples::int8 FROM pg_class WHERE oid = 'session_texts'::regclass"))[0].integer(0);
  }

  const std::string url_ = TestServer::instance().fresh_url();
  std::unique_ptr<Store> store_ = must(open_store(url_));
  std::unique_ptr<Connection> connection_ = must(Connection::open({url_, {}, std::chrono::seconds(20)}));
  int made_ = 0;
};

TEST_F(StatisticsTest, AreMadeAnewWhenATableHasDoubled) {
  add(1);
  check();
  EXPECT_EQ(counted(), -1) << "a page is not worth it";
  add(299);
  check();
  EXPECT_EQ(counted(), 300);
  add(100);
  check();
  EXPECT_EQ(counted(), 300) << "it has not doubled";
  add(500);
  check();
  EXPECT_EQ(counted(), 900);
}

TEST_F(StatisticsTest, AreTheStoresOwnBusiness) {
  add(300);
  for (int i = 0; i < 200; ++i) {
    must(store_->write([&](Transaction& t) {
      NewEntry entry;
      entry.type = "message";
      entry.text = std::to_string(i);
      return t.append("s0", entry);
    }));
  }
  store_.reset();  // which waits
  EXPECT_EQ(counted(), 300);
}

}  // namespace
}  // namespace holdfast::store::postgres
