#include "kinds/transcripts/lines/line_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

namespace holdfast::transcripts {
namespace {

reading::ByteSource first_bytes(const std::string& text, std::size_t size) {
  reading::ByteSource source;
  source.size = size;
  source.incarnation = "1";
  source.read = [&text, size](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
    const std::size_t count = offset >= size ? 0 : std::min(to.size(), size - static_cast<std::size_t>(offset));
    std::memcpy(to.data(), text.data() + offset, count);
    return count;
  };
  return source;
}

void expect_same(const LineIndex& a, const LineIndex& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(a.leaf(), b.leaf());
  for (std::uint32_t line = 0; line < a.size(); ++line) {
    const IndexedLine one = a.at(line), other = b.at(line);
    ASSERT_EQ(std::tie(one.offset, one.end, one.kind, one.chained), std::tie(other.offset, other.end, other.kind, other.chained))
        << line;
    ASSERT_EQ(a.parent(line), b.parent(line)) << line;
    ASSERT_EQ(a.logical_parent(line), b.logical_parent(line)) << line;
  }
}

// Parents near and far, some of them missing, circles, compactions, blank and broken lines, CRLF, and a line without an end.
std::string long_transcript() {
  std::string text;
  for (int i = 0; text.size() < 20 * 1024 * 1024; ++i) {
    const int parent = i % 97 == 0 ? i / 2 : i % 101 == 0 ? i + 3 : i - 1;
    const char* type = i % 3 == 0 ? "user" : "assistant";
    text += fmt::format(R"({{"type":"{}","uuid":"u{}","parentUuid":"u{}","message":{{"content":"{}"}}}})", type,
                        i % 5000 == 4999 ? 17 : i, parent, std::string(static_cast<std::size_t>(i % 700), 'x'));
    text += i % 11 == 0 ? "\r\n" : "\n";
    if (i % 1009 == 0) text += "\n{broken\n";
    if (i % 4001 == 0)
      text += fmt::format(
          R"({{"type":"system","subtype":"compact_boundary","uuid":"c{}","parentUuid":null,"logicalParentUuid":"u{}"}})"
          "\n",
          i, i);
    if (i % 6007 == 0)
      text += fmt::format(R"({{"type":"last-prompt","leafUuid":"u{}"}})"
                          "\n",
                          i);
  }
  return text + R"({"type":"user","uuid":"last)";
}

TEST(LineIndex, TwoThreadsFindWhatOneDoes) {
  const std::string text = long_transcript();
  LineIndex at_once(LineIndex::Product::claude), in_steps(LineIndex::Product::claude);
  ASSERT_TRUE(at_once.update(first_bytes(text, text.size())));
  for (std::size_t size = 1'000'003; size < text.size(); size += 1'000'003) ASSERT_TRUE(in_steps.update(first_bytes(text, size)));
  ASSERT_TRUE(in_steps.update(first_bytes(text, text.size())));
  ASSERT_EQ(at_once.size(), in_steps.size());
  EXPECT_EQ(at_once.bytes(), text.size());
  for (std::uint32_t line = 0; line < at_once.size(); ++line) {
    const IndexedLine one = at_once.at(line), other = in_steps.at(line);
    ASSERT_EQ(std::tie(one.offset, one.end, one.kind), std::tie(other.offset, other.end, other.kind)) << line;
  }
  // And with what is appended afterwards.
  const std::string more = text + "\"}\n" + text.substr(0, 12'000'000);
  LineIndex whole(LineIndex::Product::claude);
  ASSERT_TRUE(whole.update(first_bytes(more, more.size())));
  ASSERT_TRUE(at_once.update(first_bytes(more, more.size())));
  ASSERT_EQ(whole.size(), at_once.size());
}

TEST(LineIndex, ALongLineInTheMiddleIsReadByOne) {
  const std::string text =
      "{\"type\":\"user\",\"uuid\":\"a\"}\n{\"type\":\"user\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"message\":{\"content\":\"" +
      std::string(20 * 1024 * 1024, 'x') + "\"}}\n{\"type\":\"assistant\",\"uuid\":\"c\",\"parentUuid\":\"b\"}\n";
  LineIndex index(LineIndex::Product::claude);
  ASSERT_TRUE(index.update(first_bytes(text, text.size())));
  ASSERT_EQ(index.size(), 3U);
  EXPECT_EQ(index.parent(1), 0U);
  EXPECT_EQ(index.parent(2), 1U);
  LineIndex again(LineIndex::Product::claude);
  ASSERT_TRUE(again.update(first_bytes(text, text.size())));
  expect_same(index, again);
}

}  // namespace
}  // namespace holdfast::transcripts
