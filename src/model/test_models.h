#pragma once

// Models that answer from a script, for tests of the kinds that ask one.

#include "model/models.h"

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
    return made;
  }

  std::vector<std::string> providers(std::string_view) const override { return names_; }
  std::int64_t context_window(const Ask&) const override { return names_.empty() ? 0 : window; }
  Result<Reply> complete(const Ask& ask) override {
    {
      const std::lock_guard lock(mutex_);
      asks_.push_back(ask);
    }
    if (!answerer_) return fail(ErrorKind::refused, "no model is configured", "set llm in config.json", "NO_LLM_PROVIDER");
    return answerer_(ask);
  }

  std::vector<Ask> asks() const {
    const std::lock_guard lock(mutex_);
    return asks_;
  }

  std::int64_t window = 8192;

 private:
  Answerer answerer_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  std::vector<Ask> asks_;
};

}  // namespace holdfast::model
