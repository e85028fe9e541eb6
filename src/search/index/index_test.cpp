// What search/index/text_index.h promises, beyond finding exactly what is there (index_property_test.cpp).

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "search/index/limits.h"
#include "search/index/open.h"
#include "search/index/test_sources.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct IndexTest : testing::Test {
  TextQuery asking(std::string_view text) {
    TextQuery query;
    query.clauses = parse_text_query(text).value();
    return query;
  }
  TextResult search(const TextQuery& query) { return index->search(sources, query).value(); }
  TextResult search(std::string_view text) { return search(asking(text)); }
  void update() {
    const auto updated = index->update(sources);
    ASSERT_TRUE(updated) << updated.error().message;
  }
  // Enough that it is not left to be scanned.
  void fill(const std::string& key, int lines) {
    for (int i = 0; i < lines; ++i)
      sources.add(key, fmt::format("filling text number{} of {} ", i, key) + std::string(kBlockTextBytes / 2, 'y'), 1000 + i);
  }
  std::string all_files() {
    std::string bytes;
    for (const auto& file : std::filesystem::directory_iterator(folder / "index"))
      bytes += read_file(file.path().string()).value();
    return bytes;
  }
  std::size_t files() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder / "index"), {}));
  }

  TestFolder folder;
  TestSources sources;
  std::unique_ptr<TextIndex> index = open_text_index(folder / "index").value();
};

TEST_F(IndexTest, WhatHasNotChangedIsComparedWithTheIndexOnce) {
  fill("s/main", 20);
  fill("t/main", 20);
  update();
  sources.add("s/main", "kelp", 9000);
  EXPECT_EQ(search("kelp").hits.size(), 1u);
  const int proofs = sources.proofs;
  EXPECT_GT(proofs, 0);
  TextQuery only_other = asking("number7");
  only_other.admits = [](const Source& source) { return source.key == "t/main"; };
  EXPECT_EQ(search(only_other).hits.size(), 1u);
  EXPECT_EQ(search("number7").hits.size(), 2u);
  EXPECT_EQ(search("wharf").hits.size(), 0u);
  EXPECT_EQ(sources.proofs, proofs);
  // Another source, and another index.
  sources.add("t/main", "wharf", 9000);
  EXPECT_EQ(search("wharf").hits.size(), 1u);
  EXPECT_GT(sources.proofs, proofs);
  ASSERT_TRUE(index->clear());
  EXPECT_EQ(search("kelp").index.indexed_bytes, 0u);
  EXPECT_EQ(search("number7").hits.size(), 2u);
}

TEST_F(IndexTest, ShowsTheBestPlaceOnOneLine) {
  sources.add("s/main", std::string(500, 'a') + " and then\n\nthe Retry\tpolicy\x1b[0m was changed " + std::string(900, 'b'), 77,
              PassageRole::assistant, {"model:m"});
  const auto result = search("retry policy");
  ASSERT_EQ(result.hits.size(), 1u);
  const TextHit& hit = result.hits[0];
  EXPECT_THAT(hit.snippet, HasSubstr("and then the Retry policy"));
  EXPECT_TRUE(hit.snippet.starts_with("…") && hit.snippet.ends_with("…")) << hit.snippet;
  EXPECT_LT(hit.snippet.size(), 300u);
  ASSERT_EQ(hit.highlights.size(), 2u);
  EXPECT_EQ(hit.snippet.substr(hit.highlights[0].first, hit.highlights[0].second - hit.highlights[0].first), "Retry");
  EXPECT_EQ(hit.snippet.substr(hit.highlights[1].first, hit.highlights[1].second - hit.highlights[1].first), "policy");
  EXPECT_EQ(hit.role, PassageRole::assistant);
  EXPECT_EQ(hit.time, 77);
  EXPECT_EQ(hit.line, 1u);
  EXPECT_THAT(hit.attributes, ElementsAre("model:m"));
  EXPECT_EQ(hit.source.session, "s");
}

TEST_F(IndexTest, PromptsStandAboveOutputAndCloseAboveFar) {
  sources.add("a/main", "retry " + std::string(400, 'x') + " policy", 1, PassageRole::user);
  sources.add("b/main", "the retry policy", 1, PassageRole::tool_result);
  sources.add("c/main", "the retry policy", 1, PassageRole::user);
  const auto result = search("retry policy");
  ASSERT_EQ(result.hits.size(), 3u);
  EXPECT_EQ(result.hits[0].source.session, "c");
}

TEST_F(IndexTest, NewestFirstIsExactAndLimitsSaySo) {
  for (int session = 0; session < 6; ++session) fill(fmt::format("s{}/main", session), 30);
  for (int i = 0; i < 40; ++i)
    sources.add(fmt::format("s{}/main", i % 6), fmt::format("needle {}", i), 10'000 - 100 * (i * 7 % 40));
  update();
  TextQuery query = asking("needle");
  query.order = TextQuery::Order::newest;
  query.limit = 10;
  query.per_session = 0;
  const auto newest = search(query);
  std::vector<Millis> times;
  for (const auto& hit : newest.hits) times.push_back(hit.time);
  EXPECT_THAT(times, ElementsAre(10'000, 9'900, 9'800, 9'700, 9'600, 9'500, 9'400, 9'300, 9'200, 9'100));
  EXPECT_TRUE(newest.more);
  query.per_session = 1;
  std::set<std::string> sessions;
  for (const auto& hit : search(query).hits) EXPECT_TRUE(sessions.insert(hit.source.session).second);
  EXPECT_EQ(sessions.size(), 6u);
  query.limit = 100;
  query.per_session = 0;
  const auto all = search(query);
  EXPECT_EQ(all.hits.size(), 40u);
  EXPECT_FALSE(all.more);
  EXPECT_EQ(all.sessions_with_hits, 6u);
}

TEST_F(IndexTest, MorePlacesOfASessionAreNotMoreSessions) {
  for (int i = 0; i < 5; ++i) sources.add("s/main", fmt::format("needle {}", i));
  TextQuery query = asking("needle");
  query.limit = 1000;
  for (int turn = 0; turn < 2; ++turn) {
    const auto found = search(query);
    EXPECT_EQ(found.hits.size(), 3u);
    EXPECT_FALSE(found.more);
    EXPECT_TRUE(found.more_in_sessions);
    update();
  }
  query.limit = 2;
  EXPECT_TRUE(search(query).more);
  query.limit = 1000;
  query.per_session = 5;
  EXPECT_FALSE(search(query).more_in_sessions);
}

TEST_F(IndexTest, WhatMayNotBeReadIsNamed) {
  sources.add("a/main", "needle");
  sources.add("b/main", "needle");
  sources.forbidden = "b/main";
  for (int turn = 0; turn < 2; ++turn) {
    const auto found = search("needle");
    EXPECT_EQ(found.hits.size(), 1u);
    ASSERT_EQ(found.unreadable.size(), 1u);
    EXPECT_EQ(found.unreadable[0].key, "b/main");
    EXPECT_THAT(found.unreadable[0].reason, HasSubstr("permission denied"));
    update();
  }
}

TEST_F(IndexTest, WhatWasWrittenOverIsReadAnew) {
  fill("s/main", 60);
  sources.add("s/main", "walrus here");
  fill("other/main", 3);
  update();
  sources.proofs = 0;
  EXPECT_EQ(search("walrus").hits.size(), 1u);
  EXPECT_EQ(sources.proofs, 0) << "nobody wrote to it";
  auto& content = sources.contents["s/main"];
  content.lines.back()[0].text = "pengui here";
  ++content.stamp;
  EXPECT_EQ(search("walrus").hits.size(), 0u) << "of the same size";
  EXPECT_EQ(search("pengui").hits.size(), 1u);
  update();
  EXPECT_EQ(search("pengui").hits.size(), 1u);
  EXPECT_EQ(index->state(sources)->source_bytes, index->state(sources)->indexed_bytes);
  content.lines.clear();
  fill("s/main", 100);
  sources.add("s/main", "seal here");
  EXPECT_EQ(search("pengui").hits.size(), 0u) << "longer than before";
  const auto seal = search("seal");
  ASSERT_EQ(seal.hits.size(), 1u);
  EXPECT_EQ(seal.hits[0].line, 101u);
  // One that only grew is read on.
  update();
  sources.bytes_read = 0;
  sources.add("s/main", "one more seal");
  EXPECT_EQ(search("seal").hits.size(), 2u);
  EXPECT_LT(sources.bytes_read, 200'000u);
}

TEST_F(IndexTest, AClearedIndexIsBuiltAnew) {
  fill("s/main", 60);
  update();
  ASSERT_TRUE(index->clear());
  EXPECT_EQ(index->state(sources)->indexed_bytes, 0u);
  EXPECT_EQ(index->state(sources)->segments, 0u);
  EXPECT_EQ(search("number7").hits.size(), 1u);
  update();
  EXPECT_EQ(index->state(sources)->indexed_bytes, index->state(sources)->source_bytes);
}

TEST_F(IndexTest, WordsFarApartInBlanksAreShownTogether) {
  sources.add("s/main", "alpha" + std::string(5000, ' ') + "omega");
  const auto found = search("\"alpha omega\"");
  ASSERT_EQ(found.hits.size(), 1u);
  EXPECT_EQ(found.hits[0].snippet, "alpha omega");
  ASSERT_EQ(found.hits[0].highlights.size(), 1u);
}

TEST_F(IndexTest, ReadsOnlyWhatIsNew) {
  fill("s/main", 200);
  update();
  sources.bytes_read = 0;
  update();
  EXPECT_EQ(sources.bytes_read, 0u);
  sources.add("s/main", "onlyhere", 1);
  const auto found = search("onlyhere");
  EXPECT_EQ(found.hits.size(), 1u);
  EXPECT_EQ(found.hits[0].line, 201u);
  EXPECT_LT(sources.bytes_read, 200u) << "a line, not the transcript";
  update();
  EXPECT_GT(index->state(sources)->source_bytes, index->state(sources)->indexed_bytes) << "a line is no segment";
  fill("s/main", 200);
  update();
  EXPECT_EQ(index->state(sources)->source_bytes, index->state(sources)->indexed_bytes);
  EXPECT_EQ(search("onlyhere").hits.size(), 1u);
}

TEST_F(IndexTest, ManySmallUpdatesLeaveFewSegments) {
  for (int i = 0; i < 60; ++i) {
    sources.add(fmt::format("s{}/main", i), fmt::format("session number{}", i), i);
    update();
  }
  EXPECT_LE(index->state(sources)->segments, 2 * kMergeFanIn);
  EXPECT_LE(files(), 2 * kMergeFanIn + 2) << "what was merged is gone";
  EXPECT_EQ(search("number17").hits.size(), 1u);
}

TEST_F(IndexTest, AttributesAreListed) {
  sources.add("s/a", "x", 1, PassageRole::tool_call, {"tool:Bash", "file:/a\nb"});
  sources.add("s/b", "x", 1, PassageRole::tool_call, {"tool:Read", "tool:Bash", "file:/a.cpp"});
  update();
  EXPECT_THAT(index->attributes("tool:", 10).value(), ElementsAre("tool:Bash", "tool:Read"));
  EXPECT_THAT(index->attributes("tool:", 1).value(), ElementsAre("tool:Bash"));
  EXPECT_THAT(index->attributes("file:", 10).value(), ElementsAre("file:/a\nb", "file:/a.cpp"));
  EXPECT_THAT(index->attributes("user", 10).value(), ElementsAre()) << "roles are none";
  TextQuery query;
  query.filters = {{"file:", [](std::string_view value) { return value == "/a.cpp"; }}};
  EXPECT_EQ(search(query).hits.size(), 1u);
}

TEST_F(IndexTest, ForgettingLeavesNoWord) {
  fill("s/main", 100);
  fill("gone/main", 50);
  sources.add("gone/main", "sesame opens mountains");
  update();
  EXPECT_THAT(all_files(), HasSubstr("sesame"));
  sources.contents.erase("gone/main");
  update();
  ASSERT_TRUE(index->forget({}, {}));
  EXPECT_THAT(all_files(), testing::Not(HasSubstr("sesame")));
  EXPECT_THAT(all_files(), testing::Not(HasSubstr("gone/main")));
  EXPECT_EQ(search("number42").hits.size(), 1u);
  // What had vanished by itself before is gone with it.
  fill("late/main", 3);
  sources.add("late/main", "abracadabra");
  update();
  sources.contents.erase("late/main");
  update();
  EXPECT_TRUE(search("abracadabra").hits.empty());
  ASSERT_TRUE(index->forget({}, {}));
  EXPECT_THAT(all_files(), testing::Not(HasSubstr("abracadabra")));
}

TEST_F(IndexTest, OthersSeeEachNewIndex) {
  const auto other = open_text_index(folder / "index").value();
  fill("s/main", 50);
  EXPECT_EQ(other->search(sources, asking("number42"))->hits.size(), 1u) << "without any index";
  update();
  const auto result = other->search(sources, asking("number42"));
  EXPECT_EQ(result->hits.size(), 1u);
  EXPECT_EQ(result->bytes_scanned, 0u);
  EXPECT_EQ(other->state(sources)->indexed_bytes, other->state(sources)->source_bytes);
}

TEST_F(IndexTest, OneWriterAtATime) {
  fill("s/main", 50);
  ASSERT_TRUE(make_private_folder(folder / "index"));  // the first update would make it
  const auto lock = FileLock::try_acquire(folder / "index/lock");
  ASSERT_TRUE(lock);
  EXPECT_EQ(index->update(sources).error().kind, ErrorKind::conflict);
  EXPECT_EQ(search("number42").hits.size(), 1u);
}

TEST_F(IndexTest, DamageIsAsGoodAsNothing) {
  fill("s/main", 100);
  update();
  std::string segment;
  for (const auto& file : std::filesystem::directory_iterator(folder / "index"))
    if (file.path().extension() == ".segment") segment = file.path();
  const auto check = [&](std::string_view what) {
    index = open_text_index(folder / "index").value();
    EXPECT_EQ(search("number42").hits.size(), 1u) << what;
    update();
    EXPECT_EQ(search("number42").hits.size(), 1u) << what;
    EXPECT_EQ(search("number42").bytes_scanned, 0u) << what;
  };
  std::filesystem::resize_file(segment, 1000);
  check("a segment was cut");
  ASSERT_TRUE(replace_file(folder / "index/manifest", "HFIDXM01 nonsense"));
  check("the manifest is nonsense");
  for (const auto& file : std::filesystem::directory_iterator(folder / "index"))
    if (file.path().extension() == ".segment") std::filesystem::remove(file.path());
  check("a segment is gone");
  ASSERT_TRUE(create_file(folder / "index/00000000dead.segment", "stray"));
  ASSERT_TRUE(create_file(folder / "index/000000000001.segment.new", "torn"));
  check("strays");
  EXPECT_FALSE(std::filesystem::exists(folder / "index/00000000dead.segment"));
  EXPECT_FALSE(std::filesystem::exists(folder / "index/000000000001.segment.new"));
}

TEST_F(IndexTest, HostileText) {
  std::string words;
  for (int i = 0; i < 300'000; ++i) words += fmt::format("w{:x}q ", i * 7919LL);
  sources.add("many/main", words);
  sources.add("long/main", std::string(3 << 20, 'a') + "TailOfIt");
  sources.add("odd/main", std::string("nul\0here \xFF\xFE broken \xC3", 20));
  sources.add("marks/main", [] {
    std::string text = "a";
    for (int i = 0; i < 30'000; ++i) text += "\u0301";
    return text + " marked";
  }());
  fill("s/main", 100);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(search(fmt::format("w{:x}q", 777 * 7919)).hits.size(), 1u);
    EXPECT_EQ(search("*tailofit*").hits.size(), 1u);
    EXPECT_EQ(search("broken").hits.size(), 1u);
    EXPECT_EQ(search("marked").hits.size(), 1u);
    EXPECT_EQ(search("*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa*").hits.size(), 1u);
    update();
  }
}

TEST_F(IndexTest, StopsWhenAskedAndGoesOn) {
  for (int i = 0; i < 10; ++i) fill(fmt::format("s{}/main", i), 300);
  std::stop_source stop;
  ASSERT_TRUE(index->update(
      sources,
      [&](const TextIndex::Progress& progress) {
        EXPECT_LE(progress.done, progress.total);
        if (progress.done > progress.total / 3) stop.request_stop();
      },
      stop.get_token()));
  const auto state = index->state(sources).value();
  EXPECT_GT(state.indexed_bytes, 0u);
  EXPECT_LT(state.indexed_bytes, state.source_bytes);
  EXPECT_EQ(search(asking("filling number299")).sessions_with_hits, 10u);
  sources.bytes_read = 0;
  update();
  EXPECT_EQ(index->state(sources)->indexed_bytes, state.source_bytes);
  EXPECT_LE(sources.bytes_read, state.source_bytes - state.indexed_bytes) << "what was done stays";
}

}  // namespace
}  // namespace holdfast::search
