#include "mcp/server/tasks.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "mcp/wire/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kTaskArea = "mcp.task";

// Members of a row that the wire never sees.
// _answers: given so far, while other questions of the same round are open. _outlives: see Tasks::Survivors.
// _node: the address of the process that runs it.
constexpr std::array<std::string_view, 6> kPrivate = {"principal", "projects", "owner", "_answers", "_outlives", "_node"};

bool is_final(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

std::string_view status_of(const JsonObject& row) {
  return find_string(row, "status").value_or("");
}

JsonObject without_private(JsonObject row) {
  for (std::string_view key : kPrivate) row.erase(key);
  return row;
}

bool is_there_for(const JsonObject& row, const Identity& asker) {
  const auto owner = owner_in(row);
  return owner && asker.covers(*owner);
}

bool outlives(const JsonObject& row) {
  return find_bool(row, "_outlives").value_or(false);
}

std::string stopped(const JsonObject& row) {
  const JsonObject* meta = find_object(row, "_meta");
  return fmt::format("the server that ran this task has stopped; {}",
                     (meta ? find_string(*meta, kWhenStopped) : std::nullopt).value_or("call the tool again"));
}

RpcError unknown_task() {
  return invalid_params("there is no such task, or it has expired; call the tool again");
}

}  // namespace

Tasks::Tasks(Executor& executor, Pool& pool, const Clock& clock, StateStore& store, Mailbox& mailbox, OnChange on_change)
    : executor_(executor), pool_(pool), clock_(clock), store_(store), mailbox_(mailbox), on_change_(std::move(on_change)) {
  mailbox_.on("task", [this](const JsonObject& message) { take_message(message); });
  mailbox_.on("task_receipt",
              [this](const JsonObject& message) { take_receipt(std::string(find_string(message, "receipt").value_or(""))); });
}

Tasks::~Tasks() {
  *alive_ = false;
}

Result<JsonObject> Tasks::create(const Identity& owner, const std::string& status_message, JsonObject meta, bool outlives) {
  if (count_.fetch_add(1) >= kMaxTasks) {
    --count_;
    return holdfast::fail(ErrorKind::unavailable, "too many tasks are running; try again when some are over");
  }
  // Others must be able to reach us, and to see that we live, before they see the task.
  if (auto joined = mailbox_.join(); !joined) {
    --count_;
    return std::unexpected(std::move(joined).error());
  }
  std::string now = iso8601(clock_.now());
  JsonObject row{{"taskId", make_uuid4()},     {"status", "working"},
                 {"createdAt", now},           {"lastUpdatedAt", now},
                 {"ttlMs", kTaskLife.count()}, {"pollIntervalMs", (outlives ? kLongTaskPoll : kTaskPoll).count()},
                 {"owner", store_.owner()},    {"_node", store_.address()}};
  for (auto& field : owner_fields(owner)) row[field.key()] = std::move(field.value());
  if (!status_message.empty()) row["statusMessage"] = status_message;
  if (!meta.empty()) row["_meta"] = std::move(meta);
  if (outlives) row["_outlives"] = true;
  auto kept = store_.put(kTaskArea, *find_string(row, "taskId"), row, clock_.now() + kTaskLife.count());
  if (!kept) {
    --count_;
    return std::unexpected(std::move(kept).error());
  }
  return row;
}

JsonObject Tasks::created_result(const JsonObject& row) {
  JsonObject result = without_private(row);
  result["resultType"] = "task";
  return result;
}

void Tasks::adopt(std::shared_ptr<Run> run, JsonObject row) {
  std::string id(*find_string(row, "taskId"));
  local_.insert_or_assign(id, Local{std::move(run), std::move(row), clock_.now() + kTaskLife.count()});
  take_care();
}

void Tasks::change(const std::string& id, std::string_view status, const std::function<void(JsonObject&)>& edit) {
  auto task = local_.find(id);
  if (task == local_.end() || is_final(status_of(task->second.row))) return;
  JsonObject& row = task->second.row;
  row["status"] = status;
  row["lastUpdatedAt"] = iso8601(clock_.now());
  row.erase("inputRequests");
  edit(row);
  if (is_final(status)) --count_;
  if (const auto owner = owner_in(row)) on_change_(id, *owner, without_private(row));
  persist(id);
}

void Tasks::persist(const std::string& id) {
  auto found = local_.find(id);
  if (found == local_.end()) return;
  Local& task = found->second;
  task.dirty = true;
  if (task.writing) return;
  task.dirty = false;
  task.writing = true;
  task.with_this_write = std::exchange(task.with_the_next, {});
  task.kept_until = clock_.now() + kTaskLife.count();
  pool_.submit([this, alive = alive_, id, row = task.row, expires = task.kept_until] {
    auto written = store_.change([&](StateTransaction& store) -> Result<void> {
      store.wake();  // somebody may listen elsewhere
      return store.put(kTaskArea, id, row, expires);
    });
    if (!written) log(LogLevel::error, "mcp", "task " + id + " could not be stored: " + written.error().message);
    executor_.post([this, alive, id, kept = written.has_value()] {
      if (*alive) written_to_store(id, kept);
    });
  });
}

void Tasks::written_to_store(const std::string& id, bool kept) {
  auto task = local_.find(id);
  if (task == local_.end()) return;
  task->second.writing = false;
  auto waited = std::exchange(task->second.with_this_write, {});
  if (task->second.dirty)
    persist(id);
  else
    std::ranges::move(std::exchange(task->second.with_the_next, {}), std::back_inserter(waited));
  for (const auto& tell : waited) tell();
  if (task->second.writing) return;
  // A finished task that the store has needs no memory here; one that it has not stays readable for its life.
  if (kept && is_final(status_of(task->second.row))) local_.erase(task);
}

void Tasks::stop() {
  std::vector<std::string> ids;
  for (const auto& [id, task] : local_) ids.push_back(id);
  for (const std::string& id : ids) {
    std::shared_ptr<Run> run = local_.at(id).run;
    // What its handler still returns must not end a task that goes on elsewhere.
    if (outlives(local_.at(id).row)) {
      Local left = std::move(local_.extract(id).mapped());
      for (const auto* waiting : {&left.with_this_write, &left.with_the_next})
        for (const auto& tell : *waiting) tell();
    } else {
      fail(id, {code::kInternal, stopped(local_.at(id).row), nullptr});
    }
    run->cancel();
  }
}

void Tasks::look_after_the_old() {
  std::vector<std::string> old;
  for (const auto& [id, task] : local_)
    if (task.kept_until - clock_.now() < kTaskLife.count() / 2) old.push_back(id);
  for (const std::string& id : old) {
    Local& task = local_.at(id);
    if (status_of(task.row) == "working")
      persist(id);  // its process is here and at work: others must be able to see it
    else if (task.kept_until <= clock_.now() && is_final(status_of(task.row)))
      local_.erase(id);
    else if (task.kept_until <= clock_.now())
      cancel(id);  // nobody answers any more
  }
}

void Tasks::say(const std::string& id, std::string message) {
  auto task = local_.find(id);
  if (task == local_.end() || status_of(task->second.row) != "working") return;
  change(id, "working", [&](JsonObject& row) { row["statusMessage"] = std::move(message); });
}

void Tasks::ask(const std::string& id, JsonObject input_requests) {
  change(id, "input_required", [&](JsonObject& row) { row["inputRequests"] = std::move(input_requests); });
}

void Tasks::complete(const std::string& id, JsonObject result) {
  change(id, "completed", [&](JsonObject& row) { row["result"] = std::move(result); });
}

void Tasks::fail(const std::string& id, const RpcError& error) {
  change(id, "failed", [&](JsonObject& row) {
    JsonObject wire{{"code", error.code}, {"message", error.message}};
    if (!error.data.is_null()) wire["data"] = error.data;
    row["error"] = std::move(wire);
  });
}

void Tasks::cancel(const std::string& id) {
  auto task = local_.find(id);
  if (task == local_.end() || is_final(status_of(task->second.row))) return;
  std::shared_ptr<Run> run = task->second.run;
  change(id, "cancelled", [](JsonObject&) {});
  run->cancel();
}

void Tasks::answer_local(const std::string& id, const JsonObject& responses) {
  auto task = local_.find(id);
  if (task == local_.end() || status_of(task->second.row) != "input_required") return;
  std::shared_ptr<Run> run = task->second.run;
  Json* pending = task->second.row.if_contains("inputRequests");
  if (!pending || !pending->is_object()) return;
  JsonObject fitting;
  for (const auto& response : responses) {
    if (!pending->get_object().contains(response.key())) continue;
    auto question = run->questions().find(std::string(response.key()));
    if (question == run->questions().end() || !question->second.is_answered_by(response.value())) continue;
    fitting.insert_or_assign(response.key(), response.value());
  }
  if (fitting.empty()) return;
  // Answers given earlier wait in the row, so that the handler runs again only when all are there.
  JsonObject given;
  if (const JsonObject* before = find_object(task->second.row, "_answers")) given = *before;
  JsonObject rest = pending->get_object();
  for (const auto& answer : fitting) {
    given.insert_or_assign(answer.key(), answer.value());
    rest.erase(answer.key());
  }
  if (!rest.empty()) {
    change(id, "input_required", [&](JsonObject& row) { row["inputRequests"] = std::move(rest); });
    local_.at(id).row["_answers"] = std::move(given);
    return;
  }
  local_.at(id).row.erase("_answers");
  change(id, "working", [](JsonObject&) {});
  run->resume_with(std::move(given));
}

void Tasks::with_row(std::shared_ptr<Run> request, std::function<void(JsonObject, bool)> then) {
  if (!request->caller().has_extension(kTasksExtension))
    return request->fail_with(missing_tasks_extension("tasks need the tasks extension"));
  auto id = find_string(request->request().params, "taskId");
  if (!id) return request->fail_with(invalid_params("taskId must be a string"));
  if (auto task = local_.find(std::string(*id)); task != local_.end()) {
    if (!is_there_for(task->second.row, request->caller())) return request->fail_with(unknown_task());
    return then(task->second.row, true);
  }
  pool_.submit([this, alive = alive_, id = std::string(*id), request, then = std::move(then)]() mutable {
    auto found = read_row(id);
    executor_.post([alive, request, found = std::move(found), then = std::move(then)]() mutable {
      if (!*alive) return;
      if (!found) return request->fail_with(to_rpc_error(found.error()));
      if (!*found || !is_there_for(**found, request->caller())) return request->fail_with(unknown_task());
      then(std::move(**found), false);
    });
  });
}

Result<std::optional<JsonObject>> Tasks::read_row(const std::string& id) {
  HF_TRY(auto found, store_.get(kTaskArea, id));
  if (!found || !found->is_object()) return std::nullopt;
  JsonObject row = std::move(found->get_object());
  if (is_final(status_of(row)) || store_.is_alive(find_string(row, "owner").value_or(""))) return row;
  if (const auto owner = owner_in(row); owner && outlives(row) && survivors_.refresh) {
    survivors_.refresh(*owner, row);
    return row;
  }
  row["status"] = "failed";
  row.erase("inputRequests");
  row["error"] = JsonObject{{"code", code::kInternal}, {"message", stopped(row)}};
  return row;
}

Result<std::optional<Tasks::Found>> Tasks::find(const std::string& id) {
  HF_TRY(auto row, read_row(id));
  auto owner = row ? owner_in(*row) : std::nullopt;
  if (!owner) return std::nullopt;
  return Found{*std::move(owner), without_private(std::move(*row))};
}

void Tasks::on_get(std::shared_ptr<Run> request) {
  with_row(request, [this, request](JsonObject row, bool) {
    std::string id(*find_string(row, "taskId"));
    when_kept(id, [request, row = std::move(row)] { request->finish_with(without_private(row)); });
  });
}

void Tasks::on_update(std::shared_ptr<Run> request) {
  with_row(request, [this, request](JsonObject row, bool local) {
    const JsonObject* responses = find_object(request->request().params, "inputResponses");
    if (!responses) return request->fail_with(invalid_params("inputResponses must be an object"));
    std::string id(*find_string(row, "taskId"));
    if (!local && !is_final(status_of(row))) return forward(request, row, {{"answers", *responses}});
    if (local) answer_local(id, *responses);
    when_kept(id, [request] { request->finish_with({}); });
  });
}

void Tasks::on_cancel(std::shared_ptr<Run> request) {
  with_row(request, [this, request](JsonObject row, bool local) {
    std::string id(*find_string(row, "taskId"));
    if (!local && !is_final(status_of(row))) {
      // Its process may have gone; then nobody reads the message, and the work itself is told.
      if (outlives(row) && survivors_.cancel)
        pool_.submit([this, owner = owner_in(row).value(), row] { survivors_.cancel(owner, row); });
      return forward(request, row, {{"cancel", true}});
    }
    if (local) cancel(id);
    when_kept(id, [request] { request->finish_with({}); });
  });
}

void Tasks::forward(std::shared_ptr<Run> request, const JsonObject& row, JsonObject message) {
  std::string receipt = make_handle();
  message["taskId"] = *find_string(row, "taskId");
  message["receipt"] = receipt;
  message["from"] = store_.address();
  message["asker"] = owner_fields(request->caller());
  unread_[receipt] = request;
  mailbox_.send(std::string(find_string(row, "_node").value_or("")), "task", std::move(message),
                [this, request, receipt](Result<void> sent) {
                  if (!sent) {
                    unread_.erase(receipt);
                    // Nobody there: whoever looks at the task next is told how it ended.
                    if (sent.error().kind == ErrorKind::not_found) return request->finish_with({});
                    return request->fail_with(to_rpc_error(sent.error()));
                  }
                  // The message is durable; a process that is busy, or dies now, must not keep the client waiting.
                  executor_.after(kReceiptPatience, [this, alive = alive_, receipt] {
                    if (*alive) take_receipt(receipt);
                  });
                });
}

void Tasks::take_receipt(const std::string& receipt) {
  auto unread = unread_.extract(receipt);
  if (unread) unread.mapped()->finish_with({});
}

void Tasks::take_message(const JsonObject& message) {
  std::string id(find_string(message, "taskId").value_or(""));
  // A message has no more power than the request it stands for.
  const JsonObject* from_whom = find_object(message, "asker");
  const auto asker = from_whom ? owner_in(*from_whom) : std::nullopt;
  if (const auto task = local_.find(id); asker && task != local_.end() && is_there_for(task->second.row, *asker)) {
    if (find_bool(message, "cancel") == true) cancel(id);
    if (const JsonObject* answers = find_object(message, "answers")) answer_local(id, *answers);
  }
  auto acknowledge = [this, from = std::string(find_string(message, "from").value_or("")),
                      receipt = std::string(find_string(message, "receipt").value_or(""))] {
    mailbox_.send(from, "task_receipt", {{"receipt", receipt}});
  };
  when_kept(id, std::move(acknowledge));
}

void Tasks::when_kept(const std::string& id, std::function<void()> then) {
  auto task = local_.find(id);
  if (!store_.is_shared() || task == local_.end() || !task->second.writing) return then();
  task->second.with_the_next.push_back(std::move(then));
}

void Tasks::take_care() {
  if (care_timer_ != 0 || local_.empty()) return;
  care_timer_ = executor_.after(kTaskCare, [this, alive = alive_] {
    if (!*alive) return;
    care_timer_ = 0;
    look_after_the_old();
    take_care();
  });
}

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
