#include "kinds/runner/task_loop.h"

#include "base/crypto/hash.h"
#include "base/result.h"
#include "base/run/parallel.h"
#include "base/text/text.h"
#include "kinds/runner/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace holdfast::runner {
namespace {

// Keeping a conversation within the model's window (persistent-client §7, end).
//
// What gives way, in this order, until it fits: results that the model has seen, arguments of calls it has made, the oldest
// rounds (and tasks before this one) beyond half of the room, results it has not seen yet (the longest first), all other rounds.
// Calls and their answers stay together; the instructions, the task and the newest round stay.
constexpr double kFullContext = 0.75;  // of the window: the rest is for the answer, and for estimates that are wrong

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

// ask: everything but the messages. task: where in them the task is; follows it. Errors: too_large with code CONTEXT_TOO_LARGE,
// when what has to stay does not fit: it must not be sent.
Result<void> fit_window(std::vector<Message>& messages, std::size_t& task, const model::Ask& ask, std::int64_t context) {
  const std::int64_t fixed = model::estimate_prompt(ask);
  const std::int64_t used = Fitting(messages, task, fixed, context).run();
  if (used + kShortestAnswer <= context) return {};
  return fail(ErrorKind::too_large,
              fmt::format("the task does not fit the model's window of {} tokens: it needs about {}, {} of them for the tools",
                          context, used, fixed),
              "use fewer servers (--servers), a shorter task, or a larger window", "CONTEXT_TOO_LARGE");
}

using Time = std::chrono::steady_clock;

constexpr int kAttempts = 3;   // §8
constexpr int kOverflows = 3;  // each leaves three quarters of what was sent before
constexpr std::string_view kMayHaveHappened =
    "Error: the work was interrupted while this call was under way. It may have happened, wholly or in part. It was not made "
    "again: find out before you repeat it.";

class Loop {
 public:
  Loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
       const LoopEvents& events, const std::stop_token& stop, const Earlier& earlier)
      : models_(models), tools_(tools), messages_(messages), limits_(limits), events_(events), stop_(stop), earlier_(earlier) {}

  LoopResult run() {
    while (result_.rounds < limits_.max_rounds) {
      tools_.look_again();
      auto reply = ask(true);
      if (!reply) return failed(reply.error());
      if (reply->tool_calls.empty()) {
        if (auto ended = answered(*reply)) return *std::move(ended);
        continue;
      }
      messages_.push_back(reply->message);
      answer_calls(reply->tool_calls);
      if (out_of_time()) return ended_early();
      if (repeats_ >= kRepeatsBeforeStuck) return finished("stuck", reply->content);
    }
    return best_so_far();
  }

 private:
  bool out_of_time() const { return stop_.stop_requested() || Time::now() >= limits_.deadline; }

  std::chrono::milliseconds remaining() const {
    constexpr auto kLong = std::chrono::hours(24);
    const auto now = Time::now();
    if (limits_.deadline - now > kLong) return kLong;
    return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(limits_.deadline - now), std::chrono::milliseconds(1));
  }

  LoopResult finished(std::string_view status, std::string_view text) {
    result_.status = status;
    result_.text = text;
    return std::move(result_);
  }

  LoopResult ended_early() {
    const bool cancelled = stop_.stop_requested();
    result_.error = cancelled ? make_error(ErrorKind::cancelled, "the task was cancelled")
                              : make_error(ErrorKind::timeout, "the task took longer than its timeout_s", "give it more time");
    return finished(cancelled ? "cancelled" : "timeout", last_text_);
  }

  LoopResult failed(const Error& error) {
    if (out_of_time()) return ended_early();
    result_.error = error;
    return finished("error", last_text_);
  }

  Result<model::Reply> ask(bool with_tools) {
    const auto done = static_cast<std::size_t>(result_.rounds);
    known_ = done < earlier_.size() ? &earlier_[done] : nullptr;
    // Who may ask fewer times now than before gets no more of what came of it.
    if (known_ && !with_tools && !known_->reply.tool_calls.empty()) known_ = nullptr;
    HF_TRY(model::Reply reply, known_ ? Result<model::Reply>(known_->reply) : ask_model(with_tools));
    ++result_.rounds;
    result_.usage += reply.tokens;
    if (!reply.reasoning.empty()) result_.reasoning = reply.reasoning;
    if (!reply.content.empty()) last_text_ = reply.content;
    if (!known_ && events_.on_reply) events_.on_reply(result_.rounds, reply);
    return reply;
  }

  // A window that is smaller than it was said to be shows when it overflows: then less is sent.
  Result<model::Reply> ask_model(bool with_tools) {
    for (int overflows = 0;; ++overflows) {
      model::Ask ask = empty_ask(with_tools);
      HF_TRY(const model::ModelChoice choice, models_.choose(ask));
      ask.provider = choice.provider;
      ask.model = choice.model;
      ask.first_byte = choice.first_byte();
      const auto window = window_ ? std::min(*window_, choice.context.value_or(*window_)) : choice.context;
      if (window) HF_CHECK(fit_window(messages_, task_, ask, *window));
      ask.messages = messages_;
      const std::int64_t prompt = model::estimate_prompt(ask);
      ask.max_tokens = model::automatic_max_tokens(window, prompt);
      if (limits_.max_tokens)
        ask.max_tokens = window ? std::min(*limits_.max_tokens, left_for_answer(*window, prompt)) : *limits_.max_tokens;
      auto reply = models_.complete(ask);
      if (reply || reply.error().code != "CONTEXT_TOO_LARGE" || overflows == kOverflows) return reply;
      window_ = prompt;
    }
  }

  static std::int64_t left_for_answer(std::int64_t window, std::int64_t prompt) {
    return std::max<std::int64_t>(window - prompt, 1);
  }

  model::Ask empty_ask(bool with_tools) {
    model::Ask ask;
    ask.purpose = "chat";
    ask.model = limits_.model;
    if (with_tools) ask.tools = tools_.list();
    ask.response_format = limits_.response_format;
    ask.may_be_empty = true;
    ask.attempts = kAttempts;
    ask.timeout = remaining();
    ask.cancelled = [this] { return out_of_time(); };
    return ask;
  }

  // An answer without calls; nothing: ask once more.
  std::optional<LoopResult> answered(const model::Reply& reply) {
    if (reply.finish_reason == "length") {
      messages_.push_back(reply.message);
      return finished("truncated", reply.content);
    }
    if (!trim(reply.content).empty()) {
      messages_.push_back(reply.message);
      return finished("ok", reply.content);
    }
    if (asked_again_) return finished("empty", "");
    asked_again_ = true;
    // Turns alternate, and some endpoints refuse one that is empty.
    messages_.push_back({"assistant", "(nothing)", {}, {}});
    messages_.push_back({"user", "Your answer was empty. Answer the task in words, or call a tool.", {}, {}});
    return std::nullopt;
  }

  LoopResult best_so_far() {
    messages_.push_back({"user", "No more tool calls are possible. Give the best answer you have so far.", {}, {}});
    auto reply = ask(false);
    if (!reply) return failed(reply.error());
    messages_.push_back(reply->message);
    return finished("max_rounds", reply->content);
  }

  struct Pending {
    const model::ToolCall* call;
    CallPlace place;
    std::optional<JsonObject> arguments;  // nothing: there is nothing to be made
    ToolOutcome outcome;
    bool is_known = false;  // the outcome is that of an earlier process
  };

  void answer_calls(const std::vector<model::ToolCall>& calls) {
    std::vector<Pending> pending;
    for (const model::ToolCall& call : calls) pending.push_back(prepare(call, {result_.rounds, pending.size()}));
    for (std::size_t at = 0; at < pending.size();) {
      const std::size_t end = run_some(pending, at);
      for (; at < end; ++at) take_outcome(pending[at]);
    }
  }

  // As soon as it is there: what comes after it may be the last that this process does.
  void take_outcome(const Pending& pending) {
    ++result_.tool_calls;
    if (pending.outcome.is_error) ++result_.tool_errors;
    messages_.push_back(
        {"tool",
         shown_result(pending.outcome.text, limits_.max_result_bytes) + note_repeat(*pending.call, pending.outcome),
         pending.call->id,
         {}});
    if (events_.on_result && !pending.is_known) events_.on_result(pending.place, *pending.call, pending.outcome);
  }

  Pending prepare(const model::ToolCall& call, CallPlace place) const {
    Pending pending{&call, place, {}, {}, false};
    if (known_ && known_->calls.contains(place.position)) {
      const std::optional<ToolOutcome>& outcome = known_->calls.at(place.position);
      pending.is_known = outcome.has_value();
      pending.outcome = outcome.value_or(ToolOutcome{std::string(kMayHaveHappened), true, true});
      if (outcome || !tools_.is_repeatable(call.name)) return pending;
    }
    if (place.position >= limits_.max_calls) {
      pending.outcome = {
          fmt::format("Error: not called: one answer may make {} calls. Make this one in your next answer if it is still needed",
                      limits_.max_calls),
          true, false};
      return pending;
    }
    const auto& tools = tools_.list();
    const auto tool = std::ranges::find(tools, call.name, &model::Tool::name);
    if (tool == tools.end()) {
      pending.outcome = {fmt::format("Error: there is no tool {}", to_valid_utf8(call.name)), true, false};
      return pending;
    }
    auto arguments = read_arguments(call.arguments, tool->parameters);
    if (arguments)
      pending.arguments = *std::move(arguments);
    else
      pending.outcome = {fmt::format("Error: {}. {}", arguments.error().message, arguments.error().hint), true, false};
    return pending;
  }

  void make(Pending& pending) {
    if (!pending.arguments) return;
    if (out_of_time()) {
      pending.outcome = {"Error: not called: the task's time is over", true, false};
      return;
    }
    pending.outcome = tools_.call(pending.call->name, *pending.arguments, {limits_.call_timeout, remaining()}, stop_);
  }

  // Those that only read go together, others alone. Returns where to go on.
  std::size_t run_some(std::vector<Pending>& pending, std::size_t at) {
    const auto reads = [&](const Pending& each) { return !each.arguments || tools_.is_read_only(each.call->name); };
    std::size_t end = at + 1;
    if (reads(pending[at]))
      while (end < pending.size() && end - at < kParallelCalls && reads(pending[end])) ++end;
    for (std::size_t i = at; i < end; ++i)
      if (events_.on_call && pending[i].arguments && !out_of_time()) events_.on_call(pending[i].place, *pending[i].call);
    each_in_parallel(end - at, kParallelCalls, "runner", [&](std::size_t i) {
      make(pending[at + i]);
      return true;
    });
    return end;
  }

  // A model that does the same thing over and over is told so, and in the end stopped.
  std::string note_repeat(const model::ToolCall& call, const ToolOutcome& outcome) {
    const int times = ++seen_[to_hex(sha256(fmt::format("{}\n{}\n{}", call.name, call.arguments, outcome.text)))];
    repeats_ = std::max(repeats_, times);
    if (times != kRepeatsBeforeHint) return {};
    return "\n[This very call has given this very result three times. Try something else, or answer with what you know.]";
  }

  model::Models& models_;
  Tools& tools_;
  std::vector<model::Message>& messages_;
  const LoopLimits& limits_;
  const LoopEvents& events_;
  const std::stop_token& stop_;
  const Earlier& earlier_;
  const EarlierRound* known_ = nullptr;  // the present round, when an earlier process had it
  LoopResult result_;
  std::size_t task_ = messages_.empty() ? 0 : messages_.size() - 1;  // where it is in messages_
  std::optional<std::int64_t> window_;                               // as it turned out to be
  std::string last_text_;
  bool asked_again_ = false;
  int repeats_ = 0;
  std::map<std::string, int> seen_;
};

}  // namespace

LoopResult run_task_loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
                         const LoopEvents& events, const std::stop_token& stop, const Earlier& earlier) {
  return Loop(models, tools, messages, limits, events, stop, earlier).run();
}

}  // namespace holdfast::runner
