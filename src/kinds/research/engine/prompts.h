#pragma once

// What a model is asked (threads-and-research §10). Text of others (sources, findings made from them) stands between marks that
// carry a fresh random word, so that it can neither end its block nor pass for instructions; the system message says so.

#include "kinds/research/engine/engine.h"
#include "model/models.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

struct Prompt {
  std::string system, user;

  std::vector<model::Message> messages() const { return {{"system", system}, {"user", user}}; }
};

// A piece of somebody else's text, and what may be called on by name.
struct Block {
  std::string label;  // "source 3"
  std::string text;
};
std::string delimited(const std::vector<Block>& blocks);

Prompt planning_prompt(const Job& job);
Prompt clarifying_prompt(std::string_view query);
Prompt judging_prompt(const Job& job, const Round& round);
// `blocks`: the sources of the batch by citation number. `earlier`: findings a contradiction may name.
Prompt analysis_prompt(const Job& job, const std::vector<Block>& blocks, const std::vector<const Finding*>& earlier);
Prompt synthesis_prompt(const Job& job, const std::vector<Block>& findings, const RunState& state);
Prompt continuation_prompt(const Prompt& before, std::string_view written);
Prompt refinement_prompt(const Job& job, const RunState& state);

}  // namespace holdfast::research
