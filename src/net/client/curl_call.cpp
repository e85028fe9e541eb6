#include "net/client/curl_call.h"

#include "base/text/text.h"
#include "net/http/http_grammar.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace holdfast::net {
namespace {

constexpr const char* kFile = "libcurl.so.4";
constexpr const char* kHint = "install it (Debian: libcurl4), version 7.85 or newer";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<CurlLibrary> open_library() {
  void* library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(ErrorKind::unavailable, std::string("cannot load libcurl: ") + ::dlerror(), kHint);
  decltype(&curl_global_init) global_init = nullptr;
  CurlLibrary curl;
  const bool complete =
      find(library, "curl_global_init", global_init) && find(library, "curl_easy_init", curl.easy_init) &&
      find(library, "curl_easy_setopt", curl.easy_setopt) && find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
      find(library, "curl_easy_reset", curl.easy_reset) && find(library, "curl_easy_strerror", curl.easy_strerror) &&
      find(library, "curl_easy_cleanup", curl.easy_cleanup) && find(library, "curl_multi_init", curl.multi_init) &&
      find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
      find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      find(library, "curl_multi_perform", curl.multi_perform) && find(library, "curl_multi_poll", curl.multi_poll) &&
      find(library, "curl_multi_info_read", curl.multi_info_read) && find(library, "curl_multi_setopt", curl.multi_setopt) &&
      find(library, "curl_multi_socket_action", curl.multi_socket_action) &&
      find(library, "curl_multi_cleanup", curl.multi_cleanup) && find(library, "curl_slist_append", curl.slist_append) &&
      find(library, "curl_slist_free_all", curl.slist_free_all);
  if (!complete) return fail(ErrorKind::unavailable, std::string(kFile) + " lacks functions that we need", kHint);
  if (const CURLcode code = global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK)
    return fail(ErrorKind::unavailable, std::string("libcurl cannot start: ") + curl.easy_strerror(code));
  return curl;
}

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

constexpr long kMaxRedirects = 5;                // a chain longer than that is a circle
constexpr std::size_t kMaxUrlBytes = 64 * 1024;  // far above what servers take
constexpr const char* kUserAgent = "holdfast/" HOLDFAST_VERSION;

// No program that we start inherits a connection.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// The part of a URL that may be shown: neither a password nor the query, which may hold one.
std::string shown(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t authority = url.find("://");
  if (authority == url.npos) return std::string(utf8_prefix(url, 200));
  const std::size_t path = url.find('/', authority + 3);
  const std::size_t at = url.substr(0, path).rfind('@');
  if (at == url.npos) return std::string(utf8_prefix(url, 200));
  return std::string(url.substr(0, authority + 3)).append(utf8_prefix(url.substr(at + 1), 200));
}

Result<void> check(const HttpCall& call) {
  const std::string start = to_ascii_lower(std::string_view(call.url).substr(0, 8));
  if (!start.starts_with("http://") && !start.starts_with("https://"))
    return fail(ErrorKind::invalid, fmt::format("not an http or https address: {}", shown(call.url)));
  const std::string_view url = call.url;
  if (url.size() > kMaxUrlBytes || !all_within(kTargetChars, url))
    return fail(ErrorKind::invalid, fmt::format("not a proper address: {}", shown(url)), "percent-encode it");
  const std::size_t authority = url.find("://") + 3;
  if (url.substr(authority, url.find_first_of("/?", authority) - authority).find('@') != url.npos)
    return fail(ErrorKind::invalid, fmt::format("user name in the address: {}", shown(url)));
  unsigned char binary[sizeof(in6_addr)];
  const std::string& pinned = call.pinned_address;
  if (!pinned.empty() && ::inet_pton(AF_INET, pinned.c_str(), binary) != 1 && ::inet_pton(AF_INET6, pinned.c_str(), binary) != 1)
    return fail(ErrorKind::invalid, fmt::format("not a numeric address: {}", utf8_prefix(pinned, 100)));
  if (call.method.empty() || !all_within(kTokenChars, call.method))
    return fail(ErrorKind::invalid, "not a method of HTTP: \"" + call.method + '"');
  for (const auto& [name, value] : call.headers) {
    if (name.empty() || !all_within(kTokenChars, name))
      return fail(ErrorKind::invalid, fmt::format("not a header name: \"{}\"", name));
    if (!all_within(kValueChars, value)) return fail(ErrorKind::invalid, fmt::format("header {} holds control characters", name));
  }
  return {};
}

std::string hosts_without_proxy() {
  std::string hosts = "localhost,127.0.0.1,::1";
  for (const char* name : {"no_proxy", "NO_PROXY"}) {
    if (const char* more = std::getenv(name)) return hosts + ',' + more;
  }
  return hosts;
}

// As curl itself, and OpenSSL, take them: for a certification authority of one's own. Null: those of the system.
const char* authorities_file() {
  const char* file = std::getenv("SSL_CERT_FILE");
  return file && *file ? file : nullptr;
}

ErrorKind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
      return ErrorKind::invalid;
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorKind::timeout;
    case CURLE_OUT_OF_MEMORY:
      return ErrorKind::internal;
    default:
      return ErrorKind::unavailable;
  }
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::load() {
  static const Result<CurlLibrary> library = open_library();
  if (!library) return fail(library.error());
  return &*library;
}

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

CurlCall::CurlCall(const CurlLibrary& curl, const HttpCall& call)
    : curl_(curl),
      call_(call),
      transfer_(call, std::chrono::steady_clock::now()),
      easy_(nullptr, {&curl}),
      headers_(nullptr, {&curl}),
      connect_to_(nullptr, {&curl}) {}

Result<std::unique_ptr<CurlCall>> CurlCall::make(const CurlLibrary& curl, const HttpCall& call) {
  HF_CHECK(check(call));
  std::unique_ptr<CurlCall> made(new CurlCall(curl, call));
  made->easy_.reset(curl.easy_init());
  if (!made->easy_) return fail(ErrorKind::internal, "libcurl has no memory for a request");
  HF_TRY(made->headers_, made->headers_of());
  HF_TRY(made->connect_to_, made->connect_to_of());
  if (!made->set_up())
    return fail(ErrorKind::unavailable, "libcurl does not know an option that we need", "install version 7.85 or newer");
  return made;
}

Result<CurlCall::List> CurlCall::headers_of() const {
  List headers(nullptr, {&curl_});
  for (const auto& [name, value] : call_.headers) {
    // "Name:" would take a header away that libcurl sends by itself.
    const std::string line = value.empty() ? name + ';' : name + ": " + value;
    curl_slist* longer = curl_.slist_append(headers.get(), line.c_str());
    if (!longer) return fail(ErrorKind::internal, "no memory for the headers of a request");
    [[maybe_unused]] const curl_slist* same = headers.release();
    headers.reset(longer);
  }
  return headers;
}

// "Any host, any port: to this address, same port."
Result<CurlCall::List> CurlCall::connect_to_of() const {
  if (call_.pinned_address.empty()) return List(nullptr, {&curl_});
  const bool v6 = call_.pinned_address.find(':') != std::string::npos;
  const std::string rule = v6 ? "::[" + call_.pinned_address + "]:" : "::" + call_.pinned_address + ':';
  List list(curl_.slist_append(nullptr, rule.c_str()), {&curl_});
  if (!list) return fail(ErrorKind::internal, "no memory for the address of a request");
  return list;
}

bool CurlCall::set_up() {
  bool good = true;
  curl_.easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, reason_.data());
  const auto set = [&](CURLoption option, auto value) {
    good = curl_.easy_setopt(easy_.get(), option, value) == CURLE_OK && good;
  };
  set(CURLOPT_URL, call_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);  // a key of S3 may hold "..", and what is signed must be what is sent
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (const char* authorities = authorities_file()) set(CURLOPT_CAINFO, authorities);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_NOPROXY, hosts_without_proxy().c_str());
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(CURLOPT_USERAGENT, kUserAgent);
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(call_.connect_timeout.count()));
  const bool may_follow = call_.signing.access_key.empty() && call_.pinned_address.empty() && !transfer_.has_body();
  set(CURLOPT_FOLLOWLOCATION, call_.follow_redirects && may_follow ? 1L : 0L);
  if (connect_to_) {
    set(CURLOPT_CONNECT_TO, connect_to_.get());
    set(CURLOPT_PROXY, "");
  }
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer_));
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer_));
  if (call_.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (call_.method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, call_.method.c_str());
  }
  if (transfer_.has_body()) {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(transfer_.body_size()));
    set(CURLOPT_READFUNCTION, &HttpTransfer::on_read);
    set(CURLOPT_READDATA, static_cast<void*>(&transfer_));
    set(CURLOPT_SEEKFUNCTION, &HttpTransfer::on_seek);  // a kept connection that has died: the body is sent again
    set(CURLOPT_SEEKDATA, static_cast<void*>(&transfer_));
  }
  if (!call_.signing.access_key.empty()) {
    set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:{}", call_.signing.region, call_.signing.service).c_str());
    set(CURLOPT_USERNAME, call_.signing.access_key.c_str());
    set(CURLOPT_PASSWORD, call_.signing.secret_key.c_str());
  }
  return good;
}

bool CurlCall::connected() const {
  curl_off_t until_connected = 0;
  curl_.easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &until_connected);
  return until_connected > 0;
}

Result<HttpAnswer> CurlCall::finish(CURLcode code) {
  const std::string where = call_.method + ' ' + shown(call_.url);
  if (transfer_.failure()) return fail(Error(*transfer_.failure()).within(where));
  if (code != CURLE_OK) {
    const std::string_view text = reason_[0] != '\0' ? reason_.data() : curl_.easy_strerror(code);
    return fail(make_error(kind_of(code), std::string(text)).within(where));
  }
  return std::move(transfer_.answer());
}

}  // namespace holdfast::net
