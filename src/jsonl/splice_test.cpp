#include "jsonl/splice.h"

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "jsonl/limits.h"
#include "jsonl/test_odd_json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <rapidcheck.h>

#include <filesystem>

namespace holdfast::jsonl {
namespace {

using testing::ElementsAre;

std::string spliced(std::string_view line, SpliceRules rules, LineReport* report = nullptr) {
  Splicer splicer(std::move(rules));
  std::string out;
  const LineReport found = splicer.splice(line, out);
  if (report) *report = found;
  return out;
}

SpliceRules set(PathPattern where, std::string text) {
  SpliceRules rules;
  rules.replacements.push_back({std::move(where), std::move(text)});
  return rules;
}

// Every occurrence of `from` in any key or value, found in what the strings mean.
SpliceRules everywhere(std::string from, std::string to) {
  SpliceRules rules;
  rules.decide = [from, to](StringSite& site) {
    for (std::size_t at = site.text().find(from); at != std::string_view::npos;) {
      const bool done = site.replace(at, at + from.size(), to);
      at = site.text().find(from, at + (done ? from.size() : 1));
    }
  };
  return rules;
}

TEST(Splice, ChangesOneValueAndNothingElse) {
  EXPECT_EQ(spliced(R"( {"n":1.10 ,"sessionId" : "old","u":1e400,"x":{"sessionId":"old"}} )", set("/sessionId", "new")),
            R"( {"n":1.10 ,"sessionId" : "new","u":1e400,"x":{"sessionId":"old"}} )");
}

TEST(Splice, WhatIsNotAStringStays) {
  const std::string line = R"({"slug":null,"a":{"slug":[]},"b":1})";
  EXPECT_EQ(spliced(line, set("/**", "x")), line);
}

TEST(Splice, EveryOneOfEqualNamesIsChanged) {
  EXPECT_EQ(spliced(R"({"id":"a","i\u0064":"b","id":3})", set("/id", "new")), R"({"id":"new","i\u0064":"new","id":3})");
}

TEST(Splice, FusedValuesAreChangedEach) {
  EXPECT_EQ(spliced(R"({"id":"a"}{"id":"b"} "x")", set("/id", "new")), R"({"id":"new"}{"id":"new"} "x")");
}

TEST(Splice, LinesThatAreNotJsonStay) {
  using namespace std::string_view_literals;
  for (const std::string_view line :
       {R"({"id":"a")"sv, R"({"id":"a","b":"\x"})"sv, "\0\0{\"id\":\"a\"}"sv, ""sv, "  "sv, R"({"id":"a"}})"sv}) {
    LineReport report;
    EXPECT_EQ(spliced(line, set("/**", "new"), &report), line);
    EXPECT_FALSE(report.parsed());
  }
  const std::string deep = R"({"id":"a","x":)" + std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']') + "}";
  LineReport report;
  EXPECT_EQ(spliced(deep, set("/id", "new"), &report), deep);
  EXPECT_EQ(report.shape, LineShape::too_deep);
}

TEST(Splice, BytesThatAreNotUtf8AreCarriedAlong) {
  EXPECT_EQ(spliced("{\"id\":\"a\",\"out\":\"\xFF\xC3 id\"}", everywhere("id", "new")),
            "{\"new\":\"a\",\"out\":\"\xFF\xC3 new\"}");
  EXPECT_EQ(spliced("{\"id\":\"o\xFF\"}", set("/id", "new")), R"({"id":"new"})") << "unless the whole string is replaced";
}

TEST(Splice, SeesEverySpellingOfAText) {
  EXPECT_EQ(spliced(R"(["/old/x","\/old\/x","\u002fold\u002Fx","x\ud83d/old\n"])", everywhere("/old", "/new")),
            R"(["/new/x","\/new\/x","/new\u002Fx","x\ud83d/new\n"])");
}

TEST(Splice, SpellsInTheMannerOfTheString) {
  EXPECT_EQ(spliced("[\"/old\",\"\\/old\",\"/old \\u00e9\",\"/old \xC3\xA9\"]", everywhere("/old", "/\xC3\xAA\"")),
            "[\"/\xC3\xAA\\\"\",\"\\/\xC3\xAA\\\"\",\"/\\u00ea\\\" \\u00e9\",\"/\xC3\xAA\\\" \xC3\xA9\"]");
}

TEST(Splice, ATextThatIsThereAlreadyKeepsItsSpelling) {
  Splicer splicer(set("/id", "/a"));
  std::string out;
  splicer.splice(R"({"id":"\u002fa"})", out);
  EXPECT_EQ(out, R"({"id":"\u002fa"})");
  EXPECT_EQ(splicer.last_edits(), 0u);
}

TEST(Splice, KeysAreAskedForToo) {
  std::vector<std::string> asked;
  SpliceRules rules;
  rules.decide = [&](StringSite& site) {
    asked.push_back((site.is_key() ? "key " : "value ") + site.path().pointer());
    if (site.is_key() && site.is("/old")) site.replace("/new");
  };
  EXPECT_EQ(spliced(R"({"tracked":{"/old":{"v":"1"}},"l":["/old"]})", rules), R"({"tracked":{"/new":{"v":"1"}},"l":["/old"]})");
  EXPECT_THAT(asked, ElementsAre("key /tracked", "key /tracked/~1old", "key /tracked/~1old/v", "value /tracked/~1old/v", "key /l",
                                 "value /l/0"));
}

TEST(Splice, SomePlacesAreNotTouched) {
  SpliceRules rules = everywhere("old", "new");
  rules.untouched = {"/forkedFrom/**"};
  EXPECT_EQ(spliced(R"({"a":"old","forkedFrom":{"sessionId":"old","old":1},"b":{"forkedFrom":"old"}})", rules),
            R"({"a":"new","forkedFrom":{"sessionId":"old","old":1},"b":{"forkedFrom":"new"}})");
}

TEST(Splice, MarkedObjectsAreNotTouchedWhereverTheMarkStands) {
  SpliceRules rules = everywhere("old", "new");
  rules.untouched_objects = {{"type", "thinking"}, {"type", "redacted_thinking"}};
  const std::string thinking =
      R"({"type":"thinking","thinking":"old"},{"thinking":"old","x":{"y":["old"]},"t\u0079pe":"th\u0069nking"},)"
      R"({"type":"thinking","type":"text","text":"old"},{"data":"old","type":"redacted_thinking"})";
  EXPECT_EQ(spliced("[" + thinking + "]", rules), "[" + thinking + "]");
  EXPECT_EQ(spliced(R"([{"type":"text","text":"old"},{"x":{"type":"thinking","k":"old"},"after":"old"},"type","thinking","old"])",
                    rules),
            R"([{"type":"text","text":"new"},{"x":{"type":"thinking","k":"old"},"after":"new"},"type","thinking","new"])");
}

TEST(Splice, RangesMustBeInOrderAndWholeCharacters) {
  SpliceRules rules;
  rules.decide = [](StringSite& site) {
    ASSERT_EQ(site.text(), "ab\u00e9cd");
    EXPECT_FALSE(site.replace(2, 3, "x")) << "half of the escaped character";
    EXPECT_FALSE(site.replace(3, 4, "x"));
    EXPECT_FALSE(site.replace(0, 7, "x"));
    EXPECT_FALSE(site.replace(2, 1, "x"));
    EXPECT_TRUE(site.replace(1, 2, "B"));
    EXPECT_FALSE(site.replace(0, 1, "x")) << "lies before";
    EXPECT_FALSE(site.replace("whole"));
    EXPECT_TRUE(site.replace(4, 5, "C"));
    EXPECT_TRUE(site.replace(6, 6, "!"));
  };
  EXPECT_EQ(spliced(R"("ab\u00e9cd")", rules), R"("aB\u00e9Cd!")");
}

TEST(Splice, ReplaceEachDecodesOnlyWhereItMust) {
  SpliceRules rules;
  rules.decide = [](StringSite& site) { site.replace_each("/b1", "/new"); };
  EXPECT_EQ(spliced(R"(["/b1","x/b1/b1y","\\/b1","\/b1\u0020","\b1/\b1/b1","\u002fb1","/b","/b1\ud83d/b1"])", rules),
            R"(["/new","x/new/newy","\\/new","\/new\u0020","\b1/\b1/new","/new","/b","/new\ud83d/new"])");
  rules.decide = [](StringSite& site) {
    EXPECT_TRUE(site.starts_with("/b1"));
    EXPECT_FALSE(site.starts_with("/b1/b1/b1"));
    EXPECT_TRUE(site.replace(0, 3, "/first"));
    EXPECT_EQ(site.replace_each("b1", "new"), 1u) << "only what lies behind";
    EXPECT_FALSE(site.replace(5, 6, "x"));
  };
  EXPECT_EQ(spliced(R"("/b1/b1")", rules), R"("/first/new")");
  EXPECT_EQ(spliced(R"("\u002fb1/b1")", rules), R"("/first/new")");
}

TEST(Splice, APathGoesBeforeTheRule) {
  SpliceRules rules = everywhere("old", "new");
  rules.replacements.push_back({"/sessionId", "set"});
  EXPECT_EQ(spliced(R"({"sessionId":"old","x":"old"})", rules), R"({"sessionId":"set","x":"new"})");
}

TEST(Splice, ALineOf64MiB) {
  const std::string image(64 * 1024 * 1024, 'A');
  const std::string line = R"({"sessionId":"old","image":")" + image + R"(","path":"/x/old/y"})";
  EXPECT_TRUE(spliced(line, everywhere("old", "newer")) ==
              R"({"sessionId":"newer","image":")" + image + R"(","path":"/x/newer/y"})");
}

// Work that grew with the square of the occurrences would not end.
TEST(Splice, AStringFullOfOccurrences) {
  static constexpr std::size_t kCount = 300'000;
  std::string line = "\"\\n", expected = line;
  for (std::size_t i = 0; i < kCount; ++i) line += " some text/old", expected += " some text/newer";
  line += '"';
  expected += '"';
  SpliceRules rules;
  rules.decide = [](StringSite& site) { EXPECT_EQ(site.replace_each("/old", "/newer"), kCount); };
  EXPECT_TRUE(spliced(line, rules) == expected);
  EXPECT_TRUE(spliced(line, everywhere("/old", "/newer")) == expected);
}

// Each line of the file through the splicer; a last one without its end stays so.
std::string spliced_lines(std::string_view content, Splicer& splicer, std::size_t& edits) {
  std::string out;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    EXPECT_EQ(splicer.splice(content.substr(0, end), out).shape, LineShape::object);
    edits += splicer.last_edits();
    const std::size_t next = std::min(end + 1, content.size());
    out += content.substr(end, next - end);
    content.remove_prefix(next);
  }
  return out;
}

std::vector<std::string> real_transcripts() {
  std::vector<std::string> contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data("claude-home-basic")))
    if (entry.path().extension() == ".jsonl") contents.push_back(read_file(entry.path()).value());
  return contents;
}

TEST(Splice, RealTranscriptsAreCopiedByteByByte) {
  ASSERT_EQ(real_transcripts().size(), 9u);
  Splicer splicer({});
  std::size_t edits = 0;
  for (const std::string& content : real_transcripts()) EXPECT_TRUE(spliced_lines(content, splicer, edits) == content) << content;
  EXPECT_EQ(edits, 0u);
}

TEST(Splice, AnIdExchangedInRealTranscriptsIsAsInTheirBytes) {
  const std::string old_id = "000000a", new_id = "0199c0de";
  Splicer there(everywhere(old_id, new_id)), back(everywhere(new_id, old_id));
  std::size_t edits = 0, edits_back = 0;
  for (const std::string& content : real_transcripts()) {
    std::string expected = content;  // the client escapes no letter or digit, so bytes and meaning are one here
    for (std::size_t at = expected.find(old_id); at != std::string::npos; at = expected.find(old_id, at + new_id.size()))
      expected.replace(at, old_id.size(), new_id);
    const std::string changed = spliced_lines(content, there, edits);
    EXPECT_TRUE(changed == expected) << content;
    EXPECT_TRUE(spliced_lines(changed, back, edits_back) == content) << content;
  }
  EXPECT_GT(edits, 100u);
  EXPECT_EQ(edits_back, edits);
}

// The quick way and the plain one are the same.
RC_GTEST_PROP(Splice, ReplaceEachIsSearchingTheText, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  const std::string line = odd.chance(3) ? odd.damaged(odd.value()) : odd.value();
  const std::string old_text = odd.pick({"a", "/home/old", "old/", "n", "b", "\"", "\\", "\n", "9Z", "\xC3\xA9", "d/home", "u"});
  const std::string text = odd.pick({"", "new", "\"", "/", "\xC3\xA9"});
  SpliceRules quick;
  quick.decide = [&](StringSite& site) { site.replace_each(old_text, text); };
  RC_ASSERT(spliced(line, quick) == spliced(line, everywhere(old_text, text)));
}

// Changes about half of all strings, in every way a rule can.
SpliceRules restless(OddJson& odd) {
  SpliceRules rules;
  rules.decide = [&odd](StringSite& site) {
    if (odd.chance(3)) return;
    if (odd.chance(2)) {
      site.replace(text_of(odd.inside()));
      return;
    }
    for (std::size_t at = 0; at <= site.text().size(); at += 1 + odd.below(5)) {
      const std::size_t to = std::min(at + odd.below(4), site.text().size());
      if (site.replace(at, to, odd.inside())) at = to;
    }
  };
  rules.untouched = {"/id/**"};
  rules.untouched_objects = {{"type", "a"}};
  return rules;
}

void splice_at_random(OddJson& odd, std::string_view line) {
  Splicer splicer(restless(odd));
  std::vector<Edit> edits;
  const LineReport report = splicer.find(line, edits);
  if (!report.parsed()) RC_ASSERT(edits.empty());
  std::string changed;
  RC_ASSERT(append_edited(changed, line, edits).has_value());
  // What was put in is a JSON string wherever it stands.
  Scanner scanner;
  RC_ASSERT(scanner.shape(changed).shape == report.shape);
}

RC_GTEST_PROP(Splice, KeepsTheShapeOfOddJson, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  splice_at_random(odd, odd.value());
}

RC_GTEST_PROP(Splice, KeepsTheShapeOfDamagedJson, ()) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  splice_at_random(odd, odd.damaged(odd.value()));
}

RC_GTEST_PROP(Splice, KeepsTheShapeOfAnyBytes, (const std::string& bytes)) {
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  splice_at_random(odd, bytes);
}

// An id that occurs nowhere else, exchanged and exchanged back by rule alone, whatever stands around it.
RC_GTEST_PROP(Splice, ExchangingAnIdAndBack, ()) {
  const std::string old_id = "000000a1-0000-4000-8000-0000000000a1", new_id = "0199c0de-0000-7000-8000-00000000beef";
  OddJson odd(*rc::gen::arbitrary<std::uint64_t>());
  std::string line = "[";
  for (std::size_t i = 1 + odd.below(4); i > 0; --i)
    line += odd.value(2) + ",\"" + odd.inside() + old_id + odd.inside() + "\",{\"" + old_id + "\":" + odd.value(2) + "},";
  line += "0]";
  const auto exchange = [](std::string from, std::string to) {
    SpliceRules rules;
    rules.decide = [from, to](StringSite& site) { site.replace_each(from, to); };
    return rules;
  };
  const std::string changed = spliced(line, exchange(old_id, new_id));
  RC_ASSERT(changed.find(old_id) == std::string::npos);
  RC_ASSERT(spliced(changed, exchange(new_id, old_id)) == line);
}

}  // namespace
}  // namespace holdfast::jsonl
