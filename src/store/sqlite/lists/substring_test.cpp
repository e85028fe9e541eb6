#include "store/sqlite/lists/substring.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::store {
namespace {

// As the catalogue keeps it: something follows.
std::size_t found_at(const std::string& needle, const std::string& text, std::size_t from = 0, const std::string& behind = {}) {
  const std::string all = text + behind + std::string(Substring::kReadBehind, '\0');
  return Substring(needle).find(std::string_view(all).substr(0, text.size()), from);
}

TEST(Substring, IsFoundWhereverItStands) {
  for (const std::string needle : {"ne", "needle", "needlene", "needleneedle", "needle in a haystack of needles"})
    for (std::size_t before = 0; before < 150; ++before) {
      for (const std::size_t behind : {0, 1, 15, 16, 17, 63, 64, 65}) {
        EXPECT_EQ(found_at(needle, std::string(before, 'x') + needle + std::string(behind, 'e')), before) << behind;
      }
    }
}

TEST(Substring, IsNotFoundBehindTheEnd) {
  for (std::size_t size = 0; size < 150; ++size) {
    EXPECT_EQ(found_at("a", std::string(size, 'x'), 0, "aaaa"), std::string::npos) << size;
    EXPECT_EQ(found_at("xa", std::string(size, 'x'), 0, "aaaa"), std::string::npos) << size;
  }
}

TEST(Substring, EmptyIsEverywhere) {
  EXPECT_EQ(found_at("", ""), 0u);
  EXPECT_EQ(found_at("", "text", 3), 3u);
  EXPECT_EQ(found_at("text", "", 0, "text"), std::string::npos);
}

RC_GTEST_PROP(Substring, AgreesWithTheLibrary, ()) {
  const auto word = [](std::size_t longest) {
    const auto size = *rc::gen::inRange<std::size_t>(0, longest);
    return *rc::gen::container<std::string>(size, rc::gen::element('a', 'b', '\0', '\xff'));
  };
  const std::string text = word(200);
  const std::string needle =
      *rc::gen::arbitrary<bool>() ? word(6) : text.substr(*rc::gen::inRange<std::size_t>(0, text.size() + 1), 40);
  const auto from = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  RC_ASSERT(found_at(needle, text, from, word(10)) == text.find(needle, from));
}

}  // namespace
}  // namespace holdfast::store
