// Somebody changes one column of one entry behind the program's back (design 8.19): what is read of that store is what was
// written, or it is marked.

#include "base/files/test_folder.h"
#include "store/contract/fixture.h"
#include "store/open.h"
#include "store/sqlite/db.h"

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>

namespace holdfast::store {
namespace {

using namespace session;

constexpr int kChangedSessions = 3;
constexpr int kEntriesEach = 4;

std::string changed_session(int number) {
  return fmt::format("session-{}", number);
}

auto served(const Entry& entry) {
  return std::tie(entry.session, entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run,
                  entry.idempotency_key, entry.text, entry.data, entry.redacted, entry.hash);
}

// A store that every case copies, and what is in it.
struct UnchangedStore {
  TestFolder folder;
  std::map<std::pair<std::string, std::int64_t>, Entry> entries;

  UnchangedStore() {
    const auto store = must(open_store("sqlite:" + (folder / "store.db")));
    must(store->write([](Transaction& t) -> Result<void> {
      for (int number = 1; number <= kChangedSessions; ++number) {
        SessionRecord record;
        record.id = changed_session(number);
        record.kind = "thread";
        HF_CHECK(t.create(record));
        for (int i = 1; i <= kEntriesEach; ++i) {
          NewEntry entry;
          entry.type = i % 2 == 0 ? "message" : "note";
          entry.lane = i == 3 ? "side" : "";
          entry.number = i;
          entry.author = "ann";
          entry.run = fmt::format("run-{}", number);
          entry.idempotency_key = fmt::format("key-{}", i);
          entry.text = fmt::format("text {} of {}", i, number);
          entry.data = fmt::format(R"({{"n":{}}})", i);
          HF_CHECK(t.append(record.id, entry));
        }
      }
      return {};
    }));
    for (int number = 1; number <= kChangedSessions; ++number)
      for (Entry& entry : all_of(*store, changed_session(number))) entries[{entry.session, entry.seq}] = std::move(entry);
  }

  static std::vector<Entry> all_of(Store& store, const std::string& id) {
    EntryQuery query;
    query.session = id;
    return must(store.entries(query)).entries;
  }
};

// As SQL, of the column's type.
std::string some_value(std::string_view column) {
  if (column == "session" || column == "seq" || column == "number") return std::to_string(*rc::gen::inRange(0, 7));
  if (column == "time") return std::to_string(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000));
  const std::string hex = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789ABCDEF")));
  const std::string even = hex.substr(0, hex.size() / 2 * 2);
  const bool may_be_missing = column == "key" || column == "salt" || column == "mac";
  if (may_be_missing && *rc::gen::arbitrary<bool>()) return "NULL";
  if (column == "data" && *rc::gen::arbitrary<bool>()) return "CAST('{\"n\":9}' AS BLOB)";
  if (column == "text" || column == "data" || column == "previous" || column == "hash" || column == "salt" || column == "mac")
    return "X'" + even + "'";
  return "'" + even + "'";
}

RC_GTEST_PROP(ChangedEntries, P8WhateverColumnIsChangedTheEntryIsMarked, ()) {
  static const UnchangedStore unchanged;
  const TestFolder folder;
  for (const auto& file : std::filesystem::directory_iterator(unchanged.folder.path()))
    std::filesystem::copy(file.path(), folder / file.path().filename().string());
  const std::string path = folder / "store.db";

  const std::string column =
      *rc::gen::elementOf(std::vector<std::string>{"session", "seq", "type", "lane", "number", "time", "author", "run", "key",
                                                   "previous", "hash", "salt", "mac", "data", "text"});
  const int session = *rc::gen::inRange(1, kChangedSessions + 1), seq = *rc::gen::inRange(1, kEntriesEach + 1);
  const std::string sql =
      fmt::format("UPDATE entries SET {} = {} WHERE session = {} AND seq = {}", column, some_value(column), session, seq);
  RC_LOG() << sql << "\n";
  {
    const auto db = must(Db::open(path, Db::Mode::read_write));
    RC_PRE(db->script(sql).has_value());  // two entries of one number are refused by the table itself
  }

  const auto store = must(open_store("sqlite:" + path));
  for (int number = 1; number <= kChangedSessions; ++number) {
    const std::string id = changed_session(number);
    std::size_t genuine = 0;
    for (const Entry& entry : UnchangedStore::all_of(*store, id)) {
      const auto written = unchanged.entries.find({entry.session, entry.seq});
      const bool same = written != unchanged.entries.end() && served(entry) == served(written->second);
      RC_ASSERT(same || entry.damage.has_value());
      if (same && !entry.damage) ++genuine;
    }
    // Entries of others are as good as before, and verify sees whether one is missing.
    RC_ASSERT(genuine + 1 >= std::size_t{kEntriesEach});
    if (genuine < std::size_t{kEntriesEach}) RC_ASSERT(!must(store->verify(id)).ok);
  }
}

}  // namespace
}  // namespace holdfast::store
