#include "kinds/runner/window.h"

#include "base/text/text.h"
#include "kinds/runner/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace holdfast::runner {

namespace {

using model::Message;

constexpr std::size_t kShortenedResult = 400;    // bytes of an old result, or of a call, that stay when the window is full
constexpr std::size_t kShortenedNote = 100;      // what is said of the rest is shorter
constexpr std::size_t kShortenedArgument = 100;  // bytes of one argument that stay
constexpr std::size_t kShareStep = 8;            // a share that is too large gives up an eighth: a few dozen looks at most
constexpr std::int64_t kShortestAnswer = 256;    // tokens; fewer hold neither a call nor a sentence
constexpr std::string_view kDropped = "\n\n[Some of what came before was left out to save room.]";

std::string left_out(std::size_t bytes) {
  return fmt::format("[{} bytes were left out to save room]", bytes);
}

// The names stay, and what is short: a model that sees what it has called does not call it again.
Json shortened_arguments(const Json& arguments, std::size_t bytes) {
  if (!arguments.is_object()) return JsonObject{{"arguments", left_out(bytes)}};
  JsonObject kept;
  for (const auto& [key, value] : arguments.as_object()) {
    const std::string text = value.is_string() ? std::string(view(value.as_string())) : to_json(value);
    if (text.size() <= kShortenedArgument)
      kept[key] = value;
    else
      kept[key] = fmt::format("{} {}", utf8_prefix(text, kShortenedArgument), left_out(text.size() - kShortenedArgument));
  }
  return kept;
}

// Arguments are text that holds an object, or the object itself; they stay what they were.
void shorten_call(Json& call) {
  JsonObject* function = call.is_object() && call.as_object().contains("function") && call.as_object()["function"].is_object()
                             ? &call.as_object()["function"].as_object()
                             : nullptr;
  if (!function || !function->contains("arguments")) return;
  Json& arguments = (*function)["arguments"];
  const bool is_text = arguments.is_string();
  const std::string text = is_text ? std::string(view(arguments.as_string())) : to_json(arguments);
  if (text.size() <= kShortenedResult) return;
  const auto parsed = parse_json(text);
  Json shortened = shortened_arguments(parsed ? *parsed : Json(), text.size());
  if (is_text)
    arguments = to_json(shortened);
  else
    arguments = std::move(shortened);
}

class Fitting {
 public:
  Fitting(std::vector<Message>& messages, std::size_t& task, std::int64_t fixed, std::int64_t context)
      : messages_(messages), task_(task), most_(static_cast<std::int64_t>(kFullContext * static_cast<double>(context))) {
    used_ = fixed;
    for (const Message& message : messages_) used_ += model::estimate_message(message);
  }

  // What is sent then, in tokens.
  std::int64_t run() {
    const std::size_t newest = first_unseen();
    const std::size_t last_call = newest > 0 ? newest - 1 : 0;
    for (std::size_t i = 0; i < newest && is_full(); ++i) shorten_result(i);
    for (std::size_t i = 0; i < last_call && is_full(); ++i) shorten_calls(i);
    // Of what is left the older half goes before the newest results are cut.
    drop_turns(last_call, most_ / 2);
    const std::size_t unseen = first_unseen();
    share_between_results(unseen);
    if (is_full() && unseen > 0) shorten_calls(unseen - 1);
    drop_turns(unseen > 0 ? unseen - 1 : 0, 0);
    return used_;
  }

 private:
  bool is_full() const { return used_ > most_; }

  std::size_t first_unseen() const {
    std::size_t newest = messages_.size();
    while (newest > 0 && messages_[newest - 1].role != "assistant") --newest;
    return newest;
  }

  template <class Change>
  void change(std::size_t i, const Change& how) {
    used_ -= model::estimate_message(messages_[i]);
    how(messages_[i]);
    used_ += model::estimate_message(messages_[i]);
  }

  void shorten_result(std::size_t i) {
    const std::string& content = messages_[i].content;
    if (messages_[i].role != "tool" || content.size() <= kShortenedResult + kShortenedNote) return;
    change(i, [](Message& message) {
      const std::string_view kept = utf8_prefix(message.content, kShortenedResult);
      message.content = fmt::format("{}\n{}", kept, left_out(message.content.size() - kept.size()));
    });
  }

  void shorten_calls(std::size_t i) {
    if (messages_[i].tool_calls.empty()) return;
    change(i, [](Message& message) {
      for (Json& call : message.tool_calls) shorten_call(call);
    });
  }

  // The longest give way first: what every one may have shrinks until all of them fit.
  void share_between_results(std::size_t newest) {
    std::vector<std::string> whole;
    std::size_t share = 0;
    for (std::size_t i = newest; i < messages_.size(); ++i) {
      whole.push_back(messages_[i].content);
      if (messages_[i].role == "tool") share = std::max(share, messages_[i].content.size());
    }
    while (is_full() && share > kShortenedResult) {
      share = std::max(kShortenedResult, share - share / kShareStep);
      for (std::size_t i = newest; i < messages_.size(); ++i)
        if (messages_[i].role == "tool" && whole[i - newest].size() > share)
          change(i, [&](Message& message) {
            message.content =
                shown_result(whole[i - newest], share) + "\n[The rest does not fit into your window: ask for a part of it.]";
          });
    }
  }

  // Where the turn that begins here ends: before the task it is a task and all that came of it, behind it an answer and what
  // followed from it, so that turns still alternate.
  std::size_t end_of_turn(std::size_t begin) const {
    const std::string_view next = begin < task_ ? "user" : "assistant";
    std::size_t end = begin + 1;
    while (end < messages_.size() && end != task_ && messages_[end].role != next) ++end;
    return end;
  }

  // Until all of it fits, or the turns before the newest need no more than this.
  void drop_turns(std::size_t last_call, std::int64_t enough) {
    std::size_t at = !messages_.empty() && messages_.front().role == "system" ? 1 : 0;
    std::size_t limit = std::max(last_call, task_);
    std::int64_t newest = 0;
    for (std::size_t i = limit; i < messages_.size(); ++i) newest += model::estimate_message(messages_[i]);
    bool dropped = false;
    while (is_full() && used_ - newest > enough) {
      if (at == task_) ++at;
      const std::size_t end = at < limit ? end_of_turn(at) : limit + 1;
      if (end > limit) break;
      for (std::size_t i = at; i < end; ++i) used_ -= model::estimate_message(messages_[i]);
      messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(at), messages_.begin() + static_cast<std::ptrdiff_t>(end));
      if (at < task_) task_ -= end - at;
      limit -= end - at;
      dropped = true;
    }
    if (dropped && !messages_[task_].content.ends_with(kDropped))
      change(task_, [](Message& message) { message.content += kDropped; });
  }

  std::vector<Message>& messages_;
  std::size_t& task_;
  const std::int64_t most_;
  std::int64_t used_ = 0;
};

}  // namespace

Result<void> fit_window(std::vector<Message>& messages, std::size_t& task, const model::Ask& ask, std::int64_t context) {
  const std::int64_t fixed = model::estimate_prompt(ask);
  const std::int64_t used = Fitting(messages, task, fixed, context).run();
  if (used + kShortestAnswer <= context) return {};
  return fail(ErrorKind::too_large,
              fmt::format("the task does not fit the model's window of {} tokens: it needs about {}, {} of them for the tools",
                          context, used, fixed),
              "use fewer servers (--servers), a shorter task, or a larger window", "CONTEXT_TOO_LARGE");
}

}  // namespace holdfast::runner
