#pragma once

// For tests of this room: a real store in a folder of its own, and callers.

#include "base/files/test_folder.h"
#include "kinds/reasoning/append.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace holdfast::reasoning {

inline constexpr Millis kStart = 1'800'000'000'000;
inline const std::string kRoot = "file:///home/me/app";

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message + " / " + result.error().hint);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct LedgerTest : testing::Test {
  LedgerTest() { open(); }

  void open() {
    store.reset();
    store::OpenOptions options;
    options.clock = clock;
    store = must(store::open_store("sqlite:" + (folder / "store.db"), options));
  }

  // A legacy connection of its own, that works in kRoot.
  Situation connect(const std::string& id, std::vector<std::string> roots = {kRoot}) {
    Situation situation;
    situation.principal = "local";
    situation.connection.id = id;
    situation.connection.principal = "local";
    situation.connection.transport = "http";
    situation.connection.opened_at = clock->now();
    situation.run = id;
    situation.client = "test/1";
    situation.roots = std::move(roots);
    situation.is_attached = [this](const Holder& holder) { return attached.contains(holder.connection); };
    return situation;
  }
  // A request of the era without connections.
  Situation modern(std::vector<std::string> roots = {kRoot}) {
    Situation situation = connect("", std::move(roots));
    situation.run = "request";
    return situation;
  }

  static ThoughtRequest thought(std::string text) {
    ThoughtRequest request;
    request.text = std::move(text);
    return request;
  }

  // What the tool does before every call: reads what the connection remembers.
  Situation now(Situation situation) {
    if (auto stored = must(load_connection(*store, situation.connection.id))) {
      stored->opened_at = situation.connection.opened_at;
      situation.connection = *stored;
    }
    return situation;
  }
  Result<AppendOutcome> try_append(const Situation& situation, const ThoughtRequest& request) {
    return append_thought(*store, request, situation.has_connection() ? now(situation) : situation);
  }
  AppendOutcome append(const Situation& situation, const ThoughtRequest& request) { return must(try_append(situation, request)); }
  AppendOutcome append(const Situation& situation, std::string text) { return append(situation, thought(std::move(text))); }
  std::string refusal(const Situation& situation, const ThoughtRequest& request) {
    const std::int64_t before = must(store->last_sequence());
    auto refused = try_append(situation, request);
    EXPECT_EQ(must(store->last_sequence()), before) << "a refused call changed something (U2)";
    return refused ? "accepted" : std::string(refused.error().word());
  }
  std::vector<Thought> all(const std::string& session) {
    session::EntryQuery query;
    query.session = session;
    query.limit = 5000;
    std::vector<Thought> thoughts;
    for (const session::Entry& entry : must(store->entries(query)).entries)
      if (entry.type != kManifestEntry) thoughts.push_back(to_thought(entry));
    return thoughts;
  }
  std::vector<session::SessionRecord> sessions() {
    session::Query query;
    query.limit = 1000;
    return must(store->list(query)).items;
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<session::Store> store;
  std::set<std::string> attached;  // connections with an open stream
};

}  // namespace holdfast::reasoning
