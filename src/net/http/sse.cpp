#include "net/http/sse.h"

#include "base/text/text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace holdfast::net {

namespace {

constexpr std::string_view kLineEnds = "\r\n";

// id and event are one line each; what is behind a line end would be read as a field of its own.
void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value.substr(0, value.find_first_of(kLineEnds));
  out += '\n';
}

}  // namespace

void append_sse(std::string& out, const SseEvent& event) {
  out.reserve(out.size() + event.data.size() + event.id.size() + event.event.size() + 64);
  if (!event.event.empty()) append_field(out, "event", event.event);
  if (!event.id.empty()) append_field(out, "id", event.id);
  if (event.retry_ms) append_field(out, "retry", std::to_string(*event.retry_ms));
  // An event without a data line is not delivered at all, so an empty one gets a line too.
  std::string_view rest = event.data;
  for (bool more = true; more;) {
    const std::size_t end = rest.find_first_of(kLineEnds);
    out += "data: ";
    out += rest.substr(0, end);
    out += '\n';
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + (rest.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  out += '\n';
}

SseParser::SseParser(std::function<void(SseEvent)> on_event, std::size_t max_event_bytes)
    : on_event_(std::move(on_event)), max_event_bytes_(max_event_bytes) {}

bool SseParser::feed(std::string_view bytes) {
  while (!overflow_ && !bytes.empty()) {
    if (std::exchange(skip_newline_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of(kLineEnds);
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + pending_.data.size() > max_event_bytes_) {
      overflow_ = true;
      line_ = {};
      pending_ = {};
      return false;
    }
    if (end == std::string_view::npos) {
      line_ += part;
      return true;
    }
    skip_newline_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part);
    } else {
      line_ += part;
      take_line(std::exchange(line_, {}));
    }
  }
  return !overflow_;
}

void SseParser::take_line(std::string_view line) {
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.empty()) {
    SseEvent event = std::exchange(pending_, {});
    const bool says_something = std::exchange(has_data_, false) || !event.id.empty() || event.retry_ms.has_value();
    if (says_something) on_event_(std::move(event));
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);  // empty for a comment
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);

  if (name == "data") {
    if (std::exchange(has_data_, true)) pending_.data += '\n';
    pending_.data += value;
  } else if (name == "event") {
    pending_.event = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) pending_.id = value;
  } else if (name == "retry") {
    int milliseconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (error == std::errc() && end == value.data() + value.size() && milliseconds >= 0) pending_.retry_ms = milliseconds;
  }
}

}  // namespace holdfast::net
