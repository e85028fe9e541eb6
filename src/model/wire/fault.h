#pragma once

// What went wrong with one try at one endpoint, and what to do about it.

#include "base/result.h"
#include "model/wire/answer_reader.h"
#include "net/client/http_client.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

struct Fault {
  enum class Then {
    retry,  // may pass: the same endpoint again, later
    leave,  // will not pass: the next endpoint
    stop    // no endpoint can help: the caller must do something
  };

  Error error;  // message without the endpoint's name, code as models.h says
  Then then = Then::leave;
  std::optional<std::chrono::milliseconds> retry_after = {};  // asked for by the server
  int status = 0;                                             // of the answer; 0: there was none, or a 200 that was none
  bool model_missing = false;                                 // 404, and it is the model that is not found
};

// Of an answer whose status is not 2xx. `now` is for a Retry-After that is a date.
Fault fault_of(const net::HttpAnswer& answer, std::chrono::system_clock::time_point now);
// Of a 200 that was not an answer: what AnswerReader said.
Fault fault_of(const Error& error, const std::optional<ReportedError>& reported);
// Of a transfer that failed.
Fault fault_of_transfer(const Error& error);

// Whether a server's error says that the prompt is longer than the model's window: by its code, or by the words of llama.cpp, LM
// Studio, vLLM, Ollama, OpenAI.
bool says_context_overflow(const ReportedError& error);
// Whether it says that the model does not exist, or is not loaded.
bool says_model_missing(const ReportedError& error);

}  // namespace holdfast::model
