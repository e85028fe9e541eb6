#pragma once

// Models that answer from a script, for tests of the kinds that ask one. `next_of` plays a list of replies, so that a
// conversation with tools reads as a list of what the model says.

#include "model/models.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace holdfast::model {

class ScriptedModels final : public Models {
 public:
  using Answerer = std::function<Result<Reply>(const Ask&)>;

  // Without an answerer there is no model at all.
  ScriptedModels() = default;
  explicit ScriptedModels(Answerer answerer, std::vector<std::string> names = {"scripted"})
      : answerer_(std::move(answerer)), names_(std::move(names)) {}

  static Reply reply(std::string content) {
    Reply made;
    made.content = std::move(content);
    made.provider = "scripted";
    made.model = "script-1";
    made.tokens = {10, 5, false};
    made.finish_reason = "stop";
    made.message = {"assistant", made.content};
    return made;
  }
  // An answer that is nothing but calls; ids are given by the caller, as endpoints do.
  static Reply calls(std::vector<ToolCall> wanted) {
    Reply made = reply({});
    made.finish_reason = "tool_calls";
    for (const ToolCall& call : wanted)
      made.message.tool_calls.push_back(JsonObject{
          {"id", call.id}, {"type", "function"}, {"function", JsonObject{{"name", call.name}, {"arguments", call.arguments}}}});
    made.tool_calls = std::move(wanted);
    return made;
  }
  // One after another; behind the last: an error.
  static Answerer next_of(std::vector<Result<Reply>> replies) {
    return [left = std::make_shared<std::vector<Result<Reply>>>(std::move(replies)),
            lock = std::make_shared<std::mutex>()](const Ask&) -> Result<Reply> {
      const std::lock_guard guard(*lock);
      if (left->empty()) return fail(ErrorKind::unavailable, "the script is at its end", {}, "PROVIDER_ERROR");
      Result<Reply> next = std::move(left->front());
      left->erase(left->begin());
      return next;
    };
  }

  std::vector<std::string> providers(std::string_view) const override { return names_; }
  std::int64_t context_window(const Ask&) const override { return names_.empty() ? 0 : window; }
  Result<ModelChoice> choose(const Ask& ask) override {
    if (names_.empty()) return fail(ErrorKind::refused, "no model is configured", "set llm in config.json", "NO_LLM_PROVIDER");
    if (!ask.model.empty() && ask.model != "default" && !served.empty() && std::ranges::find(served, ask.model) == served.end())
      return fail(ErrorKind::not_found, "there is no model called " + ask.model, {}, "MODEL_NOT_FOUND");
    ModelChoice choice;
    choice.provider = names_.front();
    choice.model = !ask.model.empty() && ask.model != "default" ? ask.model : served.empty() ? "script-1" : served.front();
    choice.context = window;
    choice.loaded = true;
    return choice;
  }
  Result<Reply> complete(const Ask& ask) override {
    {
      const std::lock_guard lock(mutex_);
      asks_.push_back(ask);
    }
    if (!answerer_) return fail(ErrorKind::refused, "no model is configured", "set llm in config.json", "NO_LLM_PROVIDER");
    return answerer_(ask);
  }

  Result<void> reachable(const Ask&) override {
    if (gone) return fail(*gone);
    return {};
  }

  std::vector<Ask> asks() const {
    const std::lock_guard lock(mutex_);
    return asks_;
  }

  std::int64_t window = 8192;
  std::vector<std::string> served;  // what `choose` knows; empty: any name will do
  std::optional<Error> gone;        // what `reachable` answers

 private:
  Answerer answerer_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  std::vector<Ask> asks_;
};

}  // namespace holdfast::model
