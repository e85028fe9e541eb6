#include "base/run/recent.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

TEST(Recent, KeepsWhatWasUsedLast) {
  Recent<int, std::string> recent(2);
  recent.put(1, "one");
  recent.put(2, "two");
  EXPECT_EQ(recent.find(1), "one");
  recent.put(3, "three");
  EXPECT_EQ(recent.find(1), "one");
  EXPECT_EQ(recent.find(2), std::nullopt);
  EXPECT_EQ(recent.find(3), "three");
  EXPECT_EQ(recent.find_or_make(2, [] { return std::string("two again"); }), "two again");
  EXPECT_EQ(recent.find_or_make(2, [] { return std::string("never"); }), "two again");
  EXPECT_EQ(recent.find(1), std::nullopt);
}

TEST(Recent, CountsWhatEachWeighs) {
  Recent<int, std::string> recent(10, [](const std::string& text) { return text.size(); });
  recent.put(1, "12345");
  recent.put(2, "12345");
  recent.put(2, "1234");  // in the place of the former one
  recent.put(3, "1");
  EXPECT_EQ(recent.key_of("12345"), 1);  // counts as used
  recent.put(4, "1234");
  EXPECT_EQ(recent.find(2), std::nullopt);
  EXPECT_EQ(recent.find(1), "12345");
  recent.put(5, std::string(100, '5'));  // the last one stays, however heavy
  EXPECT_EQ(recent.find(5)->size(), 100U);
  EXPECT_EQ(recent.find(1), std::nullopt);
  recent.put(6, "6");
  EXPECT_EQ(recent.find(5), std::nullopt);
  recent.erase(6);
  EXPECT_EQ(recent.find(6), std::nullopt);
}

TEST(Recent, ForgetsEverything) {
  Recent<int, int> recent(2);
  recent.put(1, 1);
  recent.clear();
  EXPECT_EQ(recent.find(1), std::nullopt);
  EXPECT_EQ(recent.key_of(1), std::nullopt);
  recent.put(2, 2);
  recent.put(3, 3);
  EXPECT_EQ(recent.find(2), 2);
}

}  // namespace
}  // namespace holdfast
