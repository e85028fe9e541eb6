// persistent-client §4 and §9.

#include "kinds/runner/servers/roots.h"

#include "base/files/test_folder.h"
#include "base/text/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace holdfast::runner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

struct RootsTest : testing::Test {
  RootsTest() {
    for (const char* name :
         {"a", "b", "b/inner", "home/.ssh/keys", "home/work", "state", "proj", "proj#secret", "a%20b", "a b", "q?x"})
      std::filesystem::create_directories(at(name));
    rules.home = at("home");
    rules.state_folder = at("state");
    rules.base = folder.path();
    roots.emplace(rules);
  }
  std::string at(const std::string& name) const { return std::filesystem::weakly_canonical(folder.path()).string() + "/" + name; }
  std::string code(std::string_view given) const {
    const auto judged = judge_folder(given, rules);
    return judged ? "ok" : std::string(judged.error().word());
  }
  static std::vector<std::string> paths(const RootsView& view) {
    std::vector<std::string> all;
    for (const Root& root : view->roots) all.push_back(root.folder.path);
    return all;
  }

  TestFolder folder;
  PathRules rules;
  std::optional<Roots> roots;
};

TEST_F(RootsTest, PlacesThatAreRefused) {
  std::filesystem::create_directory_symlink("/", at("link-to-root"));
  std::filesystem::create_directory_symlink("/etc", at("link-to-etc"));
  for (const std::string& given :
       {std::string("/"), std::string("//"), std::string("/."), at("a") + "/../../../../../../../..", at("link-to-root")})
    EXPECT_EQ(code(given), "root_denied") << given;
  for (const char* given : {"/etc", "/etc/", "/etc/ssh", "/bin", "/usr/bin", "/usr/sbin", "/proc/self", "/sys", "/dev/shm",
                            "/run", "/lib", "/lib64", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/root", "/root/x", "/boot"})
    EXPECT_EQ(code(given), "system_path") << given;
  EXPECT_EQ(code(at("link-to-etc")), "system_path");
  EXPECT_EQ(code("~/.ssh"), "private_path");
  EXPECT_EQ(code(at("home/.ssh/keys")), "private_path");
  EXPECT_EQ(code(at("state")), "private_path");
  for (const std::string& given :
       {std::string(), std::string("  "), std::string("a\0b", 3), std::string("a\nb"), std::string(5000, 'x')})
    EXPECT_EQ(code(given), "bad_path") << given.size();
}

TEST_F(RootsTest, MissingNotAFolderAndUnreadableAreThreeThings) {
  std::filesystem::create_directories(at("locked"));
  std::ofstream(at("file")) << "x";
  EXPECT_EQ(code(at("nowhere")), "missing");
  EXPECT_EQ(code(at("file")), "not_a_directory");
  EXPECT_EQ(code(at("file/below")), "not_a_directory");
  std::filesystem::permissions(at("locked"), std::filesystem::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(code(at("locked")), "not_accessible");
  }
  std::filesystem::permissions(at("locked"), std::filesystem::perms::owner_all);
}

TEST_F(RootsTest, WholeComponentsAreCompared) {
  EXPECT_EQ(code("/etcetera"), "missing");
  EXPECT_EQ(code("/libfoo"), "missing");
}

TEST_F(RootsTest, InAContainerTheHomeIsRootsAndWhatIsBelowMayBeUsed) {
  rules.home = "/root";
  EXPECT_EQ(code("/root"), "system_path");
  EXPECT_EQ(code("/root/no-such-project"), "missing");
  EXPECT_EQ(code("/root/.ssh"), "private_path");
  rules.allow_home = true;
  EXPECT_NE(code("/root"), "system_path");
}

TEST_F(RootsTest, AncestorsOfRefusedPlacesAndUnusualOnesWarn) {
  const auto home = judge_folder(at("home"), rules).value();
  EXPECT_THAT(home.warnings, testing::Contains(HasSubstr(".ssh")));
  EXPECT_THAT(judge_folder("/usr", rules).value().warnings, testing::Contains(HasSubstr("/usr/bin")));
}

TEST_F(RootsTest, PrivatePlacesAreKnownByEveryName) {
  std::filesystem::create_directory_symlink(at("home"), at("home-link"));
  std::filesystem::create_directory_symlink(at("state"), at("state-link"));
  std::filesystem::create_directories(at("elsewhere"));
  std::filesystem::create_directory_symlink(at("elsewhere"), at("home/.aws"));
  rules.home = at("home-link");
  rules.state_folder = at("state-link");
  for (const char* name : {"home/.ssh", "home-link/.ssh/keys", "state", "state-link", "elsewhere"})
    EXPECT_EQ(code(at(name)), "private_path") << name;
  EXPECT_EQ(code(at("home/work")), "ok");
  EXPECT_THAT(judge_folder(at("home"), rules).value().warnings, testing::Contains(HasSubstr(".ssh")));
}

TEST_F(RootsTest, CallsAreKeptOutOfPlacesThatStayClosed) {
  std::filesystem::create_directory_symlink(at("home/.ssh"), at("home/work/innocent"));
  ASSERT_TRUE(roots->set({{"~", {}}}));
  const auto blocked = [&](const std::string& path) {
    const JsonObject arguments{{"what", JsonObject{{"paths", JsonArray{"fine", path}}}}};
    const auto error = blocked_argument(arguments, *roots->snapshot(), rules);
    if (error) {
      EXPECT_EQ(error->code, "blocked_path");
    }
    return error.has_value();
  };
  for (const std::string& path :
       {at("home/.ssh/keys"), at("home/.ssh"), at("home/work/../.ssh/x"), std::string("~/.ssh/id"), std::string(".ssh/id"),
        std::string("work/innocent/id"), "file://" + at("home/.ssh/id"), at("state/store.db")})
    EXPECT_TRUE(blocked(path)) << path;
  for (const std::string& path :
       {at("home/work/x"), std::string("~"), std::string(".sshx"), std::string("work"), std::string("/etc/hosts"),
        std::string("two\nlines"), std::string(5000, 'x'), std::string("/"), std::string(" ")})
    EXPECT_FALSE(blocked(path)) << path;
  ASSERT_TRUE(roots->set({{"/usr", {}}}));
  EXPECT_TRUE(blocked("/usr/bin/env")) << "below what was given";
  EXPECT_TRUE(blocked("lib/x"));
  EXPECT_FALSE(blocked("share/doc"));
}

TEST_F(RootsTest, FormsOfNames) {
  EXPECT_EQ(judge_folder("a", rules).value().path, at("a"));
  EXPECT_EQ(judge_folder("~/work", rules).value().path, at("home/work"));
  EXPECT_EQ(judge_folder("b/../a/", rules).value().path, at("a"));
  EXPECT_EQ(judge_folder("file://" + at("a"), rules).value().path, at("a"));
  EXPECT_EQ(judge_folder("file://localhost" + at("a"), rules).value().path, at("a"));
  EXPECT_EQ(judge_folder(folder_uri(at("proj#secret")), rules).value().path, at("proj#secret"));
  for (const std::string& uri : {"file://host" + at("a"), "file://" + at("a") + "?x", "file://" + at("a") + "#x",
                                 "file://" + at("a") + "%00", "file://" + at("b") + "%2Finner", "file://" + at("a") + "%zz"})
    EXPECT_EQ(code(uri), "bad_path") << uri;
}

// §2.5: unescaped, these grant a sibling.
TEST_F(RootsTest, UrisAreEscapedByteForByte) {
  for (const std::string& name : {at("proj#secret"), at("a%20b"), at("a b"), at("q?x"), at("bad\xFFname"), at("漢字")}) {
    const std::string uri = folder_uri(name);
    EXPECT_EQ(uri.find_first_of("#? \xFF"), std::string::npos) << uri;
    EXPECT_THAT(uri, StartsWith("file:///"));
    EXPECT_EQ(percent_decode(uri.substr(7)).value(), name);
  }
}

TEST_F(RootsTest, AChangeIsWholeOrNothingAndEqualIsNone) {
  int heard = 0;
  roots->subscribe([&](const RootsEvent&) { ++heard; });
  const auto first = roots->set({{at("a"), {}}, {at("b"), "second"}}).value();
  EXPECT_EQ(first->generation, 1U);
  EXPECT_THAT(paths(first), ElementsAre(at("a"), at("b")));
  EXPECT_EQ(first->roots[0].name, "a");
  EXPECT_EQ(first->roots[1].name, "second");
  const auto refused = roots->set({{at("a"), {}}, {"/etc", {}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("root 1"), HasSubstr("/etc")));
  EXPECT_EQ(roots->snapshot(), first);
  EXPECT_EQ(roots->set({{at("a") + "/", {}}, {at("b"), "second"}}).value(), first);
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(roots->set({{at("b"), "second"}, {at("a"), {}}}).value()->generation, 2U) << "order counts";
}

TEST_F(RootsTest, TheSameFolderStaysOnceAndNestedOnesAreFlagged) {
  std::filesystem::create_directory_symlink(at("a"), at("link"));
  const auto view = roots->set({{at("b"), {}}, {at("link"), {}}, {at("a"), {}}, {at("b/inner"), {}}}).value();
  EXPECT_THAT(paths(view), ElementsAre(at("b"), at("a"), at("b/inner")));
  EXPECT_FALSE(view->roots[0].nested);
  EXPECT_TRUE(view->roots[2].nested);
}

TEST_F(RootsTest, AddRemoveClear) {
  ASSERT_TRUE(roots->add({at("a"), {}}));
  ASSERT_TRUE(roots->add({at("b"), {}}));
  EXPECT_EQ(roots->generation(), 2U);
  ASSERT_TRUE(roots->add({at("a"), {}}));
  EXPECT_EQ(roots->generation(), 2U);
  EXPECT_FALSE(roots->remove(at("proj")));
  ASSERT_TRUE(roots->remove(folder_uri(at("a"))));
  std::filesystem::remove_all(at("b"));
  ASSERT_TRUE(roots->remove(at("b"))) << "also when it is gone";
  EXPECT_THAT(roots->snapshot()->roots, IsEmpty());
  ASSERT_TRUE(roots->clear());
  EXPECT_EQ(roots->generation(), 4U);
}

TEST_F(RootsTest, TooManyAreRefused) {
  std::vector<Roots::Wanted> many;
  for (std::size_t i = 0; i <= kMaxRoots; ++i) {
    const std::string name = at("many/" + std::to_string(i));
    std::filesystem::create_directories(name);
    many.push_back({name, {}});
  }
  EXPECT_FALSE(roots->set(many));
  many.pop_back();
  EXPECT_TRUE(roots->set(many));
  EXPECT_FALSE(roots->add({at("a"), {}}));
}

TEST_F(RootsTest, GoneAndSwappedFoldersAreLeftOutUntilTheyReturn) {
  std::vector<std::pair<RootsEvent::What, std::string>> heard;
  ASSERT_TRUE(roots->set({{at("a"), {}}, {at("b"), {}}}));
  roots->subscribe([&](const RootsEvent& event) { heard.emplace_back(event.what, event.path); });
  std::filesystem::rename(at("a"), at("elsewhere"));
  EXPECT_THAT(roots->available(), SizeIs(1));
  EXPECT_THAT(roots->available(), SizeIs(1));
  std::filesystem::create_directory_symlink(at("b"), at("a"));
  EXPECT_THAT(roots->available(), SizeIs(1)) << "a link in its place is another folder";
  std::filesystem::remove(at("a"));
  std::filesystem::rename(at("elsewhere"), at("a"));
  EXPECT_THAT(roots->available(), SizeIs(2));
  using What = RootsEvent::What;
  EXPECT_THAT(heard, ElementsAre(std::pair(What::unavailable, at("a")), std::pair(What::restored, at("a"))));
}

TEST_F(RootsTest, ListenersHearInOrderMayCallBackAndMayFail) {
  std::vector<std::uint64_t> heard;
  roots->subscribe([&](const RootsEvent&) { throw std::runtime_error("mine to fail"); });
  std::uint64_t token = 0;
  token = roots->subscribe([&](const RootsEvent& event) {
    heard.push_back(event.roots->generation);
    if (event.roots->generation == 1) {
      EXPECT_TRUE(roots->add({at("b"), {}}));
    }
    if (event.roots->generation == 2) roots->unsubscribe(token);
  });
  ASSERT_TRUE(roots->set({{at("a"), {}}}));
  ASSERT_TRUE(roots->clear());
  EXPECT_THAT(heard, ElementsAre(1, 2));
}

TEST_F(RootsTest, ManyThreadsSeeOrderedVersions) {
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> ordered{true};
  roots->subscribe([&](const RootsEvent& event) {
    if (event.roots->generation <= last.exchange(event.roots->generation)) ordered = false;
  });
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b", "proj"})
    threads.emplace_back([this, name] {
      for (int i = 0; i < 200; ++i) {
        (void)roots->set({{at(name), {}}});
        (void)roots->snapshot()->roots.size();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(ordered);
  EXPECT_EQ(last, roots->generation());
}

}  // namespace
}  // namespace holdfast::runner
