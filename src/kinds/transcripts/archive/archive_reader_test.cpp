#include "kinds/transcripts/archive/archive_reader.h"

#include "base/crypto/hash.h"
#include "base/files/test_folder.h"
#include "kinds/transcripts/archive/test_archive.h"
#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <unistd.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using testing::UnorderedElementsAre;
using namespace std::string_literals;

const std::string kArchivedId = "000000a1-0000-4000-8000-0000000000a1";
const std::string kProject = "projects/-home-u-p";
const std::string kSession = kProject + "/" + kArchivedId;

std::string header(const std::string& version) {
  return fmt::format(
      R"("version":"{}","session_id":"{}","archived_at":"2026-01-01T00:00:00Z","original_project_path":"/home/u/p")", version,
      kArchivedId);
}

// A whole archive of version 2.x with these members beside an empty main transcript.
std::string archive_2(const std::string& members, const std::string& version = "2.4") {
  return "{" + header(version) + R"(,"claude_code_version":"2.1.0","machine_id":null,"custom_title":null,)" +
         R"("main_session":{"record_count":0,"records":[]})" + (members.empty() ? "" : ",") + members + "}";
}

// One with an extension block that names these files; `block` goes behind them.
std::string byte_true(const std::string& files, const std::string& block, const std::string& members) {
  const std::string empty = to_hex(sha256(""));
  return "{" + header("2.4") + R"(,"claude_code_version":"unknown","machine_id":null,"custom_title":null,"holdfast":{"ext":1,)" +
         R"("product":"claude","project_folder":"-home-u-p","files":[{"path":")" + kSession + R"(.jsonl","sha256":")" + empty +
         R"(","bytes":0,"mode":384})" + files + "]" + block + R"(},"main_session":{"record_count":0,"records":[]})" + members +
         "}";
}

std::string file_entry(const std::string& path, const std::string& content) {
  return fmt::format(R"(,{{"path":"{}","sha256":"{}","bytes":{},"mode":420}})", path, to_hex(sha256(content)), content.size());
}

void expect_corrupt(std::string_view archive, const std::string& what) {
  const auto read = collect(archive);
  ASSERT_FALSE(read) << what;
  EXPECT_TRUE(read.error().kind == ErrorKind::corrupt || read.error().kind == ErrorKind::too_large) << read.error().message;
  EXPECT_THAT(read.error().message, HasSubstr(what));
}

TEST(ArchiveReader, Archive_4_1_Version10) {
  const auto read =
      collect("{" + header("1.0") + R"(,"files":{")" + kArchivedId + R"(.jsonl":[{"a":1},{"b":2}],)" +
              R"("agent-5271c147.jsonl":[{"version":"2.0.30"}],"agent-a1b2.jsonl":[{"x":1},{"version":"2.1.2"}]}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->files,
              UnorderedElementsAre(Pair(kSession + ".jsonl", "{\"a\":1}\n{\"b\":2}\n"),
                                   Pair(kProject + "/agent-5271c147.jsonl", "{\"version\":\"2.0.30\"}\n"),
                                   Pair(kSession + "/subagents/agent-a1b2.jsonl", "{\"x\":1}\n{\"version\":\"2.1.2\"}\n")));
  EXPECT_EQ(read->modes.at(kSession + ".jsonl"), 0600U);
}

TEST(ArchiveReader, Archive_4_1_Versions11To14) {
  const std::string document =
      "{" + header("1.4") + R"(,"files":{")" + kArchivedId + R"(.jsonl":[]},"claude_code_version":null,)" +
      R"("plan_files":{"blue":"# plan\n"},"tool_results":{"toolu_1":"out\u0000"},)" + R"("todos":{")" + kArchivedId + "-agent-" +
      kArchivedId + R"(.json":"[]"},"machine_id":"u@host","custom_title":"Ti\"tle"})";
  auto reader = archive_of(document);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->header().version, "1.4");
  EXPECT_EQ(reader->header().machine_id, "u@host");
  EXPECT_EQ(reader->header().custom_title, "Ti\"tle");
  EXPECT_EQ(reader->header().claude_code_version, "");
  EXPECT_FALSE(reader->header().byte_true);
  EXPECT_EQ(reader->header().product, "claude");
  const Inventory contents = reader->contents().value();
  EXPECT_EQ(contents.place.project_folder, "-home-u-p");
  EXPECT_THAT(contents.slugs, ElementsAre("blue"));
  Collector collector;
  const auto counts = reader->read(collector);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_THAT(collector.files, UnorderedElementsAre(Pair(kSession + ".jsonl", ""), Pair("plans/blue.md", "# plan\n"),
                                                    Pair(kSession + "/tool-results/toolu_1.txt", "out\0"s),
                                                    Pair("todos/" + kArchivedId + "-agent-" + kArchivedId + ".json", "[]")));
  EXPECT_EQ(contents.artifacts.size(), collector.files.size());
  EXPECT_THAT(reader->warnings(), IsEmpty());
}

TEST(ArchiveReader, Archive_4_2_Versions20To24InTheOrderOfTheOriginal) {
  const std::string document =
      "{" + header("2.4") + R"(,"claude_code_version":"2.1.0","machine_id":null,"custom_title":null,)" +
      R"("main_session":{"record_count":1,"records":[{"slug":"blue-sky"}]},)" +
      R"("agent_files":[{"agent_id":"aprompt-a12dbf","agent_type":"aprompt","nested":false,"record_count":1,"records":[{"a":1}]},)" +
      R"({"agent_id":"a2","agent_type":null,"nested":true,"workflow_subpath":"workflows/wf_1","record_count":0,"records":[]}],)" +
      R"("agent_metadata":[{"agent_id":"a3","workflow_subpath":null,"content":"{}"}],)" +
      R"("workflow_journals":{"workflows/wf_1/journal.jsonl":"{}\n"},"workflow_runs":{"workflows/wf_1.json":"{}"},)" +
      R"("plan_files":[{"slug":"blue-sky","content":"x"}],"tool_results":[{"tool_use_id":"b1","content":"_-8=","extension":".bin"}],)" +
      R"("tool_result_dirs":[{"name":"pdf-1","files":[{"filename":"page-1.jpg","content":"YQ==","extension":".jpg"}]}],)" +
      R"("todos":[{"agent_id":"a2","content":"[]"}],"session_env":[{"filename":"hook.sh","content":"A=1"}],)" +
      R"("tasks":[{"id":"1","subject":"s"},{"id":2}],"task_metadata":{".highwatermark":"2"},)" +
      R"("session_memory":"m","debug_log":null,"total_session_records":2,"total_agent_records":1})";
  auto reader = archive_of(document);
  ASSERT_TRUE(reader) << reader.error().message;
  const Inventory contents = reader->contents().value();
  EXPECT_EQ(contents.artifacts.size(), 15U);
  EXPECT_THAT(contents.slugs, ElementsAre("blue-sky"));
  std::vector<std::string> folders;
  for (const ArtifactFolder& folder : contents.folders) folders.push_back(folder.path);
  EXPECT_THAT(folders,
              ElementsAre(kSession, kSession + "/session-memory", kSession + "/subagents", kSession + "/subagents/workflows",
                          kSession + "/subagents/workflows/wf_1", kSession + "/tool-results", kSession + "/tool-results/pdf-1",
                          kSession + "/workflows", "session-env/" + kArchivedId, "tasks/" + kArchivedId));
  Collector collector;
  const auto counts = reader->read(collector);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_THAT(reader->warnings(), IsEmpty());
  EXPECT_EQ(counts->main_records, 1U);
  EXPECT_EQ(counts->agent_records, 1U);
  EXPECT_THAT(
      collector.files,
      UnorderedElementsAre(
          Pair(kSession + ".jsonl", "{\"slug\":\"blue-sky\"}\n"), Pair(kProject + "/agent-aprompt-a12dbf.jsonl", "{\"a\":1}\n"),
          Pair(kSession + "/subagents/workflows/wf_1/agent-a2.jsonl", ""), Pair(kSession + "/subagents/agent-a3.meta.json", "{}"),
          Pair(kSession + "/subagents/workflows/wf_1/journal.jsonl", "{}\n"), Pair(kSession + "/workflows/wf_1.json", "{}"),
          Pair("plans/blue-sky.md", "x"), Pair(kSession + "/tool-results/b1.bin", "\xFF\xEF"),
          Pair(kSession + "/tool-results/pdf-1/page-1.jpg", "a"), Pair("todos/" + kArchivedId + "-agent-a2.json", "[]"),
          Pair("session-env/" + kArchivedId + "/hook.sh", "A=1"),
          Pair("tasks/" + kArchivedId + "/1.json", R"({"id":"1","subject":"s"})"),
          Pair("tasks/" + kArchivedId + "/2.json", R"({"id":2})"), Pair("tasks/" + kArchivedId + "/.highwatermark", "2"),
          Pair(kSession + "/session-memory/summary.md", "m")));
}

TEST(ArchiveReader, Archive_4_4_RecordsOfPrettyForeignArchivesBecomeOneLineEach) {
  const auto read =
      collect("{\n" + header("1.0") + ",\n\"files\": {\"" + kArchivedId +
              ".jsonl\": [\n  {\n    \"a\": \"x \\\" y\\\\\",\r\n    \"n\": 1.10\n  },\n" + "  {\"one\": \"line\"}\n]}}\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->files.at(kSession + ".jsonl"), "{\"a\":\"x \\\" y\\\\\",\"n\":1.10}\n{\"one\": \"line\"}\n");
}

TEST(ArchiveReader, Archive_4_TheContentDecidesNotTheName) {
  const std::string document = archive_2(R"("plan_files":[{"slug":"p","content":"text"}])");
  for (const std::string& form :
       {document, "\xEF\xBB\xBF" + document, " \n" + document, packed(document), to_base64(document),
        to_base64(packed(document)) + "\n", packed(document.substr(0, 40)) + packed(document.substr(40))}) {
    const auto read = collect(form);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->files.at("plans/p.md"), "text");
  }
  std::string wrapped = to_base64(packed(document));
  for (std::size_t at = 76; at < wrapped.size(); at += 77) wrapped.insert(at, "\n");
  EXPECT_TRUE(collect(wrapped));
}

TEST(ArchiveReader, Archive_4_3_UnknownThingsAreToldAndUnknownMajorVersionsRefused) {
  auto reader =
      archive_of(archive_2(R"("new_member":{"deep":[1,[2]]},"plan_files":[{"slug":"p","content":"","colour":1}])", "2.7"));
  ASSERT_TRUE(reader) << reader.error().message;
  Collector collector;
  ASSERT_TRUE(reader->read(collector));
  EXPECT_THAT(reader->warnings(),
              UnorderedElementsAre(HasSubstr("2.7"), HasSubstr("new_member"), HasSubstr("plan_files.colour")));

  for (const char* version : {"3.0", "0.9", "22.1"}) {
    const auto refused = archive_of(archive_2("", version));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(refused.error().code, "unsupported");
  }
}

TEST(ArchiveReader, Archive_4_3_AnUnknownMemberBeforeTheBlockIsToldToo) {
  for (const char* at : {"\"session_id\"", "\"holdfast\""}) {
    std::string document = byte_true("", "", "");
    document.insert(document.find(at), R"("new_member":{"deep":[1]},)");
    auto reader = archive_of(document);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE(reader->header().byte_true);
    Collector collector;
    const auto read = reader->read(collector);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(reader->warnings(), ElementsAre(HasSubstr("new_member")));
  }
  std::string files_first = byte_true("", "", "");
  files_first.insert(1, R"("plan_files":[],)");
  expect_corrupt(files_first, "must stand before the files");
}

TEST(ArchiveReader, Archive_8_1_NothingThatIsNotAnArchive) {
  expect_corrupt("", "no archive");
  expect_corrupt("PK\x03\x04", "no archive");
  expect_corrupt("{}", "no format version");
  expect_corrupt("[]", "no archive");
  expect_corrupt("{\"version\":\"2.4\",\"session_id\":\"../../etc\"}", "session_id is not a UUID");
  expect_corrupt("{" + header("2.4") + "}", "holds no transcript");
  expect_corrupt(archive_2("") + "x", "behind the end");
  expect_corrupt(archive_2("").substr(0, 100), "byte");
  expect_corrupt(packed(archive_2("")).substr(0, 60), "cut off");
  expect_corrupt(packed(archive_2("")) + "x", "zstd");
  expect_corrupt(to_base64(packed(archive_2(""))) + "=A==", "base64");
}

TEST(ArchiveReader, Archive_8_1_IdsAndKeysMustBeNames) {
  const std::vector<std::string> names = {"../x",   "..",        ".",      "",    "/etc/passwd",         "a/b",
                                          "a\\\\b", "a\\u0000b", "C:evil", "a b", std::string(201, 'a'), "x\\u00e9",
                                          "~"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expect_corrupt(archive_2(R"("plan_files":[{"slug":")" + name + R"(","content":"x"}])"), "plan");
    expect_corrupt(archive_2(R"("session_env":[{"filename":")" + name + R"(","content":"x"}])"), "environment");
    expect_corrupt(archive_2(R"("todos":[{"agent_id":")" + name + R"(","content":"x"}])"), "todo");
    expect_corrupt(archive_2(R"("tool_results":[{"tool_use_id":")" + name + R"(","content":"","extension":".txt"}])"),
                   "tool result");
    expect_corrupt(archive_2(R"("tool_result_dirs":[{"name":")" + name + R"(","files":[{"filename":"a","content":""}]}])"),
                   "folder");
    expect_corrupt(archive_2(R"("tool_result_dirs":[{"name":"x","files":[{"filename":")" + name + R"(","content":""}]}])"),
                   "tool result");
    expect_corrupt(archive_2(R"("agent_files":[{"agent_id":")" + name + R"(","nested":true,"records":[]}])"), "subagent");
    expect_corrupt(archive_2(R"("agent_metadata":[{"agent_id":")" + name + R"(","content":""}])"), "subagent");
    expect_corrupt(archive_2(R"("tasks":[{"id":")" + name + R"("}])"), "task");
    expect_corrupt(archive_2(R"("task_metadata":{")" + name + R"(":""})"), "task file");
  }
  for (const char* key : {"../x", "/workflows/wf_1.json", "workflows/../../x", "workflows/wf_1.json/..", "C:/x",
                          "workflows\\\\wf_1.json", "workflows//wf_1.json", "tool-results/x.txt", "settings.json", ""}) {
    SCOPED_TRACE(key);
    expect_corrupt(archive_2(R"("workflow_runs":{")"s + key + R"(":"x"})"), "workflow file");
    expect_corrupt(archive_2(R"("workflow_journals":{")"s + key + R"(":"x"})"), "workflow file");
    if (*key)
      expect_corrupt(
          archive_2(R"("agent_files":[{"agent_id":"a","nested":false,"workflow_subpath":")"s + key + R"(","records":[]}])"),
          "subagent");
  }
  for (const char* path : {"../x", "/x", "a/../../x", "x\\\\y", "C:x"})
    expect_corrupt(
        archive_2(R"("agent_files":[{"agent_id":"a","nested":true,"workflow_subpath":")"s + path + R"(","records":[]}])"),
        "folder of subagents");
  expect_corrupt(archive_2(R"("tool_results":[{"tool_use_id":"a","content":"","extension":"/../../x"}])"), "extension");
  expect_corrupt(archive_2(R"("tool_results":[{"tool_use_id":"a","content":"","extension":"./x"}])"), "tool result");
  expect_corrupt(archive_2(R"("task_metadata":{".lock":""})"), "task file");
}

TEST(ArchiveReader, Archive_8_1_ThePathsOfTheBlockMustBeOfTheSession) {
  for (const char* path :
       {"../x", "/etc/passwd", "settings.json", "projects/-other/x.jsonl", "projects/-home-u-p/sessions-index.json",
        "plans/../settings.json", "tasks/000000a2-0000-4000-8000-0000000000a2/1.json", "history.jsonl", "plans/a/b.md", "C:/x",
        "plans\\\\a.md", "plans/a\\u0000.md", "projects/-home-u-p/000000a2-0000-4000-8000-0000000000a2.jsonl", ".holdfast/x", "",
        "sessions/1.json"}) {
    SCOPED_TRACE(path);
    expect_corrupt(byte_true(file_entry(path, ""), "", ""), "no part of its session");
    expect_corrupt(byte_true("", R"(,"folders":[{"path":")"s + path + R"(","mode":448}])", ""), "no part of its session");
    expect_corrupt(byte_true("", R"(,"raw":{")"s + path + R"(":""})", ""), "not name");
    if (*path) expect_corrupt(byte_true("", R"(,"extra_files":[{"root":"config","path":")"s + path + R"(","b64":""}])", ""), "");
  }
  expect_corrupt(byte_true("", R"(,"folders":[{"path":"projects/-home-u-p","mode":448}])", ""), "no part of its session");
  expect_corrupt(byte_true("", R"(,"folders":[{"path":"plans","mode":448}])", ""), "no part of its session");
  const std::string twice = file_entry("plans/a.md", "") + file_entry("plans/a.md", "");
  expect_corrupt(byte_true(twice, "", ""), "twice");
}

TEST(ArchiveReader, Archive_8_1_AFileAndAFolderOfOneName) {
  const std::string results = "projects/-home-u-p/" + kArchivedId + "/tool-results/x";
  const auto folder = [](const std::string& path) { return R"(,"folders":[{"path":")" + path + R"(","mode":448}])"; };
  expect_corrupt(byte_true(file_entry(results, ""), folder(results), ""), "of one name");
  expect_corrupt(byte_true(file_entry(results, ""), folder(results + "/y"), ""), "of one name");
  expect_corrupt(byte_true(file_entry(results, "") + file_entry(results + "/y.txt", ""), "", ""), "of one name");
  expect_corrupt(archive_2(R"("tool_results":[{"tool_use_id":"x","content":"","extension":".txt"}],)"
                           R"("tool_result_dirs":[{"name":"x.txt","files":[{"filename":"a","content":"","extension":".txt"}]}])"),
                 "of one name");
  EXPECT_TRUE(collect(byte_true(file_entry(results + "/y.txt", ""), folder(results), "")));
}

TEST(ArchiveReader, Archive_4_4_WhatIsNotWhatWasArchivedIsDamage) {
  const std::string plan = R"(,"plan_files":[{"slug":"a","content":"text"}])";
  EXPECT_TRUE(collect(byte_true(file_entry("plans/a.md", "text"), "", plan)));
  expect_corrupt(byte_true(file_entry("plans/a.md", "texT"), "", plan), "differs");
  expect_corrupt(byte_true(file_entry("plans/a.md", "text"), "", ""), "does not hold plans/a.md");
  expect_corrupt(byte_true("", "", plan), "does not name");
  expect_corrupt(byte_true(file_entry("plans/a.md", "text"), "", plan + plan), "twice");
  expect_corrupt(byte_true(file_entry("plans/a.md", "text"), "",
                           R"(,"plan_files":[{"slug":"a","content":"text"},{"slug":"a","content":"text"}])"),
                 "twice");
  expect_corrupt(byte_true(file_entry("plans/a.md", "text"), "", R"(,"plan_files":[{"content":"text","slug":"a"}])"), "");
  const std::string lines = R"(,"irregular":{")" + kSession + R"(.jsonl":[{"line":2,"b64":""}]})";
  expect_corrupt(byte_true("", lines, ""), "no line 2");
  expect_corrupt(byte_true("", R"(,"raw":{},"crlf":[])", ""), "behind its files");
}

TEST(ArchiveReader, Archive_4_4_RawBytesWinOverTheField) {
  const std::string bytes = "\xFF\n";
  const auto read = collect(byte_true(file_entry("plans/a.md", bytes), R"(,"raw":{"plans/a.md":")" + to_base64(bytes) + "\"}",
                                      R"(,"plan_files":[{"slug":"a","content":"other"}])"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->files.at("plans/a.md"), bytes);
}

TEST(ArchiveReader, Archive_8_2_MembersTwiceAreRefused) {
  expect_corrupt(archive_2(R"("session_id":"000000a2-0000-4000-8000-0000000000a2")"), "twice");
  expect_corrupt(archive_2(R"("main_session":{"record_count":0,"records":[]})"), "twice");
  expect_corrupt(archive_2(R"("plan_files":[{"slug":"a","slug":"b","content":""}])"), "twice");
  expect_corrupt(archive_2(R"("plan_files":[{"slug":"a","content":"","content":""}])"), "twice");
  expect_corrupt(archive_2(R"("plan_files":[{"slug":"a","content":""},{"slug":"a","content":""}])"), "twice");
  expect_corrupt(archive_2(R"("main\u005fsession":{"records":[]})"), "twice");
  expect_corrupt(archive_2(R"("holdfast":{"ext":1})"), "before the files");
}

TEST(ArchiveReader, Archive_8_2_LimitsHold) {
  ArchiveLimits small;
  small.max_bytes = 1000;
  EXPECT_EQ(collect(packed(archive_2("\"x\":\"" + std::string(2000, 'a') + "\"")), small).error().kind, ErrorKind::too_large);
  ArchiveLimits few;
  few.max_entries = 2;
  EXPECT_EQ(collect(archive_2(R"("plan_files":[{"slug":"a","content":""},{"slug":"b","content":""}])"), few).error().kind,
            ErrorKind::too_large);
  EXPECT_EQ(collect(byte_true(file_entry("plans/a.md", "") + file_entry("plans/b.md", ""), "", ""), few).error().kind,
            ErrorKind::too_large);
  expect_corrupt(archive_2("\"x\":" + std::string(100'000, '[')), "nested");
  expect_corrupt(archive_2(R"("plan_files":[{"slug":")" + std::string(5000, 'a') + R"(","content":""}])"),
                 "more than 4096 bytes");
  expect_corrupt("{" + header("2.4") + ",\"machine_id\":\"" + std::string(100'000, 'x') + "\"}", "more than 65536 bytes");

  // A bomb: zeros compress by far more than any transcript.
  const std::string bomb = packed(archive_2("\"x\":\"" + std::string(100'000'000, 'a') + "\""));
  ArchiveLimits strict;
  strict.ratio_from = 64 * 1024 * 1024;
  const auto exploded = collect(bomb, strict);
  ASSERT_FALSE(exploded);
  EXPECT_EQ(exploded.error().kind, ErrorKind::too_large);
  EXPECT_THAT(exploded.error().message, HasSubstr("times its size"));
}

TEST(ArchiveReader, Archive_8_2_WhatARealSessionMayHoldIsNoBomb) {
  // As a crash leaves it: a run of NUL bytes, which packs by more than any limit.
  const std::string nuls(20'000'000, '\0');
  const auto read =
      collect(packed(byte_true(file_entry(kSession + "/x", nuls),
                               R"(,"extra_files":[{"root":"session","path":"x","b64":")" + to_base64(nuls) + "\"}]", "")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->files.at(kSession + "/x").size(), nuls.size());
}

TEST(ArchiveReader, Archive_8_1_RecordsMustBeObjects) {
  for (const char* bad : {"1", "null", "\"x\"", "[]", "{\"a\":1]", "{\"a\" 1}", "{\"a\":tru}", "{\"a\":\"\xFF\"}"})
    EXPECT_FALSE(collect("{" + header("1.0") + R"(,"files":{")" + kArchivedId + R"(.jsonl":[)" + bad + "]}}")) << bad;
  expect_corrupt("{" + header("1.0") + R"(,"files":{"other.jsonl":[]}})", "no transcript of this session");
}

TEST(ArchiveReader, P16AWrongCountOfAForeignArchiveIsToldAndOfOneOfOursIsDamage) {
  for (const char* wrong : {"2", "0", "-1", "1.5", "null", "\"many\"", "[1,2]", "{}"}) {
    auto reader = archive_of("{" + header("2.4") + R"(,"main_session":{"record_count":)" + wrong +
                             R"(,"records":[{"a":1}]},"agent_files":[{"agent_id":"a2","nested":true,"records":[{},{}],)" +
                             R"("record_count":)" + wrong + "}]}");
    ASSERT_TRUE(reader) << wrong;
    Collector collector;
    ASSERT_TRUE(reader->read(collector)) << wrong;
    EXPECT_EQ(collector.files.at(kSession + ".jsonl"), "{\"a\":1}\n");
    const std::string says = std::string_view("-0123456789").contains(wrong[0]) ? wrong : "no number";
    EXPECT_THAT(reader->warnings(), Contains(HasSubstr("main_session: 1 records, and record_count says " + says)));
  }
  std::string ours = byte_true("", "", "");
  ours.replace(ours.find(R"("record_count":0)"), 16, R"("record_count":1)");
  expect_corrupt(ours, "record_count says 1");
}

TEST(ArchiveReader, Archive_1_1_WithoutAProjectPathTheFolderIsADash) {
  const auto read =
      collect(R"({"version":"1.0","session_id":")" + kArchivedId + R"(","files":{")" + kArchivedId + R"(.jsonl":[]}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->files, ElementsAre(Key("projects/-/" + kArchivedId + ".jsonl")));
}

TEST(ArchiveReader, StopsWhenAsked) {
  auto reader = archive_of(archive_2(""));
  ASSERT_TRUE(reader);
  Collector collector;
  const auto stop = [](std::string_view, std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(reader->read(collector, stop).error().kind, ErrorKind::cancelled);
}

TEST(ArchiveReader, SpoolsWhatAPipeDelivers) {
  const TestFolder folder;
  const std::string document = archive_2("");
  for (const std::uint64_t limit : {document.size(), document.size() - 1}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    Fd in(ends[0]);
    {
      const Fd out(ends[1]);
      ASSERT_TRUE(write_all(out.get(), document));
    }
    auto spooled = spool(in.get(), folder.path(), limit);
    ASSERT_EQ(spooled.has_value(), limit == document.size());
    if (!spooled) {
      EXPECT_EQ(spooled.error().kind, ErrorKind::too_large);
    } else {
      EXPECT_TRUE(ArchiveReader::open(*std::move(spooled)));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(VerifyArchive, Verify_TellsWhatItFound) {
  auto foreign = archive_of(archive_2(R"("plan_files":[{"slug":"a","content":"text"}],"odd":1)"));
  const VerifyReport report = verify_archive(*foreign).value();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.files, 2U);
  EXPECT_EQ(report.bytes, 4U);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].severity, Finding::Severity::warning);

  auto damaged = archive_of(byte_true(file_entry("plans/a.md", "text"), "", R"(,"plan_files":[{"slug":"a","content":"texT"}])"));
  const VerifyReport damage = verify_archive(*damaged).value();
  EXPECT_FALSE(damage.ok);
  EXPECT_THAT(damage.findings.at(0).what, HasSubstr("plans/a.md"));
}

}  // namespace
}  // namespace holdfast::transcripts
