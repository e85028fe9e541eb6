#pragma once

// The search for one question: up to three rounds of search, judge, refined query (threads-and-research §10).
//
// Runs on a thread of its own beside those of other questions. What it finds is handed to `submit` unit by unit; when that is
// written is the caller's business (gathering.cpp).

#include "kinds/research/engine/phases.h"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::research {

inline constexpr int kRounds = 3;

class QuestionSearch {
 public:
  using Compose = std::function<Change(const RunState&)>;
  using Submit = std::function<Result<void>(Compose)>;

  QuestionSearch(Workshop& shop, std::int64_t iteration, const SubQuery& question, Submit submit)
      : shop_(shop), iteration_(iteration), question_(question), submit_(std::move(submit)) {}

  // Errors: those of submit, cancelled. That every provider failed is not one: see failure().
  Result<void> run();

  // Why the question has no answer: every search failed. Empty otherwise.
  std::string failure() const { return found_.empty() && !answered_ ? last_error_ : std::string(); }
  std::size_t found() const { return found_.size(); }

 private:
  enum class Outcome { found_new, found_nothing, stop };
  Result<Outcome> round(int number, const std::string& query);
  Result<bool> ask(SearchProvider& provider, const Unit& unit, const std::string& query, std::size_t most);
  Result<Judgement> judge(int number, const std::string& query, bool found_new);
  bool is_known(const Found& candidate) const;
  Unit unit(std::string name) const { return {iteration_, "gathering", std::move(name)}; }

  Workshop& shop_;
  const std::int64_t iteration_;
  const SubQuery question_;
  const Submit submit_;
  std::vector<Found> found_;
  bool answered_ = false;  // some provider did, if only to say that there is nothing
  std::string last_error_;
};

}  // namespace holdfast::research
