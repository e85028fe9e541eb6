#include "store/blobs/blob_store.h"

#include "base/files/test_folder.h"
#include "store/blobs/cutter.h"
#include "store/blobs/test_blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace holdfast::store {
namespace {

using session::Blobs;
using session::KeptFile;

class BlobStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Blobs> open() {
    BlobOptions options;
    options.patience = std::chrono::milliseconds(50);
    return open_blobs(folder_ / "guard", options).value();
  }
  Blobs::Added keep(Blobs& blobs, const std::string& key, const std::string& bytes, const std::string& stamp) {
    const auto added = blobs.add(incoming(key, bytes, stamp)).value();
    EXPECT_TRUE(blobs.commit());
    return added;
  }
  std::uint64_t pack_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "guard/packs"))
      if (entry.path().extension() == ".pack") bytes += entry.file_size();
    return bytes;
  }
  std::string every_pack() const {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "guard/packs")) {
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }
  // Changes one byte in the middle of the largest pack.
  void damage_a_pack() {
    std::filesystem::path largest;
    std::uint64_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "guard/packs")) {
      if (entry.path().extension() == ".pack" && entry.file_size() > size) {
        size = entry.file_size();
        largest = entry.path();
      }
    }
    std::fstream file(largest, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(size / 2));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.put(static_cast<char>(byte ^ 0x55));
  }

  TestFolder folder_;
};

TEST_F(BlobStoreTest, WithoutAFolderNothingIsKeptAndNothingIsMade) {
  auto blobs = open();
  EXPECT_THAT(blobs->files().value(), testing::IsEmpty());
  EXPECT_FALSE(blobs->file("a").value());
  EXPECT_EQ(blobs->state()->files, 0U);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  EXPECT_THAT(blobs->repair({})->problems, testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "guard"));
}

TEST_F(BlobStoreTest, KeepsFilesOfEverySize) {
  auto blobs = open();
  std::map<std::string, std::string> files;
  for (const std::size_t size : {0UL, 1UL, 1000UL, 4096UL, 65536UL, 65537UL, 300'000UL, 5'000'000UL}) {
    files[fmt::format("claude:{}", size)] = made_up_lines(static_cast<unsigned>(size), size);
  }
  for (const auto& [key, bytes] : files) EXPECT_TRUE(blobs->add(incoming(key, bytes, "1"))->changed);
  ASSERT_TRUE(blobs->commit());
  for (auto* reader : {blobs.get(), open().release()}) {
    for (const auto& [key, bytes] : files) {
      const KeptFile file = reader->file(key).value().value();
      EXPECT_EQ(file.size, bytes.size());
      EXPECT_EQ(file.sha256, to_hex(sha256(bytes)));
      EXPECT_EQ(read_kept(*reader, file).value(), bytes) << key;
    }
    if (reader != blobs.get()) delete reader;
  }
  EXPECT_EQ(blobs->files("claude:").value().size(), files.size());
  EXPECT_THAT(blobs->files("codex:").value(), testing::IsEmpty());
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
}

TEST_F(BlobStoreTest, ReadsAnyPart) {
  auto blobs = open();
  const std::string bytes = made_up_lines(7, 6'000'000);
  keep(*blobs, "a", bytes, "1");
  const KeptFile file = blobs->file("a").value().value();
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = random() % (bytes.size() + 10);
    std::string part(random() % 100'000, '\0');
    const std::size_t got = blobs->read(file, offset, part).value();
    ASSERT_EQ(part.substr(0, got), offset < bytes.size() ? bytes.substr(offset, part.size()) : "");
  }
}

TEST_F(BlobStoreTest, AGlanceTellsThatNothingIsNew) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 100'000);
  keep(*blobs, "a", bytes, "same");
  Blobs::Incoming file = incoming("a", bytes, "same");
  file.read = [](std::uint64_t, std::span<char>) -> Result<std::size_t> { return fail(ErrorKind::internal, "not to be read"); };
  EXPECT_FALSE(blobs->add(file)->changed);
}

TEST_F(BlobStoreTest, AnAppendedLineCostsALine) {
  auto blobs = open();
  std::string bytes = made_up_lines(1, 20'000'000);
  keep(*blobs, "a", bytes, "1");
  const std::uint64_t before = pack_bytes();
  bytes += made_up_lines(2, 800);
  const auto added = keep(*blobs, "a", bytes, "2");
  EXPECT_TRUE(added.changed);
  EXPECT_LE(added.bytes_read, 4 * kMaxChunk);
  EXPECT_LE(added.bytes_new, kMaxChunk + 800);
  EXPECT_LT(pack_bytes() - before, kMaxChunk);
  EXPECT_EQ(read_newest(*blobs, "a").value(), bytes);
  EXPECT_THAT(blobs->versions("a").value(), testing::SizeIs(1));
  EXPECT_EQ(blobs->file("a").value()->sha256, to_hex(sha256(bytes)));
}

TEST_F(BlobStoreTest, WhoHasLookedBeforeAnAppendReadsWhatHeSaw) {
  auto blobs = open();
  std::string bytes = made_up_lines(1, 90'000);
  keep(*blobs, "a", bytes, "1");
  const KeptFile old = blobs->file("a").value().value();
  const std::string more = bytes + made_up_lines(2, 90'000);
  keep(*blobs, "a", more, "2");
  EXPECT_EQ(read_kept(*blobs, old).value(), bytes);
}

TEST_F(BlobStoreTest, WhatIsReplacedOrCutBecomesANewVersion) {
  auto blobs = open();
  const std::string first = made_up_lines(1, 400'000);
  const std::string second = made_up_lines(2, 500'000);
  const std::string third = second.substr(0, 100'000);
  keep(*blobs, "a", first, "1");
  keep(*blobs, "a", second, "2");
  keep(*blobs, "a", third, "3");
  const auto versions = blobs->versions("a").value();
  ASSERT_EQ(versions.size(), 3U);
  EXPECT_EQ(read_kept(*blobs, versions[0]).value(), third);
  EXPECT_EQ(read_kept(*blobs, versions[1]).value(), second);
  EXPECT_EQ(read_kept(*blobs, versions[2]).value(), first);
  EXPECT_THAT(blobs->files().value(), testing::SizeIs(1));
}

TEST_F(BlobStoreTest, AChangeInTheMiddleIsSeenWhenTheFileIsAnother) {
  auto blobs = open();
  std::string bytes = made_up_lines(1, 400'000);
  keep(*blobs, "a", bytes, "1");
  const std::string old = bytes;
  bytes[1000] = '#';
  bytes += "more\n";
  Blobs::Incoming file = incoming("a", bytes, "2");
  file.whole = true;
  EXPECT_TRUE(blobs->add(file)->changed);
  ASSERT_TRUE(blobs->commit());
  ASSERT_EQ(blobs->versions("a")->size(), 2U);
  EXPECT_EQ(read_newest(*blobs, "a").value(), bytes);
  // And one that only grew under another inode stays one version.
  const std::string longer = bytes + "and more\n";
  Blobs::Incoming grown = incoming("a", longer, "3");
  grown.whole = true;
  EXPECT_TRUE(blobs->add(grown)->changed);
  ASSERT_TRUE(blobs->commit());
  EXPECT_EQ(blobs->versions("a")->size(), 2U);
}

TEST_F(BlobStoreTest, ATouchedFileIsNoNewVersion) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 400'000);
  keep(*blobs, "a", bytes, "1");
  const auto added = keep(*blobs, "a", bytes, "2");
  EXPECT_FALSE(added.changed);
  EXPECT_EQ(blobs->versions("a")->size(), 1U);
  EXPECT_EQ(blobs->file("a").value()->incarnation, "2");
}

TEST_F(BlobStoreTest, ACloneCostsItsDifference) {
  auto blobs = open();
  keep(*blobs, "original", made_up_lines(1, 8'000'000, "11111111-aaaa"), "1");
  const std::uint64_t before = pack_bytes();
  const std::string clone = made_up_lines(1, 8'000'000, "22222222-bbbb");
  keep(*blobs, "clone", clone, "1");
  EXPECT_LT(pack_bytes() - before, before / 6);
  EXPECT_EQ(read_newest(*blobs, "clone").value(), clone);
  keep(*blobs, "copy", clone, "1");
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  EXPECT_LT(pack_bytes() - before, before / 6);
}

TEST_F(BlobStoreTest, ACloneInTheSameCommitIsPackedAgainstWhatIsNotWrittenYet) {
  auto blobs = open();
  const std::string original = made_up_lines(1, 60'000, "11111111-aaaa"), clone = made_up_lines(1, 60'000, "22222222-bbbb");
  ASSERT_TRUE(blobs->add(incoming("a", original, "1")));
  ASSERT_TRUE(blobs->add(incoming("b", clone, "1")));
  ASSERT_TRUE(blobs->commit());
  EXPECT_EQ(read_newest(*blobs, "a").value(), original);
  EXPECT_EQ(read_newest(*blobs, "b").value(), clone);
}

TEST_F(BlobStoreTest, ManySmallAppendsAreStoredWellInTheEnd) {
  auto blobs = open();
  const std::string all = made_up_lines(5, 3'000'000);
  std::string bytes;
  for (std::size_t size = 0, i = 0; size < all.size(); ++i) {
    size = std::min(all.size(), size + 6000);
    bytes = all.substr(0, size);
    ASSERT_TRUE(blobs->add(incoming("a", bytes, fmt::format("{}", i))));
    ASSERT_TRUE(blobs->commit());
  }
  EXPECT_EQ(read_newest(*blobs, "a").value(), all);
  const std::uint64_t in_pieces = pack_bytes();
  TestFolder other;
  auto at_once = open_blobs(other / "guard").value();
  ASSERT_TRUE(at_once->add(incoming("a", all, "1")));
  ASSERT_TRUE(at_once->commit());
  EXPECT_LT(in_pieces, at_once->state()->stored_bytes + BlobOptions().loose_bytes + 200'000);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  ASSERT_TRUE(blobs->scrub());
  EXPECT_LT(pack_bytes(), at_once->state()->stored_bytes);
  EXPECT_EQ(read_newest(*blobs, "a").value(), all);
}

TEST_F(BlobStoreTest, WhatIsForgottenAndScrubbedLeavesNoByte) {
  auto blobs = open();
  // Cannot be compressed, so it would be seen in the packs as it is.
  const std::string secret = random_bytes(200'000), other = made_up_lines(1, 300'000);
  std::string clone = secret;
  for (std::size_t i = 0; i < clone.size(); i += 5'000) clone[i] = static_cast<char>(clone[i] + 1);
  ASSERT_TRUE(blobs->add(incoming("secret", secret, "1")));
  ASSERT_TRUE(blobs->add(incoming("other", other, "1")));
  ASSERT_TRUE(blobs->add(incoming("clone", clone, "1")));
  ASSERT_TRUE(blobs->commit());
  EXPECT_NE(every_pack().find(secret.substr(0, 64)), std::string::npos);
  const std::vector<std::string> keys = {"secret"};
  ASSERT_TRUE(blobs->forget(keys));
  EXPECT_FALSE(blobs->file("secret").value());
  EXPECT_GT(blobs->state()->garbage_bytes, 100'000U);
  const auto scrubbed = blobs->scrub();
  ASSERT_TRUE(scrubbed) << scrubbed.error().message;
  // Of the clone only what it has itself: the byte at 0 differs.
  EXPECT_EQ(every_pack().find(secret.substr(0, 64)), std::string::npos);
  const auto kept = read_newest(*blobs, "other");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*kept, other);
  EXPECT_EQ(read_newest(*blobs, "clone").value(), clone);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  EXPECT_EQ(blobs->state()->garbage_bytes, 0U);
}

TEST_F(BlobStoreTest, DamageIsFoundSetAsideAndTakenAgain) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 3'000'000);
  keep(*blobs, "a", bytes, "1");
  damage_a_pack();
  blobs = open();
  const auto check = blobs->verify({}).value();
  ASSERT_EQ(check.problems.size(), 1U);
  EXPECT_EQ(check.problems[0].key, "a");
  EXPECT_EQ(read_newest(*blobs, "a").error().kind, ErrorKind::corrupt);

  EXPECT_EQ(blobs->repair({})->problems.size(), 1U);
  // Good parts stay readable.
  std::string start(1000, '\0');
  EXPECT_EQ(blobs->read(blobs->file("a").value().value(), 0, start).value(), 1000U);
  EXPECT_EQ(start, bytes.substr(0, 1000));
  // Same file as before, and read again all the same.
  const auto added = keep(*blobs, "a", bytes, "1");
  EXPECT_EQ(added.bytes_read, bytes.size());
  EXPECT_EQ(read_newest(*blobs, "a").value(), bytes);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  EXPECT_EQ(blobs->versions("a")->size(), 1U);
}

TEST_F(BlobStoreTest, ALostPackIsReportedAndHealed) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 500'000), other = made_up_lines(2, 1000);
  keep(*blobs, "a", bytes, "1");
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "guard/packs")) std::filesystem::remove(entry.path());
  blobs = open();
  EXPECT_FALSE(blobs->verify({})->problems.empty());
  ASSERT_TRUE(blobs->repair({}));
  keep(*blobs, "a", bytes, "1");
  keep(*blobs, "b", other, "1");
  EXPECT_EQ(read_newest(*blobs, "a").value(), bytes);
  EXPECT_EQ(read_newest(*blobs, "b").value(), other);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
}

TEST_F(BlobStoreTest, AFileThatCannotBeReadDoesNotSpoilTheOthers) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 700'000), clone = made_up_lines(1, 700'000, "another");
  ASSERT_TRUE(blobs->add(incoming("a", made_up_lines(9, 10), "1")));
  Blobs::Incoming broken = incoming("broken", bytes, "1");
  broken.read = [&](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
    if (offset > 600'000) return fail(ErrorKind::io, "the disk has a scratch");
    return incoming("", bytes, "").read(offset, to.first(std::min<std::size_t>(to.size(), 100'000)));
  };
  EXPECT_EQ(blobs->add(broken).error().kind, ErrorKind::io);
  ASSERT_TRUE(blobs->add(incoming("clone", clone, "1")));
  ASSERT_TRUE(blobs->commit());
  EXPECT_FALSE(blobs->file("broken").value());
  EXPECT_EQ(read_newest(*blobs, "clone").value(), clone);
  EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
}

TEST_F(BlobStoreTest, OneWritesAtATimeAndOthersRead) {
  auto first = open(), second = open();
  const std::string bytes = made_up_lines(1, 10'000), other = made_up_lines(2, 10'000);
  ASSERT_TRUE(first->add(incoming("a", bytes, "1")));
  EXPECT_EQ(second->add(incoming("b", other, "1")).error().kind, ErrorKind::conflict);
  EXPECT_THAT(second->files().value(), testing::IsEmpty());
  ASSERT_TRUE(first->commit());
  EXPECT_EQ(read_newest(*second, "a").value(), bytes);
  ASSERT_TRUE(second->add(incoming("b", other, "1")));
  ASSERT_TRUE(second->commit());
  EXPECT_EQ(read_newest(*first, "b").value(), other);
}

TEST_F(BlobStoreTest, AReaderFindsWhatWasPackedAnewBesideIt) {
  auto writer = open(), reader = open();
  std::string bytes;
  const std::string all = made_up_lines(1, 400'000);
  KeptFile seen;
  for (std::size_t i = 1; i <= 200; ++i) {
    bytes = all.substr(0, i * 2000);
    keep(*writer, "a", bytes, fmt::format("{}", i));
    if (i == 100) seen = reader->file("a").value().value();
  }
  ASSERT_TRUE(writer->scrub());
  EXPECT_EQ(read_kept(*reader, seen).value(), all.substr(0, 200'000));
}

TEST_F(BlobStoreTest, WhatWasNotCommittedIsGoneAndCleanedUp) {
  {
    auto blobs = open();
    keep(*blobs, "a", made_up_lines(1, 10'000), "1");
    ASSERT_TRUE(blobs->add(incoming("b", made_up_lines(2, 3'000'000), "1")));
  }
  EXPECT_GT(pack_bytes(), 100'000U);
  auto blobs = open();
  EXPECT_FALSE(blobs->file("b").value());
  keep(*blobs, "c", made_up_lines(3, 10'000), "1");
  EXPECT_LT(pack_bytes(), 20'000U);
  EXPECT_EQ(read_newest(*blobs, "a").value(), made_up_lines(1, 10'000));
}

TEST_F(BlobStoreTest, ALostCatalogueIsNoReasonToThrowAwayThePacks) {
  {
    keep(*open(), "a", made_up_lines(1, 100'000), "1");
  }
  const std::uint64_t before = pack_bytes();
  for (const bool empty : {false, true}) {
    std::filesystem::remove(folder_ / "guard/catalogue.db");
    if (empty) std::ofstream(folder_ / "guard/catalogue.db").flush();
    const auto blobs = open_blobs(folder_ / "guard");
    if (blobs) {
      EXPECT_EQ((*blobs)->add(incoming("b", made_up_lines(2, 10'000), "1")).error().kind, ErrorKind::corrupt);
      EXPECT_EQ((*blobs)->files().error().kind, ErrorKind::corrupt);
      const auto checked = (*blobs)->verify({});
      EXPECT_TRUE(!checked || !checked->problems.empty());
    } else {
      EXPECT_EQ(blobs.error().kind, ErrorKind::corrupt);
    }
    EXPECT_EQ(pack_bytes(), before);
  }
}

// Every way in which a catalogue is lost; what was kept is there afterwards, and packs were not touched before.
TEST_F(BlobStoreTest, ALostCatalogueIsMadeAnewFromItsCopy) {
  const std::string catalogue = folder_ / "guard/catalogue.db";
  const auto spoil = [&](int way) {
    for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(catalogue + ending);
    if (way == 0) std::filesystem::remove(catalogue);
    if (way == 1) std::ofstream(catalogue, std::ios::trunc).flush();
    if (way == 2) std::ofstream(catalogue, std::ios::trunc) << std::string(20'000, 'x');
    if (way == 3) {
      std::fstream file(catalogue, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(4096);
      file << std::string(8 * 4096, '\x77');
    }
  };
  std::string grows = made_up_lines(1, 200'000);
  for (int way = 0; way < 4; ++way) {
    {
      auto blobs = open();
      keep(*blobs, "grows", grows, fmt::format("a{}", way));
      grows += made_up_lines(10 + static_cast<unsigned>(way), 50'000);
      keep(*blobs, "grows", grows, fmt::format("b{}", way));
      keep(*blobs, fmt::format("file {}", way), made_up_lines(20 + static_cast<unsigned>(way), 90'000), "1");
      if (way == 2) {
        ASSERT_TRUE(blobs->forget(std::vector<std::string>{"file 0"}));
      }
    }
    const std::string packs = every_pack();
    spoil(way);
    auto blobs = open();
    if (way < 3) {
      const auto refused = blobs->add(incoming("other", grows, "1"));
      ASSERT_FALSE(refused) << way;
      EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
      EXPECT_THAT(refused.error().hint, testing::HasSubstr("guard repair"));
    }
    EXPECT_EQ(every_pack(), packs) << "nothing is touched before it is repaired";
    const auto check = blobs->repair({});
    ASSERT_TRUE(check) << way << " " << check.error().message;
    EXPECT_THAT(check->problems, testing::ElementsAre(testing::Field(&Blobs::Problem::what, testing::HasSubstr("made anew"))));
    for (auto* reader : {blobs.get(), open().release()}) {
      EXPECT_EQ(read_newest(*reader, "grows").value(), grows) << way;
      EXPECT_EQ(reader->file("file 0").value().has_value(), way < 2);
      EXPECT_EQ(read_newest(*reader, fmt::format("file {}", way)).value(),
                made_up_lines(20 + static_cast<unsigned>(way), 90'000));
      EXPECT_THAT(reader->verify({})->problems, testing::IsEmpty());
      if (reader != blobs.get()) delete reader;
    }
    grows += made_up_lines(30 + static_cast<unsigned>(way), 1000);
    keep(*blobs, "grows", grows, fmt::format("c{}", way));
    EXPECT_EQ(read_newest(*blobs, "grows").value(), grows) << "it goes on";
  }
}

TEST_F(BlobStoreTest, ADamagedCopyOfTheCatalogueIsFoundAndRenewed) {
  for (const char* ending : {".names", ".changes"}) {
    auto blobs = open();
    keep(*blobs, "a", made_up_lines(1, 50'000), ending);
    keep(*blobs, "a", made_up_lines(1, 90'000), std::string(ending) + "2");
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "guard/packs")) {
      if (entry.path().extension() != ending) continue;
      std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file << std::string(std::min<std::size_t>(entry.file_size() / 2, 5000), 'x');
    }
    EXPECT_THAT(blobs->verify({})->problems,
                testing::ElementsAre(testing::Field(&Blobs::Problem::what, testing::HasSubstr("copy of the catalogue"))))
        << ending;
    ASSERT_TRUE(blobs->repair({}));
    EXPECT_THAT(blobs->verify({})->problems, testing::IsEmpty());
  }
}

TEST_F(BlobStoreTest, WhatIsForgottenIsNotInTheCopyEither) {
  auto blobs = open();
  keep(*blobs, "claude:a-name-to-forget", made_up_lines(1, 50'000), "1");
  keep(*blobs, "claude:stays", made_up_lines(2, 50'000), "1");
  ASSERT_TRUE(blobs->forget(std::vector<std::string>{"claude:a-name-to-forget"}));
  ASSERT_TRUE(blobs->scrub());
  EXPECT_THAT(every_pack(), testing::Not(testing::HasSubstr("a-name-to-forget")));
  EXPECT_THAT(every_pack(), testing::HasSubstr("claude:stays")) << "the copy lies beside the packs";
}

TEST_F(BlobStoreTest, WhatIsLeftOfADamagedFileIsRead) {
  auto blobs = open();
  const std::string bytes = made_up_lines(1, 900'000);
  keep(*blobs, "a", bytes, "1");
  damage_a_pack();
  blobs = open();
  const KeptFile file = blobs->file("a").value().value();
  EXPECT_THAT(blobs->gaps(file).value(), testing::IsEmpty()) << "not known before somebody looked";
  std::string left(bytes.size(), '\1');
  std::vector<Blobs::Gap> lost;
  EXPECT_EQ(blobs->read_what_is_left(file, 0, left, lost).value(), bytes.size());
  ASSERT_FALSE(lost.empty());
  std::string expected = bytes;
  for (const Blobs::Gap& gap : lost)
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(gap.begin), expected.begin() + static_cast<std::ptrdiff_t>(gap.end),
              '\0');
  EXPECT_EQ(left, expected);
  ASSERT_TRUE(blobs->repair({}));
  const auto known = blobs->gaps(file).value();
  ASSERT_EQ(known.size(), lost.size());
  EXPECT_EQ(known.front().begin, lost.front().begin);
  EXPECT_EQ(known.back().end, lost.back().end);
}

TEST_F(BlobStoreTest, TheGenerationTellsThatSomethingIsNew) {
  auto blobs = open(), reader = open();
  keep(*blobs, "a", made_up_lines(1, 1000), "1");
  const auto before = reader->generation().value();
  EXPECT_EQ(reader->generation().value(), before);
  keep(*blobs, "a", made_up_lines(1, 2000), "2");
  EXPECT_NE(reader->generation().value(), before);
}

}  // namespace
}  // namespace holdfast::store
