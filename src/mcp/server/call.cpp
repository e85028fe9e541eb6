#include "mcp/server/call.h"

#include "mcp/server/run.h"
#include "mcp/server/server.h"

#include <algorithm>
#include <cmath>

namespace holdfast::mcp {

Call::Call(std::shared_ptr<Run> run) : run_(std::move(run)) {}

const Caller& Call::caller() const {
  return *run_->caller_;
}

const JsonObject& Call::arguments() const {
  return run_->arguments_;
}

const JsonObject& Call::request_meta() const {
  static const JsonObject kNone;
  const JsonObject* meta = find_object(run_->request_.params, "_meta");
  return meta ? *meta : kNone;
}

const std::vector<std::string>& Call::ignored_arguments() const {
  return run_->ignored_;
}

bool Call::cancelled() const {
  return run_->cancelled_;
}

bool Call::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(run_->mutex_);
  return !run_->changed_.wait_for(lock, time, [this] { return run_->cancelled_.load(); });
}

void Call::progress(double progress, std::optional<double> total, std::string_view message) {
  // Strictly growing, as the protocol demands; a handler that is run again from its top repeats itself.
  if (run_->progress_token_.is_null() || !std::isfinite(progress) || progress <= run_->last_progress_) return;
  run_->last_progress_ = progress;
  JsonObject params{{"progressToken", run_->progress_token_}, {"progress", progress}};
  if (total) params["total"] = *total;
  if (!message.empty() && caller().version >= Version::v2025_03_26) params["message"] = message;
  run_->server_.on_io([run = run_, text = write_notification("notifications/progress", params)]() mutable {
    if (!run->closed_) run->outlet_->send(std::move(text));  // a task has its answer already: nothing may follow it
  });
}

void Call::log(Severity severity, std::string_view logger, Json data) {
  if (!run_->server_.options().logging) return;
  if (caller().era() == Era::modern && (!caller().log_level || severity < *caller().log_level)) return;
  JsonObject params{{"level", name_of(severity)}};
  if (!logger.empty()) params["logger"] = logger;
  params["data"] = std::move(data);
  run_->server_.on_io([run = run_, severity, text = write_notification("notifications/message", params)]() mutable {
    if (run->closed_) return;
    bool wanted = run->caller().era() == Era::modern || (run->connection_ && severity >= run->connection_->log_level);
    if (wanted) run->outlet_->send(std::move(text));
  });
}

const Answer* Call::ask(std::string_view key, Question question) {
  std::string name(key);
  if (auto known = run_->answers_.find(name); known != run_->answers_.end()) return &known->second;
  if (const Json* carried = find(run_->carried_, key)) {
    bool was_asked = !question.sealed || std::ranges::find(run_->asked_before_, name) != run_->asked_before_.end();
    if (was_asked && question.is_answered_by(*carried))
      return &run_->answers_.emplace(name, Answer{carried->get_object(), {}}).first->second;
  }
  run_->questions_.insert_or_assign(std::move(name), std::move(question));
  return nullptr;
}

JsonObject& Call::state() {
  return run_->state_;
}

Result<bool> Call::become_task(std::string status_message, JsonObject meta, bool outlives) {
  if (run_->is_task_) return true;
  if (!run_->task_capable_ || run_->where_ == RunOn::io) return false;
  HF_TRY(JsonObject row, run_->server_.tasks().create(caller(), status_message, std::move(meta), outlives));
  run_->is_task_ = true;
  run_->server_.executor().post([run = run_, row = std::move(row)]() mutable {
    JsonObject created = Tasks::created_result(row);
    run->task_id_ = std::string(*find_string(row, "taskId"));
    run->server_.tasks().adopt(run, std::move(row));
    // The client left while the task was being written: nobody will ever ask for it.
    if (run->closed_) return run->server_.tasks().cancel(run->task_id_);
    run->finish_with(std::move(created));
  });
  return true;
}

void Call::task_status(std::string message) {
  run_->server_.on_io([run = run_, message = std::move(message)]() mutable {
    if (!run->task_id_.empty()) run->server_.tasks().say(run->task_id_, std::move(message));
  });
}

void Call::release_connection() {
  run_->server_.on_io([run = run_] {
    if (!run->closed_) run->outlet_->release_connection();
  });
}

}  // namespace holdfast::mcp
