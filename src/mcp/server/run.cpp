// One request, from the first call of its handler to its answer.
//
// In goes a request that has been checked, with the handler of its method. Out comes exactly one answer, or none when the client
// has cancelled. The difficulty is that a handler may have to ask the client something, and cannot wait for the answer: a modern
// client sends it with a new request, which may reach another process. So a handler that lacks an answer returns InputRequired
// and is run again from its beginning once the answer is here; what was answered before, it then gets at once.
//
// Each round is execute() on a pool thread, where the handler alone touches this object, and then settle() on the I/O thread. A
// result or an error is sent, and the request is closed. Questions go to a legacy client as requests of ours, and
// answer_arrived() begins the next round when the last of them is answered or has run out of time. A modern client is sent all of
// them in an answer that ends this request; whatever we must remember is sealed into its requestState, and when the client calls
// again, take_carried_input() opens the seal before the handler runs. A task keeps its questions in the store until
// resume_with().
//
// closed_ is looked at before anything is sent: a handler that comes to its end after its client has cancelled must not answer.

#include "mcp/server/run.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "base/run/log.h"
#include "mcp/server/server.h"
#include "mcp/wire/limits.h"

#include <algorithm>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kStatePurpose = "requestState";
constexpr std::string_view kQuestionPrefix = "hf-";
constexpr std::size_t kQuestionIdLength = 16;  // 95 bits

// JSON with the members of every object in one order, so that a client may repeat its params in another.
void append_canonical(std::string& out, const Json& value) {
  if (const JsonObject* object = value.if_object()) {
    std::map<std::string_view, const Json*> members;
    for (const auto& member : *object)
      members.emplace(std::string_view(member.key().data(), member.key().size()), &member.value());
    out += '{';
    for (const auto& [key, member] : members) {
      append_json_string(out, key);
      append_canonical(out, *member);
    }
    out += '}';
  } else if (const JsonArray* array = value.if_array()) {
    out += '[';
    for (const Json& item : *array) {
      append_canonical(out, item);
      out += ',';
    }
    out += ']';
  } else {
    append_json(out, value);
  }
}

std::string question_id(const std::string& address) {
  return std::string(kQuestionPrefix) + (address.empty() ? "" : address + "-") + random_base62(kQuestionIdLength);
}

RpcError internal_error() {
  return {code::kInternal, "internal error; the server's log has the details", nullptr};
}

int http_status_of(const RpcError& error) {
  return error.code <= code::kHeaderMismatch && error.code >= code::kUnsupportedVersion ? 400 : 200;
}

}  // namespace

std::optional<std::string> asker_of(std::string_view question_id) {
  constexpr std::size_t kLength = kQuestionPrefix.size() + kAddressLength + 1 + kQuestionIdLength;
  if (question_id.size() != kLength || !question_id.starts_with(kQuestionPrefix)) return std::nullopt;
  return std::string(question_id.substr(kQuestionPrefix.size(), kAddressLength));
}

Run::Run(Server& server, std::shared_ptr<const Caller> caller, std::shared_ptr<Connection> connection, Message request,
         std::shared_ptr<Outlet> outlet)
    : server_(server),
      caller_(std::move(caller)),
      connection_(std::move(connection)),
      request_(std::move(request)),
      outlet_(std::move(outlet)) {
  if (const JsonObject* meta = find_object(request_.params, "_meta"))
    if (const Json* token = find(*meta, "progressToken");
        token && (token->is_string() || token->is_int64() || token->is_uint64()))
      progress_token_ = *token;
  ++server_.tally().running;
}

std::string Run::request_digest() const {
  JsonObject salient = request_.params;
  for (const char* transient : {"_meta", "inputResponses", "requestState", "task"}) salient.erase(transient);
  std::string text = request_.method;
  append_canonical(text, salient);
  return to_base64url(bytes_of(sha256(text)));
}

std::optional<RpcError> Run::take_carried_input() {
  if (const Json* responses = find(request_.params, "inputResponses")) {
    if (!responses->is_object()) return invalid_params("inputResponses must be an object");
    carried_ = responses->get_object();
  }
  const Json* sealed = find(request_.params, "requestState");
  if (!sealed) return std::nullopt;
  auto refuse = [](std::string_view why) {
    return invalid_params("requestState is not valid: " + std::string(why) + ". Make the call again without it.");
  };
  if (!sealed->is_string()) return refuse("it must be a string");
  auto payload = server_.sealer().open(kStatePurpose, view(sealed->get_string()));
  if (!payload) return refuse(payload.error().message);
  if (find_string(*payload, "principal") != caller_->principal) return refuse("it was given to somebody else");
  if (find_int(*payload, "expires").value_or(0) <= server_.clock().now()) return refuse("it has expired");
  if (find_string(*payload, "request") != request_digest()) return refuse("it belongs to another request");
  if (const JsonObject* state = find_object(*payload, "state")) state_ = *state;
  if (const JsonObject* answers = find_object(*payload, "answers"))
    for (const auto& answer : *answers)
      if (answer.value().is_object()) answers_.emplace(answer.key(), Answer{answer.value().get_object(), {}});
  asked_before_ = strings_in(*payload, "asked");
  return std::nullopt;
}

void Run::start(Handler handler, RunOn where) {
  handler_ = std::move(handler);
  where_ = where;
  again();
}

void Run::again() {
  questions_.clear();
  if (where_ == RunOn::io)
    execute();
  else
    server_.pool().submit([self = shared_from_this()] { self->execute(); });
}

void Run::execute() {
  Reply<JsonObject> reply;
  try {
    Call call(shared_from_this());
    reply = handler_(call);
  } catch (const std::exception& error) {
    log(LogLevel::error, "mcp", request_.method + ": " + error.what());
    reply = internal_error();
  } catch (...) {
    log(LogLevel::error, "mcp", request_.method + " threw something that is not an exception");
    reply = internal_error();
  }
  server_.on_io([self = shared_from_this(), reply = std::move(reply)]() mutable { self->settle(std::move(reply)); });
}

void Run::settle(Reply<JsonObject> reply) {
  if (closed_ && task_id_.empty()) return;
  if (auto* result = std::get_if<JsonObject>(&reply)) return complete(std::move(*result));
  if (auto* error = std::get_if<RpcError>(&reply)) {
    if (!task_id_.empty()) return server_.tasks().fail(task_id_, *error);
    return fail_with(*error);
  }
  put_questions();
}

void Run::complete(JsonObject result) {
  if (!task_id_.empty()) return server_.tasks().complete(task_id_, std::move(result));
  finish_with(std::move(result));
}

void Run::finish_with(JsonObject result) {
  if (closed_) return;
  if (caller_->era() == Era::modern) {
    if (!result.contains("resultType")) result["resultType"] = "complete";
    Json& meta = result["_meta"];
    if (!meta.is_object()) meta = JsonObject{};
    meta.get_object()["io.modelcontextprotocol/serverInfo"] = server_.info();
  }
  const bool tool_failed = find_bool(result, "isError").value_or(false);
  outlet_->finish(write_result(request_.id, result), 200);
  close(tool_failed ? RequestTimes::Ending::failed : RequestTimes::Ending::answered);
}

void Run::fail_with(const RpcError& error) {
  if (closed_) return;
  ++server_.tally().errors;
  outlet_->finish(write_error(request_.id, error), caller_->era() == Era::modern ? http_status_of(error) : 200);
  close(RequestTimes::Ending::failed);
}

void Run::close(RequestTimes::Ending ending) {
  closed_ = true;
  server_.note_end(*this, std::chrono::steady_clock::now() - began_, ending);
  --server_.tally().running;
  outlet_ = nullptr;  // a task goes on for long; what carried its request need not
  if (connection_) {
    connection_->running.erase(id_key(request_.id));
    for (const auto& [key, waiting] : waiting_) {
      connection_->asked.erase(waiting.first);
      server_.executor().cancel(waiting.second);
    }
  }
  waiting_.clear();
}

void Run::cancel() {
  {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
  if (closed_) return;
  for (const auto& [key, waiting] : waiting_) take_back(waiting.first, "the request that asked was cancelled");
  outlet_->drop();
  close(RequestTimes::Ending::cancelled);
}

// Of our own question: the person who reads it need not answer any more.
void Run::take_back(const std::string& question_id, std::string_view reason) {
  outlet_->send(write_notification("notifications/cancelled", {{"requestId", question_id}, {"reason", reason}}));
}

void Run::put_questions() {
  JsonObject missing;
  for (const auto& [key, question] : questions_) {
    if (question.can_be_put_to(*caller_)) continue;
    for (const auto& capability : question.required_capability()) {
      Json& parts = missing[capability.key()];
      if (!parts.is_object()) parts = JsonObject{};
      for (const auto& part : capability.value().get_object()) parts.get_object().insert(part);
    }
  }
  std::optional<RpcError> error;
  if (questions_.empty())
    error = RpcError{code::kInternal, "the handler waits for an answer to no question", nullptr};
  else if (!missing.empty())
    error = RpcError{caller_->era() == Era::modern ? code::kMissingCapability : code::kInvalidParams,
                     "this request needs what this client did not declare, or does not have in its version: " + to_json(missing),
                     JsonObject{{"requiredCapabilities", missing}}};
  if (error) {
    if (!task_id_.empty()) return server_.tasks().fail(task_id_, *error);
    return fail_with(*error);
  }
  if (caller_->era() == Era::legacy) return put_to_legacy_client();

  JsonObject requests;
  for (const auto& [key, question] : questions_)
    requests[key] = JsonObject{{"method", question.method()}, {"params", question.params_for(*caller_)}};
  if (!task_id_.empty()) return server_.tasks().ask(task_id_, std::move(requests));

  JsonObject answers;
  for (const auto& [key, answer] : answers_) answers[key] = answer.result;
  JsonArray asked;
  for (const auto& [key, question] : questions_) asked.emplace_back(key);
  Millis expires = server_.clock().now() + std::chrono::milliseconds(kRequestStateLife).count();
  std::string state = server_.sealer().seal(kStatePurpose, {{"principal", caller_->principal},
                                                            {"expires", expires},
                                                            {"request", request_digest()},
                                                            {"state", state_},
                                                            {"answers", std::move(answers)},
                                                            {"asked", std::move(asked)},
                                                            {"nonce", to_base64url(random_bytes(9))}});
  finish_with({{"resultType", "input_required"}, {"inputRequests", std::move(requests)}, {"requestState", std::move(state)}});
}

void Run::put_to_legacy_client() {
  if (++rounds_ > kMaxQuestionRounds) {
    for (const auto& [key, question] : questions_)
      answers_[key] = {{}, make_error(ErrorKind::invalid, "the client was asked too often, or its answers did not fit")};
    return again();
  }
  for (const auto& entry : questions_) {
    const std::string& key = entry.first;
    const Question& question = entry.second;
    // Random, because other processes ask the same client, too: an answer must reach nobody else's question. With our address,
    // because it may reach another process.
    std::string id = question_id(server_.store().address());
    std::weak_ptr<Run> weak = weak_from_this();
    TimerId timer = server_.executor().after(question.patience, [weak, key] {
      auto self = weak.lock();
      if (!self || !self->waiting_.contains(key)) return;
      self->take_back(self->waiting_[key].first, "not answered in time");
      self->answer_arrived(key, {{}, make_error(ErrorKind::timeout, "the client did not answer in time")});
    });
    waiting_[key] = {id, timer};
    connection_->asked[id] = [weak, key](const Message& response) {
      auto self = weak.lock();
      if (!self) return;
      Answer answer;
      if (response.is_error)
        answer.failure = make_error(ErrorKind::unavailable, "the client answered with an error: " + response.error.message);
      else if (response.result.is_object())
        answer.result = response.result.get_object();
      self->answer_arrived(key, std::move(answer));
    };
    outlet_->send(write_request(id, question.method(), question.params_for(*caller_)));
  }
}

void Run::answer_arrived(const std::string& key, Answer answer) {
  auto waiting = waiting_.find(key);
  if (waiting == waiting_.end() || closed_) return;
  connection_->asked.erase(waiting->second.first);
  server_.executor().cancel(waiting->second.second);
  waiting_.erase(waiting);
  // An answer of the wrong shape is none: the handler will put its question again.
  auto question = questions_.find(key);
  if (answer.failure || (question != questions_.end() && question->second.is_answered_by(Json(answer.result))))
    answers_[key] = std::move(answer);
  if (waiting_.empty()) again();
}

void Run::resume_with(JsonObject responses) {
  for (auto& response : responses) carried_.insert_or_assign(response.key(), response.value());
  for (const auto& [key, question] : questions_) asked_before_.push_back(key);
  again();
}

}  // namespace holdfast::mcp
