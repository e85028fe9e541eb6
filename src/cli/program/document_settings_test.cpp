#include "cli/program/document_settings.h"

#include "base/files/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct DocumentSettingsTest : testing::Test {
  DocumentSettingsTest() {
    for (const char* name : {"kb", "other/kb", "a=b", ".notes", "a, b"}) std::filesystem::create_directories(home / name);
  }
  Result<documents::LibrarySettings> load(Flags flags) {
    CommandLine line;
    line.flags = std::move(flags);
    auto context = Context::make(std::move(line), [this](const std::string& name) -> std::optional<std::string> {
      return name == "HOME" ? std::optional(home.path()) : std::nullopt;
    });
    if (!context) return fail(context.error());
    return library_settings(*context);
  }

  TestFolder home;
};

TEST_F(DocumentSettingsTest, AFolderIsCalledAsItsLastPartOrAsSaid) {
  const std::string real = std::filesystem::canonical(home.path()).string();
  const auto settings = load({{"documents.roots", {home / "kb", "notes=" + (home / "other/kb"), home / "a=b"}}});
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->folders.size(), 3U);
  EXPECT_EQ(settings->folders[0].name, "kb");
  EXPECT_EQ(settings->folders[1].name, "notes");
  EXPECT_EQ(settings->folders[1].folder, real + "/other/kb");
  EXPECT_EQ(settings->folders[2].name, "a=b") << "a '/' before the sign: no name";
  EXPECT_EQ(settings->state_folder, home.path() + "/.local/share/holdfast/documents");
  EXPECT_THAT(settings->reviewed, ElementsAre(".md", ".markdown", ".txt"));
  EXPECT_TRUE(settings->supersede_any);
  EXPECT_FALSE(settings->direct_edits);
}

TEST_F(DocumentSettingsTest, AHiddenFolderCanBeTheOnlyOne) {
  const auto alone = load({{"documents.roots", {home / ".notes"}}});
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->folders.front().name, ".notes");
  const auto two = load({{"documents.roots", {home / ".notes", home / "kb"}}});
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().hint, HasSubstr("NAME="));
  EXPECT_TRUE(load({{"documents.roots", {"notes=" + (home / ".notes"), home / "kb"}}}));
}

TEST_F(DocumentSettingsTest, CommasArePartOfAFoldersName) {
  const auto settings = load({{"documents.roots", {home / "a, b", home / "kb"}}});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->folders[0].name, "a, b");
  EXPECT_EQ(settings->folders[1].name, "kb");
}

TEST_F(DocumentSettingsTest, WhatCannotBeIsRefusedAtTheStart) {
  EXPECT_THAT(load({{"documents.roots", {home / "kb", home / "other/kb"}}}).error().message, HasSubstr("two folders"));
  EXPECT_EQ(load({{"documents.roots", {home / "none"}}}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(load({{"documents.roots", {".x=" + (home / "kb")}}}).error().kind, ErrorKind::invalid);
  EXPECT_THAT(load({{"documents.supersede", {"all"}}}).error().message, HasSubstr("neither own nor any"));
}

TEST_F(DocumentSettingsTest, TheLifeOfAHandleMayBeAFractionOfADay) {
  const auto ttl = [](const char* days) {
    const Environment nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
    return handle_ttl(Settings::load({{"documents.handle_ttl_days", {days}}}, nothing, {}, "").value());
  };
  EXPECT_EQ(ttl("7"), 7 * 86'400'000LL);
  EXPECT_EQ(ttl("0.5"), 43'200'000);
  EXPECT_EQ(ttl("1e300"), 36'500 * 86'400'000LL);
  EXPECT_EQ(load({{"documents.handle_ttl_days", {"0"}}}).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast::cli
