#include "session/query/cursor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::session {
namespace {

constexpr std::string_view kCursorSecret = "0123456789abcdef0123456789abcdef";

RC_GTEST_PROP(CursorProperty, ComesBackAsItWas, (const std::array<std::int64_t, 4>& keys, const std::string& id)) {
  RC_PRE(!id.empty());
  Query query;
  query.text = "some text";
  query.cursor = make_cursor(kCursorSecret, query, {keys, id});
  const auto position = read_cursor(kCursorSecret, query);
  RC_ASSERT(position.has_value());
  RC_ASSERT(position->keys == keys);
  RC_ASSERT(position->id == id);
}

RC_GTEST_PROP(CursorProperty, NoOtherTextIsACursor, (const std::string& text)) {
  Query query;
  query.cursor = text;
  const auto position = read_cursor(kCursorSecret, query);
  RC_ASSERT(!position && position.error().word() == "INVALID_CURSOR");
}

class CursorTest : public testing::Test {
 protected:
  // Whether a cursor made for `before` is refused for `after`.
  static bool refused(const Query& before, Query after) {
    after.cursor = make_cursor(kCursorSecret, before, {{1, 2, 3, 4}, "id"});
    return !read_cursor(kCursorSecret, after);
  }
};

TEST_F(CursorTest, IsBoundToEveryCondition) {
  const Query plain;
  EXPECT_FALSE(refused(plain, plain));
  const auto differs = [&](auto change) {
    Query changed;
    change(changed);
    return refused(plain, changed) && refused(changed, plain);
  };
  EXPECT_TRUE(differs([](Query& q) { q.kinds = {"thread"}; }));
  EXPECT_TRUE(differs([](Query& q) { q.roots = {"file:///r"}; }));
  EXPECT_TRUE(differs([](Query& q) { q.rootless = true; }));
  EXPECT_TRUE(differs([](Query& q) { q.statuses = {"active"}; }));
  EXPECT_TRUE(differs([](Query& q) { q.visibilities = {Visibility::live}; }));
  EXPECT_TRUE(differs([](Query& q) { q.pinned = false; }));
  EXPECT_TRUE(differs([](Query& q) { q.tags = {"t"}; }));
  EXPECT_TRUE(differs([](Query& q) { q.project = ""; }));
  EXPECT_TRUE(differs([](Query& q) { q.task = "t"; }));
  EXPECT_TRUE(differs([](Query& q) { q.aspect = "t"; }));
  EXPECT_TRUE(differs([](Query& q) { q.text = "t"; }));
  EXPECT_TRUE(differs([](Query& q) { q.updated_since = 0; }));
  EXPECT_TRUE(differs([](Query& q) { q.updated_before = 0; }));
  EXPECT_TRUE(differs([](Query& q) { q.due_before = 0; }));
  EXPECT_TRUE(differs([](Query& q) { q.principal = "local"; }));
  EXPECT_TRUE(differs([](Query& q) { q.sort = Sort::due; }));
  EXPECT_TRUE(differs([](Query& q) { q.prefer_status = {"active"}; }));
  EXPECT_FALSE(differs([](Query& q) { q.limit = 7; }));
}

// "3d" is another instant a second later.
TEST_F(CursorTest, HoldsWhileAnAgeMovesWithTheClock) {
  Query query;
  query.updated_since = 1'000;
  query.since_age = "3d";
  Query later = query;
  later.updated_since = 2'000;
  EXPECT_FALSE(refused(query, later));
  later.since_age = "4d";
  EXPECT_TRUE(refused(query, later));
  later.since_age.clear();
  EXPECT_TRUE(refused(query, later));
}

TEST_F(CursorTest, IsBoundToTheStore) {
  Query query;
  query.cursor = make_cursor(kCursorSecret, query, {{}, "id"});
  EXPECT_FALSE(read_cursor("another secret", query));
}

}  // namespace
}  // namespace holdfast::session
