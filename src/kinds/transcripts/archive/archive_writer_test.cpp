#include "kinds/transcripts/archive/archive_writer.h"

#include "base/json/json.h"
#include "jsonl/test_odd_json.h"
#include "kinds/transcripts/archive/archive_survey.h"
#include "kinds/transcripts/archive/test_archive.h"
#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/testing/test_home.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <sys/stat.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace std::string_literals;

constexpr Millis kArchivedAt = 1'794'700'000'000;
const std::string kSessionId = TestHome::id("a5");

SessionPlace demo(const std::string& id) {
  return {id, TestHome::kDemo};
}

Result<ArchiveReport> archive(const TestHome& home, const SessionPlace& place, const std::string& path,
                              ArchiveOptions options = {}) {
  if (options.archived_at == 0) options.archived_at = kArchivedAt;
  options.format = path.ends_with(".zst") ? ArchiveFormat::zst : ArchiveFormat::json;
  const auto source = source_on_disk(home.home(), place);
  HF_TRY(const Inventory inventory, source->inventory());
  return write_archive(*source, inventory, "/home/dev/work/demo", path, options);
}

// Archives the session both ways, reads it back and compares every file with the one on disk.
void expect_round_trip(const TestHome& home, const SessionPlace& place,
                       const std::vector<std::string>& names = {"a.json", "a.json.zst"}) {
  const TestFolder folder;
  ArchiveOptions options;
  options.with_history = true;
  const Inventory inventory = take_inventory(home.home(), place).value();
  for (const std::string& name : names) {
    const auto report = archive(home, place, folder / name, options);
    ASSERT_TRUE(report) << report.error().message;
    auto reader = open_archive(folder / name);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE(reader->header().byte_true);
    Collector collector;
    const auto counts = reader->read(collector);
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_THAT(reader->warnings(), IsEmpty());
    EXPECT_EQ(collector.files.size(), inventory.artifacts.size());
    for (const Artifact& artifact : inventory.artifacts) {
      ASSERT_TRUE(collector.files.contains(artifact.path)) << artifact.path;
      EXPECT_TRUE(collector.files[artifact.path] == home.read(artifact.path)) << artifact.path;
      EXPECT_EQ(collector.modes[artifact.path], artifact.mode) << artifact.path;
      EXPECT_EQ(collector.kinds[artifact.path], artifact.kind) << artifact.path;
    }
    EXPECT_EQ(counts->main_records, report->counts.main_records);
    EXPECT_EQ(counts->agent_records, report->counts.agent_records);
    const Inventory contents = reader->contents().value();
    EXPECT_EQ(contents.slugs, inventory.slugs);
    ASSERT_EQ(contents.folders.size(), inventory.folders.size());
    for (std::size_t i = 0; i < contents.folders.size(); ++i) {
      EXPECT_EQ(contents.folders[i].path, inventory.folders[i].path);
      EXPECT_EQ(contents.folders[i].mode, inventory.folders[i].mode);
    }
  }
}

Json document_of(const TestHome& home, const SessionPlace& place, const ArchiveOptions& options = {}) {
  const TestFolder folder;
  const auto report = archive(home, place, folder / "a.json", options);
  EXPECT_TRUE(report) << report.error().message;
  return parse_json(read_file(folder / "a.json").value()).value();
}

TEST(ArchiveWriter, Archive_4_4_EverySessionOfTheClientComesBackBitForBit) {
  const TestHome home = TestHome::of_client();
  const auto sessions = all_sessions(home.home()).value();
  EXPECT_GE(sessions.size(), 7U);
  for (const FoundSession& session : sessions) {
    SCOPED_TRACE(session.place.session_id);
    expect_round_trip(home, session.place);
  }
}

TEST(ArchiveWriter, Archive_1_3_EveryKindOfFileComesBack) {
  const TestHome home;
  const SessionPlace place = demo(kSessionId);
  const std::string session = place.folder() + "/";
  home.write(place.transcript(), R"({"type":"user","sessionId":")" + kSessionId + R"(","slug":"blue-plan","version":"2.1.197"})" +
                                     "\n" + R"({"type":"custom-title","customTitle":"My \"title\""})" + "\n");
  home.write("projects/"s + TestHome::kDemo + "/agent-5271c147.jsonl", R"({"sessionId":")" + kSessionId + "\"}\n");
  home.write(session + "subagents/agent-a19cecce4a9a1d58e.jsonl", "{\"agentId\":\"a19cecce4a9a1d58e\"}\n");
  home.write(session + "subagents/agent-acompact-016ed80fcaa022ea.jsonl", "");
  home.write(session + "subagents/agent-a19cecce4a9a1d58e.meta.json", "{\"agentType\":\"x\"}");
  home.write(session + "subagents/workflows/wf_1-2/agent-a19cecce4a9a1d58e.jsonl", "{\"other\":1}\n");
  home.write(session + "subagents/workflows/wf_1-2/journal.jsonl", "{\"type\":\"started\"}\ntorn {\n");
  home.write(session + "subagents/deep/er/agent-odd name.jsonl", "{\"odd\":1}\nbroken\r\n");
  home.write(session + "workflows/wf_1-2.json", "{\"scriptPath\":\"/x\"}\n");
  home.write(session + "workflows/scripts/run-wf_1-2.js", "// \xC3\xA9\n\x01\x7F\n");
  home.write(session + "workflows/notes/else.txt", "else");
  home.write(session + "tool-results/bwduhec92.txt", "output\n\0\xFF"s);
  home.write(session + "tool-results/toolu_01.json", "[]");
  home.write(session + "tool-results/strange.webp", "RIFF");
  home.write(session + "tool-results/no-extension", "x");
  home.write(session + "tool-results/.txt", "only an extension");
  home.write(session + "tool-results/pdf-1/page-01.jpg", "\xFF\xD8");
  home.write(session + "tool-results/pdf-1/page-02.png", "PNG");
  home.write(session + "tool-results/pdf-1/page-03.jpg", "");
  home.write(session + "session-memory/summary.md", "# memory");
  home.write(session + "unknown/deeper/\xC3\xBC file", "unknown\n");
  home.write("plans/blue-plan.md", "not UTF-8: \xFF\xFE");
  home.write("todos/" + kSessionId + "-agent-" + kSessionId + ".json", "[]");
  home.write("tasks/" + kSessionId + "/1.json", "{\n  \"id\": \"1\",\n  \"subject\": \"x\"\n}");
  home.write("tasks/" + kSessionId + "/2.json", "{\"id\":\"2\"}\n");
  home.write("tasks/" + kSessionId + "/3.json", "{\"id\":\"4\"}");
  home.write("tasks/" + kSessionId + "/5.json", "not a task");
  home.write("tasks/" + kSessionId + "/6.json", "{\"id\":6}");
  home.write("tasks/" + kSessionId + "/.highwatermark", "6");
  home.write("tasks/" + kSessionId + "/.lock", "");
  home.write("session-env/" + kSessionId + "/hook-1.sh", "export A=1\n");
  home.write("file-history/" + kSessionId + "/d10a1b001ddfe674@v1", "old");
  home.write("debug/" + kSessionId + ".txt", "debug \x1b[0m\n");
  std::filesystem::create_directories(home / (session + "empty/folder"));
  ASSERT_EQ(::chmod((home / place.transcript()).c_str(), 0600), 0);
  ASSERT_EQ(::chmod((home / (session + "empty")).c_str(), 0711), 0);
  expect_round_trip(home, place);

  const Json document = document_of(home, place);
  const JsonObject& top = document.as_object();
  EXPECT_EQ(find_string(top, "version"), "2.4");
  EXPECT_EQ(find_string(top, "custom_title"), "My \"title\"");
  EXPECT_EQ(find_string(top, "claude_code_version"), "2.1.197");
  EXPECT_EQ(find_array(top, "agent_files")->size(), 4U);
  EXPECT_EQ(find_int(top, "total_session_records"), 5);
  EXPECT_EQ(find_int(top, "total_agent_records"), 3);
  EXPECT_EQ(find_string(top, "session_memory"), "# memory");
  EXPECT_EQ(find_array(top, "tasks")->size(), 3U);
  EXPECT_EQ(find_array(top, "tool_results")->size(), 2U);
  const JsonObject& result = find_array(top, "tool_results")->at(0).as_object();
  EXPECT_EQ(find_string(result, "tool_use_id"), "bwduhec92");
  EXPECT_EQ(find_string(result, "extension"), ".txt");
  EXPECT_EQ(find_string(result, "content"), "b3V0cHV0CgD_");
  EXPECT_EQ(find_array(find_array(top, "tool_result_dirs")->at(0).as_object(), "files")->size(), 2U);
  EXPECT_EQ(find_string(find_array(top, "plan_files")->at(0).as_object(), "content"), "not UTF-8: \xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(find_string(find_array(top, "agent_metadata")->at(0).as_object(), "workflow_subpath"), std::nullopt);
  EXPECT_NE(find(*find_object(top, "workflow_journals"), "workflows/wf_1-2/journal.jsonl"), nullptr);
}

TEST(ArchiveWriter, Archive_4_4_RecordsStandVerbatimOneALine) {
  const TestHome home;
  const std::string record = R"({"n":1.10,"big":1e400,"i":123456789012345678901234567890,"n":"\u00e9\/" , "s":"\ud800"})";
  home.write(demo(kSessionId).transcript(), record + "\n" + R"({"b":2})" + "\n");
  const TestFolder folder;
  ASSERT_TRUE(archive(home, demo(kSessionId), folder / "a.json"));
  EXPECT_THAT(read_file(folder / "a.json").value(),
              HasSubstr("\"main_session\":{\"record_count\":2,\"records\":[\n" + record + ",\n{\"b\":2}\n]},\n"));
}

TEST(ArchiveWriter, Archive_4_4_IrregularLinesAreNumberedAndTheTailIsApart) {
  const TestHome home;
  home.write(demo(kSessionId).transcript(),
             "{\"a\":1}\n\n{\"b\":2}{\"c\":3}\n {\"d\":4}\n\0\0\0\n\xFF\n{\"e\":5}\r\n{\"f\":6}\n{\"torn\""s);
  const Json document = document_of(home, demo(kSessionId));
  const JsonObject& block = *find_object(document.as_object(), "holdfast");
  const JsonArray& lines = *find_array(*find_object(block, "irregular"), demo(kSessionId).transcript());
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(find_int(lines[0].as_object(), "line"), 2);
  EXPECT_EQ(find_string(lines[0].as_object(), "b64"), "");
  EXPECT_EQ(find_string(lines[5].as_object(), "b64"), to_base64("{\"e\":5}\r\n"));
  EXPECT_EQ(find_string(*find_object(block, "tail"), demo(kSessionId).transcript()), to_base64("{\"torn\""));
  expect_round_trip(home, demo(kSessionId));
}

TEST(ArchiveWriter, Archive_4_4_FilesOfCrLfSayItOnce) {
  const TestHome home;
  home.write(demo(kSessionId).transcript(), "{\"a\":1}\n{\"b\":2}\r\n{\"c\":3}\r\n\r\nx\r\n{}\r\r\n");
  const Json document = document_of(home, demo(kSessionId));
  const JsonObject& block = *find_object(document.as_object(), "holdfast");
  EXPECT_EQ(find_array(block, "crlf")->size(), 1U);
  EXPECT_EQ(find_array(*find_object(block, "irregular"), demo(kSessionId).transcript())->size(), 4U);
  expect_round_trip(home, demo(kSessionId));
}

TEST(ArchiveWriter, Archive_4_4_ATranscriptOfBrokenLinesIsKeptWhole) {
  const TestHome home;
  std::string text = "{\"first\":1}\n";
  while (text.size() < kMaxIrregularBytes + 1000) text += "broken " + std::string(4000, 'x') + "\n{\"a\":1}\r\n";
  home.write(demo(kSessionId).transcript(), text + "tail");
  const Json document = document_of(home, demo(kSessionId));
  const JsonObject& top = document.as_object();
  EXPECT_EQ(find_int(*find_object(top, "main_session"), "record_count"), 0);
  EXPECT_EQ(find_object(*find_object(top, "holdfast"), "raw")->size(), 1U);
  expect_round_trip(home, demo(kSessionId), {"a.json.zst"});

  home.write(demo(kSessionId).transcript(), std::string(400'000, '\n'));
  expect_round_trip(home, demo(kSessionId));
}

RC_GTEST_PROP(ArchiveWriter, Archive_4_4_AnyBytesComeBack, (std::uint64_t seed)) {
  jsonl::OddJson odd(seed);
  const TestHome home;
  const auto text = [&] {
    std::string out;
    const bool mostly_crlf = odd.chance(3);
    for (std::size_t i = odd.below(12); i > 0; --i) {
      std::string line = odd.chance(2)   ? odd.object()
                         : odd.chance(2) ? odd.damaged(odd.object())
                                         : odd.pick({"", " ", "\r", "{}{}", "\xFF\xFE", "1"});
      if (odd.chance(8)) line += std::string(odd.below(5), '\0');
      out += line + (odd.chance(6) ? "\r\n" : mostly_crlf ? "\r\n" : "\n");
    }
    if (odd.chance(2)) out += odd.damaged(odd.object());
    return out;
  };
  const SessionPlace place = demo(kSessionId);
  home.write(place.transcript(), text());
  home.write(place.folder() + "/subagents/agent-a1.jsonl", text());
  home.write(place.folder() + "/subagents/workflows/wf_1/journal.jsonl", text());
  home.write(place.folder() + "/tool-results/x.txt", text());
  home.write(place.folder() + "/workflows/wf_1.json", text());
  home.write("tasks/" + kSessionId + "/1.json", text());
  expect_round_trip(home, place, {odd.chance(2) ? "a.json" : "a.json.zst"});
}

TEST(ArchiveWriter, Archive_4_4_TheSameBytesInAreTheSameBytesOut) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  const auto one = archive(home, demo(TestHome::id("a6")), folder / "1.json.zst").value();
  const auto two = archive(home, demo(TestHome::id("a6")), folder / "2.json.zst").value();
  EXPECT_EQ(one.sha256, two.sha256);
  EXPECT_EQ(one.sha256, to_hex(sha256(read_file(folder / "1.json.zst").value())));
  EXPECT_EQ(one.size, read_file(folder / "1.json.zst").value().size());
}

TEST(ArchiveWriter, Archive_4_TheFrameCarriesItsContentSize) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  const auto plain = archive(home, demo(kSessionId), folder / "a.json").value();
  const auto packed = archive(home, demo(kSessionId), folder / "a.json.zst").value();
  EXPECT_EQ(plain.json_size, plain.size);
  EXPECT_EQ(packed.json_size, plain.size);
  const std::string frame = read_file(folder / "a.json.zst").value();
  EXPECT_NE(static_cast<unsigned char>(frame[4]) & 0xE0, 0) << "neither single segment nor content size";
}

TEST(ArchiveWriter, Archive_8_6_OnlyTheOwnerReadsIt) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  ASSERT_TRUE(archive(home, demo(kSessionId), folder / "a.json.zst"));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "a.json.zst").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST(ArchiveWriter, Archive_2_WhatExistsIsNotReplacedAndNothingIsLeftOnError) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  ASSERT_TRUE(create_file(folder / "a.json", "mine"));
  EXPECT_EQ(archive(home, demo(kSessionId), folder / "a.json").error().kind, ErrorKind::conflict);
  EXPECT_EQ(read_file(folder / "a.json").value(), "mine");
  EXPECT_EQ(archive(home, demo(kSessionId), folder / "none/a.json").error().kind, ErrorKind::not_found);

  const Home opened = home.home();
  const auto source = source_on_disk(opened, demo(kSessionId));
  const Inventory inventory = source->inventory().value();
  const auto stop = [](std::string_view step, std::uint64_t, std::uint64_t) { return step != "write"; };
  EXPECT_EQ(write_archive(*source, inventory, "", folder / "b.json", {}, stop).error().kind, ErrorKind::cancelled);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(ArchiveWriter, Archive_4_5_ASessionThatChangesBetweenThePassesIsReadAgain) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  const Home opened = home.home();
  const auto source = source_on_disk(opened, demo(kSessionId));
  const Inventory inventory = source->inventory().value();
  ArchiveOptions options;
  options.with_history = true;  // so that all of the inventory is read
  options.format = ArchiveFormat::json;
  int changes = 0, most = 1;
  const auto change = [&](std::string_view step, std::uint64_t done, std::uint64_t total) {
    if (step == "read" && done == total && changes < most) {
      ++changes;
      std::string text = home.read(demo(kSessionId).transcript());
      text[10] = static_cast<char>('a' + changes);
      home.write(demo(kSessionId).transcript(), text);
    }
    return true;
  };
  const auto once = write_archive(*source, inventory, "", folder / "once.json", options, change);
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_EQ(changes, 1);
  Collector collector;
  ASSERT_TRUE(open_archive(folder / "once.json")->read(collector));
  EXPECT_EQ(collector.files[demo(kSessionId).transcript()], home.read(demo(kSessionId).transcript()));

  most = 1000;
  EXPECT_EQ(write_archive(*source, inventory, "", folder / "twice.json", options, change).error().kind, ErrorKind::conflict);
  EXPECT_FALSE(std::filesystem::exists(folder / "twice.json"));
}

TEST(ArchiveWriter, Archive_4_5_BytesAppendedMeanwhileAreNotPartOfIt) {
  const TestHome home = TestHome::of_client();
  const TestFolder folder;
  const Home opened = home.home();
  const auto source = source_on_disk(opened, demo(kSessionId));
  const Inventory inventory = source->inventory().value();
  const std::string before = home.read(demo(kSessionId).transcript());
  const auto grow = [&](std::string_view step, std::uint64_t, std::uint64_t) {
    if (step == "write") home.append(demo(kSessionId).transcript(), "{\"new\":1}\n");
    return true;
  };
  ASSERT_TRUE(write_archive(*source, inventory, "", folder / "a.json.zst", {}, grow));
  Collector collector;
  ASSERT_TRUE(open_archive(folder / "a.json.zst")->read(collector));
  EXPECT_EQ(collector.files[demo(kSessionId).transcript()], before);
}

TEST(ArchiveWriter, Archive_4_3_Version21HasExactlyItsFields) {
  const TestHome home = TestHome::of_client();
  ArchiveOptions options;
  options.version_2_1 = true;
  const Json document = document_of(home, demo(TestHome::id("a4")), options);
  std::vector<std::string> names;
  for (const auto& member : document.as_object()) names.emplace_back(member.key());
  EXPECT_THAT(
      names, ElementsAre("version", "session_id", "archived_at", "original_project_path", "claude_code_version", "machine_id",
                         "custom_title", "main_session", "agent_files", "plan_files", "tool_results", "tool_result_dirs", "todos",
                         "tasks", "task_metadata", "total_session_records", "total_agent_records"));
  names.clear();
  for (const auto& member : find_array(document.as_object(), "agent_files")->at(0).as_object()) names.emplace_back(member.key());
  EXPECT_THAT(names, ElementsAre("agent_id", "agent_type", "nested", "record_count", "records"));

  const TestFolder folder;
  const auto report = archive(home, demo(TestHome::id("a4")), folder / "a.json", options).value();
  EXPECT_THAT(report.left_out, Contains(HasSubstr("meta.json: version 2.1 has no place for it")));
  Collector collector;
  ASSERT_TRUE(open_archive(folder / "a.json")->read(collector));
  EXPECT_EQ(collector.files[demo(TestHome::id("a4")).transcript()], home.read(demo(TestHome::id("a4")).transcript()));
}

TEST(ArchiveWriter, Archive_2_SharedFilesAndHistoryCanBeLeftOut) {
  const TestHome home = TestHome::of_client();
  home.write("debug/" + kSessionId + ".txt", "x");
  const TestFolder folder;
  ArchiveOptions options;
  const auto usual = archive(home, demo(kSessionId), folder / "1.json", options).value();
  EXPECT_THAT(usual.left_out, ElementsAre(HasSubstr("3 files of the file history")));
  options.without_shared = options.with_history = true;
  const auto report = archive(home, demo(kSessionId), folder / "2.json", options).value();
  Collector collector;
  ASSERT_TRUE(open_archive(folder / "2.json")->read(collector));
  EXPECT_EQ(collector.files.size(), 1U);
  const Inventory contents = open_archive(folder / "2.json")->contents().value();
  for (const ArtifactFolder& kept : contents.folders) EXPECT_TRUE(kept.path.starts_with("projects/"));
}

TEST(ArchiveWriter, Archive_1_3_LocksThatAreNotEmptyAndNamesNoJsonCanHoldAreLeftOut) {
  const TestHome home = TestHome::of_client();
  home.write("tasks/" + kSessionId + "/.lock", "4711");
  home.write(demo(kSessionId).folder() + "/x\\y", "x");
  home.write(demo(kSessionId).folder() + "/\xFF", "x");
  const TestFolder folder;
  ArchiveOptions options;
  options.with_history = true;
  const auto report = archive(home, demo(kSessionId), folder / "a.json", options).value();
  EXPECT_THAT(report.left_out, UnorderedElementsAre(HasSubstr(".lock"), HasSubstr("x\\y"), HasSubstr("\xEF\xBF\xBD")));
  ASSERT_TRUE(open_archive(folder / "a.json"));
}

TEST(ArchiveWriter, Archive_8_9_CredentialsAreMaskedEverywhere) {
  const TestHome home;
  const std::string key = "sk-ant-api03-" + std::string(80, 'A') + "-" + std::string(12, 'b') + "AA";
  home.write(demo(kSessionId).transcript(),
             R"({"message":"key )" + key + R"( end","n":1.10})" + "\ntorn " + key + "\n{\"plain\":1}\n");
  home.write(demo(kSessionId).folder() + "/tool-results/x.txt", "KEY=" + key + "\n");
  home.write(demo(kSessionId).folder() + "/workflows/wf_1.json", "{\"k\":\"" + key + "\"}");
  const TestFolder folder;
  ArchiveOptions options;
  options.redact = true;
  const auto report = archive(home, demo(kSessionId), folder / "a.json", options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->redacted, 4U);
  EXPECT_THAT(read_file(folder / "a.json").value(), testing::Not(HasSubstr(key)));
  auto reader = open_archive(folder / "a.json");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE(reader->header().redacted);
  Collector collector;
  ASSERT_TRUE(reader->read(collector));
  EXPECT_THAT(collector.files[demo(kSessionId).transcript()], HasSubstr("\"n\":1.10}\ntorn [redacted:"));
  EXPECT_THAT(collector.files[demo(kSessionId).folder() + "/tool-results/x.txt"], HasSubstr("KEY=[redacted:"));
}

TEST(ArchiveWriter, Archive_12_ACompressedCodexSessionIsArchivedAsWhatItHolds) {
  const TestHome home;
  const std::string text = "{\"type\":\"session_meta\"}\n{\"type\":\"event_msg\"}\n";
  const std::string compressed = packed(text);
  const std::string path = "sessions/2026/11/15/rollout-2026-11-15T03-06-44-" + kSessionId + ".jsonl";
  home.write(path + ".zst", compressed);
  CodexSession session;
  session.id = kSessionId;
  session.path = path + ".zst";
  session.compressed = true;
  const auto source = source_on_disk(home.home(), AnySession{session});
  const Inventory inventory = source->inventory().value();
  const TestFolder folder;
  ArchiveOptions options;
  options.format = ArchiveFormat::json;
  const auto report = write_archive(*source, inventory, "/p", folder / "a.json", options);
  ASSERT_TRUE(report) << report.error().message;
  auto reader = open_archive(folder / "a.json");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->header().product, "codex");
  Collector collector;
  const auto counts = reader->read(collector);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(collector.files[path], text);
  EXPECT_EQ(counts->main_records, 2U);
}

TEST(ArchiveWriter, Archive_2_TheFormatFollowsTheExtension) {
  EXPECT_EQ(archive_format("x.json", "").value(), ArchiveFormat::json);
  EXPECT_EQ(archive_format("x.json.zst", "").value(), ArchiveFormat::zst);
  EXPECT_EQ(archive_format("x.zst", "zst").value(), ArchiveFormat::zst);
  EXPECT_EQ(archive_format("x.backup", "json").value(), ArchiveFormat::json);
  EXPECT_EQ(archive_format("x.json", "zst").error().kind, ErrorKind::invalid);
  EXPECT_EQ(archive_format("x.backup", "").error().kind, ErrorKind::invalid);
  EXPECT_EQ(archive_format("x.json", "tar").error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::transcripts
