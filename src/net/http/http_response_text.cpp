#include "net/http/http_response_text.h"

#include "base/text/text.h"
#include "net/http/http_grammar.h"

#include <array>
#include <charconv>
#include <ctime>

namespace holdfast::net {

namespace {

// "Tue, 28 Jul 2026 09:30:00 GMT", made once a second: strftime costs more than the rest of a head.
std::string_view http_date() {
  static thread_local std::time_t made_for = -1;
  static thread_local std::array<char, 32> text;
  static thread_local std::size_t length = 0;
  const std::time_t now = std::time(nullptr);
  if (now != made_for) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    made_for = now;
  }
  return {text.data(), length};
}

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

bool is_ours(std::string_view name) {
  switch (name.size()) {
    case 4:
      return equal_ignoring_ascii_case(name, "Date");
    case 10:
      return equal_ignoring_ascii_case(name, "Connection");
    case 14:
      return equal_ignoring_ascii_case(name, "Content-Length");
    case 17:
      return equal_ignoring_ascii_case(name, "Transfer-Encoding");
    default:
      return false;
  }
}

}  // namespace

bool status_has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

void append_head(std::string& out, int status, const HttpHeaders& headers, const ResponseFraming& framing) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(status));
  out += ' ';
  out += reason_of(status);
  out += "\r\nDate: ";
  out += http_date();
  out += "\r\n";
  for (const auto& [name, value] : headers) {
    if (name.empty() || !all_within(kTokenChars, name) || is_ours(name)) continue;
    out += name;
    out += ": ";
    const std::size_t from = out.size();
    out += value;
    if (!all_within(kValueChars, value))
      for (std::size_t at = from; at < out.size(); ++at)
        if (!kValueChars[static_cast<unsigned char>(out[at])]) out[at] = ' ';
    out += "\r\n";
  }
  switch (framing.body) {
    case ResponseFraming::Body::sized:
      out += "Content-Length: ";
      append_number(out, framing.size);
      out += "\r\n";
      break;
    case ResponseFraming::Body::chunked:
      out += "Transfer-Encoding: chunked\r\n";
      break;
    case ResponseFraming::Body::until_close:
    case ResponseFraming::Body::none:
      break;
  }
  if (!framing.keep_alive) {
    out += "Connection: close\r\n";
  } else if (framing.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

std::string_view reason_of(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 451:
      return "Unavailable For Legal Reasons";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace holdfast::net
