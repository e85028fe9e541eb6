#include "base/files/test_folder.h"
#include "store/contract/fixture.h"

namespace holdfast::store {
namespace {

class SqliteBackend final : public Backend {
 public:
  Result<std::unique_ptr<session::Store>> open(const OpenOptions& options) override {
    return open_store("sqlite:" + (folder_ / "store.db"), options);
  }
  std::string folder() const override { return folder_.path(); }

 private:
  TestFolder folder_;
};

std::unique_ptr<Backend> make_sqlite() {
  return std::make_unique<SqliteBackend>();
}

HF_INSTANTIATE_STORE_CONTRACT(Sqlite, (BackendChoice{"sqlite", make_sqlite}));
HF_INSTANTIATE_ERASURE_CONTRACT(Sqlite, (BackendChoice{"sqlite", make_sqlite}));

}  // namespace
}  // namespace holdfast::store
