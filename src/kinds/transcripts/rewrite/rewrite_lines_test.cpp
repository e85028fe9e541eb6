#include "kinds/transcripts/rewrite/rewrite_lines.h"

#include "kinds/transcripts/rewrite/test_rewrite.h"

#include <random>

namespace holdfast::transcripts {
namespace {

struct TestLine {
  std::string text, ending;
  bool overlong = false;
};

std::string random_record(std::mt19937& random, std::size_t size) {
  const std::string number = std::to_string(random());
  const std::string folder = random() % 3 == 0 ? kOldRoot + "/" + number : "/elsewhere/" + number;
  return R"({"type":"user","uuid":"u)" + number + R"(","sessionId":")" + kOldId + R"(","cwd":")" + folder + R"(","text":")" +
         std::string(size, 'x') + "\"}";
}

// Enough for many batches, with everything a batch has to get right among the records.
std::vector<TestLine> mixed_lines(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TestLine> lines;
  for (std::size_t bytes = 0; bytes < 4'000'000;) {
    TestLine line{random_record(random, random() % 3000), random() % 9 == 0 ? "\r\n" : "\n"};
    switch (random() % 200) {
      case 0:
        line.text = R"({"type":"custom-title","customTitle":"title )" + std::to_string(bytes) + R"(","sessionId":"x"})";
        break;
      case 1:
        line.text = R"({"type":"bridge-session","sessionId":"x"})";
        break;
      case 2:
        line.text = line.text.substr(0, line.text.size() / 2);
        break;
      case 3:
        line.text += random_record(random, 10);
        break;
      case 4:
        line.text.clear();
        break;
      case 5:
        line.text = random_record(random, 300'000);
        break;
      case 6:
        lines.push_back({random_record(random, 10), "", true});
        line.overlong = true;
        break;
      default:
        break;
    }
    bytes += line.text.size();
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Outcome {
  std::string bytes;
  RewriteCounts counts;
  Result<void> end;
};

template <class Lines>
Outcome pass(Lines& lines, Rewriter& rewriter, const std::vector<TestLine>& given) {
  Outcome outcome;
  for (const ArtifactKind kind : {ArtifactKind::main_transcript, ArtifactKind::nested_agent}) {
    lines.begin(test_artifact(kind));
    for (const TestLine& line : given) EXPECT_TRUE(lines.line(line.text, line.ending, line.overlong, outcome.bytes));
    outcome.end = lines.end(outcome.bytes);
    if (!outcome.end) break;
  }
  outcome.counts = rewriter.counts();
  return outcome;
}

void expect_like_one_thread(const std::vector<TestLine>& lines, const RewriteOptions& options) {
  Rewriter alone(test_copy(), test_paths(), options), shared(test_copy(), test_paths(), options);
  const Outcome expected = pass(alone, alone, lines);
  RewriteLines batches(shared);
  const Outcome outcome = pass(batches, shared, lines);
  EXPECT_TRUE(outcome.bytes == expected.bytes) << outcome.bytes.size() << " bytes instead of " << expected.bytes.size();
  EXPECT_EQ(outcome.end.has_value(), expected.end.has_value());
  if (!expected.end && !outcome.end) {
    EXPECT_EQ(outcome.end.error().message, expected.end.error().message);
  }
  EXPECT_EQ(outcome.counts.lines, expected.counts.lines);
  EXPECT_EQ(outcome.counts.edited_lines, expected.counts.edited_lines);
  EXPECT_EQ(outcome.counts.records, expected.counts.records);
  EXPECT_EQ(outcome.counts.ids, expected.counts.ids);
  EXPECT_EQ(outcome.counts.paths, expected.counts.paths);
  EXPECT_EQ(outcome.counts.dropped_lines, expected.counts.dropped_lines);
  EXPECT_EQ(outcome.counts.opaque_lines, expected.counts.opaque_lines);
  EXPECT_EQ(outcome.counts.samples, expected.counts.samples);
  EXPECT_EQ(outcome.counts.custom_title, expected.counts.custom_title);
}

TEST(RewriteLines, Rewrite_6_1_GivesWhatOneThreadWouldGive) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::vector<TestLine> lines = mixed_lines(seed);
    expect_like_one_thread(lines, test_options());
    lines.back().ending.clear();  // torn: a copy ends in a newline all the same
    expect_like_one_thread(lines, test_options(PathLevel::all));
  }
}

TEST(RewriteLines, Clone_5_UpToCutsWhereItShould) {
  std::vector<TestLine> lines = mixed_lines(7);
  const std::string uuid = "00000000-0000-4000-8000-00000000abcd";
  lines[lines.size() / 2] = {R"({"type":"user","uuid":")" + uuid + "\"}", "\n"};
  expect_like_one_thread(lines, test_options(PathLevel::fields, uuid));
  expect_like_one_thread(lines, test_options(PathLevel::fields, "00000000-0000-4000-8000-0000000fffff"));
}

TEST(RewriteLines, FilesOfAFewLinesFollowEachOther) {
  expect_like_one_thread({{R"({"type":"a"})", "\n"}, {R"({"type":"b"})", ""}}, test_options());
  expect_like_one_thread({}, test_options());
}

TEST(RewriteLines, WhatIsNotFinishedIsLeftBehind) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  std::string out;
  RewriteLines batches(rewriter);
  batches.begin(test_artifact());
  for (const TestLine& line : mixed_lines(3)) ASSERT_TRUE(batches.line(line.text, line.ending, line.overlong, out));
}

}  // namespace
}  // namespace holdfast::transcripts
