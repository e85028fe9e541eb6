#pragma once

// For tests of the lifecycle: a real store whose due times follow a policy, on a clock that the test sets.

#include "base/files/test_folder.h"
#include "session/kinds.h"
#include "session/life/lifecycle.h"
#include "session/life/notices.h"
#include "session/life/retention.h"
#include "session/life/sweep.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace holdfast::session {

inline constexpr Millis kStart = 1'800'000'000'000;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message + " / " + result.error().hint);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct LifeTest : testing::Test {
  LifeTest() { open(); }

  void open() {
    store.reset();
    store = another();
  }
  std::unique_ptr<Store> another() {
    store::OpenOptions options;
    options.clock = clock;
    options.due = due_rule(policy);
    return must(store::open_store("sqlite:" + (folder / "store.db"), options));
  }

  SessionRecord add(std::string_view kind, std::string_view id, std::string_view status = "active") {
    SessionRecord record;
    record.id = id;
    record.kind = kind;
    record.status = status;
    record.title = "title of " + record.id;
    if (status == "completed") record.completed_at = record.retention_anchor_at = clock->now();
    return must(store->write([&](Transaction& transaction) { return transaction.create(record); }));
  }

  Entry say(const std::string& id, const std::string& text) {
    return must(store->write([&](Transaction& transaction) -> Result<Appended> {
             HF_TRY(const SessionRecord record, transaction.get(id));
             NewEntry entry;
             entry.type = "message";
             entry.number = record.highest_number("") + 1;
             entry.text = text;
             return transaction.append(id, entry);
           }))
        .entry;
  }

  using Move = Result<Moved> (*)(Transaction&, const SessionRecord&);
  Result<Moved> move(const std::string& id, Move function) {
    return store->write([&](Transaction& transaction) -> Result<Moved> {
      HF_TRY(const SessionRecord record, transaction.get(id));
      return function(transaction, record);
    });
  }
  Result<Moved> pin(const std::string& id, bool pinned) {
    return store->write([&](Transaction& transaction) -> Result<Moved> {
      HF_TRY(const SessionRecord record, transaction.get(id));
      return set_pinned(transaction, record, pinned);
    });
  }

  SessionRecord get(const std::string& id) { return must(store->get(id)); }
  SweepReport swept() { return must(sweep(*store, policy)); }
  // Announces at `when`, so that nothing but the due time holds the step back.
  SweepReport sweep_at(Millis when) {
    clock->set(when);
    return swept();
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  RetentionPolicy policy;
  std::unique_ptr<Store> store;
};

}  // namespace holdfast::session
