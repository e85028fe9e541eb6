#include "kinds/runner/servers/silence.h"

#include <fmt/format.h>

namespace holdfast::runner {

void Silence::begins(std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (what_.empty()) what_ = what;
}

void Silence::heard() {
  const std::lock_guard lock(mutex_);
  what_.clear();
  asking_ = false;
  changed_.notify_all();
}

std::optional<Error> Silence::error(std::string_view server) const {
  const std::lock_guard lock(mutex_);
  if (what_.empty()) return std::nullopt;
  return make_error(ErrorKind::unavailable,
                    fmt::format("{} did not answer {} in time: it is passed over until it answers again", server, what_), {},
                    std::string(kPassedOver));
}

bool Silence::wait_until_heard(std::chrono::milliseconds patience, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, stop, patience, [this] { return what_.empty(); });
}

void Silence::ask_for_a_sign(const std::shared_ptr<Silence>& silence,
                             const std::function<void(std::function<void(bool answered)>)>& ask) {
  {
    const std::lock_guard lock(silence->mutex_);
    if (silence->what_.empty() || silence->asking_) return;
    silence->asking_ = true;
  }
  ask([silence](bool answered) {
    const std::lock_guard lock(silence->mutex_);
    silence->asking_ = false;
    if (!answered) return;
    silence->what_.clear();
    silence->changed_.notify_all();
  });
}

}  // namespace holdfast::runner
