#include "jsonl/scan.h"

#include "jsonl/limits.h"
#include "jsonl/test_odd_json.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace holdfast::jsonl {
namespace {

using testing::ElementsAre;
using namespace std::string_view_literals;

LineShape shape_of(std::string_view line) {
  Scanner scanner;
  return scanner.shape(line).shape;
}

TEST(Scan, NamesTheShapeOfALine) {
  using enum LineShape;
  const std::vector<std::pair<std::string_view, LineShape>> lines = {
      {R"({"type":"user","n":[1,-0.5e+3,true,null,{}],"s":"a\"\\\u00e9"})", object},
      {"{}", object},
      {" {}", padded},
      {"{}\r", padded},
      {"\xEF\xBB\xBF{}", padded},
      {"[]", not_object},
      {"\"text\"", not_object},
      {"17", not_object},
      {" null ", not_object},
      {R"({"a":1}{"b":2})", fused},
      {"{} {}", fused},
      {"1 2", fused},
      {"", blank},
      {" \t\r", blank},
      {"\xEF\xBB\xBF", blank},
      {"\0\0\0\0"sv, nul},
      {"\0\0{\"a\":1}"sv, nul},
      {"{\"a\":1}\0"sv, nul},
      {"{\"a\":\"\0\"}"sv, nul},
      {R"({"type":"us)", broken},
      {R"({"type":"us{"type":"user","a":1})", broken},
      {R"({"a":1)", broken},
      {R"({"a":1}})", broken},
      {R"({"a":1]})", broken},
      {R"({"a":1,})", broken},
      {R"({,"a":1})", broken},
      {R"({"a"})", broken},
      {R"({"a":})", broken},
      {R"({"a" "b"})", broken},
      {R"({"a"::1})", broken},
      {R"({1:2})", broken},
      {"[1,]", broken},
      {"[,1]", broken},
      {"[1 2]", broken},
      {"[", broken},
      {"]", broken},
      {",", broken},
      {":", broken},
      {"{}{", broken},
      {"[\"a\"b]", broken},
      {"[true\"a\"]", broken},
      {"[\"a\"\"b\"]", broken},
      {"[01]", broken},
      {"[1.]", broken},
      {"[.5]", broken},
      {"[+1]", broken},
      {"[1e]", broken},
      {"[--1]", broken},
      {"[-]", broken},
      {"[0x1]", broken},
      {"[NaN]", broken},
      {"[True]", broken},
      {"[truee]", broken},
      {"[tru]", broken},
      {"[1\f]", broken},
      {"[\f]", broken},
      {"[\x1a]", broken},
      {"\"a\tb\"", broken},
      {"\"a", broken},
      {"\"a\\\"", broken},
      {R"(["\x"])", broken},
      {R"(["\u12"])", broken},
      {R"([\"a\"])", broken},
      {"plain text", broken},
      {"// comment", broken},
  };
  for (const auto& [line, shape] : lines) EXPECT_EQ(name_of(shape_of(line)), name_of(shape)) << line;
}

TEST(Scan, BytesThatAreNotUtf8AreReportedNotRefused) {
  Scanner scanner;
  for (const std::string_view line : {"{\"a\":\"\xFF\"}"sv, "{\"a\":\"\xED\xA0\x80\"}"sv, "{\"\xC3\":1,\"b\":2}"sv}) {
    const LineReport report = scanner.shape(line);
    EXPECT_EQ(report.shape, LineShape::object);
    EXPECT_FALSE(report.valid_utf8);
    EXPECT_FALSE(report.is_record());
  }
  EXPECT_EQ(shape_of("{\"a\":\xFF}"), LineShape::broken) << "outside of strings they are no JSON at all";
  EXPECT_TRUE(scanner.shape("{\"a\":\"\xC3\xA9\"}").is_record());
}

TEST(Scan, FindsFieldsAsTheyStand) {
  const std::string_view line =
      R"({"type" : "us\u0065r","message":{"type":"inner","content":[1,"}"]},"n":1.10,"cwd":"\/home","gone":null,"ok":true,"list":[ [] ] ,"z":0})";
  constexpr std::array<std::string_view, 8> names = {"type", "message", "n", "cwd", "gone", "ok", "list", "absent"};
  std::array<Token, 8> found;
  Scanner scanner;
  ASSERT_TRUE(scanner.fields(line, names, found).is_record());
  EXPECT_TRUE(found[0].is("user"));
  EXPECT_EQ(found[0].raw, R"("us\u0065r")");
  EXPECT_EQ(found[0].raw.data() - line.data(), 10);
  EXPECT_EQ(found[0].text(), "user");
  EXPECT_EQ(found[1].kind, TokenKind::object);
  EXPECT_EQ(found[1].raw, R"({"type":"inner","content":[1,"}"]})");
  EXPECT_EQ(found[2].kind, TokenKind::number);
  EXPECT_EQ(found[2].raw, "1.10");
  EXPECT_TRUE(found[3].is("/home"));
  EXPECT_EQ(found[4].kind, TokenKind::null);
  EXPECT_EQ(found[5].kind, TokenKind::boolean);
  EXPECT_EQ(found[6].kind, TokenKind::array);
  EXPECT_EQ(found[6].raw, "[ [] ]");
  EXPECT_EQ(found[7].kind, TokenKind::missing);
  EXPECT_FALSE(found[2].is("1.10")) << "a number is no string";
}

TEST(Scan, TheLastOfSeveralEqualNamesCounts) {
  constexpr std::array<std::string_view, 1> names = {"id"};
  std::array<Token, 1> found;
  Scanner scanner;
  scanner.fields(R"({"id":"a","i\u0064":"b","x":{"id":"c"}})", names, found);
  EXPECT_EQ(found[0].text(), "b");
  scanner.fields(R"({"id":"a","id":[{"id":1}]})", names, found);
  EXPECT_EQ(found[0].raw, R"([{"id":1}])");
}

TEST(Scan, FieldsAreThoseOfTheFirstObject) {
  constexpr std::array<std::string_view, 1> names = {"id"};
  std::array<Token, 1> found;
  Scanner scanner;
  EXPECT_EQ(scanner.fields(R"({"x":1}{"id":2})", names, found).shape, LineShape::fused);
  EXPECT_EQ(found[0].kind, TokenKind::missing);
  scanner.fields(R"([{"id":1}])", names, found);
  EXPECT_EQ(found[0].kind, TokenKind::missing) << "an array has no fields";
  scanner.fields(R"({"id":1}})", names, found);
  EXPECT_EQ(found[0].kind, TokenKind::missing) << "nothing is believed of a broken line";
}

TEST(Scan, ListsTheMembersOfTheFirstObject) {
  Scanner scanner;
  std::vector<Member> members;
  ASSERT_TRUE(scanner.members(R"({"a":"x","b":[{"c":1}],"a":{"d":2},"e":null,"f":-1})", members).is_record());
  ASSERT_EQ(members.size(), 5U);
  EXPECT_EQ(members[0].name, "a");
  EXPECT_EQ(members[0].value.raw, R"("x")");
  EXPECT_EQ(members[1].value.raw, R"([{"c":1}])");
  EXPECT_EQ(members[2].name, "a");
  EXPECT_EQ(members[2].value.kind, TokenKind::object);
  EXPECT_EQ(members[3].value.kind, TokenKind::null);
  EXPECT_EQ(members[4].value.raw, "-1");

  EXPECT_EQ(scanner.members(R"([{"x":1}]{"a":1}{"b":2})", members).shape, LineShape::fused);
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].name, "a");
  for (const char* line : {R"([{"x":1}])", R"({"a":1)", "7", ""}) {
    scanner.members(line, members);
    EXPECT_TRUE(members.empty()) << line;
  }
}

TEST(Scan, TextIsFitForShowing) {
  constexpr std::array<std::string_view, 1> names = {"t"};
  std::array<Token, 1> found;
  Scanner scanner;
  const std::string line = "{\"t\":\"a\\ud83d\xFF\"}";
  scanner.fields(line, names, found);
  EXPECT_EQ(found[0].text(), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Scan, TakesFusedValuesApart) {
  Scanner scanner;
  std::vector<std::string_view> values;
  EXPECT_EQ(scanner.values(R"({"a":"}{"} {"b":[2]}[3]"four"5 true)", values).shape, LineShape::fused);
  EXPECT_THAT(values, ElementsAre(R"({"a":"}{"})", R"({"b":[2]})", "[3]", R"("four")", "5", "true"));
  scanner.values("{}{", values);
  EXPECT_TRUE(values.empty());
}

TEST(Scan, DepthIsLimitedNotTheStack) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(shape_of(nested(kMaxDepth)), LineShape::not_object);
  EXPECT_EQ(shape_of(nested(kMaxDepth + 1)), LineShape::too_deep);
  EXPECT_EQ(shape_of(std::string(1'000'000, '[')), LineShape::too_deep);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(shape_of(objects), LineShape::too_deep);
}

TEST(Scan, LongLines) {
  std::string line = R"({"type":"user","image":")" + std::string(64 * 1024 * 1024, 'A') + R"(","sessionId":"last"})";
  constexpr std::array<std::string_view, 2> names = {"type", "sessionId"};
  std::array<Token, 2> found;
  Scanner scanner;
  EXPECT_TRUE(scanner.fields(line, names, found).is_record());
  EXPECT_TRUE(found[0].is("user"));
  EXPECT_TRUE(found[1].is("last"));
  EXPECT_TRUE(scanner.shape("{}").is_record()) << "and short ones again";
  line.resize(kMaxLineBytes + 1, ' ');
  EXPECT_EQ(scanner.shape(line).shape, LineShape::too_long);
}

// A line that ends where the mapped memory ends: one byte too far would be a fault.
TEST(Scan, ReadsNothingBehindTheLine) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<char*>(memory) + page, page, PROT_NONE), 0);
  Scanner scanner;
  for (std::size_t size = 2; size < 300; ++size) {
    const std::string content =
        size < 9 ? "{" + std::string(size - 2, ' ') + "}" : R"({"a":")" + std::string(size - 8, 'x') + "\"}";
    char* line = static_cast<char*>(memory) + page - size;
    std::memcpy(line, content.data(), size);
    EXPECT_TRUE(scanner.shape({line, size}).is_record()) << size;
  }
  ::munmap(memory, 2 * page);
}

// Boost.JSON judges: it refuses what we refuse, and takes what we take except halves of surrogate pairs. It stops at
// numbers whose exponent does not fit an int, so it has no opinion on their lines.
void agree_with_boost(std::string_view line) {
  const auto judge = [](std::string_view text) {
    boost::system::error_code error;
    boost::json::parse(text, error);
    return error;
  };
  Scanner scanner;
  const LineReport report = scanner.shape(line);
  const bool one_value = report.shape <= LineShape::not_object && report.valid_utf8 && !line.starts_with("\xEF\xBB\xBF");
  const auto error = judge(line);
  if (error == boost::json::error::exponent_overflow) return;
  RC_LOG(std::string(line));
  if (!error) RC_ASSERT(one_value);
  if (!error || !one_value) return;
  std::string without;  // every surrogate escape made harmless
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool half = line[i] == 'u' && i + 1 < line.size() && (line[i + 1] == 'd' || line[i + 1] == 'D');
    without += line[i];
    if (half) without += '0', ++i;
  }
  const auto still = judge(without);
  RC_ASSERT(!still || still == boost::json::error::exponent_overflow);
}

RC_GTEST_PROP(Scan, TakesAllOddJson, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  const std::string line = odd.value();
  Scanner scanner;
  RC_ASSERT(scanner.shape(line).shape <= LineShape::not_object);
  std::vector<std::string_view> values;
  const std::string three = line + " " + odd.object() + " " + line;
  scanner.values(three, values);
  RC_ASSERT(values.size() == 3u);
  RC_ASSERT(values[2] == line);
}

RC_GTEST_PROP(Scan, AgreesWithBoostOnDamagedJson, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 20; ++i) agree_with_boost(odd.damaged(odd.value(2)));
}

}  // namespace
}  // namespace holdfast::jsonl
