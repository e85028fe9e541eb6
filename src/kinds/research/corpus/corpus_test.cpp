// Documents below some folders (threads-and-research §10, `local`), with real files.

#include "kinds/research/corpus/corpus.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "kinds/research/text/document_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace holdfast::research {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CorpusTest : public ::testing::Test {
 protected:
  // Long ago, so that nothing is in doubt about when it was written.
  void write(const std::string& path, std::string_view text, std::int64_t seconds = 1'000'000) {
    const std::string full = docs_ / path;
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    std::ofstream(full, std::ios::binary) << text;
    age(full, seconds);
  }
  static void age(const std::string& path, std::int64_t seconds) {
    const timespec times[2] = {{seconds, 7}, {seconds, 7}};
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  }

  std::unique_ptr<Corpus> open(std::vector<std::string> ignore = {}) {
    return Corpus::open({{"papers", docs_.path(), std::move(ignore)}}, cache_.path()).value();
  }
  static std::vector<std::string> paths(Corpus& corpus, std::string_view query) {
    std::vector<std::string> found;
    const std::vector<Passage> passages = corpus.search(query, 20).value();
    for (const Passage& passage : passages) found.push_back(passage.path);
    return found;
  }
  std::string cache_file() {
    for (const auto& entry : std::filesystem::directory_iterator(cache_.path())) return entry.path().string();
    return {};
  }

  TestFolder docs_, cache_;
};

TEST_F(CorpusTest, S10FindsPassagesByTheirWordsWithPlaceAndText) {
  write("notes/retries.md", "# Retry policy\n\nWe retry three times with jitter.\n");
  write("other.txt", "nothing of interest\n");
  const auto corpus = open();
  const auto found = corpus->search("how often do we retry?", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uri, "corpus://papers/notes/retries.md#L1-L3");
  EXPECT_EQ(found[0].path, "notes/retries.md");
  EXPECT_EQ(found[0].title, "Retry policy (notes/retries.md L1-L3)");
  EXPECT_THAT(found[0].text, HasSubstr("three times with jitter"));
  EXPECT_GT(found[0].score, 0);
  EXPECT_GT(found[0].share, 0);
  EXPECT_LE(found[0].share, 1);
}

TEST_F(CorpusTest, P19Latin1IsReadAsWhatItSays) {
  write("a/caf\u00e9.txt", "Das Caf\xE9 in M\xFCnchen \x96 \x93sch\xF6n\x94 \x96 kostet 5 \x80.\n");
  write("b.md",
        "# \xC9t\xE9\n\nLes \xE9"
        "coles sont ferm\xE9"
        "es en juillet.\n");
  write("damaged.txt",
        "Gr\xC3\xBC\xC3\x9F"
        "e aus Z\xC3\xBCrich und K\xC3\xB6ln, \xC3 und Gl\xC3\xBC"
        "ck.\n");
  const auto corpus = open();
  EXPECT_EQ(corpus->search("caf\u00e9 m\u00fcnchen", 5).value().at(0).text,
            "Das Caf\u00e9 in M\u00fcnchen \u2013 \u201csch\u00f6n\u201d \u2013 kostet 5 \u20ac.\n");
  const auto school = corpus->search("\u00e9coles", 5).value();
  ASSERT_THAT(school, SizeIs(1));
  EXPECT_EQ(school[0].title, "\u00c9t\u00e9 (b.md L1-L3)");
  EXPECT_THAT(corpus->search("z\u00fcrich", 5).value().at(0).text, HasSubstr("Gr\u00fc\u00df"
                                                                             "e aus Z\u00fcrich"));
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(), "");
}

// Windows' editors write it, and every second byte of English in it is a NUL.
TEST_F(CorpusTest, P19Utf16IsReadInBothOrdersOfItsBytes) {
  const std::u16string text = u"# Pumps\n\nThe caf\u00e9's pumps weigh 7 kg \U0001F680.\n";
  std::string little = "\xFF\xFE", big = "\xFE\xFF";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    little += {low, high};
    big += {high, low};
  }
  write("little.md", little);
  write("big.md", big + '\n');                                                                  // half a character more
  write("pairs.txt", std::string("\xFF\xFE\x3D\xD8", 4) + std::string("p\0u\0m\0p\0s\0", 10));  // half a pair
  write("numbers.bin", std::string("\xFF\xFE\0\0\1\0\2\0", 8));
  const auto corpus = open();
  const auto found = corpus->search("caf\u00e9 pumps", 5).value();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].title, "Pumps (big.md L1-L3)");
  EXPECT_EQ(found[0].text, "# Pumps\n\nThe caf\u00e9's pumps weigh 7 kg \U0001F680.\n");
  EXPECT_EQ(found[1].text, found[0].text);
  EXPECT_EQ(found[2].text, "\uFFFDpumps");
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(),
            "1 file of the documents' folders is left out: papers/numbers.bin (binary)");
}

TEST_F(CorpusTest, P19WhatIsSkippedIsSaidWithTheReason) {
  write("picture.png", std::string("\x89PNG\r\n\x1a\n\0\0", 10));
  write("russian.txt", "\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0\n");
  write("big.md", std::string(kMaxFileBytes + 1, 'x'));
  write("empty.txt", "");
  write("read.md", "This one is read.\n");
  const auto corpus = open();
  const std::string said =
      "3 files of the documents' folders are left out: papers/big.md (longer than 4 MiB); papers/picture.png (binary); "
      "papers/russian.txt (neither UTF-8 nor Latin-1)";
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(), said);
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(), said) << "also when they were not read again";
  EXPECT_EQ(open()->update({}, {}).value().left_out.sentence(), said) << "also by another process";
  for (int i = 0; i < 20; ++i) write("more/" + std::to_string(i) + ".bin", std::string("\0\1", 2));
  EXPECT_THAT(corpus->update({}, {}).value().left_out.sentence(), EndsWith("; and 13 more"));
}

TEST_F(CorpusTest, P19PdfIsReadWherePdftotextIsAndSkippedWithAWordElsewhere) {
  const TestFolder programs;
  const std::string before = std::getenv("PATH");
  const std::unique_ptr<void, std::function<void(void*)>> restore(this, [&](void*) { ::setenv("PATH", before.c_str(), 1); });
  ::setenv("PATH", programs.path().c_str(), 1);
  write("manual.pdf", "%PDF-1.7\nthe pumps were made in 1931\n");
  const auto corpus = open();
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(),
            "1 file of the documents' folders is left out: papers/manual.pdf (a PDF, and pdftotext is not installed)");
  EXPECT_THAT(paths(*corpus, "pumps"), IsEmpty());

  // It is installed, and the file stays as it is.
  const std::string program = programs / "pdftotext";
  std::ofstream(program) << "#!/bin/sh\nwhile read -r line; do echo \"of the file: $line\"; done\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(corpus->update({}, {}).value().left_out.sentence(), "");
  const auto found = corpus->search("pumps", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].text, HasSubstr("of the file: the pumps were made in 1931"));

  std::ofstream(program) << "#!/bin/sh\necho 'Syntax Error: no trailer' >&2\nexit 1\n";
  write("manual.pdf", "%PDF-1.7\nbroken\n", 2'000'000);
  EXPECT_THAT(corpus->update({}, {}).value().left_out.sentence(),
              HasSubstr("(a PDF that cannot be read: Syntax Error: no trailer)"));
}

// The smallest file that has a page with a line of text on it.
std::string small_pdf(const std::string& line) {
  const std::string drawn = "BT /F1 12 Tf 72 720 Td (" + line + ") Tj ET";
  const std::string objects[] = {
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
      fmt::format("<</Length {}>>stream\n{}\nendstream", drawn.size(), drawn),
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"};
  std::string pdf = "%PDF-1.4\n", places = fmt::format("xref\n0 {}\n0000000000 65535 f \n", std::size(objects) + 1);
  for (std::size_t i = 0; i < std::size(objects); ++i) {
    places += fmt::format("{:010} 00000 n \n", pdf.size());
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t start = pdf.size();
  return pdf + places + fmt::format("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{}\n%%EOF\n", std::size(objects) + 1, start);
}

TEST_F(CorpusTest, P19ARealPdfIsReadByTheRealPdftotext) {
  ASSERT_TRUE(has_pdftotext()) << "scripts/setup installs poppler-utils";
  write("manual.pdf", small_pdf("The caf\xE9's pumps weigh 7 kg."));
  write("blank.pdf", small_pdf(""));
  const std::string whole = small_pdf("Nobody reads this.");
  write("broken.pdf", whole.substr(0, 40));
  const auto corpus = open();
  const auto found = corpus->search("pumps", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].path, "manual.pdf");
  EXPECT_THAT(found[0].text, HasSubstr("The caf\u00e9's pumps weigh 7 kg."));
  const std::string said = corpus->update({}, {}).value().left_out.sentence();
  EXPECT_THAT(said, HasSubstr("papers/blank.pdf (a PDF without text, perhaps scanned)"));
  EXPECT_THAT(said, HasSubstr("papers/broken.pdf (a PDF that cannot be read: "));
}

TEST_F(CorpusTest, S10TiesAreOrderedByPath) {
  for (const char* name : {"c.txt", "a.txt", "b/x.txt", "B.txt"}) write(name, "the same words everywhere\n");
  EXPECT_THAT(paths(*open(), "same words"), ElementsAre("B.txt", "a.txt", "b/x.txt", "c.txt"));
}

TEST_F(CorpusTest, S10RareWordsCountMoreThanCommonOnes) {
  for (int i = 0; i < 20; ++i) write("common" + std::to_string(i) + ".txt", "session store session store\n");
  write("rare.txt", "the session of the walrus\n");
  EXPECT_EQ(paths(*open(), "session walrus").front(), "rare.txt");
}

TEST_F(CorpusTest, S10OnlyChangedFilesAreReadAgain) {
  write("a.txt", "alpha\n");
  write("b.txt", "beta\n");
  const auto corpus = open();
  auto update = corpus->update({}, {}).value();
  EXPECT_EQ(update.files, 2U);
  EXPECT_EQ(update.read, 2U);
  EXPECT_EQ(update.indexed, 2U);
  EXPECT_EQ(update.bytes, 11U);
  update = corpus->update({}, {}).value();
  EXPECT_EQ(update.read, 0U);

  age(docs_ / "a.txt", 2'000'000);  // touched, the same bytes
  update = corpus->update({}, {}).value();
  EXPECT_EQ(update.read, 1U);
  EXPECT_EQ(update.indexed, 0U);
  EXPECT_EQ(corpus->update({}, {}).value().read, 0U);

  write("b.txt", "gamma\n", 3'000'000);
  std::filesystem::remove(docs_ / "a.txt");
  write("c.txt", "delta\n");
  update = corpus->update({}, {}).value();
  EXPECT_EQ(update.files, 2U);
  EXPECT_EQ(update.indexed, 2U);
  EXPECT_THAT(paths(*corpus, "alpha beta"), IsEmpty());
  EXPECT_THAT(paths(*corpus, "gamma"), ElementsAre("b.txt"));
  EXPECT_THAT(paths(*corpus, "delta"), ElementsAre("c.txt"));
}

TEST_F(CorpusTest, S10AFileWrittenJustNowIsLookedAtAgain) {
  std::ofstream(docs_ / "now.txt") << "first\n";
  const auto corpus = open();
  ASSERT_EQ(corpus->update({}, {}).value().indexed, 1U);
  struct stat before{};
  ::stat((docs_ / "now.txt").c_str(), &before);
  std::ofstream(docs_ / "now.txt") << "again\n";  // as long, and made to look as old
  const timespec times[2] = {before.st_mtim, before.st_mtim};
  ::utimensat(AT_FDCWD, (docs_ / "now.txt").c_str(), times, 0);
  EXPECT_EQ(corpus->update({}, {}).value().indexed, 1U);
  EXPECT_THAT(paths(*corpus, "again"), ElementsAre("now.txt"));
}

TEST_F(CorpusTest, S10AChangedFileIsNotQuotedFromTheOldIndex) {
  write("a.txt", "walrus here\n");
  write("b.txt", "walrus there\n");
  const auto corpus = open();
  ASSERT_THAT(paths(*corpus, "walrus"), SizeIs(2));
  write("a.txt", "nothing now\n");
  EXPECT_THAT(paths(*corpus, "walrus"), ElementsAre("b.txt"));
  std::filesystem::remove(docs_ / "b.txt");
  EXPECT_THAT(paths(*corpus, "walrus"), IsEmpty());
}

TEST_F(CorpusTest, S10LeavesOutBinariesLongFilesLinksAndSpecialFiles) {
  write("good.txt", "walrus\n");
  write("binary.bin", std::string("walrus\0walrus", 13));
  write("random.dat", "walrus \xFF\xFE\x80\x81\xFF\xFE\x80\x81\xFF\xFE\x80\x81");
  write("long.txt", "walrus " + std::string(kMaxFileBytes, 'x'));
  TestFolder outside;
  std::ofstream(outside / "secret.txt") << "walrus secret\n";
  std::filesystem::create_symlink(outside / "secret.txt", docs_ / "link.txt");
  std::filesystem::create_directory_symlink(outside.path(), docs_ / "linked");
  std::filesystem::create_directory_symlink(docs_.path(), docs_ / "loop");
  ASSERT_EQ(::mkfifo((docs_ / "pipe.txt").c_str(), 0600), 0);
  const auto corpus = open();
  const auto update = corpus->update({}, {}).value();
  EXPECT_EQ(update.files, 1U);
  EXPECT_EQ(update.skipped, 3U);
  EXPECT_THAT(paths(*corpus, "walrus"), ElementsAre("good.txt"));
}

TEST_F(CorpusTest, S10AFileReplacedByALinkIsNotFollowed) {
  TestFolder outside;
  std::ofstream(outside / "a.txt") << "walrus\n";
  write("a.txt", "walrus\n");
  const auto corpus = open();
  ASSERT_THAT(paths(*corpus, "walrus"), SizeIs(1));
  std::filesystem::remove(docs_ / "a.txt");
  std::filesystem::create_symlink(outside / "a.txt", docs_ / "a.txt");
  EXPECT_THAT(paths(*corpus, "walrus"), IsEmpty());
}

TEST_F(CorpusTest, AFolderReplacedByAnotherOfItsNameIsReadAnew) {
  write("sub/a.txt", "walrus\n");
  const auto corpus = Corpus::open({{"papers", docs_ / "sub", {}}}, "").value();
  ASSERT_THAT(paths(*corpus, "walrus"), SizeIs(1));
  std::filesystem::remove_all(docs_ / "sub");
  EXPECT_EQ(corpus->update({}, {}).error().kind, ErrorKind::io);
  write("sub/b.txt", "walrus\n");
  ASSERT_TRUE(corpus->update({}, {}));
  EXPECT_THAT(paths(*corpus, "walrus"), ElementsAre("b.txt"));
}

TEST_F(CorpusTest, ALargeCorpusReadByTwoThreadsIsTheSame) {
  for (int i = 10; i < 22; ++i) {
    std::string text;
    for (int line = 0; text.size() < 1'000'000; ++line)
      text += "common words and number" + std::to_string(i * 100'000 + line) + "\n";
    write("f" + std::to_string(i), text);
  }
  const auto corpus = open();
  const auto update = corpus->update({}, {}).value();
  EXPECT_EQ(update.files, 12U);
  EXPECT_EQ(update.indexed, 12U);
  for (int i = 10; i < 22; ++i) {
    const auto found = corpus->search("number" + std::to_string(i * 100'000 + 12'345), 5).value();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].path, "f" + std::to_string(i));
    EXPECT_LE(found[0].first_line, 12'346);
    EXPECT_GE(found[0].last_line, 12'346);
  }
  EXPECT_THAT(paths(*corpus, "common"), ::testing::Each("f10"));  // all alike: in the order of their paths
}

TEST_F(CorpusTest, S10GlobsAndGitignoreLeaveOut) {
  for (const char* path : {"kept.txt", "build/made.txt", ".git/config", "node_modules/x/y.js", "notes/a.log", "notes/kept.log",
                           "private/x.txt", "deep/private/x.txt"})
    write(path, "walrus\n");
  write("notes/.gitignore", "*.log\n!kept.log\n");
  EXPECT_THAT(paths(*open({"/private/"}), "walrus"), ElementsAre("deep/private/x.txt", "kept.txt", "notes/kept.log"));
}

TEST_F(CorpusTest, S10AByteOrderMarkDoesNotHideTheHeading) {
  write("a.md", "\xEF\xBB\xBF# Tusks\n\nA walrus has two.\n");
  const auto found = open()->search("walrus", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].title, "Tusks (a.md L1-L3)");
}

TEST_F(CorpusTest, S10HtmlIsReducedToTextWithTheLinesOfTheSource) {
  write("page.html",
        "<html><head><title>The page</title>\n<script>walrus()</script></head>\n<body>\n\n<p>A walrus\nspeaks</p>\n");
  const auto found = open()->search("walrus", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].uri, "corpus://papers/page.html#L5-L5");
  EXPECT_EQ(found[0].title, "The page (page.html L5-L5)");
  EXPECT_EQ(found[0].text, "A walrus speaks");
}

TEST_F(CorpusTest, S10LongDocumentsAreCutIntoChunksOfWholeLines) {
  std::string text;
  for (int i = 1; i <= 400; ++i) text += "line number " + std::to_string(i) + " of a long document\n";
  write("long.txt", text);
  const auto found = open()->search("222", 5).value();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_LE(found[0].first_line, 222);
  EXPECT_GE(found[0].last_line, 222);
  EXPECT_LE(found[0].text.size(), 3072U);
  EXPECT_THAT(found[0].text, HasSubstr("line number 222 of"));
  EXPECT_THAT(found[0].text, EndsWith("document\n"));
}

TEST_F(CorpusTest, S10PathsAreEncodedInAddresses) {
  write("a b/ü#1.txt", "walrus\n");
  EXPECT_EQ(open()->search("walrus", 5).value().at(0).uri, "corpus://papers/a%20b/%C3%BC%231.txt#L1-L1");
}

TEST_F(CorpusTest, AnotherProcessUsesTheIndexOnDisk) {
  write("a.txt", "walrus\n");
  ASSERT_EQ(open()->update({}, {}).value().indexed, 1U);
  struct stat status{};
  ASSERT_EQ(::stat(cache_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  const auto again = open();
  EXPECT_EQ(again->update({}, {}).value().read, 0U);
  EXPECT_THAT(paths(*again, "walrus"), ElementsAre("a.txt"));
}

TEST_F(CorpusTest, P6WhatHasGoneFromTheDocumentsHasGoneFromTheIndex) {
  for (int i = 0; i < 200; ++i) write("f" + std::to_string(i), "walrus and " + std::string(500, 'x') + "\n");
  write("gone.md", "# Capercaillie\n\nsome text\n");
  write("changed.md", "# Ptarmigan\n\nit sleeps\n");
  ASSERT_EQ(open()->update({}, {}).value().indexed, 202U);
  const auto index_has = [&](std::string_view text) { return read_file(cache_file()).value().find(text) != std::string::npos; };
  ASSERT_TRUE(index_has("Capercaillie"));
  ASSERT_TRUE(index_has("Ptarmigan"));
  std::filesystem::remove(docs_ / "gone.md");
  write("changed.md", "# Another bird\n\nit sleeps\n", 2'000'000);
  ASSERT_EQ(open()->update({}, {}).value().files, 201U);
  EXPECT_FALSE(index_has("Capercaillie"));
  EXPECT_FALSE(index_has("Ptarmigan"));
}

TEST_F(CorpusTest, ADamagedIndexIsMadeAnew) {
  write("a.txt", "walrus\n");
  ASSERT_EQ(open()->update({}, {}).value().indexed, 1U);
  const std::string whole = read_file(cache_file()).value();
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    ASSERT_TRUE(replace_file(cache_file(), i % 2 == 0 ? damaged : whole.substr(0, i)));
    const auto corpus = open();
    EXPECT_EQ(corpus->update({}, {}).value().indexed, 1U);
    EXPECT_THAT(paths(*corpus, "walrus"), ElementsAre("a.txt"));
  }
}

TEST_F(CorpusTest, UpdatingCanBeStoppedAndGoesOnLater) {
  for (int i = 0; i < 10; ++i) write("f" + std::to_string(i), "walrus\n");
  const auto corpus = open();
  int asked = 0;
  const auto stopped = corpus->update({}, [&] { return ++asked > 4; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(corpus->update({}, {}).value().files, 10U);
}

TEST_F(CorpusTest, ProgressGrowsUpToTheTotal) {
  for (int i = 0; i < 10; ++i) write("f" + std::to_string(i), "walrus\n");
  std::vector<std::uint64_t> seen;
  ASSERT_TRUE(open()->update(
      [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(total, 70U);
        seen.push_back(done);
      },
      {}));
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 70U);
}

TEST_F(CorpusTest, ARootThatCannotBeReadIsAnError) {
  const auto corpus = Corpus::open({{"papers", docs_ / "none", {}}}, "");
  ASSERT_FALSE(corpus);
  EXPECT_EQ(corpus.error().kind, ErrorKind::io);
  EXPECT_THAT(corpus.error().message, HasSubstr("papers"));
  const auto twice = Corpus::open({{"papers", docs_.path(), {}}, {"papers", docs_.path(), {}}}, "");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::research
