#include "net/http/http_streams.h"

#include "net/client/curl_call.h"
#include "net/run/without_sigpipe.h"

#include <sys/epoll.h>

#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::net {
namespace {

// Idle ones, for the next requests. By itself libcurl keeps four times the requests under way, which are few between two
// bursts: the burst that follows would connect anew each time.
constexpr long kKeptConnections = 256;

class CurlStreams final : public HttpStreams {
 public:
  CurlStreams(EventLoop& loop, const CurlLibrary& curl, CURLM* multi) : loop_(loop), curl_(curl), multi_(multi) {}
  ~CurlStreams() override;

  bool set_up();
  Result<Id> start(HttpCall call, Events events) override;
  void stop(Id id) override;

 private:
  struct Stream {
    HttpCall call;
    Events events;
    std::unique_ptr<CurlCall> prepared;
  };
  struct Socket final : EventLoop::Watcher {
    CurlStreams* owner = nullptr;
    curl_socket_t fd = CURL_SOCKET_BAD;
    void on_ready(std::uint32_t events) override { owner->ready(fd, events); }
  };

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int on_timer(CURLM*, long milliseconds, void* self);
  void watch(curl_socket_t fd, int what);
  void set_timer(long milliseconds);
  void ready(curl_socket_t fd, std::uint32_t events);
  void act(curl_socket_t fd, int events);
  void deliver();
  void collect();

  EventLoop& loop_;
  const CurlLibrary& curl_;
  CURLM* multi_;
  std::map<Id, std::shared_ptr<Stream>> streams_;  // shared with the event that is being delivered
  std::unordered_map<CURL*, Id> ids_;
  std::vector<std::pair<Id, std::string>> arrived_;  // libcurl may not be called from its callbacks, so they only collect
  std::unordered_map<curl_socket_t, std::unique_ptr<Socket>> sockets_;
  std::vector<std::unique_ptr<Socket>> retired_;  // one of them may be in the middle of on_ready
  Id last_id_ = 0;
  TimerId timer_ = 0;
};

CurlStreams::~CurlStreams() {
  const WithoutSigpipe guard;
  for (auto& [id, stream] : streams_) curl_.multi_remove_handle(multi_, stream->prepared->easy());
  streams_.clear();
  curl_.multi_cleanup(multi_);
  for (auto& [fd, socket] : sockets_) loop_.unwatch(fd, socket.get());
  loop_.cancel(timer_);
}

bool CurlStreams::set_up() {
  return curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections) == CURLM_OK &&
         curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &on_socket) == CURLM_OK &&
         curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, static_cast<void*>(this)) == CURLM_OK &&
         curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &on_timer) == CURLM_OK &&
         curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, static_cast<void*>(this)) == CURLM_OK;
}

int CurlStreams::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  static_cast<CurlStreams*>(self)->watch(fd, what);
  return 0;
}

int CurlStreams::on_timer(CURLM*, long milliseconds, void* self) {
  static_cast<CurlStreams*>(self)->set_timer(milliseconds);
  return 0;
}

// A descriptor that cannot be watched (no memory in the kernel) leaves its request to the time-out of its owner.
void CurlStreams::watch(curl_socket_t fd, int what) {
  const auto found = sockets_.find(fd);
  if (what == CURL_POLL_REMOVE) {
    if (found == sockets_.end()) return;
    loop_.unwatch(fd, found->second.get());
    retired_.push_back(std::move(found->second));
    sockets_.erase(found);
    return;
  }
  std::uint32_t events = 0;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= EPOLLOUT;
  if (found != sockets_.end()) return loop_.change(fd, events, found->second.get());
  auto socket = std::make_unique<Socket>();
  socket->owner = this;
  socket->fd = fd;
  if (loop_.watch(fd, events, socket.get())) sockets_[fd] = std::move(socket);
}

void CurlStreams::set_timer(long milliseconds) {
  loop_.cancel(std::exchange(timer_, 0));
  if (milliseconds < 0) return;
  timer_ = loop_.after(std::chrono::milliseconds(milliseconds), [this] {
    timer_ = 0;
    act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlStreams::ready(curl_socket_t fd, std::uint32_t events) {
  int what = 0;
  if (events & EPOLLIN) what |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) what |= CURL_CSELECT_OUT;
  if (events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
  act(fd, what);
}

void CurlStreams::act(curl_socket_t fd, int events) {
  {
    const WithoutSigpipe guard;
    int running = 0;
    curl_.multi_socket_action(multi_, fd, events, &running);
  }
  deliver();
  collect();
  // What was retired by this call may be what called us: it is let go of afterwards.
  if (!retired_.empty()) loop_.post([old = std::exchange(retired_, {})] {});
}

void CurlStreams::deliver() {
  for (const auto& [id, bytes] : std::exchange(arrived_, {})) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    const std::shared_ptr<Stream> stream = found->second;
    auto taken = stream->events.on_body(stream->prepared->transfer().answer(), bytes);
    if (taken || !streams_.contains(id)) continue;
    stop(id);
    stream->events.on_end(std::unexpected(std::move(taken).error()), true);
  }
}

void CurlStreams::collect() {
  std::vector<std::pair<Id, CURLcode>> over;
  int left = 0;
  while (const CURLMsg* message = curl_.multi_info_read(multi_, &left))
    if (message->msg == CURLMSG_DONE) over.emplace_back(ids_[message->easy_handle], message->data.result);
  for (const auto& [id, code] : over) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;  // stopped by the end of another one
    const std::shared_ptr<Stream> stream = found->second;
    stop(id);
    const bool reached = stream->prepared->connected();
    stream->events.on_end(stream->prepared->finish(code), reached);
  }
}

Result<HttpStreams::Id> CurlStreams::start(HttpCall call, Events events) {
  const Id id = ++last_id_;
  auto stream = std::make_shared<Stream>();
  stream->call = std::move(call);
  stream->events = std::move(events);
  stream->call.progress = nullptr;
  if (stream->events.on_body) {
    stream->call.max_answer_bytes = std::numeric_limits<std::uint64_t>::max();
    stream->call.sink = [this, id](std::string_view bytes) -> Result<void> {
      arrived_.emplace_back(id, bytes);
      return {};
    };
  }
  HF_TRY(stream->prepared, CurlCall::make(curl_, stream->call));
  CURL* easy = stream->prepared->easy();
  // A peer that vanished without a word is noticed by the kernel, in some minutes.
  curl_.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  if (curl_.multi_add_handle(multi_, easy) != CURLM_OK) return fail(ErrorKind::internal, "libcurl does not take the request");
  ids_[easy] = id;
  streams_[id] = std::move(stream);
  return id;  // libcurl has asked for a timer; everything else happens from there
}

void CurlStreams::stop(Id id) {
  const auto node = streams_.extract(id);
  if (node.empty()) return;
  const WithoutSigpipe guard;
  CURL* easy = node.mapped()->prepared->easy();
  ids_.erase(easy);
  curl_.multi_remove_handle(multi_, easy);
}

}  // namespace

Result<std::unique_ptr<HttpStreams>> HttpStreams::make(EventLoop& loop) {
  HF_TRY(const CurlLibrary* curl, CurlLibrary::load());
  CURLM* multi = curl->multi_init();
  if (!multi) return fail(ErrorKind::unavailable, "libcurl has no memory for connections");
  auto streams = std::make_unique<CurlStreams>(loop, *curl, multi);
  if (!streams->set_up()) return fail(ErrorKind::unavailable, "libcurl does not know an option that we need");
  return streams;
}

}  // namespace holdfast::net
