#include "model/wire/answer_reader.h"

#include "base/text/text.h"
#include "model/models.h"
#include "model/wire/responses.h"

#include <fmt/format.h>

namespace holdfast::model {
namespace {

constexpr std::string_view kDone = "[DONE]";
constexpr std::size_t kMaxErrorCharacters = 500;  // of what a server says about itself

// A malformed message is quoted by its beginning: that is what tells a proxy's page from a model's answer.
constexpr std::size_t kQuotedEventCharacters = 80;

// Counts are added up; one that no model can have reached would only overflow.
constexpr std::int64_t kMaxTokenCount = 1'000'000'000'000;

std::optional<std::int64_t> token_count(const JsonObject& usage, std::string_view key) {
  const auto count = find_int(usage, key);
  return count && *count >= 0 && *count <= kMaxTokenCount ? count : std::nullopt;
}

// Enough bytes for kMaxReasoningCharacters of any script.
constexpr std::size_t kMaxReasoningBytes = 4 * kMaxReasoningCharacters;

// A character that was cut in two costs that character, not the answer.
Result<Json> parse_lenient(std::string_view text) {
  auto parsed = parse_json(text);
  return parsed || is_valid_utf8(text) ? parsed : parse_json(to_valid_utf8(text));
}

std::unexpected<Error> not_the_protocol(std::string message) {
  return fail(ErrorKind::corrupt, std::move(message), "is base_url the address of an OpenAI-compatible server?");
}

std::string text_or_number(const JsonObject& object, std::string_view key) {
  if (const auto text = find_string(object, key)) return std::string(*text);
  if (const auto number = find_int(object, key)) return std::to_string(*number);
  return {};
}

// Content is text, or a list of parts of which the text ones count.
std::string content_of(const JsonObject& message) {
  if (const auto text = find_string(message, "content")) return std::string(*text);
  std::string content;
  if (const JsonArray* parts = find_array(message, "content"))
    for (const Json& part : *parts)
      if (part.is_object()) content += find_string(part.as_object(), "text").value_or("");
  return content;
}

// Said beside the content, or as a part of it.
std::string refusal_of(const JsonObject& message) {
  std::string refusal(find_string(message, "refusal").value_or(""));
  if (const JsonArray* parts = find_array(message, "content"))
    for (const Json& part : *parts)
      if (part.is_object()) refusal += find_string(part.as_object(), "refusal").value_or("");
  return refusal;
}

// The choice that is the answer; others exist only when asked for.
const JsonObject* first_choice(const JsonObject& document) {
  const JsonArray* choices = find_array(document, "choices");
  if (!choices) return nullptr;
  for (const Json& choice : *choices)
    if (choice.is_object() && find_int(choice.as_object(), "index").value_or(0) == 0) return &choice.as_object();
  return nullptr;
}

}  // namespace

std::optional<ReportedError> reported_error(const Json& document) {
  if (document.is_array()) {
    const JsonArray& list = document.as_array();
    return list.size() == 1 && list.front().is_object() ? reported_error(list.front()) : std::nullopt;
  }
  if (!document.is_object()) return std::nullopt;
  const JsonObject& object = document.as_object();
  const Json* error = find(object, "error");
  if (error && error->is_object()) {
    const JsonObject& inner = error->as_object();
    ReportedError reported{shorten(find_string(inner, "message").value_or("an error without a message"), kMaxErrorCharacters),
                           text_or_number(inner, "code")};
    if (reported.code.empty()) reported.code = text_or_number(inner, "type");
    return reported;
  }
  if (error && error->is_string())
    return ReportedError{shorten(view(error->as_string()), kMaxErrorCharacters), text_or_number(object, "code")};
  if (object.contains("choices")) return std::nullopt;
  if (const auto message = find_string(object, "message"))
    return ReportedError{shorten(*message, kMaxErrorCharacters), text_or_number(object, "code")};
  return std::nullopt;
}

AnswerReader::AnswerReader(std::function<void(std::string_view)> on_text, Options options)
    : on_text_(std::move(on_text)),
      options_(options),
      events_(
          [this](const net::SseEvent& event) {
            if (event_result_ && !done_) event_result_ = take_event(event.data);
          },
          kMaxDocumentBytes) {}

Result<void> AnswerReader::feed(std::string_view bytes) {
  std::string held;  // white space before the first byte that tells
  if (form_ == Form::unknown) {
    held = std::exchange(document_, {}) + std::string(bytes);
    std::string_view start = held;
    if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
    start = trim(start);
    if (start.empty() || kByteOrderMark.starts_with(start)) {
      if (held.size() > kMaxDocumentBytes) return fail(ErrorKind::too_large, "the answer is nothing but white space");
      document_ = std::move(held);
      return {};
    }
    if (start.front() == '<') return not_the_protocol("the answer is a page for a browser");
    form_ = start.front() == '{' || start.front() == '[' ? Form::document : Form::stream;
    bytes = held;
  }
  if (form_ == Form::stream) {
    if (!events_.feed(bytes))
      return fail(ErrorKind::too_large, fmt::format("one event of the answer is longer than {} bytes", kMaxDocumentBytes));
    return event_result_;
  }
  if (document_.size() + bytes.size() > kMaxDocumentBytes)
    return fail(ErrorKind::too_large, fmt::format("the answer is longer than {} bytes", kMaxDocumentBytes));
  document_ += bytes;
  return {};
}

Result<Answer> AnswerReader::finish() {
  if (form_ == Form::unknown) return not_the_protocol("the answer is empty");
  if (form_ == Form::stream) {
    if (!whole()) {  // the last event may lack its blank line; half an event behind the last word may be forgotten
      if (!events_.feed("\n\n")) return fail(ErrorKind::too_large, "one event of the answer is too long");
      HF_CHECK(event_result_);
    }
    if (!whole()) return not_the_protocol("the answer was cut off before its end");
  } else {
    HF_CHECK(take_document());
  }
  answer_.tools = calls_.take();
  answer_.reasoning = shorten(answer_.reasoning, kMaxReasoningCharacters);
  HF_CHECK(check_answered());
  return std::move(answer_);
}

// What came instead of an answer is told, whatever the caller would take for one.
Result<void> AnswerReader::check_answered() const {
  if (!trim(answer_.content).empty()) return {};
  const std::vector<ToolCall>& calls = answer_.tools.calls;
  if (!answer_.refusal.empty())
    return fail(ErrorKind::refused, fmt::format("the model refused to answer: {}", shorten(answer_.refusal, kMaxErrorCharacters)),
                "ask in other words, or another model");
  if (calls.empty() && answer_.finish_reason == kContentFilter)
    return fail(ErrorKind::refused, "a content filter of the endpoint took the answer away",
                "ask in other words, or another endpoint");
  if (!calls.empty() && !options_.tools && !options_.may_be_empty)
    return fail(ErrorKind::refused,
                fmt::format("the model called the tool {} instead of answering, and no tool was offered to it",
                            shorten(calls.front().name, kQuotedEventCharacters)),
                "ask again, or choose another model");
  if (!calls.empty() || options_.may_be_empty) return {};
  if (answer_.finish_reason == "length")
    return fail(ErrorKind::too_large, "the model used all tokens it was given before it wrote a word of its answer",
                "raise max_output_tokens, or choose a model that thinks less");
  return fail(ErrorKind::refused, "the answer holds no text", "ask again, or choose another model", std::string(kEmptyAnswer));
}

Result<void> AnswerReader::take_event(std::string_view data) {
  data = trim(data);
  if (data.empty()) return {};
  if (data == kDone) {
    done_ = true;
    return {};
  }
  auto parsed = parse_lenient(data);
  if (!parsed || !parsed->is_object())
    return not_the_protocol(fmt::format("an event of the answer is not JSON: {}", shorten(data, kQuotedEventCharacters)));
  if (auto error = reported_error(*parsed)) return refuse(*std::move(error));
  return options_.api == Api::responses ? take_response_event(parsed->as_object()) : take_chunk(parsed->as_object());
}

Result<void> AnswerReader::take_chunk(const JsonObject& chunk) {
  if (answer_.model.empty()) answer_.model = find_string(chunk, "model").value_or("");
  note_usage(chunk);
  const JsonObject* choice = first_choice(chunk);
  if (!choice) return {};  // the chunk with the usage has none
  if (const JsonObject* delta = find_object(*choice, "delta")) HF_CHECK(take_message(*delta));
  if (const auto reason = find_string(*choice, "finish_reason"); reason && !reason->empty()) answer_.finish_reason = *reason;
  return {};
}

// A whole message, or a piece of one: they have the same members.
Result<void> AnswerReader::take_message(const JsonObject& message) {
  const auto thought = find_string(message, "reasoning_content").value_or("");
  add_reasoning(thought.empty() ? find_string(message, "reasoning").value_or("") : thought);
  if (const JsonArray* calls = find_array(message, "tool_calls")) HF_CHECK(calls_.add(*calls));
  if (answer_.refusal.size() < kMaxReasoningBytes) answer_.refusal += utf8_prefix(refusal_of(message), kMaxReasoningBytes);
  return add_text(content_of(message));
}

Result<void> AnswerReader::take_response_event(const JsonObject& event) {
  const auto type = find_string(event, "type").value_or("");
  if (type == "response.output_text.delta") return add_text(find_string(event, "delta").value_or(""));
  if (type == "response.output_item.done") {
    const Json* item = find(event, "item");
    if (item && items_.size() < kMaxToolCalls) items_.push_back(*item);
    return {};
  }
  const JsonObject* response = find_object(event, "response");
  if (!response || (type != "response.completed" && type != "response.incomplete" && type != "response.failed")) return {};
  done_ = true;
  return take_response(*response);
}

Result<void> AnswerReader::take_response(const JsonObject& response) {
  if (auto error = reported_error(response)) return refuse(*std::move(error));
  answer_.model = find_string(response, "model").value_or("");
  note_usage(response);
  const JsonArray* output = find_array(response, "output");
  const ResponseParts parts = read_response(response, output && !output->empty() ? *output : items_);
  answer_.response_id = parts.id;
  answer_.finish_reason = parts.finish_reason;
  answer_.refusal = parts.refusal;
  add_reasoning(parts.reasoning);
  HF_CHECK(calls_.add(parts.calls));
  return answer_.content.empty() ? add_text(parts.text) : Result<void>();
}

Result<void> AnswerReader::take_document() {
  auto parsed = parse_lenient(document_);
  if (!parsed) return not_the_protocol(fmt::format("the answer is not JSON: {}", parsed.error().message));
  if (auto error = reported_error(*parsed)) return refuse(*std::move(error));
  if (options_.api == Api::responses) {
    if (!parsed->is_object() || !find_array(parsed->as_object(), "output")) return not_the_protocol("the answer has no output");
    return take_response(parsed->as_object());
  }
  const JsonObject* choice = parsed->is_object() ? first_choice(parsed->as_object()) : nullptr;
  const JsonObject* message = choice ? find_object(*choice, "message") : nullptr;
  if (!message) return not_the_protocol("the answer has no choices[0].message");
  answer_.model = find_string(parsed->as_object(), "model").value_or("");
  answer_.finish_reason = find_string(*choice, "finish_reason").value_or("stop");
  note_usage(parsed->as_object());
  return take_message(*message);
}

Result<void> AnswerReader::add_text(std::string_view text) {
  if (text.empty()) return {};
  if (answer_.content.size() + text.size() > kMaxAnswerBytes)
    return fail(ErrorKind::too_large, fmt::format("the text of the answer is longer than {} bytes", kMaxAnswerBytes));
  answer_.content += text;
  if (on_text_) on_text_(text);
  return {};
}

void AnswerReader::add_reasoning(std::string_view text) {
  if (answer_.reasoning.size() < kMaxReasoningBytes) answer_.reasoning += utf8_prefix(text, kMaxReasoningBytes);
}

Result<void> AnswerReader::refuse(ReportedError error) {
  std::string message = error.message;
  reported_ = std::move(error);
  return fail(ErrorKind::unavailable, std::move(message));
}

void AnswerReader::note_usage(const JsonObject& from) {
  const JsonObject* usage = find_object(from, "usage");
  if (!usage) return;
  const bool chat = options_.api == Api::chat;
  if (const auto in = token_count(*usage, chat ? "prompt_tokens" : "input_tokens")) answer_.tokens_in = in;
  if (const auto out = token_count(*usage, chat ? "completion_tokens" : "output_tokens")) answer_.tokens_out = out;
}

}  // namespace holdfast::model
