#pragma once

// What a session used: tokens by model, tool calls, subagents, compactions, and what that costs by a dated table the user can
// edit.

#include "base/json/json.h"
#include "kinds/transcripts/source/session_source.h"

#include <map>

namespace holdfast::transcripts {

struct TokenCounts {
  std::uint64_t input = 0, output = 0, cache_written = 0, cache_read = 0;
};
// Tokens of a prompt, cached ones included, above which some models cost more.
inline constexpr std::uint64_t kLongPrompt = 100'000;

struct Usage {
  std::map<std::string, TokenCounts> models;        // each API message once, although it stands in several records
  std::map<std::string, TokenCounts> long_prompts;  // the part of them whose prompt was longer than kLongPrompt
  std::map<std::string, std::uint64_t> tool_calls;  // by tool name; each call once
  std::uint64_t messages = 0, subagents = 0, compactions = 0;
};
// "<synthetic>" messages, which the client made up itself, are not counted. Memory grows with the number of messages.
Result<Usage> measure_usage(SessionSource& source, const Inventory& inventory, const Progress& progress = {});

struct Prices {
  std::string as_of;  // "2026-07-01"
  struct PerMillion {
    double input = 0, output = 0, cache_written = 0, cache_read = 0;
    double long_prompt_factor = 1;
  };
  // By the start of the model's name; the longest wins. What follows may be a date, not a number: "claude-opus-5" is the price of
  // claude-opus-5-20260724 and none of a claude-opus-5-7 that came later.
  std::map<std::string, PerMillion> models;
};
// The built-in table, overlaid by `file` (config/prices.json) when it exists. Errors: invalid (what in it is wrong).
Result<Prices> read_prices(const std::string& file);

struct Cost {
  double dollars = 0;
  std::string as_of;
  std::map<std::string, double> by_model;
  std::vector<std::string> unpriced;  // models without a price
};
Cost cost_of(const Usage& usage, const Prices& prices);

JsonObject to_json(const Usage& usage);
JsonObject to_json(const Cost& cost);

}  // namespace holdfast::transcripts
