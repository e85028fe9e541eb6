#pragma once

// What a thinkdeep thread knows: hypotheses, what speaks for and against them, and whether it is done (§9). Pure: no store, no
// model.
//
// Each piece of evidence has a weight (strong 2, moderate 1, weak 0.5); one that contradicts subtracts it. The sum is the
// confidence: below 1 speculation, below 2 low, below 4 medium, below 6 high, from there on confirmed. The investigation has
// converged at its greatest depth, or when all hypotheses are high or confirmed.

#include "base/json/json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

inline constexpr std::int64_t kDefaultDepth = 5;
inline constexpr std::int64_t kMaxDepth = 50;  // each step is a call of a model

enum class Strength { weak, moderate, strong };
enum class Confidence { speculation, low, medium, high, confirmed };
enum class Convergence { none, max_depth, confidence };

std::string_view name_of(Strength strength);
std::string_view name_of(Confidence confidence);
std::string_view name_of(Convergence convergence);  // "none", "max_depth_reached", "hypotheses_confident"

double weight_of(Strength strength);
Confidence confidence_of(double score);

struct Evidence {
  std::string text;
  Strength strength = Strength::weak;
  bool supports = true;
  std::int64_t depth = 0;  // the step that found it
};

struct Hypothesis {
  std::string id;  // "h1", "h2", …: short, because the model repeats it
  std::string statement;
  std::vector<Evidence> evidence;

  double score() const;
  Confidence confidence() const { return confidence_of(score()); }
};

struct Investigation {
  std::string topic;
  std::int64_t depth = 0, max_depth = kDefaultDepth;
  std::vector<Hypothesis> hypotheses;

  Convergence convergence() const;

  // Takes in what a model answered: {"hypotheses": [{"id"?, "statement", "evidence": [{"text", "strength", "supports"}]}]}. A
  // hypothesis is found by its id, else by its statement, else it is new. The same evidence does not count twice. What cannot be
  // understood is left out and said so.
  std::vector<std::string> add(const JsonObject& update);

  // For a prompt: statements and the newest evidence, short enough for the smallest windows.
  std::string brief() const;
  // For people, without asking anybody: what was found, best first.
  std::string summary() const;
  // With scores and confidence, as results show it; from_json reads what it needs of that.
  JsonObject to_json() const;
  static Investigation from_json(const JsonObject& json);
};

}  // namespace holdfast::threads
