#pragma once

// One request being worked on, over all its rounds of questions and answers.
//
//   start -> handler runs -> settle: done, failed, or questions are put -> answers -> handler runs again
//
// Owned by the I/O thread, except while the handler runs: then the handler's thread alone touches
// arguments, answers, questions, state and what is marked as the handler's (the Call gives it no other way in).

#include "base/run/executor.h"
#include "base/run/histogram.h"
#include "mcp/server/call.h"
#include "mcp/server/connection.h"
#include "mcp/server/features.h"
#include "mcp/transport/outlet.h"
#include "mcp/wire/rpc.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp {

// How long requests took and how they ended, by method and, of tools/call, by tool. For /metrics; I/O thread only.
//
// A client chooses the words of its requests, so only methods and tools that exist make a series; the rest is one called "other".
class RequestTimes {
 public:
  enum class Ending { answered, failed, cancelled };  // failed: an error of the protocol, or a tool that says isError

  struct Series {
    Histogram times{kDurationBounds};
    std::uint64_t answered = 0, failed = 0, cancelled = 0;
  };

  void observe(std::string_view method, std::string_view tool, std::chrono::steady_clock::duration time, Ending ending) {
    Series& series = series_[{std::string(method), std::string(tool)}];
    series.times.observe(time);
    ++(ending == Ending::answered ? series.answered : ending == Ending::failed ? series.failed : series.cancelled);
  }

  const std::map<std::pair<std::string, std::string>, Series>& series() const { return series_; }

 private:
  std::map<std::pair<std::string, std::string>, Series> series_;  // (method, tool); the tool is empty for other methods
};

class Server;

// The address of the process that has put a question under this id to a legacy client.
std::optional<std::string> asker_of(std::string_view question_id);

class Run : public std::enable_shared_from_this<Run> {
 public:
  // Returns the result in the form of the caller's version, without the members every result has.
  using Handler = std::function<Reply<JsonObject>(Call&)>;

  Run(Server& server, std::shared_ptr<const Caller> caller, std::shared_ptr<Connection> connection, Message request,
      std::shared_ptr<Outlet> outlet);

  // Takes what a modern client carried for us (requestState, inputResponses). An error answers the request.
  std::optional<RpcError> take_carried_input();

  void start(Handler handler, RunOn where);
  void cancel();  // by the client; no answer is sent

  // Answers at once, instead of start().
  void finish_with(JsonObject result);
  void fail_with(const RpcError& error);

  // As a task: answers delivered by tasks/update, already checked against the questions.
  void resume_with(JsonObject responses);

  const Message& request() const { return request_; }
  const Caller& caller() const { return *caller_; }
  const std::shared_ptr<Connection>& connection() const { return connection_; }
  const std::map<std::string, Question>& questions() const { return questions_; }
  JsonObject& arguments() { return arguments_; }
  std::vector<std::string>& ignored_arguments() { return ignored_; }
  void set_task_capable() { task_capable_ = true; }

 private:
  friend class Call;

  void execute();
  void settle(Reply<JsonObject> reply);
  void put_questions();
  void put_to_legacy_client();
  void answer_arrived(const std::string& key, Answer answer);
  void again();
  void complete(JsonObject result);
  void take_back(const std::string& question_id, std::string_view reason);
  void close(RequestTimes::Ending ending);
  std::string request_digest() const;

  Server& server_;
  std::shared_ptr<const Caller> caller_;
  std::shared_ptr<Connection> connection_;  // null: a modern HTTP request
  Message request_;
  std::shared_ptr<Outlet> outlet_;  // null once closed
  Handler handler_;
  RunOn where_ = RunOn::pool;
  JsonObject arguments_;
  std::vector<std::string> ignored_;
  Json progress_token_;
  bool task_capable_ = false;
  bool closed_ = false;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();

  std::map<std::string, Answer> answers_;
  std::map<std::string, Question> questions_;  // put by the last run of the handler
  JsonObject carried_;                         // answers as the client sent them, not yet looked at
  std::vector<std::string> asked_before_;      // keys in the sealed state
  JsonObject state_;
  int rounds_ = 0;
  std::map<std::string, std::pair<std::string, TimerId>> waiting_;  // key -> our request id, its timer
  std::string task_id_;                                             // set when the client has been told of the task

  // The handler's.
  bool is_task_ = false;
  double last_progress_ = -std::numeric_limits<double>::infinity();

  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;  // for waiting only
  std::condition_variable changed_;
};

}  // namespace holdfast::mcp
