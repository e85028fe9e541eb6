#include "session/session_archive.h"

#include "base/files/test_folder.h"
#include "session/kinds.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::session {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class SessionArchiveTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const std::string& name) { return store::open_store("sqlite:" + folder / name).value(); }

  SessionRecord make(Store& store, const std::string& id = "thread-AbCdEfGh1234", const std::string& status = "active") {
    return store
        .write([&](Transaction& transaction) -> Result<SessionRecord> {
          SessionRecord record;
          record.id = id;
          record.kind = kThread;
          record.title = "Retries \"and\" back-off";
          record.status = status;
          record.tags = {"b", "a"};
          record.root_uri = "file:///home/u/p";
          record.data = {{"system_prompt", "be brief"}};
          HF_CHECK(transaction.create(record));
          for (int i = 1; i <= 3; ++i) {
            NewEntry entry;
            entry.type = "message";
            entry.number = i;
            entry.author = i % 2 == 1 ? "user" : "assistant";
            entry.text = fmt::format("message {} ghp_0123456789abcdefghijABCDEFGHIJ012345", i);
            entry.data = R"({"role":"user"})";
            HF_CHECK(transaction.append(id, entry));
          }
          LineageEvent event;
          event.child = id;
          event.parent = "thread-parent000000";
          event.how = "fork";
          HF_CHECK(transaction.add_lineage(event));
          return transaction.get(id);
        })
        .value();
  }

  static std::string text_of(Store& store, const SessionRecord& record, const TextFilter& filter = {}) {
    std::string text;
    EXPECT_TRUE(write_session_archive(store, record, filter, [&](std::string_view bytes) -> Result<void> {
      text += bytes;
      return {};
    }));
    return text;
  }

  static std::vector<Entry> entries(Store& store, const std::string& id) {
    EntryQuery query;
    query.session = id;
    return store.entries(query).value().entries;
  }

  TestFolder folder;
};

TEST_F(SessionArchiveTest, ComesBackAsItWas) {
  auto here = open("here.db"), there = open("there.db");
  const SessionRecord record = make(*here);
  const std::string text = text_of(*here, record);
  EXPECT_TRUE(looks_like_session_archive(text));
  const auto restored =
      restore_session_archive(*there, read_session_archive(text).value(), {"local", "/tmp/x.json", false}).value();
  EXPECT_EQ(restored.record.id, record.id);
  EXPECT_FALSE(restored.unchanged);
  EXPECT_EQ(restored.record.title, record.title);
  EXPECT_EQ(restored.record.tags, record.tags);
  EXPECT_EQ(restored.record.data, record.data);
  EXPECT_EQ(restored.record.created_at, record.created_at);
  const auto before = entries(*here, record.id), after = entries(*there, record.id);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].text, after[i].text);
    EXPECT_EQ(before[i].time, after[i].time);
    EXPECT_EQ(before[i].number, after[i].number);
  }
  EXPECT_TRUE(there->verify(record.id).value().ok);
  EXPECT_THAT(there->lineage_of(record.id).value(), SizeIs(2));  // the fork, and that it was restored
}

TEST_F(SessionArchiveTest, TwiceIsOnce) {
  auto here = open("here.db"), there = open("there.db");
  const auto archive = read_session_archive(text_of(*here, make(*here))).value();
  ASSERT_TRUE(restore_session_archive(*there, archive, {}));
  const auto again = restore_session_archive(*there, archive, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->unchanged);
  EXPECT_THAT(entries(*there, archive.record.id), SizeIs(3));
}

TEST_F(SessionArchiveTest, AnotherSessionOfTheIdStays) {
  auto here = open("here.db"), there = open("there.db");
  auto archive = read_session_archive(text_of(*here, make(*here))).value();
  make(*there);
  archive.entries.pop_back();
  EXPECT_EQ(restore_session_archive(*there, archive, {}).error().kind, ErrorKind::conflict);
  RestoreSessionOptions options;
  options.new_id = true;
  const auto other = restore_session_archive(*there, archive, options).value();
  EXPECT_THAT(other.record.id, testing::StartsWith("thread-"));
  EXPECT_NE(other.record.id, archive.record.id);
  EXPECT_EQ(other.record.id.size(), archive.record.id.size());
  EXPECT_THAT(entries(*there, other.record.id), SizeIs(2));
  EXPECT_EQ(there->lineage_of(other.record.id).value().front().parent, archive.record.id);
}

TEST_F(SessionArchiveTest, WorkThatWasGoingOnHasEnded) {
  auto here = open("here.db"), there = open("there.db");
  SessionRecord record = make(*here, "research-AbCdEfGh1234", "in_progress");
  record.kind = kResearch;
  auto archive = read_session_archive(text_of(*here, record)).value();
  EXPECT_NE(restore_session_archive(*there, archive, {}).value().record.status, "in_progress");
}

TEST_F(SessionArchiveTest, TextsCanBeMasked) {
  auto here = open("here.db");
  const std::string text = text_of(*here, make(*here), [](std::string_view each) {
    return each.contains("ghp_") ? std::string("[masked]") : std::string(each);
  });
  EXPECT_THAT(text, Not(HasSubstr("ghp_")));
  EXPECT_THAT(read_session_archive(text).value().entries, SizeIs(3));
}

TEST_F(SessionArchiveTest, ADryRunTellsWhatWouldHappen) {
  auto here = open("here.db");
  auto archive = read_session_archive(text_of(*here, make(*here))).value();
  RestoreSessionOptions options;
  options.dry_run = true;
  EXPECT_TRUE(restore_session_archive(*here, archive, options)->unchanged);
  archive.entries[0].text += " and more";
  EXPECT_EQ(restore_session_archive(*here, archive, options).error().kind, ErrorKind::conflict);
  auto there = open("there.db");
  const Restored would = restore_session_archive(*there, archive, options).value();
  EXPECT_EQ(would.record.id, archive.record.id);
  EXPECT_FALSE(would.unchanged);
  EXPECT_EQ(there->get(archive.record.id).error().kind, ErrorKind::not_found) << "nothing was written";
}

TEST_F(SessionArchiveTest, HostileFilesAreRefusedAndNothingIsWritten) {
  auto here = open("here.db");
  const std::string good = text_of(*here, make(*here));
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_EQ(read_session_archive("").error().kind, ErrorKind::corrupt);
  EXPECT_EQ(read_session_archive("[]").error().kind, ErrorKind::corrupt);
  EXPECT_EQ(read_session_archive(good.substr(0, good.size() / 2)).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(read_session_archive(changed("\"holdfast_session\":1", "\"holdfast_session\":2")).error().kind, ErrorKind::refused);
  for (const std::string& text :
       {changed("\"kind\":\"thread\",", "\"kind\":\"run\","),
        changed("\"record\":{\"id\":\"thread-AbCdEfGh1234\"", "\"record\":{\"id\":7"),
        changed("\"visibility\":\"live\"", "\"visibility\":\"x\""), changed("\"time\":", "\"time\":-"),
        changed("\"number\":1", "\"number\":\"1\""), changed("\"child\":\"thread-AbCdEfGh1234\"", "\"child\":\"other\""),
        changed("\"updated_at\":", "\"updated_at\":-"), changed("\"number\":2", "\"number\":1"),
        changed("\"entries\":[", "\"entries\":[1,"), changed("\"data\":{", "\"data\":[],\"x\":{")})
    EXPECT_FALSE(read_session_archive(text)) << text.substr(0, 200);
  // What only the store can see: a number twice.
  auto there = open("there.db");
  auto archive = read_session_archive(good).value();
  archive.entries[1].number = 1;
  archive.entries[1].lane = archive.entries[0].lane;
  EXPECT_FALSE(restore_session_archive(*there, archive, {}));
  EXPECT_EQ(there->get(archive.record.id).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast::session
