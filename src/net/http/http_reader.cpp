#include "net/http/http_reader.h"

#include "base/text/text.h"
#include "net/http/http_grammar.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace holdfast::net {

namespace {

constexpr std::size_t kMaxFields = 200;            // browsers send 20; each costs a pair of strings
constexpr std::size_t kUsualFields = 16;           // reserved at once
constexpr std::size_t kMaxMethod = 32;             // the longest registered one has 17 letters
constexpr std::size_t kMaxChunkLine = 4 * 1024;    // a size and extensions that nobody reads
constexpr std::size_t kBodyReserve = 1024 * 1024;  // a promised length is not yet a sent one
constexpr std::size_t kMaxBlankLines = 8;          // bytes of CR LF before a request (RFC 9112 §2.2)

// The next element of a comma-separated list, without its blanks; `list` keeps the rest.
std::string_view next_in_list(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view element = strip_blanks(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return element;
}

// A line feed without its carriage return, in `text` from `from` on.
bool has_bare_line_feed(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return true;
  return false;
}

}  // namespace

std::size_t HttpReader::feed(std::string_view bytes, Stop stop) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::complete && state_ != State::failed) {
    const std::string_view rest = bytes.substr(taken);
    switch (part_) {
      case Part::start:
      case Part::head:
        taken += feed_head(rest);
        if (stop == Stop::behind_the_head && state_ == State::body) return taken;
        break;
      case Part::sized_body:
        taken += feed_sized(rest);
        break;
      case Part::chunk_data:
        taken += feed_chunk_data(rest);
        break;
      case Part::chunk_line:
      case Part::chunk_end:
      case Part::trailer:
        taken += feed_line(rest);
        break;
    }
  }
  return taken;
}

HttpRequest HttpReader::take() {
  HttpRequest request = std::exchange(request_, {});
  if (state_ == State::complete) reset();
  return request;
}

void HttpReader::reset() {
  state_ = State::idle;
  part_ = Part::start;
  partial_.clear();
  request_ = HttpRequest();
  remaining_ = content_length_ = 0;
  trailer_bytes_ = 0;
  failure_reason_ = "";
  failure_status_ = 0;
  has_length_ = chunked_ = has_host_ = says_close_ = says_keep_alive_ = false;
  keep_alive_ = http_1_0_ = expects_continue_ = body_started_ = false;
}

bool HttpReader::refuse(int status, const char* reason) {
  state_ = State::failed;
  failure_status_ = status;
  failure_reason_ = reason;
  return false;
}

std::size_t HttpReader::feed_head(std::string_view bytes) {
  std::size_t skipped = 0;
  if (part_ == Part::start) {
    while (skipped < bytes.size() && (bytes[skipped] == '\r' || bytes[skipped] == '\n')) {
      ++skipped;
      if (++trailer_bytes_ > kMaxBlankLines) return refuse(400, "too many blank lines before the request"), skipped;
    }
    bytes.remove_prefix(skipped);
    if (bytes.empty()) return skipped;
    // Most often somebody who speaks TLS: answer now rather than wait for a line that never ends.
    if (!kTokenChars[static_cast<unsigned char>(bytes.front())]) return refuse(400, "this is no HTTP request"), skipped;
    part_ = Part::head;
    state_ = State::header;
    trailer_bytes_ = 0;
  }

  const std::size_t had = partial_.size();
  std::string_view head = bytes;
  if (had != 0) {
    partial_.append(bytes.substr(0, max_header_ + 1 - std::min(had, max_header_)));
    head = partial_;
  }
  const std::size_t search_from = had < 3 ? 0 : had - 3;
  const std::size_t end = head.find("\r\n\r\n", search_from);
  if (end == std::string_view::npos || end + 4 > max_header_) {
    if (head.size() > max_header_) return refuse(431, "the request header is too large"), skipped;
    if (has_bare_line_feed(head, had)) return refuse(400, "a header line does not end in CR LF"), skipped;
    if (had == 0) partial_ = bytes;
    return skipped + bytes.size();
  }
  parse_head(head.substr(0, end + 2));
  const std::size_t taken = skipped + end + 4 - had;
  partial_ = std::string();  // a large header's buffer is not kept for the next one
  return taken;
}

void HttpReader::parse_head(std::string_view head) {
  const std::size_t line_end = head.find("\r\n");
  if (!parse_request_line(head.substr(0, line_end))) return;
  head.remove_prefix(line_end + 2);
  request_.headers.reserve(kUsualFields);
  while (!head.empty()) {
    const std::size_t name_length = length_within(kTokenChars, head);
    // A blank in front (a folded line) or before the colon ends up here too.
    if (name_length == 0 || name_length >= head.size() || head[name_length] != ':') {
      refuse(400, "a header line has no proper name");
      return;
    }
    const std::string_view name = head.substr(0, name_length);
    head.remove_prefix(name_length + 1);
    const std::size_t value_length = length_within(kValueChars, head);
    if (!head.substr(value_length).starts_with("\r\n")) {
      refuse(400, "a header value holds a control character");
      return;
    }
    if (request_.headers.size() == kMaxFields) {
      refuse(431, "the request has too many header fields");
      return;
    }
    if (!take_field(name, strip_blanks(head.substr(0, value_length)))) return;
    head.remove_prefix(value_length + 2);
  }
  finish_head();
}

bool HttpReader::parse_request_line(std::string_view line) {
  const std::size_t method_length = length_within(kTokenChars, line);
  if (method_length == 0 || method_length > kMaxMethod || method_length >= line.size() || line[method_length] != ' ')
    return refuse(400, "the request line has no proper method");
  request_.method = line.substr(0, method_length);
  line.remove_prefix(method_length + 1);

  const std::size_t target_length = length_within(kTargetChars, line);
  if (target_length == 0 || target_length >= line.size() || line[target_length] != ' ')
    return refuse(400, "the request line has no proper target");
  request_.target = line.substr(0, target_length);
  line.remove_prefix(target_length + 1);

  if (line == "HTTP/1.1") return true;
  if (line == "HTTP/1.0") {
    http_1_0_ = true;
    return true;
  }
  const auto digit = [&](std::size_t at) { return line[at] >= '0' && line[at] <= '9'; };
  if (line.size() == 8 && line.starts_with("HTTP/") && digit(5) && line[6] == '.' && digit(7))
    return refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  return refuse(400, "the request line has no proper version");
}

bool HttpReader::take_field(std::string_view name, std::string_view value) {
  const auto is = [&](std::string_view other) { return equal_ignoring_ascii_case(name, other); };
  switch (name.size()) {
    case 4:
      if (is("Host")) {
        if (has_host_) return refuse(400, "more than one Host header");
        has_host_ = true;
      }
      break;
    case 6:
      if (is("Expect")) {
        if (!equal_ignoring_ascii_case(value, "100-continue")) return refuse(417, "an expectation that is not known");
        expects_continue_ = true;
      }
      break;
    case 10:
      if (is("Connection")) {
        for (std::string_view list = value; !list.empty();) {
          const std::string_view option = next_in_list(list);
          if (equal_ignoring_ascii_case(option, "close")) says_close_ = true;
          if (equal_ignoring_ascii_case(option, "keep-alive")) says_keep_alive_ = true;
        }
      }
      break;
    case 14:
      if (is("Content-Length")) {
        if (has_length_) return refuse(400, "more than one Content-Length header");
        has_length_ = true;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), content_length_);
        if (error == std::errc::result_out_of_range) return refuse(413, "the body is too large");
        if (value.empty() || error != std::errc() || end != value.data() + value.size())
          return refuse(400, "Content-Length is no number");
      }
      break;
    case 17:
      if (is("Transfer-Encoding")) {
        if (chunked_) return refuse(400, "more than one Transfer-Encoding header");
        if (!equal_ignoring_ascii_case(value, "chunked")) return refuse(501, "a transfer coding that is not known");
        chunked_ = true;
      }
      break;
    default:
      break;
  }
  request_.headers.emplace_back(name, value);
  return true;
}

bool HttpReader::finish_head() {
  if (!has_host_ && !http_1_0_) return refuse(400, "the Host header is missing");
  if (chunked_ && has_length_) return refuse(400, "Content-Length beside Transfer-Encoding");
  if (chunked_ && http_1_0_) return refuse(400, "Transfer-Encoding in HTTP/1.0");
  if (content_length_ > max_body_) return refuse(413, "the body is too large");
  if (!parse_target()) return false;
  if (http_1_0_) expects_continue_ = false;  // RFC 9110 §10.1.1
  keep_alive_ = !says_close_ && (!http_1_0_ || says_keep_alive_);

  state_ = State::body;
  if (chunked_) {
    part_ = Part::chunk_line;
  } else if (content_length_ > 0) {
    part_ = Part::sized_body;
    remaining_ = content_length_;
  } else {
    state_ = State::complete;
  }
  return true;
}

bool HttpReader::parse_target() {
  std::string_view target = request_.target;
  if (!target.starts_with('/') && target != "*") {
    const std::size_t scheme = target.starts_with("http://") ? 7 : target.starts_with("https://") ? 8 : 0;
    if (scheme == 0) return refuse(400, "a request target of a form that is not served");
    target.remove_prefix(scheme);
    const std::size_t authority = std::min(target.find_first_of("/?"), target.size());
    // Who checks the Host header must be able to rely on it.
    const std::string* host = request_.header("Host");
    if (host == nullptr || !equal_ignoring_ascii_case(*host, target.substr(0, authority)))
      return refuse(400, "the target names another host than the Host header");
    target.remove_prefix(authority);
  }
  const std::size_t mark = target.find('?');
  request_.path = target.substr(0, mark);
  if (request_.path.empty()) request_.path = "/";
  if (mark != std::string_view::npos) request_.query = target.substr(mark + 1);
  return true;
}

std::size_t HttpReader::feed_sized(std::string_view bytes) {
  const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  if (!std::exchange(body_started_, true))
    request_.body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, kBodyReserve)));
  request_.body.append(bytes.substr(0, taken));
  remaining_ -= taken;
  if (remaining_ == 0) state_ = State::complete;
  return taken;
}

std::size_t HttpReader::feed_chunk_data(std::string_view bytes) {
  const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  request_.body.append(bytes.substr(0, taken));
  remaining_ -= taken;
  if (remaining_ == 0) part_ = Part::chunk_end;
  return taken;
}

std::size_t HttpReader::feed_line(std::string_view bytes) {
  body_started_ = true;
  const std::size_t feed_at = bytes.find('\n');
  const std::size_t taken = feed_at == std::string_view::npos ? bytes.size() : feed_at + 1;
  const std::size_t limit = part_ == Part::trailer ? max_header_ : kMaxChunkLine;
  if (partial_.size() + taken > limit) return refuse(400, "a chunk line is too long"), taken;
  std::string_view line = bytes.substr(0, taken);
  if (!partial_.empty() || feed_at == std::string_view::npos) {
    partial_.append(line);
    line = partial_;
  }
  if (feed_at == std::string_view::npos) return taken;
  if (!line.ends_with("\r\n")) return refuse(400, "a chunk line does not end in CR LF"), taken;
  line.remove_suffix(2);
  switch (part_) {
    case Part::chunk_line:
      parse_chunk_line(line);
      break;
    case Part::chunk_end:
      if (!line.empty()) refuse(400, "a chunk is longer than it says");
      part_ = Part::chunk_line;
      break;
    default:
      parse_trailer(line);
      break;
  }
  partial_.clear();
  return taken;
}

void HttpReader::parse_chunk_line(std::string_view line) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  if (error == std::errc::result_out_of_range) return void(refuse(413, "the body is too large"));
  if (error != std::errc()) return void(refuse(400, "a chunk has no proper size"));
  const std::string_view extension = strip_blanks(line.substr(static_cast<std::size_t>(end - line.data())));
  if ((!extension.empty() && extension.front() != ';') || !all_within(kValueChars, extension))
    return void(refuse(400, "a chunk has no proper size"));
  if (size > max_body_ - request_.body.size()) return void(refuse(413, "the body is too large"));
  remaining_ = size;
  part_ = size == 0 ? Part::trailer : Part::chunk_data;
}

void HttpReader::parse_trailer(std::string_view line) {
  if (line.empty()) {
    state_ = State::complete;
    return;
  }
  trailer_bytes_ += line.size() + 2;
  if (trailer_bytes_ > max_header_) return void(refuse(431, "the trailers are too large"));
  const std::size_t name = length_within(kTokenChars, line);
  if (name == 0 || name >= line.size() || line[name] != ':' || !all_within(kValueChars, line.substr(name)))
    refuse(400, "a trailer line is malformed");
}

}  // namespace holdfast::net
