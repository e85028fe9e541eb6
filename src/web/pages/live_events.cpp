#include "web/pages/live_events.h"

#include "base/run/log.h"
#include "net/http/sse.h"
#include "session/kinds.h"
#include "session/record.h"

#include <map>

namespace holdfast::web {

namespace {

constexpr int kRetryMillis = 2'000;  // a server that restarts is back by then

std::string event_text(const session::Event& event) {
  std::string text;
  net::append_sse(text,
                  {{}, "session", to_json(JsonObject{{"session", event.session}, {"kind", event.kind}, {"seq", event.seq}}), {}});
  return text;
}

}  // namespace

void LiveEvents::join(std::shared_ptr<net::HttpExchange> exchange, const Identity& identity) {
  if (streams_.size() >= kMaxStreams) {
    streams_.front().exchange->end();
    streams_.erase(streams_.begin());
  }
  exchange->start_stream(200,
                         {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}});
  std::string hello;
  net::append_sse(hello, {{}, "ready", "{}", kRetryMillis});
  exchange->write(std::move(hello));
  streams_.push_back({exchange, identity});
  exchange->on_gone([this, raw = exchange.get()] {
    std::erase_if(streams_, [raw](const Stream& stream) { return stream.exchange.get() == raw; });
  });
  if (std::exchange(following_, true)) return;
  pool_.submit([this] { follow(); });
}

void LiveEvents::close() {
  for (const Stream& stream : std::exchange(streams_, {})) stream.exchange->end();
}

void LiveEvents::announce_transcript(const std::string& id) {
  News news{std::string(kLocalPrincipal), {}, {}};
  const JsonObject about = id.empty() ? JsonObject{} : JsonObject{{"session", id}, {"kind", session::kTranscript}};
  net::append_sse(news.text, {{}, "session", to_json(about), {}});
  executor_.post([this, news = std::move(news)] { tell({news}); });
}

void LiveEvents::follow() {
  if (on_first_listener_) std::exchange(on_first_listener_, nullptr)();
  session::SubscribeOptions options;
  options.on_ready = [this] { on_ready(); };
  const std::lock_guard lock(mutex_);  // the first events may come before the subscription is known here
  auto subscription = store_.subscribe(std::move(options));
  if (!subscription) {
    log(LogLevel::warn, "web", "pages do not follow the store: " + subscription.error().message);
    executor_.post([this] { following_ = false; });  // the next stream tries again
    return;
  }
  subscription_ = std::move(*subscription);
}

void LiveEvents::on_ready() {
  if (looking_.exchange(true)) return;
  pool_.submit([this] { look(); });
}

void LiveEvents::look() {
  looking_ = false;  // before taking: what comes from now on wants another look
  session::Subscription::Taken taken;
  {
    const std::lock_guard lock(mutex_);
    if (subscription_) taken = subscription_->take();
  }
  // Of many changes of one session the last one says it all.
  std::map<std::string, const session::Event*> latest;
  for (const session::Event& event : taken.events) latest[event.session] = &event;
  auto news = std::make_shared<std::vector<News>>();
  if (taken.lost) {
    News lost;
    net::append_sse(lost.text, {{}, "session", "{}", {}});
    news->push_back(std::move(lost));
  }
  for (const auto& [id, event] : latest) {
    if (auto record = store_.get(id))
      news->push_back({record->principal, session::roots_of(*record), event_text(*event)});
    else if (auto tombstone = store_.tombstone(id); tombstone && *tombstone)
      news->push_back({(*tombstone)->principal, {}, event_text(*event)});  // its project is not known any more
  }
  if (!news->empty()) executor_.post([this, news] { tell(*news); });
}

void LiveEvents::tell(const std::vector<News>& news) {
  for (const Stream& stream : streams_) {
    std::string text;
    for (const News& each : news)
      if (each.principal.empty() || (each.principal == stream.identity.principal && stream.identity.may_see(each.roots)))
        text += each.text;
    stream.exchange->write(std::move(text));
  }
}

}  // namespace holdfast::web
