// Our reader against Boost.Beast's parser: two programs that read the same bytes differently are how
// requests are smuggled, so whatever ours accepts must mean the same to somebody else.

#include "net/http/http_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

class BeastReader final : public http::basic_parser<true> {
 public:
  BeastReader() {
    eager(true);
    header_limit(64 * 1024);
  }

  std::string method, target, body;
  HttpHeaders fields;

 private:
  void on_request_impl(http::verb, string_view method_text, string_view target_text, int, error_code&) override {
    method = std::string(method_text);
    target = std::string(target_text);
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    if (!is_header_done()) fields.emplace_back(std::string(name), std::string(value));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view part, error_code&) override {
    body.append(part.data(), part.size());
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view part, error_code& error) override {
    return on_body_impl(part, error);
  }
  void on_finish_impl(error_code&) override {}
};

const std::vector<std::string> kSeeds = {
    "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
    "POST / HTTP/1.0\r\nContent-Length: 12\r\n\r\nhello\r\nhello",
    "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\n",
    "PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-Y:\t z \r\n\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
};

// What a smuggler would try, by the piece.
const std::vector<std::string> kPieces = {"\r\n",
                                          "\n",
                                          "\r",
                                          " ",
                                          "\t",
                                          ":",
                                          "0",
                                          "1",
                                          "5",
                                          "a",
                                          ";",
                                          ",",
                                          "\r\n ",
                                          "\r\n\r\n",
                                          "Content-Length: 5\r\n",
                                          "Content-Length: 0\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "Transfer-Encoding: identity\r\n",
                                          "Host: h\r\n",
                                          "chunked",
                                          "+",
                                          "-",
                                          "0x",
                                          std::string(1, '\0'),
                                          "\x0b",
                                          "\x7f",
                                          "\x80",
                                          "\xff",
                                          "HTTP/1.1",
                                          "GET / HTTP/1.1\r\nHost: h\r\n\r\n"};

std::string mutate(std::string text) {
  const int changes = *rc::gen::inRange(0, 4);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string piece = *rc::gen::elementOf(kPieces);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text.insert(at, piece);
        break;
      case 1:
        text.replace(at, 1, piece);
        break;
      default:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 4));
        break;
    }
  }
  return text;
}

void compare_with_beast(const std::string& text) {
  HttpReader ours{HttpLimits()};
  const std::size_t taken = ours.feed(text);
  if (ours.state() != HttpReader::State::complete) return;

  const std::size_t blank = std::min(text.find_first_not_of("\r\n"), text.size());  // Beast skips no blank line
  BeastReader theirs;
  error_code error;
  const std::size_t theirs_taken = theirs.put({text.data() + blank, text.size() - blank}, error);
  if (error) {
    // Here Beast is stricter and nothing depends on it: a Connection list, extensions, and framing
    // headers among the trailers, all of which we ignore.
    RC_ASSERT(error == http::error::bad_value || error == http::error::bad_chunk_extension ||
              error == http::error::bad_content_length || error == http::error::bad_transfer_encoding);
    return;
  }
  RC_ASSERT(theirs.is_done());
  RC_ASSERT(theirs_taken == taken - blank);
  RC_ASSERT(theirs.keep_alive() == ours.keep_alive());
  const HttpRequest request = ours.take();
  RC_ASSERT(theirs.method == request.method);
  RC_ASSERT(theirs.target == request.target);
  RC_ASSERT(theirs.fields == request.headers);
  RC_ASSERT(theirs.body == request.body);
}

RC_GTEST_PROP(HttpReaderBeast, WhatWeAcceptMeansTheSameToBeast, ()) {
  for (int round = 0; round < 50; ++round) compare_with_beast(mutate(*rc::gen::elementOf(kSeeds)) + "GET /next HTTP/1.1\r\n");
}

}  // namespace
}  // namespace holdfast::net
