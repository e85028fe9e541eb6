#include "jsonl/splice_lines.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/test_data.h"
#include "base/test_folder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>
#include <rapidcheck.h>

#include <filesystem>

namespace holdfast::jsonl {
namespace {

class SpliceLinesTest : public testing::Test {
 protected:
  // The content through a splicer, from file to file.
  std::string copy(std::string_view content, SpliceRules rules, std::size_t max_line_bytes = kMaxLineBytes) {
    EXPECT_TRUE(replace_file(folder_ / "in", content));
    const Fd in(::open((folder_ / "in").c_str(), O_RDONLY | O_CLOEXEC));
    const Fd out(::open((folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    auto lines = LineReader::of_stream(in.get(), max_line_bytes);
    Splicer splicer(std::move(rules));
    const auto done = splice_lines(lines, splicer, out.get());
    EXPECT_TRUE(done.has_value());
    if (done) counts_ = *done;
    return read_file(folder_ / "out", 1024 * 1024 * 1024).value_or("unreadable");
  }

  TestFolder folder_;
  SpliceCounts counts_;
};

std::vector<std::string> transcripts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data("claude-home-basic")))
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  return paths;
}

SpliceRules replace_id(std::string from, std::string to) {
  SpliceRules rules;
  rules.decide = [from, to](StringSite& site) {
    for (std::size_t at = site.text().find(from); at != std::string_view::npos; at = site.text().find(from, at + from.size()))
      EXPECT_TRUE(site.replace(at, at + from.size(), to));
  };
  return rules;
}

TEST_F(SpliceLinesTest, RealTranscriptsAreCopiedByteByByte) {
  ASSERT_EQ(transcripts().size(), 9u);
  for (const std::string& path : transcripts()) {
    const std::string content = read_file(path).value();
    EXPECT_TRUE(copy(content, {}) == content) << path;
    EXPECT_EQ(counts_.of(LineShape::object), counts_.lines) << path;
    EXPECT_EQ(counts_.bytes_in, content.size());
    EXPECT_EQ(counts_.bytes_out, content.size());
    EXPECT_EQ(counts_.edited_lines, 0u);
  }
}

TEST_F(SpliceLinesTest, AnIdExchangedInRealTranscriptsIsAsInTheirBytes) {
  const std::string old_id = "000000a", new_id = "0199c0de";
  std::uint64_t edits = 0;
  for (const std::string& path : transcripts()) {
    const std::string content = read_file(path).value();
    std::string expected = content;  // the client escapes no letter or digit, so bytes and meaning are one here
    for (std::size_t at = expected.find(old_id); at != std::string::npos; at = expected.find(old_id, at + new_id.size()))
      expected.replace(at, old_id.size(), new_id);
    const std::string changed = copy(content, replace_id(old_id, new_id));
    EXPECT_TRUE(changed == expected) << path;
    edits += counts_.edits;
    EXPECT_TRUE(copy(changed, replace_id(new_id, old_id)) == content) << path;
  }
  EXPECT_GT(edits, 100u);
}

TEST_F(SpliceLinesTest, CountsWhatItMet) {
  SpliceRules rules;
  rules.replacements.push_back({"/id", "new"});
  const std::string content =
      "{\"id\":\"old\"}\r\n\n{\"torn\n" + std::string(4, '\0') + "\n{\"id\":\"o\xFF\"}\n{\"id\":\"a\"}{\"id\":\"b\"}\n[1]";
  EXPECT_EQ(copy(content, rules), "{\"id\":\"new\"}\r\n\n{\"torn\n" + std::string(4, '\0') +
                                      "\n{\"id\":\"new\"}\n{\"id\":\"new\"}{\"id\":\"new\"}\n[1]");
  EXPECT_EQ(counts_.lines, 7u);
  EXPECT_EQ(counts_.edited_lines, 3u);
  EXPECT_EQ(counts_.edits, 4u);
  EXPECT_EQ(counts_.invalid_utf8_lines, 1u);
  EXPECT_EQ(counts_.of(LineShape::object), 2u);
  EXPECT_EQ(counts_.of(LineShape::blank), 1u);
  EXPECT_EQ(counts_.of(LineShape::broken), 1u);
  EXPECT_EQ(counts_.of(LineShape::nul), 1u);
  EXPECT_EQ(counts_.of(LineShape::fused), 1u);
  EXPECT_EQ(counts_.of(LineShape::not_object), 1u);
}

TEST_F(SpliceLinesTest, OverlongLinesPassThrough) {
  SpliceRules rules;
  rules.replacements.push_back({"/id", "new"});
  const std::string longer = "{\"id\":\"" + std::string(2 * kReadBytes, 'x') + "\"}\n";
  EXPECT_EQ(copy("{\"id\":\"a\"}\n" + longer + "{\"id\":\"b\"}", rules, 1000),
            "{\"id\":\"new\"}\n" + longer + "{\"id\":\"new\"}");
  EXPECT_EQ(counts_.lines, 3u);
  EXPECT_EQ(counts_.overlong_lines, 1u);
  EXPECT_EQ(counts_.edited_lines, 2u);
}

TEST_F(SpliceLinesTest, AFullDiskIsAnError) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_TRUE(replace_file(folder_ / "in", "{}\n"));
  const Fd file(::open((folder_ / "in").c_str(), O_RDONLY | O_CLOEXEC));
  auto lines = LineReader::of_stream(file.get());
  Splicer splicer({});
  const auto done = splice_lines(lines, splicer, full.get());
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::io);
}

RC_GTEST_FIXTURE_PROP(SpliceLinesTest, AnyBytesAreCopiedAsTheyAre, ()) {
  const auto content =
      *rc::gen::container<std::string>(rc::gen::element('{', '}', '"', 'a', ':', '\n', '\r', '\0', '\xFF', '\\'));
  RC_ASSERT(copy(content, {}, *rc::gen::element<std::size_t>(1, 3, kMaxLineBytes)) == content);
}

}  // namespace
}  // namespace holdfast::jsonl
