#include "jsonl/line_reader.h"

#include "base/files/fd.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>
#include <rapidcheck.h>
#include <sys/socket.h>

namespace holdfast::jsonl {
namespace {

using testing::ElementsAre;

struct Read {
  std::string text, ending;
  std::uint64_t offset, number;
  bool overlong;
};

std::vector<Read> all(LineReader reader) {
  std::vector<Read> lines;
  for (;;) {
    auto line = reader.next();
    EXPECT_TRUE(line.has_value());
    if (!line || !*line) return lines;
    const Line& found = **line;
    lines.push_back({std::string(found.text), std::string(found.ending), found.offset, found.number, found.overlong});
  }
}

class LineReaderTest : public testing::Test {
 protected:
  Fd file(std::string_view content) {
    EXPECT_TRUE(replace_file(folder_ / "lines", content));
    return Fd(::open((folder_ / "lines").c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::vector<Read> lines_of(std::string_view content, std::size_t max_line_bytes = kMaxLineBytes) {
    const Fd fd = file(content);
    return all(LineReader::of_range(fd.get(), 0, content.size(), max_line_bytes));
  }
  TestFolder folder_;
};

std::vector<std::string> texts(const std::vector<Read>& lines) {
  std::vector<std::string> out;
  for (const Read& line : lines) out.push_back(line.text);
  return out;
}
std::vector<std::string> endings(const std::vector<Read>& lines) {
  std::vector<std::string> out;
  for (const Read& line : lines) out.push_back(line.ending);
  return out;
}

TEST_F(LineReaderTest, TellsEveryKindOfEnding) {
  const auto lines = lines_of("{}\n\r\n\n{\"a\":1}\r\nlone\rreturn\ntorn\r");
  EXPECT_THAT(texts(lines), ElementsAre("{}", "", "", "{\"a\":1}", "lone\rreturn", "torn\r"));
  EXPECT_THAT(endings(lines), ElementsAre("\n", "\r\n", "\n", "\r\n", "\n", ""));
  EXPECT_EQ(lines[3].offset, 6u);
  EXPECT_EQ(lines[5].number, 6u);
}

TEST_F(LineReaderTest, NulsAndBrokenUtf8AreOrdinaryBytes) {
  const std::string content("\0\0\0\n\xFF\xC3\n\0tail", 12);
  const auto lines = lines_of(content);
  EXPECT_THAT(texts(lines), ElementsAre(std::string(3, '\0'), "\xFF\xC3", std::string("\0tail", 5)));
  EXPECT_EQ(lines.back().ending, "");
}

TEST_F(LineReaderTest, AnEmptyFileHasNoLine) {
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_THAT(texts(lines_of("\n")), ElementsAre(""));
}

TEST_F(LineReaderTest, ReadsARangeAndStopsAtItsEnd) {
  const Fd fd = file("one\ntwo\nthree\n");
  const auto lines = all(LineReader::of_range(fd.get(), 4, 10));
  EXPECT_THAT(texts(lines), ElementsAre("two", "th"));
  EXPECT_EQ(lines[0].offset, 4u);
  EXPECT_EQ(lines[1].ending, "");
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_CUR), 0);
}

TEST_F(LineReaderTest, AFileShorterThanItsRangeJustEnds) {
  const Fd fd = file("one\n");
  EXPECT_THAT(texts(all(LineReader::of_range(fd.get(), 0, 1000))), ElementsAre("one"));
  EXPECT_TRUE(all(LineReader::of_range(fd.get(), 9, 3)).empty());
}

TEST_F(LineReaderTest, AnErrorEndsTheReading) {
  const Fd folder(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC));
  auto reader = LineReader::of_stream(folder.get());
  const auto line = reader.next();
  ASSERT_FALSE(line.has_value());
  const auto after = reader.next();
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(*after, std::nullopt) << "and does not repeat it for ever";
}

TEST_F(LineReaderTest, ReadsFromAFunctionAndPassesItsErrorOn) {
  std::string_view rest = "one\ntwo\r\nthree";
  const auto source = [&](char* to, std::size_t room) -> Result<std::size_t> {
    const std::size_t count = std::min({room, rest.size(), std::size_t{5}});
    rest.copy(to, count);
    rest.remove_prefix(count);
    return count;
  };
  EXPECT_THAT(texts(all(LineReader::of_source(source))), ElementsAre("one", "two", "three"));
  auto failing = LineReader::of_source(
      [](char*, std::size_t) -> Result<std::size_t> { return fail(ErrorKind::corrupt, "damaged on the way"); });
  EXPECT_EQ(failing.next().error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(failing.next().value().has_value()) << "at its end";
}

TEST_F(LineReaderTest, ALineOf64MiBIsOneLine) {
  std::string content(64 * 1024 * 1024, 'x');
  content.front() = '"';
  content.back() = '"';
  content = "{}\n" + content + "\n{}\n";
  const auto lines = lines_of(content);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].text.size(), 64u * 1024 * 1024);
  EXPECT_FALSE(lines[1].overlong);
  EXPECT_EQ(lines[2].text, "{}");
}

TEST_F(LineReaderTest, ALineAboveTheLimitComesInPieces) {
  const std::string longer(3 * kReadBytes, 'x');
  const std::string content = "a\n" + longer + "\r\nb\n";
  const auto lines = lines_of(content, 1000);
  std::string joined;
  for (const Read& line : lines) joined += line.text + line.ending;
  EXPECT_EQ(joined, content);
  ASSERT_GT(lines.size(), 3u);
  EXPECT_FALSE(lines.front().overlong);
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].overlong);
    EXPECT_EQ(lines[i].number, 2u);
    EXPECT_EQ(lines[i].ending, i + 2 == lines.size() ? "\r\n" : "");
  }
  EXPECT_EQ(lines.back().text, "b");
  EXPECT_EQ(lines.back().number, 3u);
  EXPECT_FALSE(lines.back().overlong);
}

// Each packet is one read: whatever the portions, the lines are those of the whole.
RC_GTEST_FIXTURE_PROP(LineReaderTest, PortionsDoNotMatter, ()) {
  const auto content = *rc::gen::container<std::string>(rc::gen::element('a', '\n', '\r', '\0', '\xFF', '{'));
  const std::size_t limit = *rc::gen::element<std::size_t>(1, 2, 5, kMaxLineBytes);
  int ends[2];
  RC_ASSERT(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  const Fd receiver(ends[0]);
  Fd sender(ends[1]);
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t size = std::min(content.size() - at, *rc::gen::inRange<std::size_t>(1, 6));
    RC_ASSERT(::send(sender.get(), content.data() + at, size, 0) == static_cast<ssize_t>(size));
    at += size;
  }
  sender.reset();

  const auto portions = all(LineReader::of_stream(receiver.get(), limit));
  std::string joined;
  for (const Read& line : portions) {
    RC_ASSERT(line.offset == joined.size());
    RC_ASSERT(line.text.find('\n') == std::string::npos);
    RC_ASSERT(line.overlong || line.text.size() <= limit);
    joined += line.text + line.ending;
  }
  RC_ASSERT(joined == content);

  std::vector<std::string> whole_lines;
  std::uint64_t last = 0;
  for (const Read& line : portions) {
    if (line.number != last) whole_lines.emplace_back();
    last = line.number;
    whole_lines.back() += line.text + line.ending;
  }
  std::vector<std::string> expected;
  for (std::size_t at = 0; at < content.size(); at += expected.back().size())
    expected.push_back(content.substr(at, std::min(content.find('\n', at), content.size() - 1) + 1 - at));
  RC_ASSERT(whole_lines == expected);
}

}  // namespace
}  // namespace holdfast::jsonl
