#include "jsonl/pull.h"

#include "base/json/json.h"
#include "jsonl/scan.h"
#include "jsonl/test_odd_json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

namespace holdfast::jsonl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Gives the document in steps of that many bytes.
PullParser::Source in_steps(std::string_view document, std::size_t step) {
  return [document, step](char* to, std::size_t room) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({room, step, document.size()});
    std::memcpy(to, document.data(), count);
    document.remove_prefix(count);
    return count;
  };
}

Result<void> pass_over(std::string_view document, std::size_t step = 3) {
  PullParser in(in_steps(document, step));
  HF_CHECK(in.skip());
  return in.finish();
}

Result<std::string> only_text(std::string_view document, std::size_t step = 1) {
  PullParser in(in_steps(document, step));
  HF_TRY(std::string text, in.text(1'000'000));
  HF_CHECK(in.finish());
  return text;
}

TEST(Pull, DescendsByWhatItExpects) {
  constexpr std::string_view kDocument =
      R"( {"version":"2.4","count":17,"on":true,"none":null, "list":[1,{"a":[]},"x"],"skipped":{"a":[[{}]]},"last":-1.5e3} )";
  for (const std::size_t step : {1UL, 2UL, 1000UL}) {
    PullParser in(in_steps(kDocument, step));
    ASSERT_EQ(in.kind().value(), ValueKind::object);
    ASSERT_TRUE(in.enter_object());
    EXPECT_EQ(in.next_key().value(), "version");
    EXPECT_EQ(in.text(10).value(), "2.4");
    EXPECT_EQ(in.next_key().value(), "count");
    EXPECT_EQ(in.count().value(), 17U);
    EXPECT_EQ(in.next_key().value(), "on");
    EXPECT_TRUE(in.boolean().value());
    EXPECT_EQ(in.next_key().value(), "none");
    EXPECT_TRUE(in.null());
    EXPECT_EQ(in.next_key().value(), "list");
    ASSERT_TRUE(in.enter_array());
    EXPECT_TRUE(in.next_element().value());
    EXPECT_EQ(in.scalar().value(), "1");
    EXPECT_TRUE(in.next_element().value());
    EXPECT_EQ(in.span(100).value(), R"({"a":[]})");
    EXPECT_TRUE(in.next_element().value());
    EXPECT_EQ(in.kind().value(), ValueKind::string);
    EXPECT_EQ(in.span(100).value(), R"("x")");
    EXPECT_FALSE(in.next_element().value());
    EXPECT_EQ(in.next_key().value(), "skipped");
    ASSERT_TRUE(in.skip());
    EXPECT_EQ(in.next_key().value(), "last");
    EXPECT_EQ(in.scalar().value(), "-1.5e3");
    EXPECT_EQ(in.next_key().value(), std::nullopt);
    EXPECT_TRUE(in.finish());
  }
}

TEST(Pull, StringsMeanWhatTheySpell) {
  EXPECT_EQ(only_text(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC")").value(), "a\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(only_text(R"("\uD83D\uDE00")").value(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(only_text(R"("\uD83D-\uDE00\uD83D\u0041")").value(),
            "\xEF\xBF\xBD-\xEF\xBF\xBD\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(only_text("\"\xFF\"").value(), "\xFF");
  for (const char* broken : {R"("\x")", R"("\u12")", R"("\u12g4")", "\"a\nb\"", R"("a)", R"("\)", R"("\u00)"})
    EXPECT_EQ(only_text(broken).error().kind, ErrorKind::corrupt) << broken;
}

TEST(Pull, LongTextsComeInPieces) {
  std::string meaning, spelled = "\"";
  for (int i = 0; i < 60'000; ++i) meaning += "line " + std::to_string(i) + "\n", spelled += "line " + std::to_string(i) + "\\n";
  spelled += '"';
  PullParser in(in_steps(spelled, 10'007));
  std::string all;
  std::size_t longest = 0;
  ASSERT_TRUE(in.text([&](std::string_view piece) -> Result<void> {
    all += piece;
    longest = std::max(longest, piece.size());
    return {};
  }));
  EXPECT_TRUE(all == meaning);
  EXPECT_LE(longest, 256U * 1024);
}

TEST(Pull, LimitsAreErrors) {
  PullParser text(in_steps(R"("0123456789")", 1));
  EXPECT_EQ(text.text(9).error().kind, ErrorKind::too_large);
  PullParser span(in_steps(R"({"a":"0123456789"})", 1));
  EXPECT_EQ(span.span(10).error().kind, ErrorKind::too_large);
  PullParser exact(in_steps(R"({"a":"0123456789"})", 1));
  EXPECT_EQ(exact.span(18).value().size(), 18U);
  EXPECT_EQ(pass_over(std::string(5000, '[')).error().kind, ErrorKind::too_large);
  EXPECT_EQ(pass_over(std::string(5000, '1')).error().kind, ErrorKind::corrupt);
}

TEST(Pull, NamesThePlaceOfAnError) {
  EXPECT_THAT(pass_over(R"({"a":1,"b" 2})").error().message, HasSubstr("a colon expected at byte 11"));
  EXPECT_THAT(pass_over(R"([1 2])").error().message, HasSubstr("a comma or a closing bracket expected at byte 3"));
  EXPECT_THAT(pass_over(R"([1,2)").error().message, HasSubstr("ends early at byte 4"));
}

TEST(Pull, KnowsTheGrammar) {
  for (const char* good : {"{}", "[]", " [ 1 , 2 ] ", R"({"a":{"b":[null,true,false,-0,1e5]}})", "\"x\"", "17", "[[],{}]"})
    EXPECT_TRUE(pass_over(good)) << good;
  for (const char* bad : {"",   " ",  "{",  "[",   "[1,]", "{,}", R"({"a"})", R"({"a":})", R"({"a":1,})", "{1:2}",
                          "[}", "{]", "01", "nul", "1 2",  "{}x", "[1,,2]",   "truefalse", "-",           "\"a"})
    EXPECT_EQ(pass_over(bad).error().kind, ErrorKind::corrupt) << bad;
}

TEST(Pull, ErrorsOfTheSourceArePassedOn) {
  PullParser in([](char*, std::size_t) -> Result<std::size_t> { return fail(ErrorKind::io, "gone"); });
  EXPECT_EQ(in.skip().error().message, "gone");
}

TEST(Pull, TakesValuesByTheLine) {
  constexpr std::string_view kDocument = "[\n{\"a\":1},\n{\"b\":2}\n]";
  for (const std::size_t step : {1UL, 4UL, 100UL}) {
    PullParser in(in_steps(kDocument, step));
    std::vector<std::string> lines;
    ASSERT_TRUE(in.enter_array());
    while (in.next_element().value()) {
      ASSERT_EQ(in.kind().value(), ValueKind::object);
      std::string_view line = **in.rest_of_line(100);
      if (line.ends_with(',')) line.remove_suffix(1);
      lines.emplace_back(line);
      in.take(line.size());
    }
    EXPECT_THAT(lines, ElementsAre(R"({"a":1})", R"({"b":2})"));
    EXPECT_TRUE(in.finish());
  }
  const std::string far_away(1000, 'x');
  PullParser far(in_steps(far_away, 10));
  EXPECT_EQ(far.rest_of_line(99).value(), std::nullopt);
}

RC_GTEST_PROP(Pull, AgreesWithTheScanner, (std::uint64_t seed, bool damage)) {
  OddJson odd(seed);
  std::string text = odd.value();
  if (damage) text = odd.damaged(std::move(text));
  const LineReport report = Scanner().shape(text);
  const bool valid = report.shape <= LineShape::not_object && !text.starts_with("\xEF\xBB\xBF");
  const auto passed = pass_over(text, 1 + odd.below(20));
  RC_ASSERT(passed.has_value() == valid);
  if (!valid || text.empty() || (text.find_first_of("{[\"") == text.npos)) return;
  PullParser in(in_steps(text, 1 + odd.below(20)));
  if (in.kind().value() > ValueKind::string) return;
  const std::string span(in.span(text.size()).value());
  RC_ASSERT(text.find(span) != std::string::npos);
  RC_ASSERT(Scanner().shape(span).shape <= LineShape::not_object);
  RC_ASSERT(in.finish().has_value());
}

}  // namespace
}  // namespace holdfast::jsonl
