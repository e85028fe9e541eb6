#include "mcp/server/task_news.h"

#include "base/run/log.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {

TaskNews::TaskNews(Executor& executor, Pool& pool, StateStore& store, Mailbox& mailbox, Subscriptions& subscriptions,
                   Tasks& tasks)
    : executor_(executor), pool_(pool), store_(store), subscriptions_(subscriptions), tasks_(tasks) {
  mailbox.on_wake([this] { look(); });
}

void TaskNews::look() {
  if (!store_.is_shared()) return;
  if (looking_) {
    look_again_ = true;
    return;
  }
  std::set<std::string> watched = subscriptions_.watched_tasks();
  std::erase_if(told_, [&](const auto& told) { return !watched.contains(told.first); });
  std::erase_if(watched, [this](const std::string& id) { return tasks_.is_local(id); });
  if (watched.empty()) return;
  looking_ = true;
  check_later();
  pool_.submit([this, alive = alive_, watched = std::move(watched)] {
    std::vector<Found> found;
    for (const std::string& id : watched) {
      auto task = tasks_.find(id);
      if (!task) log(LogLevel::warn, "mcp", "a task of another process could not be looked at: " + task.error().message);
      if (!task || !*task) continue;
      found.push_back({id, std::move(**task)});
    }
    executor_.post([this, alive, found = std::move(found)]() mutable {
      if (!*alive) return;
      looking_ = false;
      tell(std::move(found));
      if (std::exchange(look_again_, false)) look();
    });
  });
}

void TaskNews::note_told(const std::string& id, const JsonObject& task) {
  if (store_.is_shared() && subscriptions_.watched_tasks().contains(id)) told_[id] = to_json(task);
}

// The first look finds the task as it is: who listens from the beginning is not told that it works.
void TaskNews::tell(std::vector<Found> found) {
  for (const Found& each : found) {
    if (tasks_.is_local(each.id)) continue;
    std::string text = to_json(each.task.task);
    auto [told, is_new] = told_.try_emplace(each.id, text);
    bool news = is_new ? find_string(each.task.task, "status") != "working" : told->second != text;
    told->second = std::move(text);
    if (news) subscriptions_.task_changed(each.id, each.task.owner, each.task.task);
  }
}

// A process that died wakes nobody.
void TaskNews::check_later() {
  if (std::exchange(check_due_, true)) return;
  executor_.after(kForeignTaskCheck, [this, alive = alive_] {
    if (!*alive) return;
    check_due_ = false;
    look();
  });
}

}  // namespace holdfast::mcp
