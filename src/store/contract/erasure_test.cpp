// What is purged or redacted is gone from the files, byte for byte (threads-and-research §13, design 8.9).

#include "base/files/file.h"
#include "store/contract/fixture.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace holdfast::store {

std::string ErasureContract::token() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr std::size_t kLength = 24;
  std::string word;
  for (std::size_t i = 0; i < kLength; ++i) word += kLetters[random_() % kLetters.size()];
  for (std::size_t i = 0; i + kPiece <= word.size(); ++i) {
    std::uint64_t piece = 0;
    std::memcpy(&piece, word.data() + i, kPiece);
    pieces_[piece] = word;
  }
  return word;
}

std::vector<std::string> ErasureContract::remains() {
  std::vector<std::string> found;
  constexpr std::size_t kEnough = 20;
  for (const auto& file : std::filesystem::recursive_directory_iterator(backend_->folder())) {
    if (!file.is_regular_file()) continue;
    const auto read = read_file(file.path().string());
    if (!read) continue;  // a segment of the index that was merged meanwhile
    const std::string& bytes = *read;
    for (std::size_t i = 0; i + kPiece <= bytes.size() && found.size() < kEnough; ++i) {
      std::uint64_t piece = 0;
      std::memcpy(&piece, bytes.data() + i, kPiece);
      if (const auto token = pieces_.find(piece); token != pieces_.end()) {
        found.push_back(file.path().filename().string() + " at " + std::to_string(i) + ": " + bytes.substr(i, kPiece) + " of " +
                        token->second);
      }
    }
  }
  return found;
}

namespace {

using namespace session;
using testing::IsEmpty;
using testing::Not;

class Texts {
 public:
  explicit Texts(std::function<std::string()> token) : token_(std::move(token)) {}

  SessionRecord record(std::string id) const {
    SessionRecord record;
    record.id = std::move(id);
    record.kind = "thread";
    record.title = "title " + token_();
    record.description = token_() + " described";
    record.opening = token_();
    record.tags = {"tag-" + token_(), token_()};
    record.root_uri = "file:///" + token_();
    record.linked_roots = {"file:///linked/" + token_()};
    record.project = token_();
    record.data = {{"member", token_()}, {token_(), {1, token_()}}};
    return record;
  }
  NewEntry entry(std::size_t filler) const {
    NewEntry entry;
    entry.type = "note";
    entry.text = token_() + std::string(filler, '.') + " " + token_();
    entry.data = to_json(Json{{"source", token_()}});
    return entry;
  }

 private:
  std::function<std::string()> token_;
};

// Sessions whose texts must go and such that stay, mixed so that they share pages, with values at random places of one tree.
constexpr int kErasedSessions = 120;
bool goes(int number) {
  return number % 3 != 0;
}
std::string id_of(int number) {
  return "session-" + std::to_string(number);
}

TEST_P(ErasureContract, NothingOfAPurgedSessionRemains) {
  const Texts texts([this] { return token(); });
  const Texts kept([n = 0]() mutable { return "KEPT " + std::to_string(++n); });
  std::vector<std::string> keys;
  for (int round = 0; round < 3; ++round) {
    must(store_->write([&](Transaction& t) -> Result<void> {
      for (int i = round; i < kErasedSessions; i += 3) {
        const Texts& mine = goes(i) ? texts : kept;
        HF_CHECK(t.create(mine.record(id_of(i))));
        for (std::size_t n = 0; n < 12; ++n) HF_CHECK(t.append(id_of(i), mine.entry(n * n * 60)));
      }
      return {};
    }));
  }
  must(store_->write([&](Transaction& t) -> Result<void> {
    for (int i = 0; i < 400; ++i) {
      const std::string key = std::to_string(random_());
      if (i % 2 == 0) keys.push_back(key);
      const Json value = i % 2 == 0 ? Json{{"answer", token()}, {"more", std::string(random_() % 900, 'v')}} : Json("KEPT");
      HF_CHECK(t.put("mcp.task", key, value));
    }
    return {};
  }));
  // Records that were changed have old texts, too.
  for (int i = 0; i < kErasedSessions; ++i) {
    if (!goes(i)) continue;
    SessionRecord changed = texts.record(id_of(i));
    changed.rev = must(store_->get(id_of(i))).rev;
    update(changed);
  }
  SearchQuery query;
  query.text = "nowhere";
  must(store_->search(query));
  reopen();  // whatever worked in the background has ended
  ASSERT_THAT(remains(), Not(IsEmpty()));

  const auto other = open();  // as another process, which has read before and will again
  must(other->search(query));
  const auto rename_kept = [&](const std::string& title) {
    must(other->write([&](Transaction& t) -> Result<void> {
      for (int i = 0; i < kErasedSessions; ++i) {
        if (goes(i)) continue;
        HF_TRY(auto record, t.get(id_of(i)));
        record.title = title;
        HF_CHECK(t.update(std::move(record)));
      }
      return {};
    }));
  };
  rename_kept("it knows the pages");
  std::shuffle(keys.begin(), keys.end(), random_);
  for (int step = 0; step < 4; ++step) {
    must(store_->write([&](Transaction& t) -> Result<void> {
      for (int i = step; i < kErasedSessions; i += 4) {
        if (goes(i)) HF_CHECK(t.purge(id_of(i), "test"));
      }
      for (std::size_t i = static_cast<std::size_t>(step); i < keys.size(); i += 4) HF_CHECK(t.erase("mcp.task", keys[i]));
      return {};
    }));
  }
  EXPECT_THAT(remains(), IsEmpty());
  rename_kept("and does not bring the old ones back");
  EXPECT_THAT(remains(), IsEmpty());
  EXPECT_EQ(must(other->list({})).total, kErasedSessions / 3);
  EXPECT_TRUE(must(other->integrity()).ok);
}

TEST_P(ErasureContract, NothingOfARedactedTextRemains) {
  const Texts texts([this] { return token(); });
  create("a");
  create("b");
  for (int round = 0; round < 10; ++round) {
    must(store_->write([&](Transaction& t) -> Result<void> {
      for (std::size_t n = 0; n < 30; ++n) {
        HF_CHECK(t.append("a", texts.entry(n * 100)));
        HF_CHECK(t.append("b", note("stays " + std::string(random_() % 2000, 's'))));
      }
      return {};
    }));
  }
  SessionRecord record = must(store_->get("a"));
  record.title = token();
  record.description = token();
  record.opening = token();
  record.tags = {token()};
  record.data = {{"query", token()}};
  update(record);
  SearchQuery query;
  query.text = "nowhere";
  must(store_->search(query));
  reopen();
  const auto other = open();
  must(other->search(query));
  must(store_->write([](Transaction& t) -> Result<void> {
    for (std::int64_t seq = 1; seq <= 300; ++seq) HF_CHECK(t.redact("a", seq));
    HF_TRY(auto blank, t.get("a"));
    blank.title = blank.description = blank.opening = kRedactedText;
    blank.tags.clear();
    blank.data.clear();
    t.scrub();
    HF_CHECK(t.update(std::move(blank)));
    return {};
  }));
  EXPECT_THAT(remains(), IsEmpty());
  EXPECT_EQ(must(other->verify("a")).redacted, 300);
  EXPECT_TRUE(must(other->integrity()).ok);
}

}  // namespace
}  // namespace holdfast::store
