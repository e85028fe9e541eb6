#include "kinds/reasoning/read/import_thoughtbox.h"

#include "base/files/file.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/test_ledger.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::reasoning {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct ImportTest : LedgerTest {
  static constexpr const char* kId = "5c1e7c1a-1111-4222-8333-123456789abc";
  std::string session = folder / fmt::format("box/projects/app/sessions/2026-01/{}", kId);

  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    must(replace_file(path, text));
  }
  void node(const std::string& name, int number, const std::string& more = "") {
    write(session + "/" + name,
          fmt::format(
              R"({{"id":"x:{0}","data":{{"thought":"text {0}","thoughtNumber":{0},"totalThoughts":9,"nextThoughtNeeded":true,)"
              R"("timestamp":"2026-01-17T10:00:0{1}.000Z"{2}}},"prev":null,"next":[]}})",
              number, number % 10, more));
  }
  ImportReport import() { return must(import_thoughtbox(*store, folder / "box", kRoot, connect("importer"))); }
};

TEST_F(ImportTest, FilesAreBelievedBeforeTheManifest) {
  node("001.json", 1);
  node("002.json", 2, R"(,"isRevision":true,"revisesThought":1)");
  node("003.json", 3);
  node("branches/alt/003.json", 3, R"(,"branchId":"alt","branchFromThought":2)");
  write(
      session + "/manifest.json",
      fmt::format(R"({{"id":"{}","version":"1.0.0","thoughtFiles":["001.json"],"metadata":{{"title":"Old work","tags":["t"]}}}})",
                  kId));
  const ImportReport report = import();
  EXPECT_EQ(report.sessions, 1);
  EXPECT_EQ(report.thoughts, 4);
  EXPECT_THAT(report.problems, IsEmpty());
  ASSERT_THAT(sessions(), SizeIs(1));
  const session::SessionRecord record = sessions().front();
  EXPECT_EQ(record.title, "Old work");
  EXPECT_EQ(record.project, "app");
  EXPECT_EQ(record.root_uri, kRoot);
  EXPECT_EQ(thought_count(record), 3);
  EXPECT_THAT(branches_of(record), ElementsAre("alt"));
  EXPECT_EQ(all(record.id)[1].revises, 1);
  EXPECT_EQ(iso8601(all(record.id)[0].time), "2026-01-17T10:00:01.000Z");
}

TEST_F(ImportTest, TwiceBringsInNothingTwice) {
  node("001.json", 1);
  import();
  const ImportReport again = import();
  EXPECT_EQ(again.sessions, 0);
  EXPECT_EQ(again.known, 1);
  EXPECT_THAT(sessions(), SizeIs(1));
}

TEST_F(ImportTest, DamageIsReportedAndDoesNotStopTheRest) {
  node("001.json", 1);
  write(session + "/002.json", R"({"data":{"thought":"torn)");
  node("003.json", 3, R"(,"revisesThought":3)");
  node("branches/orphan/005.json", 5, R"(,"branchFromThought":99)");
  write(session + "/manifest.json", "not json");
  const ImportReport report = import();
  EXPECT_EQ(report.thoughts, 3);
  EXPECT_THAT(report.problems, Contains(HasSubstr("002.json")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("manifest.json")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("revises 3")));
  EXPECT_THAT(report.problems, Contains(HasSubstr("99")));
  EXPECT_TRUE(must(store->verify(sessions().front().id)).ok);
}

TEST_F(ImportTest, AFinishedSessionIsCompletedAndAliasesComeAlong) {
  node("001.json", 1, R"(,"thoughtType":"question")");
  write(session + "/002.json", R"({"data":{"thought":"done","thoughtNumber":2,"totalThoughts":2,"nextThoughtNeeded":false}})");
  write(folder / "box/projects/app/aliases.json", fmt::format(R"({{"word":"{}"}})", kId));
  import();
  EXPECT_EQ(sessions().front().status, "completed");
  EXPECT_EQ(must(session_of_alias(*store, "local", "word")), sessions().front().id);
}

TEST_F(ImportTest, NoFolderIsNotFound) {
  EXPECT_EQ(import_thoughtbox(*store, folder / "none", kRoot, connect("x")).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast::reasoning
