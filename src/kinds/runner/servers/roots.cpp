#include "kinds/runner/servers/roots.h"

#include "base/files/at_or_below.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "base/text/uri.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::runner {

namespace {

std::string folder_name(const JudgedFolder& folder) {
  if (folder.path == "/") return "/";
  return to_valid_utf8(std::string_view(folder.path).substr(folder.path.rfind('/') + 1));
}

bool same_folder(const JudgedFolder& a, const JudgedFolder& b) {
  return a.device == b.device && a.inode == b.inode;
}

bool same_list(const std::vector<Root>& a, const std::vector<Root>& b) {
  return std::ranges::equal(a, b, [](const Root& x, const Root& y) {
    return x.folder.path == y.folder.path && x.name == y.name && same_folder(x.folder, y.folder);
  });
}

// The first of equal folders stays.
void add_root(std::vector<Root>& roots, Root root) {
  for (const Root& known : roots)
    if (same_folder(known.folder, root.folder)) return;
  roots.push_back(std::move(root));
}

void mark_nested(std::vector<Root>& roots) {
  for (Root& root : roots)
    root.nested = std::ranges::any_of(
        roots, [&](const Root& other) { return &other != &root && is_at_or_below(root.folder.path, other.folder.path); });
}

Result<Root> judged(const Roots::Wanted& wanted, const PathRules& rules) {
  Root root;
  HF_TRY(root.folder, judge_folder(wanted.folder, rules));
  root.uri = folder_uri(root.folder.path);
  root.name = wanted.name ? to_valid_utf8(*wanted.name) : folder_name(root.folder);
  return root;
}

Error too_many() {
  return make_error(ErrorKind::invalid, fmt::format("more than {} roots", kMaxRoots), "name a folder above them instead",
                    "bad_path");
}

}  // namespace

std::string folder_uri(std::string_view path) {
  std::string uri = "file://";
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    uri += percent_encode(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    uri += '/';
    path.remove_prefix(slash + 1);
  }
  return uri;
}

Roots::Roots(PathRules rules) : rules_(std::move(rules)), current_(std::make_shared<RootsSnapshot>()) {}

RootsView Roots::snapshot() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Result<RootsView> Roots::set(const std::vector<Wanted>& wanted) {
  if (wanted.size() > kMaxRoots) return fail(too_many());
  std::vector<Root> roots;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto root = judged(wanted[i], rules_);
    if (!root && wanted.size() == 1) return fail(std::move(root).error());
    if (!root) return fail(std::move(root).error().within(fmt::format("root {}", i)));
    add_root(roots, *std::move(root));
  }
  std::unique_lock lock(mutex_);
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::add(const Wanted& wanted) {
  HF_TRY(Root root, judged(wanted, rules_));
  std::unique_lock lock(mutex_);
  std::vector<Root> roots = current_->roots;
  add_root(roots, std::move(root));
  if (roots.size() > kMaxRoots) return fail(too_many());
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::remove(std::string_view folder) {
  const auto found = judge_folder(folder, rules_);
  std::unique_lock lock(mutex_);
  std::vector<Root> roots = current_->roots;
  const std::size_t removed = std::erase_if(roots, [&](const Root& root) {
    return root.folder.path == folder || root.uri == folder || (found && found->path == root.folder.path);
  });
  if (removed == 0) return fail(ErrorKind::not_found, fmt::format("{} is not a root", to_valid_utf8(folder)));
  return publish(std::move(roots), lock);
}

Result<RootsView> Roots::clear() {
  std::unique_lock lock(mutex_);
  return publish({}, lock);
}

RootsView Roots::put_back(const RootsView& earlier) {
  std::unique_lock lock(mutex_);
  return publish(earlier->roots, lock);
}

RootsView Roots::publish(std::vector<Root> roots, std::unique_lock<std::mutex>& lock) {
  mark_nested(roots);
  if (same_list(roots, current_->roots)) return current_;
  auto next = std::make_shared<RootsSnapshot>();
  next->roots = std::move(roots);
  next->generation = current_->generation + 1;
  current_ = next;
  std::erase_if(missing_, [&](const std::string& path) {
    return std::ranges::none_of(next->roots, [&](const Root& root) { return root.folder.path == path; });
  });
  undelivered_.push_back({RootsEvent::What::changed, next, {}});
  deliver(lock);
  return next;
}

std::vector<Root> Roots::available() {
  std::unique_lock lock(mutex_);
  std::vector<Root> there;
  for (const Root& root : current_->roots) {
    const bool now = is_still_there(root.folder);
    const auto known = std::ranges::find(missing_, root.folder.path);
    if (now) there.push_back(root);
    if (now == (known == missing_.end())) continue;
    if (now)
      missing_.erase(known);
    else
      missing_.push_back(root.folder.path);
    undelivered_.push_back({now ? RootsEvent::What::restored : RootsEvent::What::unavailable, current_, root.folder.path});
  }
  deliver(lock);
  return there;
}

// One thread at a time empties the queue, so that every listener hears of versions in order; a change made by a listener is
// delivered when it has returned.
void Roots::deliver(std::unique_lock<std::mutex>& lock) {
  if (delivering_) return;
  delivering_ = true;
  while (!undelivered_.empty()) {
    const RootsEvent event = std::move(undelivered_.front());
    undelivered_.pop_front();
    const auto listeners = listeners_;
    lock.unlock();
    for (const auto& [token, listener] : listeners) {
      try {
        listener(event);
      } catch (const std::exception& error) {
        log(LogLevel::warn, "runner", fmt::format("a listener of roots failed: {}", error.what()));
      }
    }
    lock.lock();
  }
  delivering_ = false;
}

std::uint64_t Roots::subscribe(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_.emplace_back(next_token_, std::move(listener));
  return next_token_++;
}

void Roots::unsubscribe(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [&](const auto& each) { return each.first == token; });
}

}  // namespace holdfast::runner
