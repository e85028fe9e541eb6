#include "store/contract/fixture.h"
#include "store/postgres/test_server.h"

namespace holdfast::store::postgres {
namespace {

class PostgresBackend final : public Backend {
 public:
  ~PostgresBackend() override { TestServer::instance().drop(url_); }
  Result<std::unique_ptr<session::Store>> open(const OpenOptions& options) override { return open_store(url_, options); }

 private:
  std::string url_ = TestServer::instance().fresh_url();
};

std::unique_ptr<Backend> make_postgres() {
  return std::make_unique<PostgresBackend>();
}

}  // namespace
}  // namespace holdfast::store::postgres

namespace holdfast::store {
namespace {

HF_INSTANTIATE_STORE_CONTRACT(Postgres, (BackendChoice{"postgres", postgres::make_postgres}));

}  // namespace
}  // namespace holdfast::store
