#pragma once

// A context for tests: a store in a folder, and nobody's transcripts.

#include "base/files/file.h"
#include "base/ids.h"
#include "operations/context.h"
#include "session/kinds.h"
#include "session/life/erase.h"
#include "session/query/store_view.h"
#include "store/open.h"

#include <filesystem>
#include <memory>

namespace holdfast::operations {

class TestContext : public Context {
 public:
  explicit TestContext(std::string folder) : folder_(std::move(folder)) {
    store::OpenOptions options;
    options.clock = clock_;
    whole_ = store::open_store("sqlite:" + folder_ + "/store.db", options).value();
    become("local");
  }

  void become(const std::string& principal) {
    identity_ = full_identity(principal);
    view_ = std::make_unique<session::StoreView>(session::SharedStore(*whole_), identity_);
  }
  std::string create(std::string_view kind, const std::string& id = make_uuid7()) {
    session::SessionRecord record;
    record.id = id;
    record.kind = kind;
    record.principal = identity_.principal;
    record.status = "active";
    return whole_->write([&](session::Transaction& transaction) { return transaction.create(record); }).value().id;
  }
  void purge(const std::string& id) {
    auto gone = whole_->write([&](session::Transaction& transaction) { return session::purge(transaction, id, "test"); });
    if (!gone) throw std::runtime_error(gone.error().message);
  }
  // Whether any file of the store has these bytes.
  bool store_holds(const std::string& text) {
    for (const auto& file : std::filesystem::directory_iterator(folder_))
      if (file.is_regular_file() && read_file(file.path().string()).value().find(text) != std::string::npos) return true;
    return false;
  }

  const Identity& identity() const override { return identity_; }
  Millis now() const override { return clock_->now(); }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return view_.get(); }
  Result<std::string> absolute(const std::string& path) override { return folder_ + "/" + path; }
  Result<std::string> archive_path(const std::string& id, std::string_view ending) override {
    return folder_ + "/" + id + std::string(ending);
  }
  Result<Administration> administration() override {
    return Administration{.store = [this](bool) -> Result<session::Store*> { return whole_.get(); },
                          .store_url = "sqlite:" + folder_ + "/store.db",
                          .token_file = folder_ + "/token",
                          .tell = {}};
  }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  std::string folder_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<session::Store> whole_;
  Identity identity_;
  std::unique_ptr<session::StoreView> view_;
  session::RetentionPolicy policy_;
};

}  // namespace holdfast::operations
