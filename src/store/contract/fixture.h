#pragma once

// The contract every store fulfils: one suite, run against each backend.
//
// A backend's test file instantiates StoreContract with a factory (see sqlite/contract_test.cpp). The
// tests use session::Store alone; what only one backend has (files, pages) is tested beside it.

#include "session/store.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace holdfast::store {

// One place where a store is kept, empty at first, gone when destroyed.
class Backend {
 public:
  virtual ~Backend() = default;
  // A handle as another process would have it; several may be open at once.
  virtual Result<std::unique_ptr<session::Store>> open(const OpenOptions& options) = 0;
  // The folder that holds all its files and nothing else, for those that are asked what remains in them (ErasureContract).
  virtual std::string folder() const { return {}; }
};

struct BackendChoice {
  std::string name;
  std::unique_ptr<Backend> (*make)();

  friend std::ostream& operator<<(std::ostream& out, const BackendChoice& choice) { return out << choice.name; }
};

// The value of a result that must be one. Throws, which GoogleTest reports as the failure of the test.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
template <class T>
ErrorKind kind_of_failure(const Result<T>& result) {
  if (result) throw std::runtime_error("an error was expected");
  return result.error().kind;
}

inline constexpr Millis kStart = 1'790'000'000'000;

class StoreContract : public testing::TestWithParam<BackendChoice> {
 protected:
  void SetUp() override {
    backend_ = GetParam().make();
    store_ = open();
  }

  std::unique_ptr<session::Store> open() {
    OpenOptions options;
    options.clock = clock_;
    options.lease_now = [this] { return lease_now_; };
    options.due = due_;
    return must(backend_->open(options));
  }
  void reopen() {
    store_.reset();
    store_ = open();
  }

  static session::SessionRecord record(std::string id, std::string_view kind = "reasoning") {
    session::SessionRecord record;
    record.id = std::move(id);
    record.kind = kind;
    record.title = "Title of " + record.id;
    record.status = "active";
    return record;
  }
  static session::NewEntry note(std::string text) {
    session::NewEntry entry;
    entry.type = "note";
    entry.text = std::move(text);
    return entry;
  }

  session::SessionRecord create(session::SessionRecord record) {
    return must(store_->write([&](session::Transaction& t) { return t.create(record); }));
  }
  session::SessionRecord create(std::string id) { return create(record(std::move(id))); }
  session::SessionRecord update(const session::SessionRecord& record, session::Touch touch = session::Touch::change) {
    return must(store_->write([&](session::Transaction& t) { return t.update(record, touch); }));
  }
  Result<session::Appended> try_append(std::string_view id, const session::NewEntry& entry) {
    return store_->write([&](session::Transaction& t) { return t.append(id, entry); });
  }
  session::Appended append(std::string_view id, const session::NewEntry& entry) { return must(try_append(id, entry)); }
  session::Appended append(std::string_view id, std::string text) { return append(id, note(std::move(text))); }

  std::vector<session::Entry> entries(std::string_view id) {
    session::EntryQuery query;
    query.session = id;
    query.limit = 5000;
    return must(store_->entries(query)).entries;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(kStart);
  std::function<std::optional<Millis>(const session::SessionRecord&)> due_;  // of the next open()
  session::LeaseTime lease_now_{1'000'000, kStart};
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<session::Store> store_;
};

inline std::vector<std::string> ids_of(const session::Page& page) {
  std::vector<std::string> out;
  for (const session::SessionRecord& record : page.items) out.push_back(record.id);
  return out;
}

class ListContract : public StoreContract {
 protected:
  std::vector<std::string> list(const session::Query& query) { return ids_of(must(store_->list(query))); }

  // Follows the cursors to the end, with pages of `limit`.
  std::vector<std::string> all_pages(session::Query query, std::size_t limit) {
    std::vector<std::string> all;
    query.limit = limit;
    while (true) {
      const session::Page page = must(store_->list(query));
      for (const std::string& id : ids_of(page)) all.push_back(id);
      if (page.next_cursor.empty()) return all;
      EXPECT_EQ(page.items.size(), limit);
      query.cursor = page.next_cursor;
    }
  }
};

class DueContract : public ListContract {
 public:
  static constexpr Millis kPeriod = 1000;

 protected:
  void SetUp() override {
    due_ = by_clocks;
    ListContract::SetUp();
  }
  // As retention does it: a pinned record is never due, an archived one by its own clock.
  static std::optional<Millis> by_clocks(const session::SessionRecord& record) {
    if (record.pinned) return std::nullopt;
    if (record.visibility == session::Visibility::archived) return record.archived_at.value_or(0) + 2 * kPeriod;
    return record.last_activity_at + kPeriod;
  }
  std::optional<Millis> due(std::string_view id) { return must(store_->get(id)).due_at; }
  std::vector<std::string> due_until(Millis instant) {
    session::Query query;
    query.visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
    query.sort = session::Sort::due;
    query.due_before = instant;
    query.count = false;
    return list(query);
  }
};

// Texts that are like nothing else in the files, and whether a piece of one is found there.
class ErasureContract : public StoreContract {
 protected:
  static constexpr std::size_t kPiece = 8;

  void SetUp() override {
    StoreContract::SetUp();
    ASSERT_FALSE(backend_->folder().empty());
  }
  // A word no other text has a piece of. Those made before forget_tokens() may remain.
  std::string token();
  void forget_tokens() { pieces_.clear(); }
  // "file: piece" for the first pieces of tokens found in the files.
  std::vector<std::string> remains();

  std::mt19937_64 random_{20'261'115};
  std::unordered_map<std::uint64_t, std::string> pieces_;
};

class ValueContract : public StoreContract {
 protected:
  Result<session::KeyedValue> put(std::string_view key, const Json& value, session::Expect expect = {},
                                  std::optional<Millis> expires = {}) {
    return store_->write([&](session::Transaction& t) { return t.put("session", key, value, expect, expires); });
  }
  std::vector<std::string> keys(session::ValueQuery query) {
    query.space = "session";
    std::vector<std::string> out;
    for (const session::KeyedValue& value : must(store_->values(query))) out.push_back(value.key);
    return out;
  }
};

class LeaseContract : public StoreContract {
 protected:
  Result<session::Lease> acquire(const session::LeaseOwner& owner) {
    return store_->write([&](session::Transaction& t) { return t.acquire_lease("job", owner); });
  }
  Result<void> require(const session::LeaseOwner& owner, std::int64_t epoch) {
    return store_->write([&](session::Transaction& t) { return t.require_lease("job", owner, epoch); });
  }
  session::LeaseOwner mine_ = session::make_lease_owner();
  session::LeaseOwner theirs_ = session::make_lease_owner();
};

class SearchContract : public StoreContract {
 protected:
  std::vector<std::string> search(session::SearchQuery query) {
    std::vector<std::string> out;
    for (const session::SearchHit& hit : must(store_->search(query)).hits)
      out.push_back(hit.session + ":" + std::to_string(hit.seq));
    return out;
  }
  std::vector<std::string> search(std::string text) {
    session::SearchQuery query;
    query.text = std::move(text);
    return search(query);
  }
};

// In the backend's test file, inside its namespace.
#define HF_INSTANTIATE_STORE_CONTRACT(Name, choice)                       \
  INSTANTIATE_TEST_SUITE_P(Name, StoreContract, testing::Values(choice)); \
  INSTANTIATE_TEST_SUITE_P(Name, ListContract, testing::Values(choice));  \
  INSTANTIATE_TEST_SUITE_P(Name, DueContract, testing::Values(choice));   \
  INSTANTIATE_TEST_SUITE_P(Name, ValueContract, testing::Values(choice)); \
  INSTANTIATE_TEST_SUITE_P(Name, LeaseContract, testing::Values(choice)); \
  INSTANTIATE_TEST_SUITE_P(Name, SearchContract, testing::Values(choice))
// And for those that are kept in files of their own: what is erased is gone from them. (Of a database that others look after less
// is promised, design 8.9.)
#define HF_INSTANTIATE_ERASURE_CONTRACT(Name, choice) INSTANTIATE_TEST_SUITE_P(Name, ErasureContract, testing::Values(choice))

}  // namespace holdfast::store
