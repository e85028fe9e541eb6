#include "kinds/runner/run_request.h"

#include "base/text/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::runner {

namespace {

class RequestReading {
 public:
  void wrong(std::string_view where, std::string_view what) { problems_.push_back(fmt::format("{}: {}", where, what)); }

  std::optional<std::int64_t> integer(const JsonObject& object, std::string_view where, std::string_view name, std::int64_t low,
                                      std::int64_t high) {
    const Json* value = find(object, name);
    if (!value || value->is_null()) return std::nullopt;
    const auto number = find_int(object, name);
    if (!number || *number < low || *number > high) {
      wrong(fmt::format("{}.{}", where, name), fmt::format("must be a whole number from {} to {}", low, high));
      return std::nullopt;
    }
    return number;
  }

  std::optional<std::string> text(const JsonObject& object, std::string_view where, std::string_view name) {
    const Json* value = find(object, name);
    if (!value || value->is_null()) return std::nullopt;
    if (!value->is_string()) {
      wrong(fmt::format("{}.{}", where, name), "must be a text");
      return std::nullopt;
    }
    return std::string(view(value->as_string()));
  }

  // A text, or a list of at least one. one, many: what they are called.
  std::optional<std::vector<std::string>> texts(const JsonObject& object, std::string_view where, std::string_view name,
                                                std::string_view one = "folder", std::string_view many = "folders") {
    const Json* value = find(object, name);
    if (!value || value->is_null()) return std::nullopt;
    std::vector<std::string> found;
    if (value->is_string()) found.emplace_back(view(value->as_string()));
    bool sound = value->is_string() || value->is_array();
    if (value->is_array())
      for (const Json& each : value->as_array()) {
        sound = sound && each.is_string();
        if (each.is_string()) found.emplace_back(view(each.as_string()));
      }
    if (!sound || found.empty() || std::ranges::any_of(found, [](const std::string& each) { return trim(each).empty(); })) {
      wrong(fmt::format("{}.{}", where, name), fmt::format("must be a {}, or a list of {} that is not empty", one, many));
      return std::nullopt;
    }
    return found;
  }

  TaskLimits limits(const JsonObject& object, std::string_view where) {
    TaskLimits limits;
    limits.max_rounds = integer(object, where, "max_rounds", 1, kMaxRounds);
    limits.timeout_s = integer(object, where, "timeout_s", 1, kMaxTimeout);
    limits.call_timeout_s = integer(object, where, "call_timeout_s", 1, kMaxTimeout);
    limits.max_result_bytes = integer(object, where, "max_result_bytes", kMinResultBytes, kMaxResultBytes);
    limits.max_calls = integer(object, where, "max_calls", 1, kMaxCalls);
    limits.model = text(object, where, "model");
    const Json* tokens = find(object, "max_tokens");
    if (tokens && tokens->is_string() && view(tokens->as_string()) != "auto")
      wrong(fmt::format("{}.max_tokens", where), R"(must be "auto" or a whole number)");
    else if (tokens && !tokens->is_string())
      limits.max_tokens = integer(object, where, "max_tokens", 1, std::int64_t{1} << 31);
    return limits;
  }

  void only(const JsonObject& object, std::string_view where, const std::set<std::string_view>& names) {
    for (const auto& [key, value] : object)
      if (!names.contains(std::string_view(key.data(), key.size())))
        wrong(where,
              fmt::format("there is no {}; there are {}", std::string_view(key.data(), key.size()), fmt::join(names, ", ")));
  }

  Result<void> result() const {
    if (problems_.empty()) return {};
    return fail(ErrorKind::invalid, fmt::format("the request is wrong:\n- {}", fmt::join(problems_, "\n- ")),
                "nothing was started", "bad_request");
  }

 private:
  std::vector<std::string> problems_;
};

RunTask read_task(RequestReading& reading, const Json& value, std::size_t index) {
  const std::string where = fmt::format("tasks[{}]", index);
  RunTask task;
  bool said = false;  // that its words are none
  if (value.is_string()) {
    task.text = trim(view(value.as_string()));
  } else if (value.is_object()) {
    const JsonObject& object = value.as_object();
    reading.only(object, where,
                 {"task", "working_directory", "max_rounds", "max_tokens", "model", "timeout_s", "call_timeout_s",
                  "max_result_bytes", "max_calls", "id", "keep_context"});
    const Json* words = find(object, "task");
    said = words && !words->is_string() && !words->is_null();
    task.text = trim(reading.text(object, where, "task").value_or(""));
    task.folders = reading.texts(object, where, "working_directory");
    task.id = reading.text(object, where, "id").value_or("");
    task.limits = reading.limits(object, where);
    if (const Json* keep = find(object, "keep_context"); keep && !keep->is_bool() && !keep->is_null())
      reading.wrong(where + ".keep_context", "must be true or false");
    task.keep_context = find_bool(object, "keep_context").value_or(false);
  } else {
    reading.wrong(where, "must be a text or an object");
    return task;
  }
  if (task.text.empty() && !said)
    reading.wrong(where, "has no task");
  else if (utf8_length(task.text) > kMaxTaskCharacters)
    reading.wrong(where, fmt::format("is longer than {} characters", kMaxTaskCharacters));
  if (task.id.empty()) task.id = fmt::format("task-{}", index + 1);
  return task;
}

void put(JsonObject& object, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) object[name] = *value;
}

void put_limits(JsonObject& object, const TaskLimits& limits) {
  put(object, "max_rounds", limits.max_rounds);
  put(object, "max_tokens", limits.max_tokens);
  put(object, "timeout_s", limits.timeout_s);
  put(object, "call_timeout_s", limits.call_timeout_s);
  put(object, "max_result_bytes", limits.max_result_bytes);
  put(object, "max_calls", limits.max_calls);
  if (limits.model) object["model"] = *limits.model;
}

}  // namespace

void TaskLimits::take_over(const TaskLimits& other) {
  for (const auto number : {&TaskLimits::max_rounds, &TaskLimits::max_tokens, &TaskLimits::timeout_s, &TaskLimits::call_timeout_s,
                            &TaskLimits::max_result_bytes, &TaskLimits::max_calls})
    if (other.*number) this->*number = other.*number;
  if (other.model) model = other.model;
}

std::int64_t RunRequest::rounds_of(const RunTask& task) const {
  return task.limits.max_rounds.value_or(limits.max_rounds.value_or(kDefaultRounds));
}
std::int64_t RunRequest::timeout_of(const RunTask& task) const {
  return task.limits.timeout_s.value_or(limits.timeout_s.value_or(kDefaultTimeout));
}
std::int64_t RunRequest::call_timeout_of(const RunTask& task) const {
  return task.limits.call_timeout_s.value_or(limits.call_timeout_s.value_or(kDefaultCallTimeout));
}
std::int64_t RunRequest::result_bytes_of(const RunTask& task) const {
  return task.limits.max_result_bytes.value_or(limits.max_result_bytes.value_or(kDefaultResultBytes));
}
std::int64_t RunRequest::calls_of(const RunTask& task) const {
  return task.limits.max_calls.value_or(limits.max_calls.value_or(kDefaultCalls));
}
std::optional<std::int64_t> RunRequest::tokens_of(const RunTask& task) const {
  return task.limits.max_tokens ? task.limits.max_tokens : limits.max_tokens;
}
std::string RunRequest::model_of(const RunTask& task) const {
  return task.limits.model.value_or(limits.model.value_or(""));
}

Result<RunRequest> parse_run_request(const Json& value) {
  RunRequest request;
  RequestReading reading;
  const JsonArray* tasks = value.is_array() ? &value.as_array() : nullptr;
  if (value.is_object()) {
    const JsonObject& object = value.as_object();
    reading.only(object, "the request",
                 {"tasks", "initial_directory", "servers", "max_rounds", "max_tokens", "model", "timeout_s", "call_timeout_s",
                  "max_result_bytes", "max_calls", "on_error", "response_format"});
    tasks = find_array(object, "tasks");
    request.initial_folders = reading.texts(object, "the request", "initial_directory");
    request.limits = reading.limits(object, "the request");
    request.servers =
        reading.texts(object, "the request", "servers", "server's name", "names").value_or(std::vector<std::string>{});
    const std::string on_error = reading.text(object, "the request", "on_error").value_or("continue");
    if (on_error != "continue" && on_error != "stop") reading.wrong("the request.on_error", "must be continue or stop");
    request.stop_on_error = on_error == "stop";
    if (const Json* format = find(object, "response_format"); format && !format->is_null()) {
      if (!format->is_object()) reading.wrong("the request.response_format", "must be an object");
      request.response_format = *format;
    }
  }
  if (!tasks || tasks->empty() || tasks->size() > kMaxTasks) {
    reading.wrong("tasks", fmt::format("must be a list of 1 to {} tasks", kMaxTasks));
  } else {
    std::set<std::string> ids;
    for (std::size_t i = 0; i < tasks->size(); ++i) {
      request.tasks.push_back(read_task(reading, (*tasks)[i], i));
      if (!ids.insert(request.tasks.back().id).second)
        reading.wrong(fmt::format("tasks[{}].id", i), fmt::format("{} is the id of an earlier task", request.tasks.back().id));
    }
  }
  HF_CHECK(reading.result());
  return request;
}

JsonObject request_json(const RunRequest& request) {
  JsonObject object;
  JsonArray tasks;
  for (const RunTask& task : request.tasks) {
    JsonObject one{{"task", task.text}, {"id", task.id}, {"keep_context", task.keep_context}};
    if (task.folders) one["working_directory"] = to_json_array(*task.folders);
    put_limits(one, task.limits);
    tasks.emplace_back(std::move(one));
  }
  object["tasks"] = std::move(tasks);
  if (request.initial_folders) object["initial_directory"] = to_json_array(*request.initial_folders);
  if (!request.servers.empty()) object["servers"] = to_json_array(request.servers);
  put_limits(object, request.limits);
  object["on_error"] = request.stop_on_error ? "stop" : "continue";
  if (!request.response_format.is_null()) object["response_format"] = request.response_format;
  return object;
}

}  // namespace holdfast::runner
