#include "kinds/documents/files/test_library.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace holdfast::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string found_path(TestLibrary& files, std::string_view path) {
  const auto place = files.library().find(path);
  return place ? place->path : std::string(place.error().word());
}
std::string made_path(TestLibrary& files, std::string_view path) {
  const auto place = files.library().find_new(path);
  return place ? place->path : std::string(place.error().word());
}

// document-review §5 edit: identity is the resolved file.
TEST(Library, OneDocumentHasOneNameHoweverItIsSpelled) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write("sub/b.md", "b");
  files.link("sub/b.md", "link.md");
  files.link("sub", "folder");
  for (const char* path : {"a.md", "./a.md", "sub/../a.md", ".//a.md"}) EXPECT_EQ(found_path(files, path), "a.md") << path;
  for (const char* path : {"sub/b.md", "link.md", "folder/b.md", "folder//b.md", "sub/./b.md"})
    EXPECT_EQ(found_path(files, path), "sub/b.md") << path;
  const Place place = files.find("link.md");
  EXPECT_EQ(place.key, std::filesystem::canonical(files / "sub/b.md").string());
  EXPECT_EQ(place.relative, "sub/b.md");
  EXPECT_TRUE(place.exists && place.reviewed && !place.is_folder);
  EXPECT_TRUE(files.find("sub").is_folder);
  EXPECT_TRUE(files.find("").is_folder);
  EXPECT_EQ(files.find(".").path, "");
}

// document-review §4 Paths.
TEST(Library, RefusesWhatIsNotAPathOfTheLibrary) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write(".git/config", "x");
  files.write_outside("secret.md", "secret");
  using namespace std::string_view_literals;
  for (std::string_view path :
       {"/etc/passwd"sv, "../kb-private/secret.md"sv, "a/../../kb-private/secret.md"sv, ".."sv, "a.md\0.md"sv, "a\n.md"sv,
        "a\x7f.md"sv, ".git/config"sv, "sub/.git/config"sv, ".GIT/config"sv, "\xff.md"sv})
    EXPECT_EQ(found_path(files, path), "path_denied") << path;
}

TEST(Library, HiddenFilesAndLinksThatLeadOutsideAreAsIfTheyWereNotThere) {
  TestLibrary files;
  files.write(".env", "key");
  files.write(".hidden/a.md", "key");
  files.write_outside("secret.md", "secret");
  files.link("../kb-private/secret.md", "relative.md");
  files.link(files.outside() + "/secret.md", "absolute.md");
  files.link(files.outside(), "outside");
  files.link(".env", "alias.md");
  files.link("loop.md", "loop.md");
  files.link("nowhere", "dangling.md");
  files.link("/proc/self/root/etc/passwd", "magic.md");
  for (const char* path : {".env", ".hidden/a.md", "relative.md", "absolute.md", "outside/secret.md", "outside", "alias.md",
                           "loop.md", "dangling.md", "magic.md"}) {
    const auto place = files.library().find(path);
    ASSERT_FALSE(place) << path;
    EXPECT_EQ(place.error().word(), "no_such_document") << path;
    EXPECT_EQ(place.error().message, fmt::format("there is no \"{}\"", path));
    EXPECT_EQ(place.error().hint, "glob lists what there is.");
  }
}

TEST(Library, TheStateFolderIsNoPartOfIt) {
  TestLibrary files(true);
  files.write("sub/a.md", "a");
  files.write("state/journal.md", "x");
  files.link("state", "alias");
  for (const char* path : {"state", "state/journal.md", "state/nothing", "sub/../state/locks", "alias/journal.md"})
    EXPECT_EQ(found_path(files, path), "path_denied") << path;
  EXPECT_EQ(made_path(files, "state/new.md"), "path_denied");
  EXPECT_EQ(made_path(files, "alias/new.md"), "path_denied");
  EXPECT_EQ(made_path(files, "state.md"), "state.md");
}

TEST(Library, NewPlaces) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write("sub/b.md", "b");
  files.link("sub", "folder");
  files.link("../kb-private", "outside");
  files.link("nowhere", "dangling");
  EXPECT_EQ(made_path(files, "new.md"), "new.md");
  EXPECT_EQ(made_path(files, "x/y/z.md"), "x/y/z.md");
  EXPECT_EQ(made_path(files, "folder/c.md"), "sub/c.md");
  EXPECT_EQ(made_path(files, "folder/x/c.md"), "sub/x/c.md");
  for (const char* path : {"a.md", "sub", "folder/b.md", "outside", "dangling"})
    EXPECT_EQ(made_path(files, path), "exists") << path;
  for (const char* path : {"outside/x.md", "outside/x/y.md", "dangling/x.md", "../x.md", "x/../../y.md", "/x.md", "say \"hi\".md",
                           ".hidden.md", "x/.y/z.md", ".git/x", "a\tb.md"})
    EXPECT_EQ(made_path(files, path), "path_denied") << path;
  for (const char* path : {"x/", "x//y.md", "./x.md", "x/../y.md", "", "a.md/x.md"})
    EXPECT_EQ(made_path(files, path), "bad_argument") << path;
  EXPECT_EQ(made_path(files, std::string(300, 'x')), "path_denied");
  const Place place = files.find_new("x/y/z.TXT");
  EXPECT_FALSE(place.exists);
  EXPECT_TRUE(place.reviewed);
  EXPECT_FALSE(files.find_new("z.json").reviewed);
}

TEST(Library, NearNames) {
  TestLibrary files;
  for (const char* path : {"notes/tides.md", "old/tides.md", "tide.md", "unrelated.md", "deep/er/Tides.txt"})
    files.write(path, "x");
  const auto place = files.library().find("tides.md");
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().hint, "Near names: notes/tides.md, old/tides.md, deep/er/Tides.txt");
  EXPECT_THAT(files.library().find("unrelatd.md").error().hint, HasSubstr("unrelated.md"));
  EXPECT_THAT(files.library().find("zebra.md").error().hint, Not(HasSubstr("Near")));
}

TEST(Library, SeveralFoldersAreNamedByTheirFirstSegment) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write_outside("b.md", "b");
  files.settings().folders.push_back({"private", files.outside(), true});
  files.reopen();
  EXPECT_EQ(found_path(files, "kb/a.md"), "kb/a.md");
  EXPECT_EQ(files.find("private/b.md").path, "private/b.md");
  EXPECT_EQ(files.find("private").path, "private");
  EXPECT_EQ(found_path(files, "a.md"), "no_such_document");
  EXPECT_EQ(found_path(files, ""), "no_such_document");
  EXPECT_EQ(found_path(files, "kb/../private/b.md"), "path_denied");
  EXPECT_EQ(found_path(files, "../b.md"), "path_denied");
  EXPECT_THAT(files.library().find("x/a.md").error().hint, HasSubstr("kb, private"));
  EXPECT_TRUE(files.library().require_writable(files.find("kb/a.md")));
  EXPECT_EQ(code_of(files.library().require_writable(files.find("private/b.md"))), "read_only");
}

TEST(Library, PlacesOfKeys) {
  TestLibrary files(true);
  files.write("sub/a.md", "a");
  const Place place = files.find("sub/a.md");
  const auto again = files.library().place_of(place.key);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->path, "sub/a.md");
  EXPECT_TRUE(again->exists);
  std::filesystem::remove(files / "sub/a.md");
  EXPECT_FALSE(files.library().place_of(place.key)->exists);
  EXPECT_FALSE(files.library().place_of(files.outside() + "/x.md"));
  EXPECT_FALSE(files.library().place_of(files.state() + "/journal.jsonl"));
  EXPECT_FALSE(files.library().place_of(files / ".git/config"));
}

TEST(Library, FoldersAreApart) {
  TestLibrary files;
  std::filesystem::create_directories(files / "inner");
  const auto open_with = [&](std::string folder, std::string name, std::string state = "") {
    LibrarySettings settings = files.settings();
    settings.folders.push_back({std::move(name), std::move(folder), false});
    if (!state.empty()) settings.state_folder = state;
    return code_of(Library::open(settings));
  };
  EXPECT_EQ(open_with(files / "inner", "inner"), "invalid");
  EXPECT_EQ(open_with(files.root(), "again"), "invalid");
  EXPECT_EQ(open_with(files.outside(), "kb"), "invalid");
  EXPECT_EQ(open_with(files.outside(), "a/b"), "invalid");
  EXPECT_EQ(open_with("relative", "x"), "invalid");
  EXPECT_EQ(open_with(files.outside() + "/nothing", "x"), "not_found");
  EXPECT_EQ(open_with(files.outside(), "x", files.outside()), "invalid");
  EXPECT_EQ(open_with(files.outside(), "x"), "ok");
}

// Somebody swaps a link while we resolve: what is read is never from outside.
TEST(Library, ALinkThatIsSwappedNeverLeadsOutside) {
  TestLibrary files;
  files.write("inner/a.md", "inside");
  files.write_outside("a.md", "SECRET");
  files.link("inner", "x");
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    for (int i = 0; !stop; ++i) {
      const std::string spare = files / "spare";
      ::unlink(spare.c_str());
      if (::symlink(i % 2 == 0 ? files.outside().c_str() : "inner", spare.c_str()) == 0)
        ::rename(spare.c_str(), (files / "x").c_str());
    }
  });
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    if (const auto place = files.library().find("x/a.md")) {
      EXPECT_EQ(place->relative, "inner/a.md");
      EXPECT_EQ(read_document(files.library(), *place).value_or(FileState{"inside", "", 0, 0, 0, 0}).bytes, "inside");
      ++inside;
    }
    if (const auto place = files.library().find_new("x/new.md")) {
      EXPECT_EQ(place->relative, "inner/new.md");
    }
  }
  stop = true;
  swapper.join();
  EXPECT_GT(inside, 0);
}

}  // namespace
}  // namespace holdfast::documents
