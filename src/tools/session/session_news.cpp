#include "tools/session/session_news.h"

#include "session/kinds.h"
#include "session/record.h"
#include "tools/session/notices.h"
#include "tools/session/session_tools.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace holdfast::tools {

namespace {

// Sessions whose owner is remembered: more than are busy at once. Then all are looked up again.
constexpr std::size_t kMaxOwners = 2000;

// Of a session that is gone nobody knows any more in which project it was: only who sees all of them hears of it.
std::optional<mcp::Audience> read_audience(session::Store& store, const std::string& id) {
  if (auto record = store.get(id)) return mcp::Audience{record->principal, session::roots_of(*record)};
  if (auto tombstone = store.tombstone(id); tombstone && *tombstone) return mcp::Audience{(*tombstone)->principal, {}};
  return std::nullopt;
}

// A notice that any process has opened stands in its thread, too (threads-and-research §6).
bool is_notice(session::Store& store, const session::Event& event) {
  if (event.type != session::EventType::entry || event.kind != session::kThread) return false;
  auto entry = store.entry(event.session, event.seq);
  return entry && *entry && (*entry)->type == "notice";
}

}  // namespace

Result<std::unique_ptr<SessionNews>> SessionNews::follow(session::Store& store, mcp::Server& server) {
  std::unique_ptr<SessionNews> news(new SessionNews(store, server));
  session::SubscribeOptions options;
  options.on_ready = [raw = news.get()] { raw->on_ready(); };
  const std::lock_guard lock(news->mutex_);
  HF_TRY(news->subscription_, store.subscribe(std::move(options)));
  return news;
}

void SessionNews::on_ready() {
  if (looking_.exchange(true)) return;
  server_.pool().submit([this] { tell(); });
}

void SessionNews::forget_owners(const session::Subscription::Taken& taken) {
  if (taken.lost || owners_.size() > kMaxOwners) {
    owners_.clear();
    ++forgotten_;
  }
  for (const session::Event& event : taken.events) {
    if (event.type == session::EventType::entry) continue;
    owners_.erase(event.session);
    ++forgotten_;
  }
}

std::optional<mcp::Audience> SessionNews::audience_of(const std::string& id, std::uint64_t seen) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = owners_.find(id); found != owners_.end()) return found->second;
  }
  auto audience = read_audience(store_, id);
  const std::lock_guard lock(mutex_);
  if (audience && seen == forgotten_) owners_.insert_or_assign(id, *audience);
  return audience;
}

// When events were lost, the list has changed in any case; single sessions are then not known.
void SessionNews::tell() {
  looking_ = false;  // before taking: what comes from now on wants another look
  session::Subscription::Taken taken;
  std::uint64_t seen = 0;
  {
    const std::lock_guard lock(mutex_);
    taken = subscription_->take();
    forget_owners(taken);
    seen = forgotten_;
  }
  std::set<std::string> changed, noticed;
  std::map<std::string, std::vector<std::string>> roots_of_owner;
  for (const session::Event& event : taken.events) {
    changed.insert(event.session);
    if (is_notice(store_, event)) noticed.insert(event.session);
  }
  for (const std::string& id : changed) {
    const auto audience = audience_of(id, seen);
    if (!audience) continue;
    server_.resource_updated(std::string(kSessionsUri) + "/" + id, *audience, mcp::Server::Reach::here);
    auto& roots = roots_of_owner[audience->principal];
    roots.insert(roots.end(), audience->roots.begin(), audience->roots.end());
    if (noticed.contains(id)) server_.resource_updated(std::string(kNoticesUri), *audience, mcp::Server::Reach::here);
  }
  if (taken.lost) server_.resource_updated(std::string(kSessionsUri), {}, mcp::Server::Reach::here);
  for (auto& [owner, roots] : roots_of_owner)
    server_.resource_updated(std::string(kSessionsUri), mcp::Audience{owner, std::move(roots)}, mcp::Server::Reach::here);
}

}  // namespace holdfast::tools
