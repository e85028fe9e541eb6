#pragma once

// What a run is asked to do (persistent-client §7): a list of tasks, each for the model, each in its folders.
//
// The shape is checked as a whole before anything starts, and everything that is wrong is said at once. Folders are not looked at
// here: an earlier task may make the one that a later task works in.

#include "base/json/json.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::runner {

inline constexpr std::size_t kMaxTasks = 1000;
inline constexpr std::size_t kMaxTaskCharacters = 10'000;
inline constexpr std::size_t kTaskNameCharacters = 80;  // of its text, where a task is named by it
inline constexpr std::int64_t kMaxRounds = 10'000;
inline constexpr std::int64_t kDefaultRounds = 100;
inline constexpr std::int64_t kDefaultTimeout = 600;  // seconds
inline constexpr std::int64_t kMaxTimeout = 7 * 86'400;
// Of each call of a tool.
inline constexpr std::int64_t kDefaultCallTimeout = 60;  // seconds
inline constexpr std::int64_t kDefaultResultBytes = 64 * 1024, kMinResultBytes = 1024, kMaxResultBytes = 4 * 1024 * 1024;
inline constexpr std::int64_t kDefaultCalls = 64, kMaxCalls = 1000;  // in one answer of the model

// What a task may say for itself, and a request for all of its tasks.
struct TaskLimits {
  std::optional<std::int64_t> max_rounds;
  std::optional<std::int64_t> max_tokens;  // absent: "auto"
  std::optional<std::string> model;
  std::optional<std::int64_t> timeout_s;
  std::optional<std::int64_t> call_timeout_s, max_result_bytes, max_calls;

  bool empty() const { return *this == TaskLimits(); }
  void take_over(const TaskLimits& other);  // what it says counts instead
  bool operator==(const TaskLimits&) const = default;
};

struct RunTask {
  std::string text;
  std::optional<std::vector<std::string>> folders;  // absent: those of the task before
  std::string id;
  bool keep_context = false;  // the conversation of the task before goes on
  TaskLimits limits;
};

struct RunRequest {
  std::vector<RunTask> tasks;
  std::optional<std::vector<std::string>> initial_folders;
  std::vector<std::string> servers;  // by name; empty: all
  TaskLimits limits;
  bool stop_on_error = false;
  Json response_format;  // null: none

  std::int64_t rounds_of(const RunTask& task) const;
  std::int64_t timeout_of(const RunTask& task) const;
  std::int64_t call_timeout_of(const RunTask& task) const;
  std::int64_t result_bytes_of(const RunTask& task) const;
  std::int64_t calls_of(const RunTask& task) const;
  std::optional<std::int64_t> tokens_of(const RunTask& task) const;
  std::string model_of(const RunTask& task) const;
};

// Of `autonomous_persistent_session`, of a file of tasks (an object, or a list of tasks alone). Errors: invalid, with one line
// for each thing that is wrong.
Result<RunRequest> parse_run_request(const Json& value);
// As it was asked, for the journal: parse_run_request gives the same request back.
JsonObject request_json(const RunRequest& request);

}  // namespace holdfast::runner
