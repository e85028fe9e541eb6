#include "model/wire/fault.h"

#include "base/text/text.h"
#include "net/client/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::model {
namespace {

using std::chrono::milliseconds;
using Then = Fault::Then;

constexpr std::size_t kQuotedAnswerCharacters = 200;

// Parts of messages, in lower case. Each was taken from what the servers themselves say.
constexpr std::array kOverflowWords = {
    std::string_view("context_length_exceeded"),          // OpenAI, and those who imitate it
    std::string_view("maximum context length"),           // OpenAI, vLLM
    std::string_view("exceeds the available context"),    // llama.cpp: "exceeds the available context size"
    std::string_view("exceed_context_size"),              // llama.cpp: its error type
    std::string_view("exceeds context"),                  // Ollama
    std::string_view("context length exceeded"),          // Ollama
    std::string_view("greater than the context length"),  // LM Studio: "number of tokens to keep from the initial prompt is ..."
    std::string_view("context size has been exceeded"),   // LM Studio
    std::string_view("overflows the context"),            // LM Studio: "context overflow policy"
    std::string_view("context window"),                   // LM Studio, several proxies
    std::string_view("prompt is too long"),
    std::string_view("longer than the maximum model length"),  // vLLM
    std::string_view("input length exceeds"),                  // Ollama
};

constexpr std::array kMissingWords = {
    std::string_view("model_not_found"),   // OpenAI, LM Studio
    std::string_view("no models loaded"),  // LM Studio
    std::string_view("no model loaded"),  std::string_view("model not found"),     std::string_view("no such model"),
    std::string_view("unknown model"),    std::string_view("model is not loaded"),
};

// The server cannot do it at all; other codes from 500 on tell of a bad moment.
bool never_passes(int status) {
  return status == 501 || status == 505;
}

Error provider_error(ErrorKind kind, std::string message, std::string hint = {}) {
  return make_error(kind, std::move(message), std::move(hint), "PROVIDER_ERROR");
}

Fault context_fault(std::string message) {
  return {make_error(ErrorKind::too_large, std::move(message), "send a shorter prompt, or choose a model with a larger window",
                     "CONTEXT_TOO_LARGE"),
          Then::stop, std::nullopt};
}

ReportedError error_in(const net::HttpAnswer& answer) {
  if (const auto parsed = parse_json(answer.body))
    if (auto error = reported_error(*parsed)) return *std::move(error);
  return {shorten(trim(to_valid_utf8(answer.body)), kQuotedAnswerCharacters), {}};
}

bool is_quota(const ReportedError& error) {
  return error.code == "insufficient_quota";  // money, not patience
}

}  // namespace

bool says_context_overflow(const ReportedError& error) {
  const std::string text = to_ascii_lower(error.code + ' ' + error.message);
  return std::ranges::any_of(kOverflowWords, [&](std::string_view words) { return text.find(words) != text.npos; });
}

// "model 'qwen' not found" (Ollama), "The model `x` does not exist" (vLLM), or one of the set phrases.
bool says_model_missing(const ReportedError& error) {
  const std::string text = to_ascii_lower(error.code + ' ' + error.message);
  const auto holds = [&](std::string_view words) { return text.find(words) != text.npos; };
  return std::ranges::any_of(kMissingWords, holds) || (holds("model") && (holds("not found") || holds("does not exist")));
}

namespace {

Fault judge(const net::HttpAnswer& answer, const ReportedError& reported, std::chrono::system_clock::time_point now) {
  const int status = answer.status;
  const std::string message = fmt::format("HTTP {}{}{}", status, reported.message.empty() ? "" : ": ", reported.message);
  const auto retry_after = net::parse_retry_after(answer.header("retry-after"), now);
  // llama.cpp says it with 400 or 500, a proxy with 413.
  if ((status == 400 || status == 413 || status == 422 || status == 500) && says_context_overflow(reported))
    return context_fault(message);
  if (status == 429)
    return {make_error(ErrorKind::unavailable, message, "wait a while, or configure a further endpoint", "RATE_LIMITED"),
            is_quota(reported) ? Then::leave : Then::retry, retry_after};
  if (status == 408) return {make_error(ErrorKind::timeout, message, {}, "PROVIDER_TIMEOUT"), Then::retry, retry_after};
  if (status >= 500 && !never_passes(status)) return {provider_error(ErrorKind::unavailable, message), Then::retry, retry_after};
  if (status == 401 || status == 403)
    return {provider_error(ErrorKind::invalid, message, "check the key in the environment variable that api_key_env names"),
            Then::leave, std::nullopt};
  if (status == 404)
    return {provider_error(ErrorKind::invalid, message, "check base_url and model of this endpoint"), Then::leave, std::nullopt};
  if (status >= 300 && status < 400)
    return {provider_error(ErrorKind::invalid, message, "base_url leads somewhere else; put the final address into it"),
            Then::leave, std::nullopt};
  return {provider_error(ErrorKind::invalid, message), Then::leave, std::nullopt};
}

}  // namespace

Fault fault_of(const net::HttpAnswer& answer, std::chrono::system_clock::time_point now) {
  const ReportedError reported = error_in(answer);
  Fault fault = judge(answer, reported, now);
  fault.status = answer.status;
  fault.model_missing = answer.status == 404 && says_model_missing(reported);
  return fault;
}

Fault fault_of(const Error& error, const std::optional<ReportedError>& reported) {
  if (reported && says_context_overflow(*reported)) return context_fault(error.message);
  const bool rate_limited = reported && (reported->code.find("rate_limit") != std::string::npos || reported->code == "429");
  if (rate_limited)
    return {make_error(ErrorKind::unavailable, error.message, "wait a while, or configure a further endpoint", "RATE_LIMITED"),
            Then::retry, std::nullopt};
  // An answer without a word may have one the next time, and nobody has to recover before that.
  if (error.kind == ErrorKind::refused && error.code == kEmptyAnswer)
    return {provider_error(ErrorKind::refused, error.message, error.hint), Then::retry, milliseconds(0)};
  // Asked once more it would be refused once more.
  if (error.kind == ErrorKind::refused)
    return {provider_error(ErrorKind::refused, error.message, error.hint), Then::leave, std::nullopt};
  // The same prompt would grow as long again.
  const Then then = error.kind == ErrorKind::too_large ? Then::leave : Then::retry;
  return {provider_error(ErrorKind::unavailable, error.message, error.hint), then, std::nullopt};
}

Fault fault_of_transfer(const Error& error) {
  switch (error.kind) {
    case ErrorKind::timeout:
      return {make_error(ErrorKind::timeout, error.message, error.hint, "PROVIDER_TIMEOUT"), Then::retry, std::nullopt};
    case ErrorKind::invalid:
      return {provider_error(ErrorKind::invalid, error.message, error.hint), Then::leave, std::nullopt};
    case ErrorKind::too_large:
      return {provider_error(ErrorKind::unavailable, error.message, error.hint), Then::leave, std::nullopt};
    default:
      return {provider_error(ErrorKind::unavailable, error.message, error.hint), Then::retry, std::nullopt};
  }
}

}  // namespace holdfast::model
