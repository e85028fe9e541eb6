#include "store/contract/fixture.h"
#include "store/sqlite/test_folder.h"

namespace holdfast::store {
namespace {

class SqliteBackend final : public Backend {
 public:
  Result<std::unique_ptr<session::Store>> open(const OpenOptions& options) override {
    return open_store("sqlite:" + folder_.file("store.db"), options);
  }

 private:
  TestFolder folder_;
};

std::unique_ptr<Backend> make_sqlite() {
  return std::make_unique<SqliteBackend>();
}

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(BackendChoice{"sqlite", make_sqlite}),
                         [](const auto& choice) { return choice.param.name; });

}  // namespace
}  // namespace holdfast::store
