#pragma once

// What a run may still spend (threads-and-research §10).
//
// A spent budget never loses work: gathering ends while a fifth of time and tokens is left, and the report is written from what
// is there. Values: made from one moment's usage.

#include "base/json/json.h"
#include "kinds/research/run/job.h"
#include "model/models.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace holdfast::research {

struct Usage {
  std::int64_t llm_calls = 0, search_calls = 0;
  model::Tokens tokens;
  Millis active_ms = 0;  // of work; stalled time does not count
};
Usage read_usage(const JsonObject& data);  // data.used
JsonObject json_of(const Usage& usage);

// Of tokens: an answer of the model in which something can stand. With less left, it is not asked.
inline constexpr std::int64_t kLeastAnswer = 400;

class Budget {
 public:
  Budget(const Limits& limits, const Usage& usage) : limits_(limits), usage_(usage) {}

  // Why nothing more may be gathered: "budget_time", "budget_tokens", "budget_calls"; nullopt while it may.
  std::optional<std::string_view> gathering() const;
  // Why a model must not be asked for anything but the report.
  std::optional<std::string_view> model() const;
  // Why not even for the report.
  std::optional<std::string_view> report() const;
  // For one operation: its own limit, or what is left of the whole.
  std::chrono::milliseconds operation_time() const;
  // Tokens a prompt and its answer may still take, for the report or for anything before it; nullopt: no limit.
  std::optional<std::int64_t> tokens_left(bool for_report) const;

 private:
  Limits limits_;
  Usage usage_;
};

}  // namespace holdfast::research
