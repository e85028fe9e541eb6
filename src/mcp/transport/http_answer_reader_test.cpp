// Both forms of an answer, in pieces of any size.

#include "mcp/transport/transport_http_client.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::mcp {
namespace {

struct Read {
  StreamPlace place;
  std::vector<Json> values;
  HttpAnswerReader reader{place, [this](Json value) { values.push_back(std::move(value)); }};

  Result<void> take(const std::string& type, const std::string& text, std::size_t piece) {
    net::HttpAnswer head;
    head.status = 200;
    head.headers = {{"content-type", type}};
    for (std::size_t at = 0; at < text.size(); at += piece)
      if (auto taken = reader.take(head, std::string_view(text).substr(at, piece)); !taken) return taken;
    return reader.finish();
  }
};

TEST(HttpAnswerReader, StreamsAndTextsInPieces) {
  for (const std::size_t piece : {1U, 3U, 1000U}) {
    Read text;
    EXPECT_TRUE(text.take("application/json; charset=utf-8", " {\"a\":\"ä\"}\n", piece));
    EXPECT_EQ(text.values, std::vector<Json>{parse_json(R"({"a":"ä"})").value()});
    EXPECT_FALSE(text.reader.is_stream());

    Read stream;
    EXPECT_TRUE(stream.take("Text/Event-Stream;charset=utf-8",
                            ": hello\n\nid: 7\nretry: 250\ndata:\n\nevent: other\ndata: {}\n\ndata: {\"n\":1}\r\n\r\n"
                            "id: 8\nevent: message\ndata: {\"n\":\ndata: 2}\n\ndata: {broken\n\n",
                            piece));
    EXPECT_EQ(stream.values, (std::vector<Json>{JsonObject{{"n", 1}}, JsonObject{{"n", 2}}}));
    EXPECT_TRUE(stream.reader.is_stream());
    EXPECT_EQ(stream.place.last_event_id, "8");
    EXPECT_EQ(stream.place.retry, std::chrono::milliseconds(250));
    EXPECT_EQ(stream.reader.garbage(), 1U);
  }
}

TEST(HttpAnswerReader, NothingBrokenAndTooMuch) {
  Read nothing;
  EXPECT_TRUE(nothing.take("application/json", " \n", 1));
  EXPECT_TRUE(nothing.values.empty());
  Read broken;
  EXPECT_EQ(broken.take("application/json", "{broken", 100).error().kind, ErrorKind::corrupt);
  for (const char* type : {"application/json", "text/event-stream"}) {
    Read large;
    EXPECT_EQ(large.take(type, std::string(65 << 20, 'x'), 1 << 20).error().kind, ErrorKind::too_large) << type;
  }
}

}  // namespace
}  // namespace holdfast::mcp
