#include "kinds/transcripts/rewrite/rewrite.h"

#include "base/ids.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/test_rewrite.h"

#include <gmock/gmock.h>

namespace holdfast::transcripts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kUuid = "5271c147-0000-4000-8000-000000000001";  // begins like the agent's id
const std::string kOtherUuid = "99999999-0000-4000-8000-000000000002";

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}
std::string member(const std::string& name, const std::string& text) {
  return quoted(name) + ":" + quoted(text);
}

TEST(Rewrite, Clone_5_TopLevelSessionIdIsAlwaysSet) {
  EXPECT_EQ(cloned("{" + member("sessionId", kOldId) + "}"), "{" + member("sessionId", kNewId) + "}");
  EXPECT_EQ(cloned("{ " + member("sessionId", kOtherUuid) + ",\"n\":1.10}"), "{ " + member("sessionId", kNewId) + ",\"n\":1.10}");
  EXPECT_EQ(cloned("{\"x\":{" + member("sessionId", kOtherUuid) + "}}"), "{\"x\":{" + member("sessionId", kOtherUuid) + "}}");
  EXPECT_EQ(cloned(R"({"sessionId":null})"), R"({"sessionId":null})");
}

TEST(Rewrite, Clone_5_OldIdGivesWayInAnyStringAndSpelling) {
  EXPECT_EQ(cloned("{\"a\":\"see " + kOldId + " and " + kOldId + ".\"}"), "{\"a\":\"see " + kNewId + " and " + kNewId + ".\"}");
  EXPECT_EQ(cloned("{" + quoted("k" + kOldId) + ":1}"), "{" + quoted("k" + kNewId) + ":1}");
  EXPECT_EQ(cloned(R"({"a":"\u0035271c147\u002d0000-4000-8000-0000000000a5"})"), "{" + member("a", kNewId) + "}");
  EXPECT_EQ(cloned(R"({"a":"\u001b[1m)" + kOldId + R"(","\u0062":"x"})"), R"({"a":"\u001b[1m)" + kNewId + R"(","\u0062":"x"})");
}

TEST(Rewrite, AnIdThatBeginsWithTheLetterOfAnEscapeIsNotCut) {
  const std::string id = "b271c147-0000-4000-8000-0000000000a5";
  Rewriter rewriter(identity_of_copy({id, kOldFolder}, kNewId, kNewFolder, {}, {}), {}, test_options());
  const std::string line = R"({"a":"x\)" + id + R"(","b":"\\)" + id + "\"}\n";  // a \b and the rest; a backslash and the id
  EXPECT_EQ(rewritten(rewriter, line), R"({"a":"x\)" + id + R"(","b":"\\)" + kNewId + "\"}\n");
}

TEST(Rewrite, Clone_9_1_SavedResultsPointAtTheCopysFolder) {
  const std::string old_path = "/home/x/.claude/projects/" + kOldFolder + "/" + kOldId + "/tool-results/b1.txt";
  const std::string new_path = "/home/x/.claude/projects/" + kNewFolder + "/" + kNewId + "/tool-results/b1.txt";
  EXPECT_EQ(cloned("{\"c\":\"Full output saved to: " + old_path + "\\n" + old_path + "\"}"),
            "{\"c\":\"Full output saved to: " + new_path + "\\n" + new_path + "\"}");
  EXPECT_EQ(cloned(R"({"c":"C:\\u\\.claude\\projects\\)" + kOldFolder + R"(\\)" + kOldId + "\"}"),
            R"({"c":"C:\\u\\.claude\\projects\\)" + kNewFolder + R"(\\)" + kNewId + "\"}");
  // Another session's folder of that project is not ours.
  const std::string strange = "{\"c\":\"/h/.claude/projects/" + kOldFolder + "/" + kOtherUuid + "\"}";
  EXPECT_EQ(cloned(strange), strange);
}

TEST(Rewrite, Restore_9_1_SavedResultsPointAtTheHomeTheCopyIsIn) {
  Identity identity = test_copy();
  identity.new_home = "/srv/u/.claude";
  Rewriter rewriter(identity, {}, test_options());
  const std::string old_end = "/projects/" + kOldFolder + "/" + kOldId + "/x",
                    end = "/projects/" + kNewFolder + "/" + kNewId + "/x";
  const auto expect = [&](const std::string& before, const std::string& after) {
    EXPECT_EQ(rewritten(rewriter, "{" + member("c", before) + "}\n"), "{" + member("c", after) + "}\n");
  };
  expect("/home/x/.claude" + old_end, "/srv/u/.claude" + end);
  expect("/home/First Last/.claude" + old_end, "/srv/u/.claude" + end);
  expect("saved to: /home/x/.claude" + old_end + "\\nand '/h" + old_end + "'",
         "saved to: /srv/u/.claude" + end + "\\nand '/srv/u/.claude" + end + "'");
  expect("saved to: /home/First Last/.claude" + old_end, "saved to: /home/First Last/.claude" + end);  // where does it begin?
  expect("~/.claude" + old_end, "~/.claude" + end);
  expect(R"(C:\\u\\.claude\\projects\\)" + kOldFolder + R"(\\)" + kOldId,
         R"(C:\\u\\.claude\\projects\\)" + kNewFolder + R"(\\)" + kNewId);
  expect("/home/x/.claude/plans/" + kSlug + ".md", "/srv/u/.claude/plans/" + kSlug + kNewMark + ".md");
  expect("/home/x/.claude/plans/other.md", "/home/x/.claude/plans/other.md");
  expect("plans/" + kSlug + ".md", "plans/" + kSlug + kNewMark + ".md");
}

TEST(Rewrite, TheClientsHomeDoesNotMoveWithAProjectThatIsItsParent) {
  PathMap paths;
  paths.add("/home/dev", "/srv/new");
  for (const PathLevel level : {PathLevel::fields, PathLevel::all}) {
    Rewriter rewriter(test_copy(), paths, test_options(level));
    const std::string line = "{\"outputFile\":\"/home/dev/.claude/projects/" + kOldFolder + "/" + kOldId +
                             "/x\",\"planFilePath\":\"/home/dev/.claude/plans/brave-fox.md\",\"p\":\"/home/dev/.claude/x\"}\n";
    if (level == PathLevel::fields)
      EXPECT_EQ(rewritten(rewriter, line), "{\"outputFile\":\"/home/dev/.claude/projects/" + kNewFolder + "/" + kNewId +
                                               "/x\",\"planFilePath\":\"/home/dev/.claude/plans/brave-fox" + kNewMark +
                                               ".md\",\"p\":\"/srv/new/.claude/x\"}\n");
    else
      EXPECT_THAT(rewritten(rewriter, line), HasSubstr("/home/dev/.claude/projects/" + kNewFolder + "/" + kNewId + "/x"));
  }
}

TEST(Rewrite, Clone_5_ForksOfOthersAreHistory) {
  const std::string line = "{\"forkedFrom\":{" + member("sessionId", kOldId) + "," + member("messageUuid", kUuid) + "}}";
  EXPECT_EQ(cloned(line), line);
}

TEST(Rewrite, Clone_5_ThinkingIsNeverTouched) {
  for (const std::string type : {"thinking", "redacted_thinking"}) {
    const std::string block = R"({"thinking":"in /home/dev/demo and )" + kOldId + R"(","data":"/home/dev/demo",)" +
                              member("type", type) + R"(,"signature":"/home/dev/demo"})";
    for (const PathLevel level : {PathLevel::fields, PathLevel::all})
      EXPECT_EQ(cloned(R"({"message":{"content":[)" + block + "]}," + member("sessionId", kOldId) + "}", level),
                R"({"message":{"content":[)" + block + "]}," + member("sessionId", kNewId) + "}");
  }
}

TEST(Rewrite, WhatIsTakenBackIsNotCounted) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  rewritten(rewriter,
            R"({"message":{"content":[{"thinking":")" + kOldId + R"(","x":"/home/dev/demo/y","type":"thinking"}]}})" + "\n");
  EXPECT_EQ(rewriter.counts().ids, 0U);
  EXPECT_EQ(rewriter.counts().paths, 0U);
  EXPECT_EQ(rewriter.counts().edited_lines, 0U);
}

TEST(Rewrite, Clone_5_AnAgentsIdIsReplacedByPlaceAlone) {
  const std::string words = R"("message":{"content":"ask 5271c147 please"})";
  EXPECT_EQ(cloned("{" + member("uuid", kUuid) + "," + member("agentId", kAgent) + "," + words + "}"),
            "{" + member("uuid", kUuid) + "," + member("agentId", kAgent + kNewMark) + "," + words + "}");
  EXPECT_EQ(cloned(R"({"toolUseResult":{"agentId":"5271c147","x":"5271c147"},"data":{"agentId":"5271c147"}})"),
            R"({"toolUseResult":{"agentId":"5271c147)" + kNewMark + R"(","x":"5271c147"},"data":{"agentId":"5271c147)" +
                kNewMark + R"("}})");
  EXPECT_EQ(cloned(R"({"input":{"agentId":"5271c147"}})"), R"({"input":{"agentId":"5271c147"}})");
  EXPECT_EQ(cloned(R"({"agentId":"a77-clone-00000000"})"), R"({"agentId":"a77)" + kNewMark + R"("})");
}

TEST(Rewrite, Clone_5_JournalsAndRunFilesHaveAgentsAnywhere) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  EXPECT_EQ(rewritten(rewriter, R"({"result":{"agentId":"5271c147"},"sessionId":")" + kOtherUuid + "\"}\n",
                      ArtifactKind::workflow_journal),
            R"({"result":{"agentId":"5271c147)" + kNewMark + R"("},"sessionId":")" + kOtherUuid + "\"}\n");
}

TEST(Rewrite, Clone_5_FilesOfAgentsAndPlansByTheEndOfAPath) {
  EXPECT_EQ(
      cloned(R"({"a":"/h/.claude/projects/-home-dev-demo/agent-5271c147.jsonl","b":"/h/agent-5271c1470.jsonl"})"),
      R"({"a":"/h/.claude/projects/-srv-new-demo/agent-5271c147)" + kNewMark + R"(.jsonl","b":"/h/agent-5271c1470.jsonl"})");
  EXPECT_EQ(cloned(R"({"p":"/h/.claude/plans/brave-fox.md","q":"\/h\/plans\/brave-fox.md","r":"/h/plans/brave-fox.mdx"})"),
            R"({"p":"/h/.claude/plans/brave-fox)" + kNewMark + R"(.md","q":"\/h\/plans\/brave-fox)" + kNewMark +
                R"(.md","r":"/h/plans/brave-fox.mdx"})");
  EXPECT_EQ(cloned(R"({"p":"plans/b-clone-11111111.md"})"), R"({"p":"plans/b)" + kNewMark + R"(.md"})");
  // Words are not paths.
  for (const std::string line : {R"({"lastPrompt":"/review plans/brave-fox.md"})", R"({"t":"line\n/h/plans/brave-fox.md"})",
                                 R"({"t":"see plans/brave-fox.md"})", R"({"t":"/h/myplans/brave-fox.md"})"})
    EXPECT_EQ(cloned(line), line);
}

TEST(Rewrite, Clone_5_SlugsAndTitles) {
  EXPECT_EQ(cloned(R"({"slug":"brave-fox","x":{"slug":"brave-fox"},"y":"brave-fox"})"),
            R"({"slug":"brave-fox)" + kNewMark + R"(","x":{"slug":"brave-fox"},"y":"brave-fox"})");
  EXPECT_EQ(cloned(R"({"slug":null})"), R"({"slug":null})");
  EXPECT_EQ(cloned(R"json({"type":"custom-title","customTitle":"Gr\u00fc\u00dfe (clone-01234567)"})json"),
            R"json({"type":"custom-title","customTitle":"Gr\u00fc\u00dfe (clone-5555beef)"})json");
}

TEST(Rewrite, Clone_5_BridgesAreDroppedInACopyOnly) {
  const std::string text = "{\"type\":\"bridge-session\",\"id\":1}\n{\"a\":1}\n";
  Rewriter copy(test_copy(), test_paths(), test_options());
  EXPECT_EQ(rewritten(copy, text), "{\"a\":1}\n");
  EXPECT_EQ(copy.counts().dropped_lines, 1U);
  Rewriter move(test_move(), test_paths(), test_options());
  EXPECT_EQ(rewritten(move, text), text);
}

TEST(Rewrite, FusedRecordsAreRewrittenEach) {
  EXPECT_EQ(
      cloned("{" + member("sessionId", kOldId) + "}{\"type\":\"bridge-session\"} {" + member("sessionId", kOtherUuid) + "}"),
      "{" + member("sessionId", kNewId) + "} {" + member("sessionId", kNewId) + "}");
  EXPECT_EQ(cloned(R"({"type":"bridge-session"}{"type":"bridge-session"})"), "");
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  EXPECT_EQ(rewritten(rewriter, "{\"a\":1} {\"type\":\"bridge-session\"}\n"), "{\"a\":1} \n");
  EXPECT_EQ(rewriter.counts().edited_lines, 1U) << "a record that is cut out is a change of its line";
}

TEST(Rewrite, Clone_15_ACopyEndsInANewline) {
  Rewriter copy(test_copy(), test_paths(), test_options());
  EXPECT_EQ(rewritten(copy, "{\"a\":1}\n{\"torn"), "{\"a\":1}\n{\"torn\n");
  EXPECT_EQ(rewritten(copy, ""), "");
  EXPECT_EQ(copy.counts().opaque_lines, 1U);
  Rewriter move(test_move(), test_paths(), test_options());
  EXPECT_EQ(rewritten(move, "{\"a\":1}"), "{\"a\":1}");
}

TEST(Rewrite, P16WhatIsNoJsonNamesTheCopyToo) {
  const std::string path = "/h/projects/" + kOldFolder + "/" + kOldId, other = "/h/projects/-other/" + kOldId;
  const std::string torn = R"({"sessionId":")" + kOldId + R"(","slug":"brave-fox","f":")" + path + "/x " + other;
  Rewriter copy(test_copy(), test_paths(), test_options());
  EXPECT_EQ(rewritten(copy, torn), R"({"sessionId":")" + kNewId + R"(","slug":"brave-fox","f":"/h/projects/)" + kNewFolder + "/" +
                                       kNewId + "/x /h/projects/-other/" + kNewId + "\n");
  EXPECT_EQ(copy.counts().edited_lines, 1U);
  EXPECT_EQ(copy.counts().opaque_lines, 1U);
  Rewriter move(test_move(), test_paths(), test_options());
  EXPECT_EQ(rewritten(move, torn), torn) << "a move keeps the id, and what it cannot read";
  // A sidecar, too, that is rewritten as a whole.
  std::string out;
  copy.begin(test_artifact(ArtifactKind::todo, "todos/x.json"));
  ASSERT_TRUE(copy.whole(torn, out));
  EXPECT_FALSE(out.contains(kOldId));
}

TEST(Rewrite, Clone_5_UpToKeepsThatRecordAndNothingBehind) {
  const std::string text = "{" + member("uuid", kUuid) + "}\nnot json\n{" + member("uuid", kOtherUuid) + "}\n{\"a\":1}\ntorn";
  Rewriter rewriter(test_copy(), test_paths(), test_options(PathLevel::fields, kOtherUuid));
  EXPECT_EQ(rewritten(rewriter, text), "{" + member("uuid", kUuid) + "}\nnot json\n{" + member("uuid", kOtherUuid) + "}\n");
  EXPECT_EQ(rewriter.counts().dropped_lines, 2U);
  EXPECT_EQ(rewritten(rewriter, text, ArtifactKind::nested_agent), text + "\n") << "subagents are whole";
}

TEST(Rewrite, Clone_5_UpToAnUnknownRecordIsAnError) {
  Rewriter rewriter(test_copy(), test_paths(), test_options(PathLevel::fields, kOtherUuid));
  std::string out;
  rewriter.begin(test_artifact());
  ASSERT_TRUE(rewriter.line("{" + member("parentUuid", kOtherUuid) + "}", "\n", false, out));
  const auto ended = rewriter.end(out);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::not_found);
  EXPECT_THAT(ended.error().message, HasSubstr(kOtherUuid));
}

TEST(Rewrite, Clone_5_FreshUuidsAreRemappedTogether) {
  Identity identity = test_copy();
  identity.fresh_uuids = true;
  Rewriter rewriter(identity, test_paths(), test_options());
  const std::string fresh = fresh_uuid(kNewId, kUuid), other = fresh_uuid(kNewId, kOtherUuid);
  EXPECT_TRUE(is_uuid(fresh));
  EXPECT_EQ(fresh[14], '4');
  EXPECT_NE(fresh, other);
  EXPECT_EQ(rewritten(rewriter, "{" + member("uuid", kUuid) + "," + member("parentUuid", kOtherUuid) + "," +
                                    member("requestId", kUuid) + "}\n"),
            "{" + member("uuid", fresh) + "," + member("parentUuid", other) + "," + member("requestId", kUuid) +
                ",\"forkedFrom\":{" + member("sessionId", kOldId) + "," + member("messageUuid", kUuid) + "}}\n");
  EXPECT_EQ(rewritten(rewriter, "{" + member("messageId", kUuid) + ",\"snapshot\":{" + member("messageId", kOtherUuid) + "}," +
                                    member("leafUuid", "none") + ",\"parentUuid\":null}\n"),
            "{" + member("messageId", fresh) + ",\"snapshot\":{" + member("messageId", other) + "}," +
                member("leafUuid", "none") + ",\"parentUuid\":null}\n");
  EXPECT_EQ(rewritten(rewriter, R"({"compactMetadata":{"preservedSegment":{"headUuid":")" + kUuid +
                                    R"("},"preservedMessages":{"uuids":[")" + kOtherUuid + "\"],\"n\":\"x\"}}}\n"),
            R"({"compactMetadata":{"preservedSegment":{"headUuid":")" + fresh + R"("},"preservedMessages":{"uuids":[")" + other +
                "\"],\"n\":\"x\"}}}\n");
  const std::string fork =
      ",\"forkedFrom\":{" + member("sessionId", kOtherUuid) + "," + member("messageUuid", kOtherUuid) + "}} \n";
  EXPECT_EQ(rewritten(rewriter, "{" + member("uuid", kUuid) + fork), "{" + member("uuid", fresh) + fork);
}

TEST(Rewrite, Paths_6_FieldsOutsideMessageText) {
  EXPECT_EQ(
      cloned(
          R"({"cwd":"/home/dev/demo","projectPaths":["/home/dev/demo/","/home/dev/demo-old"],"toolUseResult":{"filePath":"/home/dev/demo/a b.txt"}})"),
      R"({"cwd":"/srv/new/demo","projectPaths":["/srv/new/demo/","/home/dev/demo-old"],"toolUseResult":{"filePath":"/srv/new/demo/a b.txt"}})");
  EXPECT_EQ(cloned(R"({"message":{"content":[{"type":"tool_use","input":{"file_path":"\/home\u002fdev\/demo\/x\/y"}}]}})"),
            R"({"message":{"content":[{"type":"tool_use","input":{"file_path":"\/srv\/new\/demo\/x\/y"}}]}})");
  EXPECT_EQ(
      cloned(R"({"snapshot":{"trackedFileBackups":{"/home/dev/demo/x":{"/home/dev/demo/y":1},"/h/plans/brave-fox.md":2}}})"),
      R"({"snapshot":{"trackedFileBackups":{"/srv/new/demo/x":{"/home/dev/demo/y":1},"/h/plans/brave-fox)" + kNewMark +
          R"(.md":2}}})");
  for (const std::string line :
       {R"({"message":{"content":"/home/dev/demo/x"}})", R"({"message":{"content":[{"type":"text","text":"/home/dev/demo"}]}})",
        R"({"message":{"content":[{"type":"tool_result","content":"/home/dev/demo"}]}})",
        R"({"message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"/home/dev/demo"}]}]}})",
        R"({"type":"system","content":"/home/dev/demo"})", R"({"summary":"/home/dev/demo"})",
        R"({"lastPrompt":"/home/dev/demo/x"})", R"({"aiTitle":"/home/dev/demo"})",
        R"({"toolUseResult":{"stdout":"/home/dev/demo/a\n/home/dev/demo/b"}})"})
    EXPECT_EQ(cloned(line), line);
}

TEST(Rewrite, Paths_6_LevelCwdIsParityAndNoneIsNone) {
  const std::string line =
      R"({"cwd":"/home/dev/demo","projectPaths":["/home/dev/demo"],"x":"/home/dev/demo","y":{"cwd":"/home/dev/demo"}})";
  EXPECT_EQ(cloned(line, PathLevel::cwd),
            R"({"cwd":"/srv/new/demo","projectPaths":["/srv/new/demo"],"x":"/home/dev/demo","y":{"cwd":"/home/dev/demo"}})");
  EXPECT_EQ(cloned(line, PathLevel::none), line);
}

TEST(Rewrite, Paths_6_LevelAllAlsoInText) {
  EXPECT_EQ(
      cloned(
          R"({"cwd":"/home/dev/demo","message":{"content":"in \/home\/dev\/demo\/x, not /home/dev/demo-old\n/home/dev/demo"}})",
          PathLevel::all),
      R"({"cwd":"/srv/new/demo","message":{"content":"in \/srv\/new\/demo\/x, not /home/dev/demo-old\n\/srv\/new\/demo"}})");
}

TEST(Rewrite, Paths_6_WindowsToPosix) {
  PathMap paths;
  paths.add("C:\\Users\\me\\demo", kNewRoot);
  Rewriter rewriter(test_copy(), paths, test_options());
  EXPECT_EQ(rewritten(rewriter, R"({"cwd":"C:\\Users\\me\\demo","f":"c:\\Users\\me\\demo\\src\\a.c","g":"C:\\Users\\me"})"
                                "\n"),
            R"({"cwd":"/srv/new/demo","f":"/srv/new/demo/src/a.c","g":"C:\\Users\\me"})"
            "\n");
}

TEST(Rewrite, Move_5_ChangesPathsOnly) {
  Rewriter rewriter(test_move(), test_paths(), test_options());
  const std::string kept = member("sessionId", kOldId) + R"(,"slug":"brave-fox","agentId":"5271c147","customTitle":"T",)";
  const std::string tail = "/" + kOldId + "/tool-results/x\"}\n";
  EXPECT_EQ(rewritten(rewriter, "{" + kept + R"("cwd":"/home/dev/demo","o":"/h/projects/-home-dev-demo)" + tail),
            "{" + kept + R"("cwd":"/srv/new/demo","o":"/h/projects/-srv-new-demo)" + tail);
}

TEST(Rewrite, Restore_5_InPlaceChangesNothing) {
  const std::string text = "{" + member("sessionId", kOtherUuid) + "}{\"a\"\n\r\n{\"cwd\":\"/home/dev/demo\"}";
  Rewriter rewriter(identity_of_move({kOldId, kOldFolder}, kOldFolder), {}, test_options());
  EXPECT_EQ(rewritten(rewriter, text), text);
}

TEST(Rewrite, CountsAndSamplesForPeople) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  rewritten(rewriter, "{" + member("sessionId", kOldId) + R"(,"cwd":"/home/dev/demo"})" + "\n{" + member("sessionId", kOldId) +
                          R"(,"cwd":"/home/dev/demo"})" + "\n{\"f\":\"/home/dev/demo/x\"}\n\n{}\n");
  const RewriteCounts& counts = rewriter.counts();
  EXPECT_EQ(counts.lines, 5U);
  EXPECT_EQ(counts.edited_lines, 3U);
  EXPECT_EQ(counts.ids, 2U);
  EXPECT_EQ(counts.paths, 3U);
  EXPECT_EQ(counts.opaque_lines, 0U);
  EXPECT_THAT(counts.samples, ElementsAre("/home/dev/demo -> /srv/new/demo", "/home/dev/demo/x -> /srv/new/demo/x"));
}

TEST(Rewrite, PartsOfAnOverlongLineAreCopiedButForTheId) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  std::string out;
  rewriter.begin(test_artifact());
  for (const std::string_view ending : {"", "", "\n"}) ASSERT_TRUE(rewriter.line(kOldId, ending, true, out));
  ASSERT_TRUE(rewriter.end(out));
  EXPECT_EQ(out, kNewId + kNewId + kNewId + "\n");
  EXPECT_EQ(rewriter.counts().lines, 1U);
  EXPECT_EQ(rewriter.counts().opaque_lines, 1U);
}

TEST(Rewrite, Clone_9_2_WholeJsonFiles) {
  Rewriter rewriter(test_copy(), test_paths(), test_options());
  const Artifact run = test_artifact(ArtifactKind::workflow_run, "projects/-home-dev-demo/" + kOldId + "/workflows/wf_1.json");
  ASSERT_TRUE(Rewriter::rewrites_whole(run));
  EXPECT_FALSE(Rewriter::rewrites_whole(test_artifact(ArtifactKind::workflow_run, "projects/x/workflows/scripts/a.js")));
  EXPECT_FALSE(Rewriter::rewrites_whole(test_artifact(ArtifactKind::file_history, "file-history/x/0123@v1")));
  std::string out;
  rewriter.begin(run);
  ASSERT_TRUE(rewriter.whole(
      "{\n  \"scriptPath\": \"/h/projects/-home-dev-demo/" + kOldId + "/w.js\",\n  \"agentId\": \"5271c147\"\n}\n", out));
  EXPECT_EQ(out, "{\n  \"scriptPath\": \"/h/projects/-srv-new-demo/" + kNewId + "/w.js\",\n  \"agentId\": \"5271c147" + kNewMark +
                     "\"\n}\n");
}

TEST(Rewrite, Paths_6_SavedFilesOnlyWhenAskedFor) {
  const std::string text = "cd /home/dev/demo # " + kOldId + "\n";
  for (const bool asked : {false, true}) {
    RewriteOptions options = test_options(PathLevel::all);
    options.translate_files = asked;
    Rewriter rewriter(test_copy(), test_paths(), options);
    const Artifact plan = test_artifact(ArtifactKind::plan, "plans/brave-fox.md");
    ASSERT_TRUE(Rewriter::rewrites_whole(plan));
    rewriter.begin(plan);
    std::string out;
    ASSERT_TRUE(rewriter.whole(text, out));
    EXPECT_EQ(out, asked ? "cd /srv/new/demo # " + kOldId + "\n" : text);
  }
}

}  // namespace
}  // namespace holdfast::transcripts
