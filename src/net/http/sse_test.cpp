#include "net/http/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace holdfast::net {
namespace {

using testing::ElementsAre;
using testing::Field;

std::vector<SseEvent> parse(std::string_view text, std::size_t portion = 1000) {
  std::vector<SseEvent> events;
  SseParser parser([&](SseEvent event) { events.push_back(std::move(event)); });
  for (std::size_t at = 0; at < text.size(); at += portion) EXPECT_TRUE(parser.feed(text.substr(at, portion)));
  return events;
}

auto data_is(std::string text) {
  return Field(&SseEvent::data, std::move(text));
}

TEST(Sse, WritesFieldsAndABlankLine) {
  std::string out = "before|";
  append_sse(out, {.id = "7", .event = "message", .data = "one\ntwo", .retry_ms = 50});
  EXPECT_EQ(out, "before|event: message\nid: 7\nretry: 50\ndata: one\ndata: two\n\n");
}

TEST(Sse, WritesADataLineForEmptyData) {
  std::string out;
  append_sse(out, {.id = "1", .event = {}, .data = {}, .retry_ms = {}});
  EXPECT_EQ(out, "id: 1\ndata: \n\n");
}

TEST(Sse, CannotBeMadeToWriteAForeignField) {
  std::string out;
  append_sse(out, {.id = "1\ndata: forged", .event = "a\r\nid: forged", .data = "x\rid: 2", .retry_ms = {}});
  EXPECT_EQ(out, "event: a\nid: 1\ndata: x\ndata: id: 2\n\n");
}

TEST(Sse, AcceptsEveryLineEnd) {
  for (const char* text : {"data: a\ndata: b\n\ndata: c\n\n", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n",
                           "data: a\rdata: b\r\rdata: c\r\r", "data: a\r\ndata: b\n\r\ndata: c\r\n\n"})
    for (const std::size_t portion : {1u, 2u, 3u, 1000u})
      EXPECT_THAT(parse(text, portion), ElementsAre(data_is("a\nb"), data_is("c"))) << text;
}

TEST(Sse, SkipsCommentsUnknownFieldsAndAByteOrderMark) {
  EXPECT_THAT(parse("\xEF\xBB\xBF: hello\ndata:a\nfoo: bar\ndata:  b\ndata\n\n: keep-alive\n\n", 1),
              ElementsAre(data_is("a\n b\n")));
}

TEST(Sse, DeliversWhatOnlyResumingNeeds) {
  const auto events = parse("id: 5\n\nretry: 20\n\nevent: nothing\n\nretry: x\n\n");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].id, "5");
  EXPECT_EQ(events[1].retry_ms, 20);
}

TEST(Sse, IgnoresAnIdWithANul) {
  EXPECT_THAT(parse(std::string_view("id: a\0b\ndata: x\n\n", 17)), ElementsAre(Field(&SseEvent::id, "")));
}

TEST(Sse, DoesNotDeliverAnUnfinishedEvent) {
  EXPECT_TRUE(parse("data: a\n").empty());
}

TEST(Sse, StopsAtTheLimit) {
  int events = 0;
  SseParser parser([&](const SseEvent&) { ++events; }, 10);
  EXPECT_TRUE(parser.feed("data: 1234\n\n"));
  EXPECT_EQ(events, 1);
  EXPECT_TRUE(parser.feed("data: 1234"));
  EXPECT_FALSE(parser.feed("5\n\n"));
  EXPECT_FALSE(parser.feed("data: x\n\n"));
  EXPECT_EQ(events, 1);
}

TEST(Sse, TheLimitCountsAllLinesOfAnEvent) {
  SseParser parser([](const SseEvent&) {}, 100);
  bool accepted = true;
  for (int i = 0; i < 100 && accepted; ++i) accepted = parser.feed("data: 0123456789\n");
  EXPECT_FALSE(accepted);
}

RC_GTEST_PROP(SseProperty, WhatIsWrittenIsReadInAnyPortions, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::distinctFrom(rc::gen::arbitrary<char>(), '\r'));
  const auto line = rc::gen::container<std::string>(
      rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) { return c != '\r' && c != '\n' && c != '\0'; }));
  const auto data_with_lines = rc::gen::map(rc::gen::container<std::vector<std::string>>(text), [](const auto& parts) {
    std::string joined;
    for (const auto& part : parts) joined += part + "\n";
    return joined;
  });
  std::vector<SseEvent> written;
  std::string bytes;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    SseEvent event{.id = *line, .event = *line, .data = *data_with_lines, .retry_ms = {}};
    if (*rc::gen::arbitrary<bool>()) event.retry_ms = *rc::gen::inRange(0, 1'000'000);
    append_sse(bytes, event);
    written.push_back(event);
  }
  std::vector<SseEvent> read;
  SseParser parser([&](SseEvent event) { read.push_back(std::move(event)); });
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t portion = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    RC_ASSERT(parser.feed(rest.substr(0, portion)));
    rest.remove_prefix(portion);
  }
  RC_ASSERT(read.size() == written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    RC_ASSERT(read[i].id == written[i].id);
    RC_ASSERT(read[i].event == written[i].event);
    RC_ASSERT(read[i].data == written[i].data);
    RC_ASSERT(read[i].retry_ms == written[i].retry_ms);
  }
}

}  // namespace
}  // namespace holdfast::net
