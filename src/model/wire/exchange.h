#pragma once

// One request to an endpoint and the answer to it, read as it arrives: no retries here.

#include "base/error.h"
#include "model/http_clients.h"
#include "model/wire/answer_reader.h"
#include "model/wire/fault.h"

#include <chrono>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

// Whether the caller still wants an answer, while we pause or another loads the model.
inline constexpr std::chrono::milliseconds kAskEvery{50};

struct Question {
  std::string url, key, body;  // key: empty: none is sent
  std::chrono::milliseconds timeout{};
  std::optional<std::chrono::milliseconds> first_byte = {};
  AnswerReader::Options reading = {};
  std::function<void(std::string_view)> on_text = {};
  std::function<bool()> cancelled = {};
};

// Blocks until the answer is whole. `cancelled` is asked every 50 ms, also while nothing comes.
std::expected<Answer, Fault> exchange(HttpClients& clients, const Question& question);

Error cancelled_error();

}  // namespace holdfast::model
