#include "kinds/transcripts/guard/restore_kept.h"

#include "base/files/zstd_block.h"
#include "kinds/transcripts/guard/test_guard.h"
#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/reading/transcript_reading.h"
#include "kinds/transcripts/verbs/verify.h"
#include "reading/export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RestoreKeptTest : public GuardedHome {
 protected:
  using Tree = std::map<std::string, std::string>;
  Tree tree_of(const std::string& id) {
    Tree tree;
    const AnySession session = homes_.find(id).value();
    const Inventory inventory = homes_.inventory(session).value();
    for (const Artifact& artifact : inventory.artifacts)
      if (artifact.kind != ArtifactKind::task_lock) tree[artifact.path] = files_.read(artifact.path);
    return tree;
  }
  void expect_tree(const Tree& tree) {
    for (const auto& [path, bytes] : tree) EXPECT_EQ(files_.read(path), bytes) << path;
  }
  KeptTranscript kept(const std::string& id, const KeptVersion& version = {}) {
    return KeptLines(verbs_).transcript(find_kept_session(*blobs_, id).value(), version).value();
  }
  Result<CopyResult> put_back(const std::string& id, RestoreKeptOptions options = {}) {
    HF_TRY(KeptSession session, find_kept_session(*blobs_, id));
    HF_TRY(const KeptTranscript found, KeptLines(verbs_).transcript(std::move(session), options.version));
    return restore_kept(verbs_, found, options);
  }
  std::string transcript(const std::string& id) const { return "projects/-home-dev-work-demo/" + id + ".jsonl"; }
  void damage_packs() {
    for (const auto& entry : std::filesystem::directory_iterator(folder() + "/packs")) {
      if (entry.path().extension() != ".pack") continue;
      std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file.put('\x5a').put('\x5b');
    }
  }

  const std::string id_ = TestHome::id("a4");
  Keeper verbs_ = keeper();
};

TEST_F(RestoreKeptTest, PutsBackOnlyWhatIsMissing) {
  ASSERT_TRUE(guard_.keep_all());
  const Tree tree = tree_of(id_);
  ASSERT_GT(tree.size(), 2U);
  std::filesystem::remove(files_ / transcript(id_));
  const CopyResult result = put_back(id_).value();
  EXPECT_EQ(result.left_out.size(), tree.size() - 1);
  EXPECT_THAT(result.left_out, testing::Each(HasSubstr("there already, with the same content")));
  EXPECT_GT(result.main_records, 0U);
  EXPECT_THAT(result.resume_command, HasSubstr("claude --resume " + id_));
  expect_tree(tree);
  const CopyResult again = put_back(id_).value();
  EXPECT_EQ(again.left_out.size(), tree.size()) << "all of it is there";
}

TEST_F(RestoreKeptTest, OtherBytesAreRefusedByNameAndNothingIsWritten) {
  ASSERT_TRUE(guard_.keep_all());
  const Tree tree = tree_of(id_);
  const std::string other = std::next(tree.begin())->first;
  std::filesystem::remove(files_ / tree.begin()->first);
  files_.write(other, "something else");
  const auto result = put_back(id_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::conflict);
  EXPECT_THAT(result.error().message, HasSubstr(other));
  EXPECT_THAT(result.error().hint, HasSubstr("without {in_place}"));
  EXPECT_FALSE(std::filesystem::exists(files_ / tree.begin()->first));
}

TEST_F(RestoreKeptTest, WhatWasSweptFromALivingSessionIsCountedAndComesBack) {
  ASSERT_TRUE(guard_.keep_all());
  const Tree tree = tree_of(id_);
  EXPECT_THAT(missing_files(homes_, *blobs_).value(), IsEmpty());
  std::filesystem::remove_all(files_ / ("projects/-home-dev-work-demo/" + id_ + "/subagents"));
  files_.append(transcript(id_), "{\"type\":\"mode\"}\n");  // it goes on
  const auto missing = missing_files(homes_, *blobs_).value();
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing.begin()->first, id_);
  const CopyResult result = put_back(id_).value();
  EXPECT_THAT(result.left_out, Contains(HasSubstr("with more than was kept")));
  for (const auto& [path, bytes] : tree) {
    if (path != transcript(id_)) {
      EXPECT_EQ(files_.read(path), bytes) << path;
    }
  }
  EXPECT_THAT(missing_files(homes_, *blobs_).value(), IsEmpty());
}

TEST_F(RestoreKeptTest, OlderVersionsCanBeChosen) {
  ASSERT_TRUE(guard_.keep_all());
  const std::string was = files_.read(transcript(id_));
  files_.write(transcript(id_), "");
  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove(files_ / transcript(id_));
  const CopyResult emptied = put_back(id_).value();
  EXPECT_THAT(emptied.warnings, Contains(HasSubstr("{version} 1 restores it")));
  EXPECT_EQ(files_.read(transcript(id_)), "");
  std::filesystem::remove(files_ / transcript(id_));
  RestoreKeptOptions options;
  options.version.number = 1;
  EXPECT_THAT(put_back(id_, options)->resume_command, HasSubstr("cd /home/dev/work/demo && ")) << "of that version, too";
  EXPECT_EQ(files_.read(transcript(id_)), was);
  options.version.number = 7;
  EXPECT_EQ(put_back(id_, options).error().kind, ErrorKind::not_found);
  // By time: what was complete then, or the oldest there is.
  const session::KeptFile newest = kept(id_).session.transcript;
  KeptVersion version;
  version.as_of = 0;
  EXPECT_EQ(chosen_version(*blobs_, newest, version, true)->version, 1);
  version.as_of = newest.kept_at;
  EXPECT_EQ(chosen_version(*blobs_, newest, version, true)->version, 2);
}

TEST_F(RestoreKeptTest, NamesThatAreNoUtf8ComeBack) {
  const std::string path = "projects/-home-dev-work-demo/" + id_ + "/tool-results/bad\xff\xfename.txt";
  files_.write(path, "saved");
  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove_all(files_ / "projects");
  ASSERT_TRUE(put_back(id_));
  EXPECT_EQ(files_.read(path), "saved");
  EXPECT_EQ(shown_path("bad\xff\xfename ä.txt"), "bad\\xff\\xfename ä.txt");
  // As a copy, too, but not in an archive, which has no such names and says so.
  std::filesystem::remove_all(files_ / "projects");
  CopyOptions options;
  options.target_project = files_.outside();
  options.new_session_id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c";
  const auto source = source_in_guard(*blobs_, kept(id_).session);
  const auto copy = verbs_.restore(*source, options);
  ASSERT_TRUE(copy) << copy.error().message;
  const AnySession copied = homes_.find(options.new_session_id).value();
  EXPECT_EQ(files_.read(copied.claude()->place.folder() + "/tool-results/bad\xff\xfename.txt"), "saved");
  EXPECT_THAT(verbs_.write(*source, files_.outside() + "/a.json", {})->report.left_out,
              Contains(HasSubstr("a name that an archive cannot hold")));
}

TEST_F(RestoreKeptTest, FlatSubagentsBelongToWhomTheirFirstRecordNames) {
  const std::string a = TestHome::id("a1"), b = TestHome::id("a2");
  const std::string project = "projects/-home-dev-work-demo/";
  const std::string quoting = project + "agent-1a2b3c42.jsonl", late = project + "agent-1a2b3c43.jsonl";
  files_.write(quoting, fmt::format(R"({{"toolUseResult":{{"sessionId":"{}"}},"sessionId":"{}","isSidechain":true}})"
                                    "\n",
                                    a, b));
  files_.write(late, fmt::format(R"({{"text":"{}", "sessionId": "{}"}})"
                                 "\n",
                                 std::string(100'000, 'x'), a));
  ASSERT_TRUE(guard_.keep_all());
  const auto keys_of = [&](const std::string& id) {
    std::vector<std::string> found;
    const auto files = files_of(*blobs_, kept(id).session).value();
    for (const session::KeptFile& file : files) found.push_back(file.key);
    return found;
  };
  EXPECT_THAT(keys_of(a), Contains("claude:" + late));
  EXPECT_THAT(keys_of(a), Not(Contains("claude:" + quoting)));
  EXPECT_THAT(keys_of(b), Contains("claude:" + quoting));
  EXPECT_THAT(keys_of(b), Not(Contains("claude:" + late)));
}

TEST_F(RestoreKeptTest, PlansAreAmongTheFiles) {
  const std::string id = TestHome::id("b7");
  files_.write("plans/calm-blue-sea.md", "# Plan\n");
  files_.write(transcript(id),
               fmt::format(R"({{"type":"user","sessionId":"{}","slug":"calm-blue-sea","cwd":"/home/dev/work/demo"}})"
                           "\n",
                           id));
  std::filesystem::permissions(files_ / "plans/calm-blue-sea.md", std::filesystem::perms(0640));
  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove(files_ / transcript(id));
  std::filesystem::remove(files_ / "plans/calm-blue-sea.md");
  const CopyResult result = put_back(id).value();
  EXPECT_EQ(files_.read("plans/calm-blue-sea.md"), "# Plan\n");
  EXPECT_EQ(std::filesystem::status(files_ / "plans/calm-blue-sea.md").permissions(), std::filesystem::perms(0640))
      << "as it was (design 8.40)";
}

TEST_F(RestoreKeptTest, CompressedRolloutsAreRestoredArchivedClonedAndVerified) {
  const std::string plain = files_.outside() + "/codex/" + kRollout, id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
  std::ifstream in(plain, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string packed = ZstdPacker(3).pack(text).value();
  std::filesystem::remove(plain);
  std::ofstream(plain + ".zst", std::ios::binary) << packed;
  const AnySession session = homes_.find(id).value();
  EXPECT_EQ(verify_session(*verbs_.source(session))->records, 1U);
  const auto archived = verbs_.write(*verbs_.source(session), files_.outside() + "/a.json.zst", {});
  ASSERT_TRUE(archived) << archived.error().message;
  EXPECT_EQ(archived->report.counts.main_records, 1U);
  const auto cloned = verbs_.clone(session, {});
  ASSERT_TRUE(cloned) << cloned.error().message;
  EXPECT_EQ(cloned->main_records, 1U);

  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove(plain + ".zst");
  const CopyResult result = put_back(id).value();
  EXPECT_EQ(result.main_records, 1U);
  EXPECT_EQ(result.resume_command, "codex resume " + id);
  std::ifstream back(plain + ".zst", std::ios::binary);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(back), {}}), packed);
  std::filesystem::remove(plain + ".zst");
  const auto copied = verbs_.restore(*source_in_guard(*blobs_, kept(id).session), {});
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->main_records, 1U);
}

TEST_F(RestoreKeptTest, OfADamagedSessionTheGoodPartsAreRead) {
  const std::string id = TestHome::id("b8");
  std::string lines;
  for (int i = 0; i < 3000; ++i)
    lines +=
        fmt::format(R"({{"type":"user","uuid":"u{}","sessionId":"{}","message":{{"role":"user","content":"Prompt {} {:x}"}}}})"
                    "\n",
                    i, id, i, static_cast<std::size_t>(i) * 2654435761U);
  files_.write(transcript(id), lines);
  ASSERT_TRUE(guard_.keep_all());
  std::filesystem::remove(files_ / transcript(id));
  damage_packs();
  ASSERT_THAT(blobs_->repair({})->problems, Not(IsEmpty()));
  const KeptTranscript found = kept(id);
  const auto lost = blobs_->gaps(found.session.transcript).value();
  ASSERT_THAT(lost, Not(IsEmpty()));
  const auto refused = put_back(id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(refused.error().hint, HasSubstr("export"));
  ReadingOptions options;
  options.all_branches = true;
  auto reading = open_transcript(source_in_guard(*blobs_, found.session, {}, true), options, nullptr).value();
  EXPECT_THAT(reading->heading().details, Contains(testing::Pair("damaged", HasSubstr("bytes are lost"))));
  std::string text;
  reading::ExportOptions as_markdown;
  as_markdown.format = reading::ExportFormat::markdown;
  ASSERT_TRUE(reading::export_session(*reading, as_markdown, [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  }));
  const bool first_lost = lost.front().begin == 0;
  EXPECT_THAT(text, HasSubstr(first_lost ? "Prompt 2999 " : "Prompt 0 "));
}

TEST_F(RestoreKeptTest, AKeptSessionIsReadStraightFromTheGuard) {
  ASSERT_TRUE(guard_.keep_all());
  const AnySession session = homes_.find(id_).value();
  const auto shown = [](reading::Reading& reading) {
    std::string text;
    reading::ExportOptions options;
    options.format = reading::ExportFormat::json;
    options.subagents = true;
    EXPECT_TRUE(reading::export_session(reading, options, [&](std::string_view bytes) -> Result<void> {
      text += bytes;
      return {};
    }));
    return text.substr(text.find("\"turns\""));
  };
  auto on_disk = open_transcript(source_on_disk(homes_.claude, session), {}, nullptr).value();
  const std::string expected = shown(*on_disk);
  const std::string title = on_disk->heading().title;
  std::filesystem::remove_all(files_ / "projects");
  ReadingCache cache;
  for (int i = 0; i < 2; ++i) {
    auto reading = open_transcript(source_in_guard(*blobs_, kept(id_).session, {}, true), {}, &cache).value();
    EXPECT_EQ(reading->heading().title, title);
    EXPECT_EQ(reading->heading().resume_command, "holdfast restore --in-place " + id_);
    EXPECT_EQ(shown(*reading), expected) << "subagents included";
  }
}

}  // namespace
}  // namespace holdfast::transcripts
