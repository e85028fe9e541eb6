// document-review §3: the handle's contract.

#include "kinds/documents/workspace/handles.h"

#include "base/files/test_folder.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace holdfast::documents {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

struct HandlesTest : testing::Test {
  HandlesTest() { restart(); }
  void restart() {
    store.reset();
    store::OpenOptions options;
    options.clock = clock;
    store = store::open_store("sqlite:" + (home / "store.db"), options).value();
    stores.emplace(*store);
    handles.emplace(*stores, *clock);
  }
  Opened made(std::string_view principal = "local", std::string_view name = "", std::string_view resume = "") {
    HandleRequest request;
    request.who = full_identity(std::string(principal));
    request.name = name;
    request.resume = resume;
    return handles->create(request).value();
  }
  std::string code(std::string_view handle, std::string_view principal = "local") {
    const auto opened = handles->open(full_identity(std::string(principal)), handle);
    return opened ? "ok" : std::string(opened.error().word());
  }
  static Place place(std::string_view key) {
    Place found;
    found.key = key;
    found.path = key;
    return found;
  }

  TestFolder home;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<session::Store> store;
  std::optional<session::SharedStore> stores;
  std::optional<Handles> handles;
};

TEST_F(HandlesTest, AreLongRandomAndQuotable) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string handle = made().handle;
    EXPECT_THAT(handle, MatchesRegex("s_[a-z2-7]{26}"));
    EXPECT_TRUE(seen.insert(handle).second);
  }
}

TEST_F(HandlesTest, AreNotInAnyFileOfTheStore) {
  const std::string handle = made().handle;
  for (const auto& entry : std::filesystem::directory_iterator(home.path())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes.find(handle), std::string::npos) << entry.path();
  }
}

TEST_F(HandlesTest, AuthorLabel) {
  EXPECT_EQ(made().author, "AI");
  EXPECT_EQ(made("local", "  dev ").author, "dev's AI");
  EXPECT_EQ(made("local", "d\"e\\v\n").author, "dev's AI");
  const std::string longest = made("local", std::string(200, 'x')).author;
  EXPECT_EQ(longest.size(), 60U);
  EXPECT_TRUE(longest.ends_with("'s AI"));
}

TEST_F(HandlesTest, SurviveARestart) {
  const Opened opened = made("local", "dev");
  ASSERT_TRUE(handles->note_read(opened, place("/kb/a.md"), {"v1", 1, 20, 5}));
  restart();
  const auto again = handles->open(full_identity("local"), opened.handle);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->author, "dev's AI");
  EXPECT_EQ(again->label, opened.label);
  const auto read = handles->last_read(*again, "/kb/a.md").value();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, "v1");
  EXPECT_EQ(read->last_line, 20);
}

TEST_F(HandlesTest, P3TokensOfDifferentProjectsShareNoSession) {
  HandleRequest request;
  const auto shared = [&](const std::vector<std::string>& projects, std::string_view root) {
    request.who = full_identity("team:red");
    request.who.projects = projects;
    request.root_uri = root;
    return handles->create_shared(request);
  };
  const Opened everything = shared({}, "file:///a").value(), held = shared({"file:///a"}, "file:///a").value();
  EXPECT_NE(everything.label, held.label);
  EXPECT_EQ(shared({}, "file:///a")->handle, everything.handle);
  EXPECT_EQ(shared({"file:///a"}, "file:///a")->handle, held.handle) << "nobody else's call ends it";
  const auto elsewhere = shared({"file:///b"}, "file:///a");
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().code, "project_denied");
}

TEST_F(HandlesTest, RefusalsNameTheNextStep) {
  const Opened opened = made("ann");
  for (const auto& [handle, principal, word] :
       {std::tuple("", "ann", "session_required"), std::tuple("s_bogus", "ann", "session_unknown"),
        std::tuple(opened.handle.c_str(), "bob", "session_unknown")}) {
    const auto refused = handles->open(full_identity(std::string(principal)), handle);
    ASSERT_FALSE(refused) << word;
    EXPECT_EQ(refused.error().word(), word);
    EXPECT_THAT(refused.error().hint, AllOf(HasSubstr("create_session"), HasSubstr("read")));
  }
  // A handle that leaked answers as one that never was, to the letter (§11.8).
  EXPECT_EQ(handles->open(full_identity("bob"), opened.handle).error().message,
            handles->open(full_identity("bob"), "s_bogus").error().message);
  EXPECT_EQ(handles->open(full_identity("bob"), opened.handle).error().hint,
            handles->open(full_identity("bob"), "s_bogus").error().hint);
}

TEST_F(HandlesTest, ExpireWhenIdleAndAreTold) {
  const Opened opened = made();
  clock->advance(kHandleTtl);
  EXPECT_EQ(code(opened.handle), "ok");  // and is used by that
  clock->advance(kHandleTtl);
  EXPECT_EQ(code(opened.handle), "ok");
  clock->advance(kHandleTtl + 1);
  EXPECT_EQ(code(opened.handle), "session_expired");
  EXPECT_EQ(code("s_never"), "session_unknown");
  EXPECT_EQ(store->get(opened.label).value().status, "expired");
  EXPECT_EQ(handles->sweep().value(), 0U) << "known already";
  const Opened other = made();
  clock->advance(kHandleTtl + 1);
  EXPECT_EQ(handles->sweep().value(), 1U);
  EXPECT_EQ(handles->sweep().value(), 0U);
  EXPECT_EQ(store->get(other.label).value().status, "expired");
  EXPECT_EQ(code(other.handle), "session_expired");
}

TEST_F(HandlesTest, AClockSetBackEndsNothing) {
  const Opened opened = made();
  clock->set(clock->now() - 100 * kHandleTtl);
  EXPECT_EQ(code(opened.handle), "ok");
  EXPECT_EQ(handles->sweep().value(), 0U);
}

TEST_F(HandlesTest, EndAndResumeByLabel) {
  const Opened first = made("ann", "dev");
  ASSERT_TRUE(handles->note_read(first, place("/kb/a.md"), {"v1", 1, 2, 3}));
  ASSERT_TRUE(handles->end(full_identity("ann"), first.handle));
  EXPECT_EQ(code(first.handle, "ann"), "session_expired");
  EXPECT_EQ(store->get(first.label).value().status, "ended");

  const Opened second = made("ann", "", first.label);
  EXPECT_EQ(second.label, first.label);
  EXPECT_EQ(second.author, "dev's AI");
  EXPECT_NE(second.handle, first.handle);
  EXPECT_TRUE(handles->last_read(second, "/kb/a.md").value());
  EXPECT_EQ(store->get(first.label).value().status, "open");

  const Opened third = made("ann", "", first.label);
  EXPECT_EQ(code(second.handle, "ann"), "session_expired") << "the old one dies";
  EXPECT_EQ(code(third.handle, "ann"), "ok");
}

TEST_F(HandlesTest, NobodyResumesWhatIsNotTheirs) {
  const Opened opened = made("ann");
  HandleRequest request;
  request.who = full_identity("bob");
  request.resume = opened.label;
  const auto refused = handles->create(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().word(), "session_unknown");
  EXPECT_EQ(code(opened.handle, "ann"), "ok");
}

TEST_F(HandlesTest, WhatWasReadBelongsToOneSession) {
  const Opened one = made(), other = made();
  ASSERT_TRUE(handles->note_read(one, place("/kb/a.md"), {"v", 1, 1, 1}));
  EXPECT_FALSE(handles->last_read(other, "/kb/a.md").value());
  EXPECT_FALSE(handles->last_read(one, "/kb/b.md").value());
}

TEST_F(HandlesTest, WhatWasReadMovesAndIsForgottenWithTheDocument) {
  const Opened one = made(), other = made();
  for (const Opened& each : {one, other}) ASSERT_TRUE(handles->note_read(each, place("/kb/a.md"), {"v", 1, 1, 1}));
  ASSERT_TRUE(handles->note_moved({{"/kb/a.md", "/kb/b.md"}}));
  for (const Opened& each : {one, other}) {
    EXPECT_FALSE(handles->last_read(each, "/kb/a.md").value());
    EXPECT_TRUE(handles->last_read(each, "/kb/b.md").value());
  }
  ASSERT_TRUE(handles->forget("/kb/b.md"));
  EXPECT_FALSE(handles->last_read(one, "/kb/b.md").value());
}

}  // namespace
}  // namespace holdfast::documents
