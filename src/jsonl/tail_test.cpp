#include "jsonl/tail.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>

#include <fcntl.h>

namespace holdfast::jsonl {
namespace {

using testing::ElementsAre;

class TailTest : public testing::Test {
 protected:
  void write(std::string_view content) { ASSERT_TRUE(replace_file(path_, content)); }  // a new inode each time
  void append(std::string_view content) {
    const Fd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_TRUE(write_all(fd.get(), content));
  }
  Result<Fd> open() const {
    Fd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail(system_error("opening", errno));
    return fd;
  }
  LiveFile live() const { return *LiveFile::of(*open()); }
  static std::vector<std::string> lines_of(LineReader reader) {
    std::vector<std::string> lines;
    while (const auto line = *reader.next()) lines.emplace_back(line->bytes());
    return lines;
  }

  TestFolder folder_;
  std::string path_ = folder_ / "live.jsonl";
};

TEST_F(TailTest, WhatIsAppendedLaterIsNotSeen) {
  write("{\"a\":1}\n{\"b\"");
  const LiveFile file = live();
  append(":2}\n{\"c\":3}\n");
  EXPECT_THAT(lines_of(file.lines()), ElementsAre("{\"a\":1}\n", "{\"b\""));
  EXPECT_EQ(file.size(), 12u);
  EXPECT_EQ(file.only_grew(*open()), true);
  EXPECT_THAT(lines_of(live().lines(8)), ElementsAre("{\"b\":2}\n", "{\"c\":3}\n")) << "from where complete lines ended";
}

TEST_F(TailTest, ACutOrReplacedFileIsNoticed) {
  write("{\"a\":1}\n{\"b\":2}\n");
  const LiveFile file = live();
  ASSERT_EQ(::truncate(path_.c_str(), 8), 0);
  EXPECT_EQ(file.only_grew(*open()), false);
  write("{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(file.only_grew(*open()), false);
}

TEST_F(TailTest, AFolderIsNoTranscript) {
  const auto file = LiveFile::of(Fd(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC)));
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().kind, ErrorKind::invalid);
  EXPECT_EQ(LiveFile::of(Fd()).error().kind, ErrorKind::io);
}

TEST_F(TailTest, FindsWhereCompleteLinesEnd) {
  const auto end_in = [&](const std::string& content) {
    write(content);
    return end_of_complete_lines(open()->get(), content.size()).value();
  };
  EXPECT_EQ(end_in(""), 0u);
  EXPECT_EQ(end_in("torn"), 0u);
  EXPECT_EQ(end_in("a\n"), 2u);
  EXPECT_EQ(end_in("a\nb\ntorn"), 4u);
  EXPECT_EQ(end_in("a\n" + std::string(3 * kReadBytes, 'x')), 2u);
  EXPECT_EQ(end_in(std::string(3 * kReadBytes, 'x')), 0u);
  write("a\n");
  EXPECT_EQ(end_of_complete_lines(open()->get(), 10).error().kind, ErrorKind::conflict);
}

}  // namespace
}  // namespace holdfast::jsonl
