#pragma once

// Reads what an endpoint answers with status 200: a stream of events, or one JSON document from a server that does not stream.
// Which of the two it is shows in the first byte. No sockets here; bytes may come in any portions.
//
// A stream is whole when it said why it ended (finish_reason) or [DONE]; one that ends before has been cut off, and its text is
// no answer. Hostile input: sizes are limited, anything that is not what the protocol says is an error, never a crash. Calls of
// tools are put together on the way (tool_calls.h); what a model said to itself is kept apart from its answer.

#include "base/json/json.h"
#include "base/result.h"
#include "model/endpoint.h"
#include "model/wire/tool_calls.h"
#include "net/http/sse.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::model {

// No model writes more in one answer, and one entry of a session could not keep much more.
inline constexpr std::size_t kMaxAnswerBytes = 4 << 20;
// One event, or a whole document: the answer, escaped at worst, with what surrounds it.
inline constexpr std::size_t kMaxDocumentBytes = 32 << 20;

// The code of the error for an answer that holds neither text nor calls.
inline constexpr std::string_view kEmptyAnswer = "empty_answer";

struct Answer {
  std::string content;
  ToolCalls tools;
  std::string reasoning;
  std::string refusal;        // what the model said instead of an answer
  std::string response_id;    // of /responses
  std::string model;          // empty: not said
  std::string finish_reason;  // empty: not said
  std::optional<std::int64_t> tokens_in, tokens_out;
};

// An error the endpoint reported inside of a 200, or in the body of another status.
struct ReportedError {
  std::string message;
  std::string code;  // its code or, failing that, its type; may be empty
};
// {"error": {…}}, {"error": "…"}, {"message": "…"}, a list around one of them. nullopt: nothing of the kind.
std::optional<ReportedError> reported_error(const Json& document);

class AnswerReader {
 public:
  struct Options {
    Api api = Api::chat;        // which interface was asked
    bool may_be_empty = false;  // an answer with neither text nor calls is one
    bool tools = true;          // tools were offered; otherwise an answer that is nothing but calls is none
  };

  // `on_text` gets the pieces of the answer as they arrive; may be empty.
  explicit AnswerReader(std::function<void(std::string_view)> on_text, Options options);
  explicit AnswerReader(std::function<void(std::string_view)> on_text) : AnswerReader(std::move(on_text), Options()) {}
  AnswerReader(const AnswerReader&) = delete;  // its parser points to it
  AnswerReader& operator=(const AnswerReader&) = delete;

  // An error ends the reading: too_large, corrupt (not the protocol), or the reported one (see `reported`).
  Result<void> feed(std::string_view bytes);
  // After the last byte. Errors: corrupt, for an answer that is cut off or holds neither text nor calls; refused, when the model
  // refused, a content filter took all of its answer, or it called tools that nobody offered.
  Result<Answer> finish();

  bool whole() const { return done_ || !answer_.finish_reason.empty(); }  // of a stream
  const std::optional<ReportedError>& reported() const { return reported_; }

 private:
  enum class Form { unknown, stream, document };

  Result<void> take_event(std::string_view data);
  Result<void> take_chunk(const JsonObject& chunk);
  Result<void> take_message(const JsonObject& message);
  Result<void> take_response_event(const JsonObject& event);
  Result<void> take_response(const JsonObject& response);
  Result<void> take_document();
  Result<void> check_answered() const;
  Result<void> add_text(std::string_view text);
  void add_reasoning(std::string_view text);
  Result<void> refuse(ReportedError error);
  void note_usage(const JsonObject& from);

  std::function<void(std::string_view)> on_text_;
  Options options_;
  Form form_ = Form::unknown;
  std::string document_;  // before the form is known: what has come so far
  net::SseParser events_;
  Result<void> event_result_;  // of the events in the portion at hand
  Answer answer_;
  ToolCallAssembler calls_;
  JsonArray items_;  // of a stream of /responses: items that are whole
  bool done_ = false;
  std::optional<ReportedError> reported_;
};

}  // namespace holdfast::model
