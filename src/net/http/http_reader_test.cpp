#include "net/http/http_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::string_literals;

using State = HttpReader::State;

HttpLimits small_limits() {
  HttpLimits limits;
  limits.max_header_bytes = 1024;
  limits.max_body_bytes = 64;
  return limits;
}

// Feeds everything, a byte at a time when asked to, until the reader is done with it.
std::size_t feed(HttpReader& reader, std::string_view bytes, bool bytewise = false) {
  if (!bytewise) return reader.feed(bytes);
  std::size_t taken = 0;
  while (taken < bytes.size() && reader.state() != State::complete && reader.state() != State::failed)
    taken += reader.feed(bytes.substr(taken, 1));
  return taken;
}

TEST(HttpReader, ReadsARequestWithoutABody) {
  HttpReader reader{HttpLimits()};
  const std::string text = "GET /a%20b/c?x=1&y=2 HTTP/1.1\r\nHost: here\r\nX-Empty:\r\nAccept: \t text/html \r\n\r\n";
  EXPECT_EQ(reader.feed(text), text.size());
  ASSERT_EQ(reader.state(), State::complete);
  EXPECT_TRUE(reader.keep_alive());
  const HttpRequest request = reader.take();
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/a%20b/c?x=1&y=2");
  EXPECT_EQ(request.path, "/a%20b/c");
  EXPECT_EQ(request.query, "x=1&y=2");
  ASSERT_NE(request.header("aCCEPT"), nullptr);
  EXPECT_EQ(*request.header("accept"), "text/html");
  EXPECT_EQ(*request.header("x-empty"), "");
  EXPECT_EQ(request.header("cookie"), nullptr);
  EXPECT_EQ(reader.state(), State::idle);
}

TEST(HttpReader, LeavesTheNextRequestAlone) {
  HttpReader reader{HttpLimits()};
  const std::string first = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  EXPECT_EQ(reader.feed(first + "GET / HTTP/1.1\r\n"), first.size());
  ASSERT_EQ(reader.state(), State::complete);
  EXPECT_EQ(reader.take().body, "abc");
}

TEST(HttpReader, P4TheHeadCanBeTakenBeforeTheBody) {
  for (const char* framing :
       {"Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"}) {
    const std::string text = "POST /p HTTP/1.1\r\nHost: a\r\n" + std::string(framing) + "GET /";
    HttpReader reader{HttpLimits()};
    std::size_t taken = reader.feed(text, HttpReader::Stop::behind_the_head);
    EXPECT_EQ(taken, text.find("\r\n\r\n") + 4);
    ASSERT_EQ(reader.state(), State::body);
    const HttpRequest head = reader.take();
    EXPECT_EQ(head.path, "/p");
    EXPECT_EQ(head.body, "");
    taken += reader.feed(std::string_view(text).substr(taken), HttpReader::Stop::behind_the_head);
    EXPECT_EQ(taken, text.size() - 5);
    ASSERT_EQ(reader.state(), State::complete);
    EXPECT_TRUE(reader.keep_alive());
    EXPECT_EQ(reader.take().body, "abc");
    EXPECT_EQ(reader.state(), State::idle);
  }
}

TEST(HttpReader, JoinsChunksAndDropsTrailers) {
  for (const bool bytewise : {false, true}) {
    HttpReader reader{HttpLimits()};
    const std::string text =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
        "3\r\nabc\r\n0A;name=\"v\"\r\n0123456789\r\n0\r\nX-Trailer: t\r\n\r\nNEXT";
    EXPECT_EQ(feed(reader, text, bytewise), text.size() - 4);
    ASSERT_EQ(reader.state(), State::complete) << reader.failure_reason();
    const HttpRequest request = reader.take();
    EXPECT_EQ(request.body, "abc0123456789");
    EXPECT_EQ(request.header("x-trailer"), nullptr);
  }
}

TEST(HttpReader, KnowsWhenTheConnectionGoesOn) {
  const auto keeps = [](std::string_view rest) {
    HttpReader reader{HttpLimits()};
    reader.feed("GET / HTTP/1." + std::string(rest) + "\r\n\r\n");
    EXPECT_EQ(reader.state(), State::complete) << rest;
    return reader.keep_alive();
  };
  EXPECT_TRUE(keeps("1\r\nHost: a"));
  EXPECT_FALSE(keeps("1\r\nHost: a\r\nConnection: foo , Close"));
  EXPECT_FALSE(keeps("0"));
  EXPECT_TRUE(keeps("0\r\nConnection: Keep-Alive"));
  EXPECT_FALSE(keeps("0\r\nConnection: keep-alive, close"));
}

TEST(HttpReader, TakesAWholeAddressAsTargetWhenTheHostAgrees) {
  HttpReader reader{HttpLimits()};
  reader.feed("GET http://LOCALHOST:80?q HTTP/1.1\r\nHost: localhost:80\r\n\r\n");
  ASSERT_EQ(reader.state(), State::complete) << reader.failure_reason();
  const HttpRequest request = reader.take();
  EXPECT_EQ(request.path, "/");
  EXPECT_EQ(request.query, "q");
}

TEST(HttpReader, SkipsABlankLineBeforeARequest) {
  HttpReader reader{HttpLimits()};
  EXPECT_EQ(reader.feed("\r\n"), 2u);
  EXPECT_EQ(reader.state(), State::idle);
  reader.feed("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reader.state(), State::complete);
}

TEST(HttpReader, SaysWhenTheClientWaitsToBeAsked) {
  HttpReader reader{HttpLimits()};
  reader.feed("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_EQ(reader.state(), State::body);
  EXPECT_TRUE(reader.expects_continue());
}

struct Refused {
  int status;
  std::string text;
};

const std::vector<Refused>& refused_requests() {
  static const std::string kChunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  static const std::vector<Refused> all = {
      // Not HTTP at all, or not this HTTP.
      {400, "\x16\x03\x01\x02"},
      {400, "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET /\r\n\r\n"},
      {400, "GET / \r\n\r\n"},
      {400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
      {400, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET / http/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET / HTTP/1.10\r\nHost: a\r\n\r\n"},
      {400, "GET / HTTP/11\r\nHost: a\r\n\r\n"},
      {505, "PRI * HTTP/2.0\r\n\r\n"},
      {505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
      {505, "GET / HTTP/0.9\r\nHost: a\r\n\r\n"},
      // Targets.
      {400, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
      {400, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"},
      {400, "GET http://evil/ HTTP/1.1\r\nHost: good\r\n\r\n"},
      {400, "GET http://evil/ HTTP/1.0\r\n\r\n"},
      {400, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      // Lines.
      {400, "GET / HTTP/1.1\nHost: a\n\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX: y\nZ: z\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\rHost: a\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tfolded\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX(: y\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n"s},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nX: \x7f\r\n\r\n"},
      // Who is asked.
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {400, "GET / HTTP/1.0\r\nHost: a\r\nhost: a\r\n\r\n"},
      {417, "GET / HTTP/1.1\r\nHost: a\r\nExpect: the unexpected\r\n\r\n"},
      // How long the body is.
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"},
      {400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {400, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
      {501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n"},
      {501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"},
      {501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n"},
      // Chunks.
      {400, kChunked + "\r\n"},
      {400, kChunked + "g\r\n"},
      {400, kChunked + "-1\r\n"},
      {400, kChunked + "0x1\r\n"},
      {400, kChunked + " 1\r\n"},
      {400, kChunked + "1\n"},
      {400, kChunked + "1\r\naX\r\n"},
      {400, kChunked + "1\r\na\n"},
      {400, kChunked + "1\r\nabc\r\n"},
      {400, kChunked + "1 x\r\n"},
      {400, kChunked + "1;\x01\r\n"},
      {400, kChunked + "1;" + std::string(5000, 'x')},
      {413, kChunked + "41\r\n"},
      {413, kChunked + "20\r\n" + std::string(32, 'x') + "\r\n21\r\n"},
      {413, kChunked + "ffffffffffffffffff\r\n"},
      {400, kChunked + "0\r\nbad trailer\r\n\r\n"},
      {400, kChunked + "0\r\n folded\r\n\r\n"},
      {431, kChunked + "0\r\nA: " + std::string(600, 'x') + "\r\nB: " + std::string(600, 'x') + "\r\n\r\n"},
      // Sizes.
      {431, "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1024, 'x') + "\r\n\r\n"},
      {431, "GET /" + std::string(2000, 'x')},
      {400, std::string(40, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n"},
  };
  return all;
}

TEST(HttpReader, RefusesWhatCouldBeReadInTwoWays) {
  for (const auto& [status, text] : refused_requests()) {
    for (const bool bytewise : {false, true}) {
      HttpReader reader(small_limits());
      feed(reader, text, bytewise);
      EXPECT_EQ(reader.state(), State::failed) << text;
      EXPECT_EQ(reader.failure_status(), status) << reader.failure_reason() << (bytewise ? ", bytewise: " : ": ") << text;
      EXPECT_EQ(reader.feed("GET / HTTP/1.1\r\n"), 0u) << "a failed reader takes nothing more";
    }
  }
}

TEST(HttpReader, RefusesTooManyFields) {
  HttpReader reader{HttpLimits()};
  std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 300; ++i) text += "A: b\r\n";
  reader.feed(text + "\r\n");
  EXPECT_EQ(reader.failure_status(), 431);
}

TEST(HttpReader, TakesAHeaderOfExactlyTheLimit) {
  for (const bool bytewise : {false, true}) {
    HttpReader reader(small_limits());
    std::string text = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    text += std::string(1024 - text.size() - 4, 'x') + "\r\n\r\n";
    ASSERT_EQ(text.size(), 1024u);
    EXPECT_EQ(feed(reader, text + "rest", bytewise), 1024u);
    EXPECT_EQ(reader.state(), State::complete) << reader.failure_reason();
  }
}

RC_GTEST_PROP(HttpReaderProperty, PortionsDoNotMatter, ()) {
  const auto body = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto chunk_sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 20));
  std::string text = "POST /p?q HTTP/1.1\r\nHost: a\r\n";
  if (chunk_sizes.empty()) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  } else {
    text += "Transfer-Encoding: chunked\r\n\r\n";
    std::size_t at = 0, turn = 0;
    while (at < body.size()) {
      const std::string piece = body.substr(at, chunk_sizes[turn++ % chunk_sizes.size()]);
      char size[24];
      std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
      text += size + piece + "\r\n";
      at += piece.size();
    }
    text += "0\r\n\r\n";
  }
  HttpReader reader{HttpLimits()};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t portion = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    RC_ASSERT(reader.feed(rest.substr(0, portion)) == portion);
    rest.remove_prefix(portion);
  }
  RC_ASSERT(reader.state() == State::complete);
  RC_ASSERT(reader.take().body == body);
}

}  // namespace
}  // namespace holdfast::net
