#include "kinds/transcripts/home/summary.h"

#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/products/claude/prompt.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;

const SessionPlace kSummaryPlace = {"11111111-2222-4333-8444-555555555555", "-home-u-p"};

std::string user_prompt(const std::string& text, const std::string& more = "") {
  return R"({"type":"user","isSidechain":false,"message":{"role":"user","content":")" + text + "\"}" + more + "}\n";
}

class SummaryTest : public testing::Test {
 protected:
  Summary of(const std::string& text) {
    test.write(kSummaryPlace.transcript(), text);
    const FoundSession session{kSummaryPlace, text.size(), 0};
    const Summary ends = summarise(test.home(), session).value();
    const Summary whole = summarise_whole(test.home(), session).value();
    EXPECT_EQ(ends.title, whole.title);
    EXPECT_EQ(ends.project_root, whole.project_root);
    return ends;
  }
  std::string title_of(const std::string& text) { return of(text).title; }

  TestHome test;
};

TEST(Summary, Summary_1_4_OfTheRealClient) {
  const TestHome test = TestHome::of_client();
  const Home home = test.home();
  const auto summary_of = [&](const std::string& id) {
    return summarise_whole(home, find_session(home, TestHome::id(id)).value()).value();
  };
  const Summary a1 = summary_of("a1");
  EXPECT_EQ(a1.title, "A simple chat [[script:hello]]");
  EXPECT_EQ(a1.project_root, "/home/dev/work/demo");
  EXPECT_EQ(a1.first_cwd, "/home/dev/work/demo");
  EXPECT_EQ(a1.version, "2.1.197");
  EXPECT_EQ(iso8601(a1.first_time), "2026-11-15T03:06:39.307Z");
  EXPECT_GT(a1.last_time, a1.first_time);
  EXPECT_FALSE(a1.sidechain);
  const Summary a5 = summary_of("a5");
  EXPECT_EQ(a5.title, a5.custom_title);
  EXPECT_FALSE(a5.custom_title.empty()) << "the session was renamed";
}

TEST_F(SummaryTest, Summary_1_4_OrderOfTitles) {
  const std::string first = user_prompt("first prompt") + user_prompt("second prompt");
  EXPECT_EQ(title_of(first), "first prompt");
  const std::string summary = first + R"({"type":"summary","summary":"the summary"})" + "\n";
  EXPECT_EQ(title_of(summary), "the summary");
  const std::string last = summary + R"({"type":"last-prompt","lastPrompt":"p1"})"
                                     "\n"
                                     R"({"type":"last-prompt","lastPrompt":"p2"})"
                                     "\n";
  EXPECT_EQ(title_of(last), "p2");
  const std::string ai = last + R"({"type":"ai-title","aiTitle":"t1"})"
                                "\n"
                                R"({"type":"ai-title","aiTitle":"t2"})"
                                "\n";
  EXPECT_EQ(title_of(ai), "t2");
  const std::string custom = ai + R"({"type":"custom-title","customTitle":"c1"})"
                                  "\n"
                                  R"({"type":"custom-title","customTitle":"c\u0032"})"
                                  "\n";
  EXPECT_EQ(title_of(custom), "c2");
  EXPECT_EQ(of(custom).custom_title, "c2");
  EXPECT_EQ(of(ai).custom_title, "");
}

TEST_F(SummaryTest, Summary_1_4_OnlyWhatAPersonTypedIsAPrompt) {
  const std::string noise =
      user_prompt("about the project", R"(,"isMeta":true)") + user_prompt("a summary", R"(,"isCompactSummary":true)") +
      user_prompt("<local-command-stdout>out</local-command-stdout>") + user_prompt("<task-notification>x") +
      user_prompt("side", R"(,"isSidechain":true)") + user_prompt("result", R"(,"toolUseResult":{})") +
      R"({"type":"user","message":{"content":[{"type":"tool_result","content":"x"},{"type":"text","text":"y"}]}})"
      "\n" +
      R"({"type":"user","message":{"content":7}})"
      "\n" +
      R"({"type":"user","message":[]})"
      "\n";
  EXPECT_EQ(title_of(noise), "");
  const std::string command =
      noise + user_prompt("<command-name>/review</command-name>\\n<command-message>review</command-message>");
  EXPECT_EQ(title_of(command), "/review");
  EXPECT_EQ(title_of(command + user_prompt("  the\\n\\tquestion ")), "the question");
  EXPECT_EQ(title_of(R"({"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"look"}]}})"
                     "\n"),
            "look");
}

TEST_F(SummaryTest, Summary_1_4_TitlesAreCutAndOnOneLine) {
  const std::string title = title_of(user_prompt(std::string(5000, 'x')));
  EXPECT_LE(title.size(), kTitleLength + 2) << "200 characters, the last of them three bytes";
  std::string characters;
  for (int i = 0; i < 300; ++i) characters += "é";
  EXPECT_TRUE(title_of(user_prompt(characters)).starts_with("éé"));
  EXPECT_EQ(title_of(R"({"customTitle":"a\u001b[31m\nb\ud800"})"
                     "\n"),
            "a [31m b\xEF\xBF\xBD");
}

TEST_F(SummaryTest, Summary_1_2_RootIsTheCwdThatHasTheFoldersName) {
  const auto cwd = [](const std::string& path) { return R"({"cwd":")" + path + "\"}\n"; };
  const Summary moved = of(cwd("/home/u/p/sub") + cwd("/home/u/p") + cwd("/home/u.p"));
  EXPECT_EQ(moved.project_root, "/home/u/p");
  EXPECT_EQ(moved.first_cwd, "/home/u/p/sub");
  EXPECT_EQ(of(cwd("/else") + cwd("/home/u/p/sub/deep") + cwd("/tmp")).project_root, "/home/u/p") << "nearest ancestor";
  EXPECT_EQ(of(cwd("/else") + cwd("/other")).project_root, "/else") << "first cwd";
  EXPECT_EQ(of(user_prompt("x")).project_root, "") << "unknown";
}

TEST(ProjectRoot, Summary_1_2_WindowsAndLongPathsAndHostileOnes) {
  ProjectRoot windows("C--Users-me-Project");
  windows.see("C:\\Users\\me\\Project\\sub");
  EXPECT_EQ(windows.root(), "C:\\Users\\me\\Project");
  const std::string path = "/" + std::string(250, 'a');
  ProjectRoot cut("-" + std::string(199, 'a') + "-anyhash");
  cut.see(path);
  EXPECT_EQ(cut.root(), path);
  ProjectRoot hostile("-a");
  hostile.see(std::string(1'000'000, '/'));
  EXPECT_EQ(hostile.root(), "");
  hostile.see("/x" + std::string(4000, '/'));
  EXPECT_FALSE(hostile.certain());
  ProjectRoot top("-");
  top.see("/");
  EXPECT_EQ(top.root(), "/");
}

TEST_F(SummaryTest, BrokenLinesAreNotFatal) {
  const Summary summary = of("\n\n{torn\n" + std::string(100, '\0') + "\n[1]\n" + user_prompt("hello", R"(,"version":"2")") +
                             R"({"customTitle":"cut o)");
  EXPECT_EQ(summary.title, "hello");
  EXPECT_EQ(summary.version, "2");
}

TEST_F(SummaryTest, Summary_1_4_SidechainInItsFirstRecord) {
  EXPECT_TRUE(of(R"({"type":"mode"})"
                 "\n"
                 R"({"isSidechain":true})"
                 "\n"
                 R"({"isSidechain":false})"
                 "\n")
                  .sidechain);
  EXPECT_FALSE(of(R"({"isSidechain":false})"
                  "\n"
                  R"({"isSidechain":true})"
                  "\n")
                   .sidechain);
}

TEST_F(SummaryTest, Search_10_OnlyTheEndsOfALargeFileAreRead) {
  const std::string filler = R"({"type":"progress","data":")" + std::string(1000, 'x') + "\"}\n";
  std::string text = user_prompt("first", R"(,"cwd":"/home/u/p")");
  for (int i = 0; i < 200; ++i) text += filler;
  const std::size_t middle = text.size();
  for (int i = 0; i < 200; ++i) text += filler;
  text += R"({"type":"ai-title","aiTitle":"at the end","version":"9"})"
          "\n";
  text.insert(middle, R"({"type":"custom-title","customTitle":"in the middle"})"
                      "\n");
  test.write(kSummaryPlace.transcript(), text);
  const FoundSession session{kSummaryPlace, text.size(), 0};
  const Summary ends = summarise(test.home(), session).value();
  EXPECT_EQ(ends.title, "at the end");
  EXPECT_EQ(ends.version, "9");
  EXPECT_EQ(ends.project_root, "/home/u/p");
  EXPECT_EQ(summarise_whole(test.home(), session).value().title, "in the middle");
}

}  // namespace
}  // namespace holdfast::transcripts
