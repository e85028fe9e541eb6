#include "session/record.h"

#include "session/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::session {
namespace {

using testing::ElementsAre;

TEST(Visibility, HasNames) {
  for (Visibility each : {Visibility::live, Visibility::archived, Visibility::deleted}) {
    EXPECT_EQ(parse_visibility(name_of(each)), each);
  }
  EXPECT_FALSE(parse_visibility("gone"));
}

TEST(SessionRecord, CountsFromItsTallies) {
  SessionRecord record;
  record.tallies = {{"", "note", 3, 7, 5, 0}, {"", "plan", 1, 9, 2, 0}, {"a", "note", 2, 4, 6, 0}, {"b", "note", 1, 0, 7, 0}};
  EXPECT_EQ(record.entry_count(), 7);
  EXPECT_EQ(record.count_of("note"), 6);
  EXPECT_EQ(record.count_of("none"), 0);
  EXPECT_EQ(record.count_in_lane(""), 4);
  EXPECT_EQ(record.highest_number(""), 9);
  EXPECT_EQ(record.highest_number("b"), 0);
  EXPECT_THAT(record.lanes(), ElementsAre("a", "b"));
}

SessionRecord sound_record() {
  SessionRecord record;
  record.id = "id";
  record.kind = "thread";
  return record;
}

ErrorKind refusal(const SessionRecord& record) {
  auto checked = check_record(record);
  return checked ? ErrorKind::internal : checked.error().kind;
}

TEST(SessionRecord, IsCheckedBeforeItIsStored) {
  EXPECT_TRUE(check_record(sound_record()));
  for (const char* id : {"a\nb",
                         "a\xC2\x9B"
                         "b"}) {  // neither C0 nor C1 controls
    SessionRecord odd = sound_record();
    odd.id = id;
    EXPECT_FALSE(check_record(odd));
  }
  SessionRecord record = sound_record();
  record.kind.clear();
  EXPECT_EQ(refusal(record), ErrorKind::invalid);
  record = sound_record();
  record.tags = {"a", ""};
  EXPECT_EQ(refusal(record), ErrorKind::invalid);
  record = sound_record();
  record.tags.assign(kMaxTags + 1, "t");
  EXPECT_EQ(refusal(record), ErrorKind::too_large);
  record = sound_record();
  record.description = "\xc3";
  EXPECT_EQ(refusal(record), ErrorKind::invalid);
  record = sound_record();
  record.project.assign(kMaxLabelBytes + 1, 'p');
  EXPECT_EQ(refusal(record), ErrorKind::too_large);
}

}  // namespace
}  // namespace holdfast::session
