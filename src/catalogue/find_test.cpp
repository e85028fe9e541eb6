#include "catalogue/find.h"

#include "kinds/transcripts/guard/test_guard.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::catalogue {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using transcripts::TestHome;

class CatalogueFindTest : public transcripts::GuardedHome {
 protected:
  void create(const std::string& id, const std::string& principal = "local") {
    session::SessionRecord record;
    record.id = id;
    record.kind = "thread";
    record.title = id;
    record.principal = principal;
    record.status = "active";
    const auto made = store_->write([&](session::Transaction& t) -> Result<void> {
      HF_TRY(const auto stored, t.create(record));
      static_cast<void>(stored);
      return {};
    });
    ASSERT_TRUE(made) << made.error().message;
  }
  Asker owner() {
    return {[this]() -> Result<session::Store*> { return store_.get(); }, "local", &keeper_};
  }
  Asker stranger() {
    return {[this]() -> Result<session::Store*> { return store_.get(); }, "ann", nullptr};
  }
  // "thread-a00001 store", or the word of the error.
  std::string found(const Asker& asker, std::string_view text) {
    const auto session = find(asker, text);
    return session ? session->id() + " " + std::string(name_of(session->place())) : std::string(session.error().word());
  }
  void erase_from_disk(const std::string& id) {
    transcripts::EraseOptions options;
    options.force = true;
    options.terminate = true;  // what was copied just now looks as if somebody wrote to it
    const auto erased = keeper_.erase(homes_.find(id).value(), options);
    ASSERT_TRUE(erased) << erased.error().message;
  }
  void remove_from_disk(const std::string& id) {
    std::filesystem::remove(files_ / ("projects/-home-dev-work-demo/" + id + ".jsonl"));
  }

  transcripts::Keeper keeper_ = keeper();
  std::unique_ptr<session::Store> store_ = store::open_store("sqlite:" + files_.outside() + "/s.db").value();
  const std::string a1_ = TestHome::id("a1"), a2_ = TestHome::id("a2");
};

TEST_F(CatalogueFindTest, AnyKindByItsIdOrTheStartOfIt) {
  create("thread-a00001");
  EXPECT_EQ(found(owner(), "thread-a00001"), "thread-a00001 in the store");
  EXPECT_EQ(found(owner(), "thre"), "thread-a00001 in the store");
  EXPECT_EQ(found(owner(), a1_), a1_ + " on disk");
  EXPECT_EQ(found(owner(), "000000A1"), a1_ + " on disk") << "in either case";
  EXPECT_EQ(found(owner(), "0190a1b2"), "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b on disk") << "of Codex";
  EXPECT_EQ(found(owner(), "ffffffff"), "not_found");
  EXPECT_THAT(find(owner(), "ffffffff").error().message, HasSubstr(files_ / "projects"));
}

TEST_F(CatalogueFindTest, WhatCannotBeginAnIdIsInvalidInOneWording) {
  create("thread-a00001");
  for (const char* text : {"", "000", "thr", "not an id", "a/b/c", "äöüß", "000000a1!"}) {
    const auto session = find(owner(), text);
    ASSERT_FALSE(session) << text;
    EXPECT_EQ(session.error().kind, ErrorKind::invalid) << text;
    EXPECT_THAT(session.error().message, HasSubstr("is not a session id or the start of one"));
    EXPECT_EQ(find(stranger(), text).error().message, session.error().message);
  }
}

TEST_F(CatalogueFindTest, AWholeIdWinsOverPrefixes) {
  create("thread-a0000");
  create("thread-a00001");
  EXPECT_EQ(found(owner(), "thread-a0000"), "thread-a0000 in the store");
  EXPECT_EQ(found(owner(), "thread-a"), "ambiguous");
}

TEST_F(CatalogueFindTest, APrefixOfTwoPlacesIsAmbiguousAndNamesBothWithKindAndPlace) {
  create("000000a1-of-the-store");
  const auto session = find(owner(), "000000a1");
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(session.error().message,
              AllOf(HasSubstr("fits 2 sessions"), HasSubstr("000000a1-of-the-store  thread in the store"),
                    HasSubstr(a1_ + "  transcript on disk")));
  EXPECT_EQ(session.error().hint, "give more of the id");
  EXPECT_EQ(found(stranger(), "000000a1"), "not_found");
}

TEST_F(CatalogueFindTest, OneTranscriptInSeveralPlacesIsOneSessionAtItsBestPlace) {
  ASSERT_TRUE(guard_.keep_all());
  EXPECT_EQ(found(owner(), "000000a1"), a1_ + " on disk");
  remove_from_disk(a1_);
  EXPECT_EQ(found(owner(), "000000a1"), a1_ + " in the guard");
  EXPECT_EQ(found(owner(), a1_), a1_ + " in the guard");
  erase_from_disk(a2_);
  EXPECT_EQ(found(owner(), "000000a2"), a2_ + " in a backup") << "newer than what the guard has";
  EXPECT_EQ(found(owner(), a2_), a2_ + " in a backup");
  // Three of one start, each somewhere else.
  const auto several = find(owner(), "000000a");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message,
              AllOf(HasSubstr("fits 6 sessions"), HasSubstr(a1_ + "  transcript in the guard"),
                    HasSubstr(a2_ + "  transcript in a backup"), HasSubstr(TestHome::id("a3") + "  transcript on disk")));
}

TEST_F(CatalogueFindTest, ForOthersThereAreNoTranscripts) {
  create("thread-a00001", "ann");
  create("thread-b00001", "bob");
  EXPECT_EQ(found(stranger(), "thread-"), "thread-a00001 in the store");
  EXPECT_EQ(found(stranger(), "thread-b00001"), "not_found");
  EXPECT_EQ(found(stranger(), a1_), "not_found");
  EXPECT_THAT(find(stranger(), a1_).error().message, Not(HasSubstr(files_.outside()))) << "nor where they would be";
}

TEST_F(CatalogueFindTest, APlaceThatCannotBeReadHidesNothingOfTheOthers) {
  Asker asker = owner();
  asker.store = []() -> Result<session::Store*> { return fail(ErrorKind::unavailable, "the store is away"); };
  EXPECT_EQ(found(asker, "000000a1"), a1_ + " on disk");
  EXPECT_EQ(found(asker, "ffffffff"), "unavailable");
}

TEST_F(CatalogueFindTest, OfTwoProjectsTheProjectDecides) {
  files_.write("projects/-home-dev-work-second/" + a1_ + ".jsonl", "{}\n");
  const auto both = find(owner(), a1_);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, ErrorKind::ambiguous);
  EXPECT_EQ(both.error().hint, "say which project it is in");
  EXPECT_EQ(find_transcript(owner(), a1_, "/home/dev/work/second")->on_disk()->claude()->place.project_folder,
            "-home-dev-work-second");
}

TEST_F(CatalogueFindTest, TheCopyThatIsRestoredIsTheNewerOfGuardAndBackup) {
  EXPECT_EQ(find_copy(keeper_, "000000a1").error().kind, ErrorKind::not_found) << "it is on disk alone";
  ASSERT_TRUE(guard_.keep_all());
  EXPECT_EQ(find_copy(keeper_, "000000a1")->place(), Place::guard) << "also of one that is on disk";
  erase_from_disk(a2_);
  EXPECT_EQ(find_copy(keeper_, "000000a2")->place(), Place::backup);
  EXPECT_EQ(find_copy(keeper_, "000000a2", true)->place(), Place::guard) << "a version is the guard's";
}

TEST_F(CatalogueFindTest, OnlyWhatIsOnDiskIsChanged) {
  create("thread-a00001");
  EXPECT_EQ(find_transcript(owner(), "thread-a00001").error().kind, ErrorKind::invalid);
  ASSERT_TRUE(guard_.keep_all());
  remove_from_disk(a1_);
  const auto changed = on_disk(find(owner(), a1_).value());
  EXPECT_EQ(changed.error().kind, ErrorKind::not_found);
  EXPECT_EQ(changed.error().hint, "holdfast restore --in-place " + a1_ + " puts it back");
}

}  // namespace
}  // namespace holdfast::catalogue
