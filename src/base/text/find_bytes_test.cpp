#include "base/text/find_bytes.h"

#include "base/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

#include <algorithm>

namespace holdfast {
namespace {

// Few letters, so that much of it occurs.
rc::Gen<std::string> text_of(std::size_t most) {
  return rc::gen::resize(static_cast<int>(most), rc::gen::container<std::string>(rc::gen::element('a', 'b', ' ', '\xC3')));
}

RC_GTEST_PROP(FindBytes, FindsWhatStringsFind, ()) {
  const std::string text = *text_of(200);
  const std::string what = *text_of(*rc::gen::inRange(0, 12));
  const auto from = *rc::gen::inRange<std::size_t>(0, text.size() + 3);
  RC_ASSERT(find_bytes(text, what, from) == std::string_view(text).find(what, from));
  RC_ASSERT(ByteFinder(what).find(text, from) == std::string_view(text).find(what, from));
}

RC_GTEST_PROP(FindBytes, AnyCaseIsThatOfSmallLetters, ()) {
  const auto characters = rc::gen::element('a', 'A', 'b', 'B', '@', '`', '[', '{', '_', '\xC1', '\xE1');
  const std::string text = *rc::gen::container<std::string>(characters);
  const std::string what = to_ascii_lower(*rc::gen::resize(6, rc::gen::container<std::string>(characters)));
  const auto from = *rc::gen::inRange<std::size_t>(0, text.size() + 3);
  RC_ASSERT(ByteFinder(what).find_any_case(text, from) == to_ascii_lower(text).find(what, from));
  RC_ASSERT(has_beyond_ascii(text) == std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
}

TEST(FindBytes, ReadsNothingBehindTheText) {
  const std::string text = "0123456789abcdefXYZ";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);  // a buffer of its own, which the sanitizer watches
    EXPECT_EQ(find_bytes(part, "XYZ"), size == text.size() ? 16U : std::string::npos);
    EXPECT_EQ(find_bytes(part, ""), 0U);
  }
}

}  // namespace
}  // namespace holdfast
