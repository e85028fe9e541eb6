#include "kinds/transcripts/remote/gist_api.h"

#include <gtest/gtest.h>

namespace holdfast::transcripts {
namespace {

constexpr Millis kNoon = 1'785'240'000'000;  // 2026-07-28T12:00:00Z
const std::string kArchive = "session-0199a8b7-20260728_120000.json.zst";
const std::string kManifestHash(64, 'a');

GistManifest two_parts() {
  return {kArchive,
          kManifestHash,
          9,
          {{kArchive + ".b64.part-001", kManifestHash, 8}, {kArchive + ".b64.part-002", kManifestHash, 4}}};
}

TEST(GistManifest, Gist_9_NamesAreTheOriginals) {
  EXPECT_EQ(gist_archive_name("0199a8b7-1234-7abc-8def-0123456789ab", kNoon), kArchive);
  EXPECT_EQ(gist_part_name(kArchive, 0, 1), kArchive + ".b64");
  EXPECT_EQ(gist_part_name(kArchive, 0, 2), kArchive + ".b64.part-001");
  EXPECT_EQ(gist_part_name(kArchive, 279, 280), kArchive + ".b64.part-280");
  EXPECT_EQ(gist_manifest_name(kArchive), kArchive + ".manifest.json");
  // Whatever an id is, the name stays one of ours.
  EXPECT_TRUE(is_gist_archive_file(gist_archive_name("../x", kNoon)));
  EXPECT_TRUE(is_gist_archive_file(gist_archive_name("", kNoon)));
}

TEST(GistManifest, Gist_9_WhatIsWrittenReadsBack) {
  const auto back = parse_gist_manifest(to_text(two_parts()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_text(*back), to_text(two_parts()));
  EXPECT_EQ(back->parts[1].name, kArchive + ".b64.part-002");
  EXPECT_EQ(back->bytes, 9u);
}

TEST(GistManifest, Gist_9_DamageIsCorrupt) {
  const auto kind_of = [](const GistManifest& manifest) { return parse_gist_manifest(to_text(manifest)).error().kind; };
  GistManifest wrong = two_parts();
  wrong.sha256 = "short";
  EXPECT_EQ(kind_of(wrong), ErrorKind::corrupt);
  wrong = two_parts();
  wrong.parts.clear();
  EXPECT_EQ(kind_of(wrong), ErrorKind::corrupt);
  wrong = two_parts();
  wrong.parts[0].name = "../../etc/passwd";
  EXPECT_EQ(kind_of(wrong), ErrorKind::corrupt);
  wrong = two_parts();
  wrong.parts[0].bytes = kGistPartText + 1;
  EXPECT_EQ(kind_of(wrong), ErrorKind::corrupt);
  wrong = two_parts();
  wrong.parts.resize(kMaxGistParts + 1, wrong.parts[0]);
  EXPECT_EQ(kind_of(wrong), ErrorKind::corrupt);
  for (const char* text : {"", "[]", "{}", "{\"holdfast_gist\":\"1\"}", "{\"holdfast_gist\":1,\"parts\":[1]}", "\xff"})
    EXPECT_EQ(parse_gist_manifest(text).error().kind, ErrorKind::corrupt) << text;
}

TEST(GistManifest, Gist_9_ANewerVersionIsNamed) {
  const auto newer = parse_gist_manifest("{\"holdfast_gist\":2}");
  EXPECT_EQ(newer.error().kind, ErrorKind::corrupt);
  EXPECT_NE(newer.error().message.find("version 2"), std::string::npos);
}

TEST(GistManifest, Gist_9_OnlyArchivesAreReplaced) {
  for (const char* name :
       {"session-0199a8b7-20260728_120000.json", "session-0199a8b7-20260728_120000.json.zst.b64",
        "session-0199a8b7-20260728_120000.json.zst.b64.part-001", "session-0199a8b7-20260728_120000.json.zst.manifest.json"})
    EXPECT_TRUE(is_gist_archive_file(name)) << name;
  for (const char* name : {"", "session-", "session-notes.json", "session-0199a8b7-20260728-120000.json", "notes.md",
                           "session-0199a8b7-20260728_12000.json", "my-session-0199a8b7-20260728_120000.json",
                           "session-0199a8b7-20260728_120000.txt", "session-0199a8b7_20260728_120000.json"})
    EXPECT_FALSE(is_gist_archive_file(name)) << name;
}

TEST(GistManifest, Gist_9_TheNewestIsTakenWhateverTheOrder) {
  const std::string old = "session-0199a8b7-20260101_000000.json", older = "session-ffffffff-20250101_000000.json.zst.b64";
  EXPECT_FALSE(newest_in_gist({}));
  EXPECT_FALSE(newest_in_gist({"notes.md", kArchive + ".b64.part-001"}));  // an upload that was cut off
  EXPECT_EQ(newest_in_gist({old, older})->name, old);
  EXPECT_EQ(newest_in_gist({older, old})->name, old);
  EXPECT_FALSE(newest_in_gist({older, old})->is_manifest);
  const std::string manifest = gist_manifest_name(kArchive);
  for (const auto& names : {std::vector{manifest, kArchive + ".b64"}, std::vector{kArchive + ".b64", manifest}}) {
    EXPECT_EQ(newest_in_gist(names)->name, manifest);
    EXPECT_TRUE(newest_in_gist(names)->is_manifest);
  }
}

}  // namespace
}  // namespace holdfast::transcripts
