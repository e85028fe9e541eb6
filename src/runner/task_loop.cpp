#include "runner/task_loop.h"

#include "base/hash.h"
#include "base/text.h"
#include "runner/arguments.h"
#include "runner/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

namespace holdfast::runner {

namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kShortenedResult = 400;  // bytes of an old result that stay when the window is full
constexpr std::size_t kShareStep = 8;          // a share that is too large gives up an eighth: a few dozen looks at most
constexpr int kAttempts = 3;                   // §8

class Loop {
 public:
  Loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
       const LoopEvents& events, const std::stop_token& stop)
      : models_(models), tools_(tools), messages_(messages), limits_(limits), events_(events), stop_(stop) {}

  LoopResult run() {
    while (result_.rounds < limits_.max_rounds) {
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
    model::Ask ask;
    ask.purpose = "chat";
    ask.model = limits_.model;
    ask.messages = messages_;
    if (with_tools) ask.tools = tools_.list();
    ask.response_format = limits_.response_format;
    ask.may_be_empty = true;
    ask.attempts = kAttempts;
    ask.timeout = remaining();
    ask.cancelled = [this] { return out_of_time(); };
    HF_TRY(const model::ModelChoice choice, models_.choose(ask));
    ask.provider = choice.provider;
    ask.model = choice.model;
    ask.first_byte = choice.first_byte();
    if (choice.context) make_room(ask, *choice.context);
    ask.max_tokens = limits_.max_tokens ? limits_.max_tokens
                                        : std::optional(model::automatic_max_tokens(choice.context, model::estimate_prompt(ask)));
    HF_TRY(model::Reply reply, models_.complete(ask));
    ++result_.rounds;
    result_.usage += reply.tokens;
    if (!reply.reasoning.empty()) result_.reasoning = reply.reasoning;
    if (!reply.content.empty()) last_text_ = reply.content;
    if (events_.on_reply) events_.on_reply(result_.rounds, reply);
    return reply;
  }

  // The oldest results first; calls and their answers stay together. Those of the last round, which the model has not seen yet,
  // get all the room there is.
  void make_room(model::Ask& ask, std::int64_t context) {
    const auto full = static_cast<std::int64_t>(kFullContext * static_cast<double>(context));
    std::size_t newest = ask.messages.size();
    while (newest > 0 && ask.messages[newest - 1].role != "assistant") --newest;
    for (std::size_t i = 0; i < newest && model::estimate_prompt(ask) > full; ++i) {
      const std::string& content = ask.messages[i].content;
      if (ask.messages[i].role != "tool" || content.size() <= kShortenedResult) continue;
      const std::string_view kept = utf8_prefix(content, kShortenedResult);
      replace(
          ask, i,
          fmt::format("{}\n[{} bytes of this earlier result were left out to save room]", kept, content.size() - kept.size()));
    }
    // The longest give way first: what every one may have shrinks until all of them fit.
    std::size_t share = 0;
    const auto is_new_result = [&](std::size_t i) { return i >= newest && ask.messages[i].role == "tool"; };
    for (std::size_t i = newest; i < ask.messages.size(); ++i)
      if (is_new_result(i)) share = std::max(share, ask.messages[i].content.size());
    while (model::estimate_prompt(ask) > full && share > kShortenedResult) {
      share = std::max(kShortenedResult, share - share / kShareStep);
      for (std::size_t i = newest; i < ask.messages.size(); ++i)
        if (is_new_result(i) && messages_[i].content.size() > share)
          ask.messages[i].content =
              shown_result(messages_[i].content, share) + "\n[The rest does not fit into your window: ask for a part of it.]";
    }
    for (std::size_t i = newest; i < ask.messages.size(); ++i) messages_[i].content = ask.messages[i].content;
  }

  void replace(model::Ask& ask, std::size_t i, std::string content) {
    messages_[i].content = content;
    ask.messages[i].content = std::move(content);
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
    std::optional<JsonObject> arguments;
    ToolOutcome outcome;
  };

  void answer_calls(const std::vector<model::ToolCall>& calls) {
    std::vector<Pending> pending;
    for (const model::ToolCall& call : calls) pending.push_back(prepare(call));
    for (std::size_t at = 0; at < pending.size();) at = run_some(pending, at);
    for (const Pending& each : pending) {
      ++result_.tool_calls;
      if (each.outcome.is_error) ++result_.tool_errors;
      messages_.push_back({"tool", shown_result(each.outcome.text) + note_repeat(*each.call, each.outcome), each.call->id, {}});
      if (events_.on_result) events_.on_result(*each.call, each.outcome);
    }
  }

  Pending prepare(const model::ToolCall& call) const {
    Pending pending{&call, {}, {}};
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
    pending.outcome = tools_.call(pending.call->name, *pending.arguments, remaining(), stop_);
  }

  // Those that only read go together, others alone. Returns where to go on.
  std::size_t run_some(std::vector<Pending>& pending, std::size_t at) {
    const auto reads = [&](const Pending& each) { return !each.arguments || tools_.is_read_only(each.call->name); };
    std::size_t end = at + 1;
    if (reads(pending[at]))
      while (end < pending.size() && end - at < kParallelCalls && reads(pending[end])) ++end;
    for (std::size_t i = at; i < end; ++i)
      if (events_.on_call) events_.on_call(*pending[i].call);
    std::vector<std::jthread> others;
    for (std::size_t i = at + 1; i < end; ++i) others.emplace_back([this, &each = pending[i]] { make(each); });
    make(pending[at]);
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
  LoopResult result_;
  std::string last_text_;
  bool asked_again_ = false;
  int repeats_ = 0;
  std::map<std::string, int> seen_;
};

}  // namespace

LoopResult run_task_loop(model::Models& models, Tools& tools, std::vector<model::Message>& messages, const LoopLimits& limits,
                         const LoopEvents& events, const std::stop_token& stop) {
  return Loop(models, tools, messages, limits, events, stop).run();
}

}  // namespace holdfast::runner
