#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "jsonl/test_odd_json.h"
#include "kinds/transcripts/lines/hash_beside.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>

namespace holdfast::transcripts {
namespace {

std::string described(const jsonl::Line& line) {
  return std::to_string(line.number) + (line.overlong ? " overlong " : " ") + std::string(line.text) + "|" +
         std::string(line.ending);
}

reading::ByteSource bytes_of(const std::string& path, std::uint64_t size) {
  auto bytes = reading::file_source(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))).value();
  bytes.size = size;
  return bytes;
}

void expect_as_line_reader(const std::string& text) {
  const TestFolder folder;
  ASSERT_TRUE(create_file(folder / "f", text));
  const Fd fd(::open((folder / "f").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::string> expected, seen;
  auto lines = jsonl::LineReader::of_range(fd.get(), 0, text.size());
  while (const auto line = *lines.next()) expected.push_back(described(*line));
  const auto digest = each_hashed_line(bytes_of(folder / "f", text.size()), [&](const jsonl::Line& line) -> Result<void> {
    seen.push_back(described(line));
    return {};
  });
  ASSERT_TRUE(digest) << digest.error().message;
  EXPECT_EQ(*digest, sha256(text));
  EXPECT_TRUE(seen == expected);
}

TEST(HashedLines, AreThoseOfTheLineReader) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("\n"), std::string("a\r\nb\n\n\r\n\r"), std::string("x\r\r\n")})
    expect_as_line_reader(text);
  jsonl::OddJson odd(5);
  std::string large;
  while (large.size() < 5'000'000) large += odd.object() + odd.pick({"\n", "\r\n", "\n\n"});
  expect_as_line_reader(large + "tail");
}

TEST(HashedLines, AFileThatWasCutIsAConflict) {
  const TestFolder folder;
  ASSERT_TRUE(create_file(folder / "f", "one\ntwo\n"));
  const auto nothing = [](const jsonl::Line&) -> Result<void> { return {}; };
  EXPECT_EQ(each_hashed_line(bytes_of(folder / "f", 9), nothing).error().kind, ErrorKind::conflict);
  EXPECT_EQ(each_hashed_line(bytes_of(folder / "f", 3'000'000), nothing).error().kind, ErrorKind::conflict);
}

TEST(HashedLines, AnErrorOfTheTakerEndsIt) {
  const TestFolder folder;
  ASSERT_TRUE(create_file(folder / "f", std::string(3'000'000, '\n')));
  const auto stop = [](const jsonl::Line&) -> Result<void> { return fail(ErrorKind::cancelled, "enough"); };
  EXPECT_EQ(each_hashed_line(bytes_of(folder / "f", 3'000'000), stop).error().message, "enough");
}

}  // namespace
}  // namespace holdfast::transcripts
