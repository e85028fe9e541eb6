#include "net/client/http_transfer.h"

#include "base/text/text.h"
#include "net/http/http_grammar.h"

#include <fmt/format.h>

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace holdfast::net {
namespace {

// An error's text is for people; what is longer is not, and must not fill the memory when the limit is one for a download.
constexpr std::uint64_t kMaxErrorBytes = 1 << 20;
// Of one answer with its redirects. Browsers and servers stop at a quarter of it.
constexpr std::size_t kMaxHeaderBytes = 256 * 1024;
constexpr std::chrono::milliseconds kReportEvery{50};

// Runs what may throw (memory, a caller's function) where nothing may be thrown.
template <class Value, class Work>
Value without_throwing(std::optional<Error>& failure, Value given_up, Work work) noexcept {
  try {
    return work();
  } catch (...) {
    if (!failure) failure = Error{ErrorKind::internal, "callback threw", {}, {}};  // short: allocates nothing
    return given_up;
  }
}

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

}  // namespace

std::size_t HttpTransfer::on_read(char* to, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  return without_throwing(self.failure_, std::size_t{CURL_READFUNC_ABORT}, [&] { return self.read(to, size * count); });
}

int HttpTransfer::on_seek(void* transfer, std::int64_t offset, int origin) {
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_FAIL;
  static_cast<HttpTransfer*>(transfer)->sent_ = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t HttpTransfer::on_header(char* line, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  const std::string_view text(line, size * count);
  return without_throwing(self.failure_, false, [&] { return self.header(text); }) ? text.size() : 0;
}

std::size_t HttpTransfer::on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<HttpTransfer*>(transfer);
  const std::string_view text(bytes, size * count);
  return without_throwing(self.failure_, false, [&] { return self.body(text); }) ? text.size() : 0;
}

bool HttpTransfer::has_body() const {
  if (call_.method == "GET" || call_.method == "HEAD") return false;
  return call_.method != "DELETE" || body_size() != 0;
}

std::size_t HttpTransfer::read(char* to, std::size_t room) {
  moved_ = true;
  const std::uint64_t size = body_size();
  room = static_cast<std::size_t>(std::min<std::uint64_t>(room, size - std::min(size, sent_)));
  if (call_.body_fd < 0) {
    std::memcpy(to, call_.body.data() + sent_, room);
    sent_ += room;
    return room;
  }
  ssize_t got = 0;
  do {
    got = room == 0 ? 0 : ::pread(call_.body_fd, to, room, static_cast<off_t>(sent_));
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    give_up(system_error("read the file to send", errno));
    return CURL_READFUNC_ABORT;
  }
  if (got == 0 && room != 0) {
    give_up(make_error(ErrorKind::io, fmt::format("the file to send ends after {} of {} bytes", sent_, size)));
    return CURL_READFUNC_ABORT;
  }
  sent_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

bool HttpTransfer::header(std::string_view line) {
  moved_ = true;
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes)
    return give_up(
        make_error(ErrorKind::too_large, fmt::format("the header of the answer is longer than {} bytes", kMaxHeaderBytes)));
  if (line.starts_with("HTTP/")) {  // also after 100 Continue and redirects: only the last one counts
    answer_ = {};
    const std::size_t blank = line.find(' ');
    if (blank != line.npos) std::from_chars(line.data() + blank + 1, line.data() + line.size(), answer_.status);
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return true;  // the empty line at the end
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  answer_.headers.emplace_back(to_ascii_lower(line.substr(0, colon)), strip_blanks(line.substr(colon + 1)));
  return true;
}

bool HttpTransfer::body(std::string_view bytes) {
  moved_ = true;
  received_ += bytes.size();
  const bool good = is_success(answer_.status);
  const std::uint64_t limit = good ? call_.max_answer_bytes : std::min(call_.max_answer_bytes, kMaxErrorBytes);
  if (received_ > limit)
    return give_up(make_error(ErrorKind::too_large, fmt::format("the answer is longer than {} bytes", limit)));
  if (!good || !call_.sink) {
    answer_.body += bytes;
    return true;
  }
  auto taken = call_.sink(bytes);
  return taken || give_up(std::move(taken).error());
}

bool HttpTransfer::may_go_on(TimePoint now, bool connected) {
  if (moved_ || connected != connected_) last_byte_ = now;
  moved_ = false;
  connected_ = connected;
  if (call_.progress && now >= next_report_) {
    next_report_ = now + kReportEvery;
    if (!without_throwing(failure_, false, [&] { return call_.progress(sent_, received_); }))
      return give_up(make_error(ErrorKind::cancelled, "stopped while the transfer was under way"));
  }
  if (connected_ && now - last_byte_ >= call_.stalled_timeout)
    return give_up(make_error(ErrorKind::timeout, fmt::format("nothing came or went for {} ms", call_.stalled_timeout.count())));
  return true;
}

bool HttpTransfer::give_up(Error error) {
  if (!failure_) failure_ = std::move(error);
  return false;
}

}  // namespace holdfast::net
