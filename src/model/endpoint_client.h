#pragma once

// One endpoint, asked in the form it understands: which interface, which dialect, which model. No retries here, but for those
// that say the same in another form. Any thread.

#include "model/endpoint.h"
#include "model/models.h"
#include "model/response_memory.h"
#include "model/served_models.h"
#include "model/wire/chat_request.h"
#include "model/wire/exchange.h"
#include "model/wire/responses.h"

#include <expected>
#include <mutex>
#include <string>

namespace holdfast::model {

class EndpointClient {
 public:
  // Clients and environment must live longer.
  EndpointClient(Endpoint endpoint, HttpClients& clients, const Environment& environment);
  EndpointClient(const EndpointClient&) = delete;  // served_ points into it
  EndpointClient& operator=(const EndpointClient&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }

  std::expected<Reply, Fault> ask(const Ask& ask);
  // As Models::choose says, for this endpoint.
  Result<ModelChoice> choose(const Ask& ask);
  Result<void> reachable(const Ask& ask) { return served_.reachable(ask.cancelled); }
  // Has the model of that ask loaded, if this endpoint can.
  Result<void> load(const Ask& ask) { return served_.load(asked_model(endpoint_, ask), ask.cancelled); }

 private:
  std::string model_for(const Ask& ask);
  std::expected<Reply, Fault> ask_responses(const Ask& ask, const std::string& model, Question question);
  std::expected<Reply, Fault> ask_chat(const Ask& ask, const std::string& model, Question question);
  Reply reply_of(const Ask& ask, const std::string& model, Answer answer) const;
  Dialect dialect();
  void speak(const Dialect& learned);

  const Endpoint endpoint_;
  HttpClients& clients_;
  const Environment& environment_;
  ServedModels served_;
  ResponseMemory memory_;
  std::mutex mutex_;
  Dialect dialect_;  // guarded by mutex_
};

}  // namespace holdfast::model
