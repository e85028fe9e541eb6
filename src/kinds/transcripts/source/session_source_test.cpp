#include "kinds/transcripts/source/session_source.h"

#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using namespace std::string_literals;

const SessionPlace kReadPlace = {"11111111-2222-4333-8444-555555555555", "-p"};

struct Gathered : Receiver {
  Result<void> begin(const Artifact& artifact) override {
    path = artifact.path;
    files[path];
    if (on_begin) on_begin();
    return {};
  }
  bool judges_lines() const override { return judges; }
  Result<void> line(const Piece& piece) override {
    files[path] += piece.text;
    files[path] += piece.ending;
    records.push_back(piece.record);
    if (on_piece) on_piece();
    return {};
  }
  Result<void> bytes(std::string_view bytes) override {
    files[path] += bytes;
    if (on_piece) on_piece();
    return {};
  }
  Result<void> end() override {
    ++ended;
    return {};
  }

  std::string path;
  std::map<std::string, std::string> files;
  std::vector<bool> records;
  int ended = 0;
  bool judges = false;
  std::function<void()> on_begin, on_piece;
};

TEST(SessionSource, Archive_4_4_EveryFileOfTheRealClientByteForByte) {
  const TestHome test = TestHome::of_client();
  const Home home = test.home();
  for (const char* id : {"a1", "a2", "a3", "a4", "a5", "a6"}) {
    const Inventory inventory = take_inventory(home, {TestHome::id(id), TestHome::kDemo}).value();
    Gathered gathered;
    std::uint64_t done = 0;
    const auto source = source_on_disk(home, SessionPlace{TestHome::id(id), TestHome::kDemo});
    ASSERT_TRUE(source->read(inventory.artifacts, gathered, [&](std::string_view, std::uint64_t now, std::uint64_t total) {
      EXPECT_EQ(total, inventory.bytes());
      EXPECT_GE(now, done);
      done = now;
      return true;
    }));
    EXPECT_EQ(done, inventory.bytes());
    EXPECT_EQ(gathered.ended, static_cast<int>(inventory.artifacts.size()));
    for (const Artifact& artifact : inventory.artifacts) EXPECT_EQ(gathered.files[artifact.path], test.read(artifact.path));
  }
}

class SessionSourceTest : public testing::Test {
 protected:
  Result<void> read(const std::string& main) {
    test.write(kReadPlace.transcript(), main);
    return read();
  }
  Result<void> read() {
    const auto source = source_on_disk(test.home(), kReadPlace);
    const Inventory inventory = source->inventory().value();
    if (before_reading) before_reading();
    return source->read(inventory.artifacts, gathered, progress);
  }

  TestHome test;
  Gathered gathered;
  Progress progress;
  std::function<void()> before_reading;
};

TEST_F(SessionSourceTest, Archive_4_4_BrokenLinesPassAsTheyAre) {
  const std::string main = "{\"a\":1}\n\n{torn\r\n\0\0\n{\"a\":1}{\"b\":2}\n{\"a\":\"\xFF\"}\n [1]\n{\"tail\":"s;
  ASSERT_TRUE(read(main));
  EXPECT_EQ(gathered.files[kReadPlace.transcript()], main);
  EXPECT_THAT(gathered.records, ElementsAre(true, false, false, false, false, false, false, false));
}

TEST_F(SessionSourceTest, LinesAreNotLookedIntoForAReceiverThatDoes) {
  gathered.judges = true;
  ASSERT_TRUE(read("{\"a\":1}\n"));
  EXPECT_THAT(gathered.records, ElementsAre(false));
}

TEST_F(SessionSourceTest, EmptyFilesBeginAndEnd) {
  test.write(kReadPlace.folder() + "/tool-results/empty", "");
  ASSERT_TRUE(read(""));
  EXPECT_EQ(gathered.ended, 2);
}

TEST_F(SessionSourceTest, Archive_4_5_WhatIsAppendedMeanwhileWaitsForTheNextTime) {
  gathered.on_piece = [&] { test.append(kReadPlace.transcript(), "{\"late\":1}\n"); };
  ASSERT_TRUE(read("{\"a\":1}\n{\"b\":2}\n"));
  EXPECT_EQ(gathered.files[kReadPlace.transcript()], "{\"a\":1}\n{\"b\":2}\n");
}

TEST_F(SessionSourceTest, Archive_4_5_CutOrReplacedMeanwhileIsAConflict) {
  const std::string main = "{\"a\":1}\n{\"b\":2}\n";
  gathered.on_piece = [&] { std::filesystem::resize_file(test / kReadPlace.transcript(), 3); };
  EXPECT_EQ(read(main).error().kind, ErrorKind::conflict);
  gathered.on_piece = [&] {
    std::filesystem::remove(test / kReadPlace.transcript());
    test.write(kReadPlace.transcript(), main + main);
  };
  EXPECT_EQ(read(main).error().kind, ErrorKind::conflict);
  gathered.on_piece = {};
  gathered.on_begin = [&] { std::filesystem::resize_file(test / kReadPlace.transcript(), 3); };
  EXPECT_EQ(read(main).error().kind, ErrorKind::conflict) << "fewer bytes than there were when it was opened";
}

TEST_F(SessionSourceTest, FilesThatWentAreMissedOnlyWhenTheyAreTheTranscript) {
  test.write(kReadPlace.folder() + "/tool-results/x", "x");
  before_reading = [&] { std::filesystem::remove(test / (kReadPlace.folder() + "/tool-results/x")); };
  ASSERT_TRUE(read("{}\n"));
  EXPECT_EQ(gathered.files.size(), 1U);
  before_reading = [&] { std::filesystem::remove(test / kReadPlace.transcript()); };
  EXPECT_EQ(read("{}\n").error().kind, ErrorKind::not_found);
}

TEST_F(SessionSourceTest, ProgressCanStopIt) {
  progress = [](std::string_view, std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(read("{}\n").error().kind, ErrorKind::cancelled);
  EXPECT_EQ(gathered.ended, 0);
}

TEST_F(SessionSourceTest, FilesLargerThanOneReadArriveWhole) {
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += std::to_string(i) + "\n";
  test.write(kReadPlace.folder() + "/tool-results/large.txt", large);
  ASSERT_TRUE(read("{}\n"));
  EXPECT_EQ(gathered.files[kReadPlace.folder() + "/tool-results/large.txt"], large);
}

}  // namespace
}  // namespace holdfast::transcripts
